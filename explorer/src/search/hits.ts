/** Hits: the text, how it was found, and its signals as bars. */

import { Meta, excerpt, html, linkTo, marked, texts, to, type Hit, type Memory } from "../frame.ts";

const said = texts.search;
const words = texts.signals;
/** Signals of a hit that are shown before somebody asks for all. */
const BARS = 3;
/** Signals that tell most, first. */
const FIRST = [
  "exact",
  "context",
  "keyword",
  "text",
  "bm25",
  "own",
  "vector",
  "entity",
  "date",
  "author",
  "answer",
  "window",
];

function address(memory: Memory, query: string): string {
  return to("memory", memory.id, { q: query });
}

/** One sentence on how the hit was found, and what a reader must know about its time. */
function Reasons({ hit }: { hit: Hit }) {
  const link = (text: string, id: string, named: string) =>
    html`<span class="warn-text">${text} <a href=${linkTo.memory(id)}>${named}</a></span>`;
  return html`<p class="reasons">
    <span>${words.via[hit.via] ?? words.otherwise(hit.via)}</span>
    ${hit.outdated_by && link(words.outdated, hit.outdated_by, words.later)}
    ${hit.may_be_outdated_by && link(words.mayBeOutdated, hit.may_be_outdated_by, words.later)}
    ${hit.may_replace && link(words.mayReplace, hit.may_replace, words.earlier)}
    ${hit.restated_by.length > 0 && html`<span>${words.restated(hit.restated_by.length)}</span>`}
  </p>`;
}

/** A bar from 0 to 1. The number beside it says the same. */
export function Bar({ share, strong }: { share: number; strong?: boolean }) {
  return html`<span class=${`track ${strong ? "strong" : ""}`} aria-hidden="true"
    ><span style=${{ width: `${Math.round(Math.min(1, Math.max(0, share)) * 100)}%` }}></span
  ></span>`;
}

/** The strongest signals of a hit, in the same order for all hits of an answer. */
function Signals({ hit, best, order, all }: { hit: Hit; best: number; order: string[]; all: boolean }) {
  const strongest = all ? order : order.filter((each) => (hit.signals[each] ?? 0) > 0).slice(0, BARS);
  const row = (name: string, value: number, share: number, strong = false) =>
    html`<div key=${name}>
      <dt>${name}</dt>
      <dd><${Bar} share=${share} strong=${strong} /><span class="number">${value.toFixed(2)}</span></dd>
    </div>`;
  return html`<dl class="signals" aria-label=${said.signalsOf}>
    ${row(said.score, hit.score, best ? hit.score / best : 0, true)}
    ${strongest.map((each) => row(words.names[each] ?? each, hit.signals[each] ?? 0, hit.signals[each] ?? 0))}
  </dl>`;
}

/** Return the signals that any hit has, those that tell most first. */
export function orderOf(hits: readonly Hit[]): string[] {
  const values = new Map<string, number[]>();
  for (const hit of hits)
    for (const [name, value] of Object.entries(hit.signals))
      values.set(name, [...(values.get(name) ?? []), value]);
  const most = (name: string) => Math.max(...(values.get(name) ?? [0]));
  const place = (name: string) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return [...values.keys()]
    .filter((each) => most(each) > 0)
    .sort((a, b) => place(a) - place(b) || a.localeCompare(b));
}

export function Hits({
  hits,
  query,
  of,
  all,
}: {
  hits: readonly Hit[];
  query: string;
  of: string[];
  all: boolean;
}) {
  const best = Math.max(...hits.map((each) => each.score), 0);
  const order = orderOf(hits);
  return html`<ol class="hits">
    ${hits.map(
      (hit) =>
        html`<li class="hit" key=${hit.memory.id}>
          <div class="hit-said">
            <a class="hit-link" data-item href=${address(hit.memory, query)}
              ><span class="text clamp" dir="auto">${marked(excerpt(hit.memory.content, of), of)}</span></a
            >
            <${Meta} memory=${hit.memory} />
            <${Reasons} hit=${hit} />
          </div>
          <${Signals} hit=${hit} best=${best} order=${order} all=${all} />
        </li>`,
    )}
  </ol>`;
}

/** Memories without a question. */
export function Rows({ memories }: { memories: readonly Memory[] }) {
  return html`<ol class="hits">
    ${memories.map(
      (memory) =>
        html`<li class="hit" key=${memory.id}>
          <div class="hit-said">
            <a class="hit-link" data-item href=${linkTo.memory(memory.id)}
              ><span class="text clamp" dir="auto">${excerpt(memory.content, [])}</span></a
            >
            <${Meta} memory=${memory} />
          </div>
        </li>`,
    )}
  </ol>`;
}
