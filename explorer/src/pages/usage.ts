/** Usage: questions, empty answers, writes a day, size, and what models cost. */

import { Busy, Heading, When, ask, html, texts, useLoad, useState } from "../frame.ts";

interface Day {
  day: string;
  asked: number;
  empty: number;
  written: number;
}

interface Metrics {
  days: number;
  asked: number;
  answered: number | null;
  streamed: number;
  used: number | null;
  written: number;
  duplicates: number | null;
  by_day: Day[];
  cost: number | null;
}

interface Model {
  kind: string;
  name: string;
  state: string;
  calls: number;
  failures: number;
  tokens: number;
  cost: number | null;
}

interface Status {
  total_insights: number;
  by_status: Record<string, number>;
  by_kind: Record<string, number>;
  bytes: number | null;
  edge_count: number;
  without_vector: number;
  preset: string;
  embedder: string;
  first_moment: string | null;
  last_moment: string | null;
  tier: { tier: string; why: string };
  models: Model[];
}

const SPANS = [7, 30, 90, 365];
const HEIGHT = 96;
const said = texts.usage;

function Figure({ name, value, note }: { name: string; value: string; note?: string | undefined }) {
  return html`<div class="figure">
    <dt>${name}</dt>
    <dd><strong>${value}</strong>${note && html` <span class="quiet">${note}</span>`}</dd>
  </div>`;
}

/** Bars of one number a day. The table below says the same. */
function Bars({ days, of, part, label }: {
  days: Day[];
  of: (day: Day) => number;
  part?: (day: Day) => number;
  label: string;
}) {
  const most = Math.max(1, ...days.map(of));
  const width = 100 / days.length;
  const bar = (count: number, place: number, kind: string) => {
    const height = (count / most) * HEIGHT;
    return count > 0 && html`<rect class=${kind} x=${place * width + width * 0.1} y=${HEIGHT - height}
      width=${width * 0.8} height=${height} />`;
  };
  return html`<figure class="bars">
    <figcaption>${label} <span class="quiet">${said.atMost(most)}</span></figcaption>
    <svg viewBox="0 0 100 ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label=${said.barsOf(label, most)}>
      ${days.map((each, place) => html`<g key=${each.day}>
        <title>${said.dayIs(each.day, of(each))}</title>
        ${bar(of(each), place, "bar")}
        ${part && bar(part(each), place, "bar bad")}
      </g>`)}
    </svg>
    <div class="bars-ends quiet"><${When} at=${days[0]?.day} /><${When} at=${days.at(-1)?.day} /></div>
  </figure>`;
}

function Days({ days }: { days: Day[] }) {
  const shown = days.filter((each) => each.asked || each.written);
  return html`<details>
    <summary>${said.asTable}</summary>
    <div class="table" tabindex="0" role="region" aria-label=${said.asTable}><table>
      <thead><tr><th scope="col">${said.day}</th><th scope="col">${said.asked}</th>
        <th scope="col">${said.empty}</th><th scope="col">${said.written}</th></tr></thead>
      <tbody>${shown.map((each) => html`<tr key=${each.day}>
        <td><${When} at=${each.day} /></td><td class="number">${each.asked}</td>
        <td class="number">${each.empty}</td><td class="number">${each.written}</td></tr>`)}</tbody>
    </table></div>
  </details>`;
}

function Models({ models }: { models: Model[] }) {
  if (!models.length) return html`<p class="quiet">${said.noModels}</p>`;
  return html`<div class="table" tabindex="0" role="region" aria-label=${said.models}><table>
    <thead><tr><th scope="col">${said.model}</th><th scope="col">${said.kind}</th><th scope="col">${said.calls}</th>
      <th scope="col">${said.failures}</th><th scope="col">${said.tokens}</th><th scope="col">${said.cost}</th></tr></thead>
    <tbody>${models.map((each) => html`<tr key=${each.kind + each.name}>
      <td>${each.name}</td><td>${each.kind}</td><td class="number">${each.calls}</td>
      <td class="number">${each.failures}</td><td class="number">${each.tokens}</td>
      <td class="number">${each.cost === null ? said.noPrice : said.money(each.cost)}</td></tr>`)}</tbody>
  </table></div>`;
}

export function Page() {
  const [days, setDays] = useState(30);
  const status = useLoad<Status>(() => ask("GET", "/status"));
  const metrics = useLoad<Metrics>(() => ask("GET", "/status/metrics", { query: { days } }), [days]);
  const now = status.value;
  const found = metrics.value;
  const none = found && !found.asked && !found.written;
  return html`<section aria-labelledby="usage-heading">
    <${Heading} id="usage-heading" text=${said.heading} about=${said.about} />
    <${Busy} of=${status} />
    ${now &&
    html`<dl class="figures">
      <${Figure} name=${said.memories} value=${said.number(now.total_insights)} note=${said.edges(now.edge_count)} />
      <${Figure} name=${said.size} value=${said.bytes(now.bytes)} />
      <${Figure} name=${said.preset} value=${now.preset} note=${now.embedder} />
      <${Figure} name=${said.tier} value=${now.tier.tier} note=${now.tier.why} />
      <${Figure} name=${said.vectors} value=${said.number(now.without_vector)} note=${said.vectorsNote} />
    </dl>`}
    <div class="row">
      <h2 class="grow">${said.served}</h2>
      <label class="inline"><span class="label">${said.span}</span>
        <select value=${String(days)} onChange=${(event: Event) => setDays(Number((event.target as HTMLSelectElement).value))}>
          ${SPANS.map((each) => html`<option key=${each} value=${String(each)}>${said.lastDays(each)}</option>`)}
        </select></label>
    </div>
    <${Busy} of=${metrics} />
    ${none && html`<p class="quiet">${said.nothingYet}</p>`}
    ${found && !none &&
    html`<dl class="figures">
        <${Figure} name=${said.asked} value=${said.number(found.asked)} note=${said.answered(found.answered)} />
        <${Figure} name=${said.written} value=${said.number(found.written)} note=${said.duplicates(found.duplicates)} />
        <${Figure} name=${said.streamed} value=${said.number(found.streamed)} note=${said.used(found.used)} />
        <${Figure} name=${said.cost} value=${found.cost === null ? said.noPrice : said.money(found.cost)} />
      </dl>
      <div class="charts">
        <${Bars} days=${found.by_day} of=${(day: Day) => day.asked} part=${(day: Day) => day.empty} label=${said.askedBars} />
        <${Bars} days=${found.by_day} of=${(day: Day) => day.written} label=${said.writtenBars} />
      </div>
      <${Days} days=${found.by_day} />`}
    ${now && html`<h2>${said.models}</h2><${Models} models=${now.models} />`}
  </section>`;
}
