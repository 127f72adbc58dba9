/** Connected memories by type of edge. An open pair can be settled here. */

import {
  Badges,
  When,
  ask,
  excerpt,
  html,
  linkTo,
  mayWrite,
  say,
  texts,
  useState,
  type Loaded,
  type Memory,
  type Related,
} from "../frame.ts";
import { Bar } from "../search/hits.ts";

const said = texts.memory;
const ORDER = ["supersedes", "may_revise", "restates", "contrasts", "causal", "entity", "semantic", "temporal"];
const SHOWN = 5;
const VERDICTS = ["supersedes", "corrects", "same", "both", "open"] as const;

const moment = (memory: Memory) => memory.said_at ?? memory.occurred_from ?? memory.recorded_at;

function Settle({ here, there, done }: { here: Memory; there: Memory; done: () => void }) {
  const [open, setOpen] = useState(false);
  const [later, earlier] = moment(here) >= moment(there) ? [here, there] : [there, here];
  const settle = async (verdict: string) => {
    const body = { new: later.id, old: earlier.id, verdict };
    const settled = await say.trying(() => ask("POST", "/settle", { body }));
    if (!settled) return;
    say.done(said.settled, async () => {
      await ask("POST", "/settle", { body: { ...body, verdict: "open" } });
      say.done(said.reopened);
      done();
    });
    done();
  };
  if (!open)
    return html`<button type="button" class="small" onClick=${() => setOpen(true)}>${said.settle}</button>`;
  return html`<div class="settle" role="group" aria-label=${said.settleQuestion}>
    ${VERDICTS.map((each) => html`<button type="button" key=${each} class="small" onClick=${() => settle(each)}>${said.settleAs[each]}</button>`)}
  </div>`;
}

function Group({
  type,
  listed,
  here,
  done,
}: {
  type: string;
  listed: Related[];
  here: Memory;
  done: () => void;
}) {
  const [all, setAll] = useState(false);
  return html`<section class="edge-group">
    <h3>${said.edgeTypes[type] ?? type} <span class="quiet number">${listed.length}</span></h3>
    <ul class="plain-list edges">
      ${(all ? listed : listed.slice(0, SHOWN)).map(
        ({ memory, weight, subtypes }) =>
          html`<li key=${memory.id}>
            <div class="edge">
              <a data-item href=${linkTo.memory(memory.id)} class="edge-link"
                ><span class="text clamp" dir="auto">${excerpt(memory.content, [], 220)}</span></a
              >
              <span class="edge-weight" title=${said.weight(weight)}
                ><${Bar} share=${weight} /><span class="number">${weight.toFixed(2)}</span></span
              >
            </div>
            <p class="meta">
              <${When}
                at=${moment(memory)}
              />${subtypes.filter(Boolean).map((each) => html`<span key=${each}>${each.replaceAll("_", " ")}</span>`)}<${Badges}
                memory=${memory}
              />
              ${type === "may_revise" && mayWrite.value && html`<${Settle} here=${here} there=${memory} done=${done} />`}
            </p>
          </li>`,
      )}
    </ul>
    ${!all && listed.length > SHOWN && html`<button type="button" class="plain small" onClick=${() => setAll(true)}>${said.all(listed.length)}</button>`}
  </section>`;
}

export function Edges({ memory, related, done }: { memory: Memory; related: Loaded<Related>; done: () => void }) {
  const groups = new Map<string, Related[]>();
  for (const each of related.results) groups.set(each.via, [...(groups.get(each.via) ?? []), each]);
  const place = (type: string) => (ORDER.includes(type) ? ORDER.indexOf(type) : ORDER.length);
  if (!groups.size) return html`<p class="quiet">${said.noEdges}</p>`;
  return html`${[...groups].sort(([a], [b]) => place(a) - place(b)).map(([type, listed]) => html`<${Group} key=${type} type=${type} listed=${listed} here=${memory} done=${done} />`)}`;
}
