/** The list beside the picture: the chosen memory with its links, and all memories of the graph. */

import { html, linkTo, useEffect, useMemo, useState } from "../frame.ts";
import { type Links, type Network, type Order, listed } from "./model.ts";
import { Line, begin } from "./page.ts";
import { graph as text } from "./texts.ts";

const PAGE = 60;
const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

/** A day in the zone of the viewer. */
const dated = (seconds: number): string => day.format(seconds * 1000);

interface Shared {
  net: Network;
  links: Links;
  choose: (node: number | undefined) => void;
}

export function Chosen({ net, links, node, choose, dark }: Shared & { node: number; dark: boolean }) {
  const steps = links.at(node);
  const [most, setMost] = useState(12);
  useEffect(() => setMost(12), [net, node]);
  return html`<section class="graph-chosen" aria-live="off">
    <p class="graph-text" dir="auto">${net.labels[node]!}</p>
    <p class="graph-facts">
      <span>${net.kinds[node]!}</span>
      ${net.categories[node] !== net.kinds[node] && html`<span>${net.categories[node]!}</span>`}
      ${net.statuses[node]! !== "active" && html`<span class="graph-status">${net.statuses[node]!}</span>`}
      <time datetime=${new Date(net.moments[node]! * 1000).toISOString()}>${dated(net.moments[node]!)}</time>
    </p>
    <p class="graph-acts">
      <a class="button" href=${linkTo.memory(net.ids[node]!)}>${text.open}</a>
      <button type="button" onClick=${() => begin(net.ids[node]!)}>${text.outwards}</button>
      <button type="button" class="plain" onClick=${() => choose(undefined)}>${text.close}</button>
    </p>
    ${!steps.length && html`<p class="graph-none">${text.noLinks}</p>`}
    <ul class="graph-links">
      ${steps.slice(0, most).map(({ edge, other, out }) => {
        const type = net.type_names[net.types[edge]!]!;
        const name = (out ? text.from : text.to)[type];
        return html`<li key=${edge}>
          <button type="button" onClick=${() => choose(other)}>
            <span class="graph-how"
              ><${Line} type=${type} dark=${dark} />${name}${net.subtypes[edge]! && ` (${net.subtypes[edge]!})`}
              <small>${net.weights[edge]!.toFixed(2)}</small></span
            >
            <span dir="auto">${net.labels[other]!}</span>
          </button>
        </li>`;
      })}
    </ul>
    ${
      steps.length > most &&
      html`<button type="button" class="plain" onClick=${() => setMost(most + 50)}>
        ${text.more(Math.min(50, steps.length - most))}
      </button>`
    }
  </section>`;
}

export function List({ net, links, chosen, hovered, choose }: Shared & { chosen?: number; hovered?: number }) {
  const [words, setWords] = useState("");
  const [order, setOrder] = useState<Order>("links");
  const [most, setMost] = useState(PAGE);
  const found = useMemo(() => listed(net, links, words, order), [net, links, words, order]);
  useEffect(() => setMost(PAGE), [net, words, order]);
  return html`<section class="graph-list">
    <div class="graph-find">
      <input
        type="search"
        placeholder=${text.find}
        aria-label=${text.find}
        value=${words}
        onInput=${(event: Event) => setWords((event.target as HTMLInputElement).value)}
      />
      <select
        aria-label=${text.order}
        value=${order}
        onChange=${(event: Event) => setOrder((event.target as HTMLSelectElement).value as Order)}
      >
        ${Object.entries(text.orders).map(([key, name]) => html`<option value=${key}>${name}</option>`)}
      </select>
    </div>
    ${!found.length && html`<p class="graph-none">${text.noMatch}</p>`}
    <ol>
      ${found.slice(0, most).map(
        (node) => html`<li key=${node}>
          <button
            type="button"
            aria-current=${node === chosen ? "true" : undefined}
            class=${node === hovered ? "hovered" : ""}
            onClick=${() => choose(node)}
          >
            <span dir="auto">${net.labels[node]!}</span>
            <small>${net.kinds[node]!} · ${dated(net.moments[node]!)} · ${text.links(links.degree[node]!)}</small>
          </button>
        </li>`,
      )}
    </ol>
    ${
      found.length > most &&
      html`<button type="button" class="plain" onClick=${() => setMost(most + 200)}>
        ${text.more(Math.min(200, found.length - most))}
      </button>`
    }
  </section>`;
}
