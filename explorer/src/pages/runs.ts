/** Consolidation: the plan of the next run, the runs with what they changed, and their undo. */

import {
  Busy, Empty, Heading, type Loaded, When, ask, html, linkTo, mayAdmin, say, texts, useLoad, useState,
} from "../frame.ts";

interface Run {
  id: string;
  started: number;
  ended: number | null;
  state: "running" | "done" | "undone";
  counts: Record<string, number>;
}

interface Line {
  operation: string;
  memory_id: string;
  content: string;
  detail: string;
}

interface Report {
  run_id: string;
  plan: Line[];
  counts: Record<string, number>;
  waiting: unknown[];
  skipped_because_of_cap: number;
  degraded: string[];
}

interface Undone {
  restored: string[];
  refused: { memory_id: string; reason: string }[];
}

const SHOWN = 200;
const said = texts.runs;

function Lines({ lines }: { lines: Line[] }) {
  if (!lines.length) return html`<p class="quiet">${said.nothing}</p>`;
  return html`<ul class="plan">
      ${lines.slice(0, SHOWN).map(
        (each, place) => html`<li key=${place}>
          <span class="chip">${said.operation(each.operation)}</span>
          <a href=${linkTo.memory(each.memory_id)} dir="auto" class="clip">${each.content}</a>
          <span class="quiet" dir="auto">${each.detail}</span>
        </li>`,
      )}
    </ul>
    ${lines.length > SHOWN && html`<p class="quiet">${said.more(lines.length - SHOWN)}</p>`}`;
}

function Plan({ done }: { done: () => void }) {
  const [report, setReport] = useState<Report | null>(null);
  const [busy, setBusy] = useState(false);

  async function run(dry_run: boolean) {
    setBusy(true);
    const found = await say.trying(() => ask<Report>("POST", "/consolidation/runs", { body: { dry_run } }));
    setBusy(false);
    if (!found) return;
    setReport(dry_run ? found : null);
    if (dry_run) return;
    say.done(said.ran(counted(found.counts)), async () => {
      await ask("POST", "/consolidation/undo", { body: { run_id: found.run_id } });
      done();
    });
    done();
  }

  return html`<div class="card">
    <h2>${said.next}</h2>
    <p class="quiet">${said.nextAbout}</p>
    <div class="row">
      <button onClick=${() => run(true)} disabled=${busy}>${said.plan}</button>
      ${report && report.plan.length > 0 &&
      html`<button class="primary" onClick=${() => run(false)} disabled=${busy}>${said.run(report.plan.length)}</button>`}
      ${busy && html`<span role="status" class="quiet">${said.busy}</span>`}
    </div>
    ${report &&
    html`<div role="status"><p>${said.planned(report.plan.length)}</p></div>
      <${Lines} lines=${report.plan} />
      ${report.degraded.map((each) => html`<p key=${each} class="quiet" dir="auto">${each}</p>`)}`}
  </div>`;
}

function One({ run, done }: { run: Run; done: () => void }) {
  const [lines, setLines] = useState<Line[] | null>(null);
  const [kept, setKept] = useState<Undone | null>(null);

  async function open(event: Event) {
    if (!(event.target as HTMLDetailsElement).open || lines) return;
    const path = `/consolidation/runs/${encodeURIComponent(run.id)}`;
    const found = await say.trying(() => ask<Loaded<Line>>("GET", path));
    if (found) setLines(found.results);
  }

  async function undo() {
    const found = await say.trying(() => ask<Undone>("POST", "/consolidation/undo", { body: { run_id: run.id } }));
    if (!found) return;
    say.done(said.undone(found.restored.length));
    setKept(found);
    done();
  }

  return html`<li class="card">
    <div class="row">
      <h3 class="grow"><${When} at=${new Date(run.started * 1000).toISOString()} minutes /></h3>
      <span class="chip ${run.state === "undone" ? "warn" : ""}">${said.state[run.state]}</span>
      ${run.state === "done" && mayAdmin.value && html`<button onClick=${undo} aria-label=${said.undoOf(run.id)}>${said.undo}</button>`}
    </div>
    <p>${counted(run.counts) || said.nothing}</p>
    ${kept && kept.refused.length > 0 &&
    html`<p class="quiet">${said.refused(kept.refused.length)}</p>
      <ul>${kept.refused.map((each) => html`<li key=${each.memory_id}>
        <a href=${linkTo.memory(each.memory_id)}>${each.memory_id.slice(0, 13)}</a> ${each.reason}</li>`)}</ul>`}
    <details onToggle=${open}>
      <summary>${said.changes}</summary>
      ${lines ? html`<${Lines} lines=${lines} />` : html`<p class="quiet">${said.busy}</p>`}
    </details>
  </li>`;
}

function counted(counts: Record<string, number>): string {
  return Object.entries(counts)
    .filter(([name, count]) => count && name !== "noted")
    .map(([name, count]) => said.counted(said.operation(name), count))
    .join(", ");
}

export function Page() {
  const found = useLoad<Loaded<Run>>(() => ask("GET", "/consolidation/runs", { query: { limit: 50 } }));
  const all = found.value?.results ?? [];
  return html`<section aria-labelledby="runs-heading">
    <${Heading} id="runs-heading" text=${said.heading} about=${said.about} />
    ${mayAdmin.value ? html`<${Plan} done=${found.reload} />` : html`<p class="quiet">${said.needsAdmin}</p>`}
    <h2>${said.earlier}</h2>
    <${Busy} of=${found} />
    ${found.value && !all.length && html`<${Empty} text=${said.empty} hint=${said.emptyHint} />`}
    <ul class="cards wide">${all.map((each) => html`<${One} key=${each.id + each.state} run=${each} done=${found.reload} />`)}</ul>
  </section>`;
}
