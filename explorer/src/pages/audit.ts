/** The audit: who read and wrote what, and whether the log is whole. */

import {
  Busy, Empty, Heading, type Loaded, When, ask, html, linkTo, say, texts, useLoad, useState,
} from "../frame.ts";

interface Entry {
  seq: number;
  at: string;
  operation: string;
  within?: string;
  namespace: string;
  actor: string;
  result: string;
  ids?: string[];
  counts?: Record<string, number>;
  detail?: Record<string, unknown>;
}

interface Deviation {
  file: string;
  line: number;
  kind: string;
  detail: string;
}

interface Verification {
  entries: number;
  findings: Deviation[];
  notes: Deviation[];
  more: number;
}

const SHOWN_IDS = 3;
const said = texts.audit;

function Verify() {
  const [report, setReport] = useState<Verification | null>(null);
  const [busy, setBusy] = useState(false);

  async function verify() {
    setBusy(true);
    setReport((await say.trying(() => ask<Verification>("POST", "/audit/verify", { body: {} }))) ?? null);
    setBusy(false);
  }

  const sound = report && !report.findings.length;
  return html`<div class="card">
    <div class="row">
      <button onClick=${verify} disabled=${busy}>${said.verify}</button>
      <p role="status" class="grow ${report ? (sound ? "good" : "bad") : "quiet"}">
        ${busy ? said.verifying : !report ? said.verifyAbout : sound ? said.sound(report.entries) : said.broken(report.findings.length + report.more)}
      </p>
    </div>
    ${report && [...report.findings, ...report.notes].length > 0 &&
    html`<ul>${[...report.findings, ...report.notes].map(
      (each, place) => html`<li key=${place}>${said.deviation(each.line, each.kind)} <span dir="auto">${each.detail}</span></li>`,
    )}</ul>`}
  </div>`;
}

function About({ entry }: { entry: Entry }) {
  const counts = Object.entries(entry.counts ?? {}).map(([name, count]) => `${count} ${name}`);
  const ids = entry.ids ?? [];
  return html`<span>${counts.join(", ")}</span>
    ${ids.slice(0, SHOWN_IDS).map(
      (id) => html` <a key=${id} class="id" href=${linkTo.memory(id)} aria-label=${said.memory(id)}>${id.slice(0, 13)}</a>`,
    )}
    ${ids.length > SHOWN_IDS && html` <span class="quiet">${said.more(ids.length - SHOWN_IDS)}</span>`}`;
}

export function Page() {
  const [limit, setLimit] = useState(50);
  const [operation, setOperation] = useState("");
  const [since, setSince] = useState("");
  const query = { limit, ...(operation && { operation }), ...(since && { since }) };
  const found = useLoad<Loaded<Entry>>(() => ask("GET", "/audit", { query }), [limit, operation, since]);
  const all = found.value?.results ?? [];
  const value = (event: Event) => (event.target as HTMLInputElement).value;

  return html`<section aria-labelledby="audit-heading">
    <${Heading} id="audit-heading" text=${said.heading} about=${said.about} />
    <${Verify} />
    <div class="row filters">
      <label><span class="label">${said.operation}</span>
        <select value=${operation} onChange=${(event: Event) => setOperation(value(event))}>
          <option value="">${said.every}</option>
          ${said.operations.map((name) => html`<option key=${name} value=${name}>${name}</option>`)}
        </select></label>
      <label><span class="label">${said.since}</span>
        <input type="date" value=${since} onChange=${(event: Event) => setSince(value(event))} /></label>
    </div>
    <${Busy} of=${found} />
    ${found.value && !all.length && html`<${Empty} text=${said.empty} hint=${said.emptyHint} />`}
    ${all.length > 0 &&
    html`<div class="table" tabindex="0" role="region" aria-labelledby="audit-heading">
        <table>
          <thead><tr>
            <th scope="col">${said.number}</th><th scope="col">${said.when}</th><th scope="col">${said.operation}</th>
            <th scope="col">${said.who}</th><th scope="col">${said.namespace}</th>
            <th scope="col">${said.result}</th><th scope="col">${said.what}</th>
          </tr></thead>
          <tbody>${all.map(
            (each) => html`<tr key=${each.seq}>
              <td class="number">${each.seq}</td>
              <td><${When} at=${each.at} minutes /></td>
              <td>${each.operation}${each.within && html` <span class="quiet">(${each.within})</span>`}</td>
              <td dir="auto">${each.actor}</td>
              <td dir="auto">${each.namespace}</td>
              <td class=${each.result === "ok" ? "" : "bad"}>${each.result}</td>
              <td><${About} entry=${each} /></td>
            </tr>`,
          )}</tbody>
        </table>
      </div>
      ${all.length >= limit && html`<button onClick=${() => setLimit(limit * 4)}>${said.older}</button>`}`}
  </section>`;
}
