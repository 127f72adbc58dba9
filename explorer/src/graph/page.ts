/** The page Graph: a picture, its filters, and a list that says the same. */

import { Empty, ask, dark, go, html, linkTo, namespace, place, useEffect, useMemo, useRef, useState } from "../frame.ts";
import type { Picture } from "./canvas.ts";
import { Chosen, List } from "./list.ts";
import { EDGES, aged, colours, lookOf } from "./looks.ts";
import { Links, type Network, counts, towards } from "./model.ts";
import { graph as text } from "./texts.ts";

const SIZES = [300, 1000, 3000, 10_000];
const DEPTHS = [1, 2, 3, 4];
/** Nearness in time joins everything, and what may change is a question: both are shown when asked for. */
const HIDDEN = ["temporal", "may_revise"];
const number = new Intl.NumberFormat();

/** How many of its strongest edges a memory of each type keeps: of a large graph nobody sees the weak ones. */
const strongest = (limit: number): number => (limit > 3000 ? 1 : limit > 1000 ? 2 : 4);

export function Page() {
  const start = place.value.rest;
  return html`<${Shown} key=${namespace.value} start=${start} dark=${dark.value} />`;
}

/** Begin the graph with a memory, or show the whole store. */
export const begin = (memory = ""): void => go(linkTo.graph(memory));

function Shown({ start, dark }: { start: string; dark: boolean }) {
  const [size, setSize] = useState(1000);
  const [depth, setDepth] = useState(2);
  const [net, setNet] = useState<Network>();
  const [problem, setProblem] = useState<string>();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set(HIDDEN));
  const [weight, setWeight] = useState(0);
  const [by, setBy] = useState("kind");
  const [chosen, setChosen] = useState<number>();
  const [hovered, setHovered] = useState<number>();
  const [said, setSaid] = useState("");
  const [pane, setPane] = useState<"picture" | "list">("picture");

  const walked = start ? [...hidden].sort().join() : "";
  useEffect(() => {
    const stop = new AbortController();
    setProblem(undefined);
    const query = start
      ? {
          memory_id: start,
          depth,
          limit: 1000,
          strongest: 6,
          min_weight: weight,
          types: Object.keys(EDGES).filter((each) => !hidden.has(each)),
        }
      : { limit: size, strongest: strongest(size) };
    const later = setTimeout(
      () => {
        ask<Network>("GET", "/graph", { query, signal: stop.signal }).then(
          (found) => {
            setNet(found);
            setChosen(start ? found.ids.indexOf(start) : undefined);
          },
          (error: Error) => error.name === "AbortError" || setProblem(error.message),
        );
      },
      net && start ? 150 : 0,
    );
    return () => {
      clearTimeout(later);
      stop.abort();
    };
  }, [start, size, depth, walked, start ? weight : 0]);

  const shown = useMemo(() => {
    const types = new Set(Object.keys(EDGES).filter((each) => !hidden.has(each)));
    return net && new Links(net, { types, weight });
  }, [net, hidden, weight]);
  const counted = useMemo(() => (net ? counts(net) : new Map<string, number>()), [net]);
  const [painted, legend] = useMemo(() => (net ? paint(net, by, dark) : [[], new Map<string, string>()]), [
    net,
    by,
    dark,
  ]);
  const view = usePicture(net, shown, painted, dark, { chosen, setChosen, setHovered });

  const choose = (node: number | undefined) => {
    setChosen(node);
    view.mark(node, true);
    if (net && node !== undefined) setSaid(`${net.labels[node]!}. ${text.links(shown!.degree[node]!)}.`);
  };
  const onKey = (event: KeyboardEvent) => {
    if (!net || !shown || event.ctrlKey || event.metaKey || event.altKey) return;
    const act: Record<string, () => void> = {
      "+": () => view.zoom(1.5),
      "=": () => view.zoom(1.5),
      "-": () => view.zoom(1 / 1.5),
      "0": () => view.fit(),
      Escape: () => choose(undefined),
      Enter: () => chosen !== undefined && go(linkTo.memory(net.ids[chosen]!)),
      g: () => chosen !== undefined && begin(net.ids[chosen]!),
    };
    const arrow = event.key.startsWith("Arrow");
    if (!arrow && !act[event.key]) return;
    event.preventDefault();
    if (!arrow) return act[event.key]?.();
    if (chosen === undefined) return choose(view.central());
    const next = towards(net, shown, chosen, event.key);
    if (next === undefined) setSaid(text.noWay);
    else choose(next);
  };
  const toggle = (type: string) => {
    const next = new Set(hidden);
    if (!next.delete(type)) next.add(type);
    setHidden(next);
  };

  if (net && !net.ids.length) return html`<${Nothing} gone=${start} leave=${() => begin()} />`;
  const present = Object.keys(EDGES).filter((each) => counted.has(each) || (start && hidden.has(each)));
  return html`
    <section class="graph" data-pane=${pane}>
      <header class="graph-bar">
        <h1>${text.title}</h1>
        ${
          start
            ? html`<${Around} net=${net} memory=${start} leave=${() => begin()} />
                <${Choice} label=${text.depth} values=${DEPTHS} value=${depth} set=${setDepth} />`
            : html`<${Choice} label=${text.size} values=${SIZES} value=${size} set=${setSize} />`
        }
        <label class="graph-select"
          >${text.colour}
          <select value=${by} onChange=${(event: Event) => setBy((event.target as HTMLSelectElement).value)}>
            ${Object.entries(text.colours).map(([key, name]) => html`<option value=${key}>${name}</option>`)}
          </select></label
        >
        <label class="graph-weight"
          >${text.weight} <b>${weight.toFixed(2)}</b>
          <input
            type="range"
            min="0"
            max="1"
            step="0.05"
            value=${weight}
            onInput=${(event: Event) => setWeight(Number((event.target as HTMLInputElement).value))}
        /></label>
        <fieldset class="graph-types">
          <legend>${text.edges}</legend>
          ${present.map(
            (type) => html`<button
              type="button"
              class="graph-type"
              aria-pressed=${!hidden.has(type)}
              onClick=${() => toggle(type)}
            >
              <${Line} type=${type} dark=${dark} />${text.types[type]!}
              ${counted.has(type) && html`<small>${number.format(counted.get(type)!)}</small>`}
            </button>`,
          )}
        </fieldset>
      </header>
      <div class="graph-panes" role="group">
        ${(["picture", "list"] as const).map(
          (each) =>
            html`<button type="button" aria-pressed=${pane === each} onClick=${() => setPane(each)}>
              ${each === "picture" ? text.picture : text.list}
            </button>`,
        )}
      </div>
      <div class="graph-picture">
        <div
          class="graph-canvas"
          ref=${view.element}
          tabindex="0"
          role="application"
          aria-label=${text.canvas}
          aria-describedby="graph-keys"
          onKeyDown=${onKey}
        ></div>
        ${!net && !problem && html`<p class="graph-wait" role="status">${text.loading}</p>`}
        ${problem && html`<p class="graph-wait" role="alert">${problem}</p>`}
        ${view.failed && html`<p class="graph-wait">${text.noGl}</p>`}
        <div class="graph-zoom">
          <button type="button" aria-label=${text.zoomIn} title=${text.zoomIn} onClick=${() => view.zoom(1.5)}>+</button>
          <button type="button" aria-label=${text.zoomOut} title=${text.zoomOut} onClick=${() => view.zoom(1 / 1.5)}>−</button>
          <button type="button" aria-label=${text.fit} title=${text.fit} onClick=${() => view.fit()}>⤢</button>
        </div>
        <${Legend} by=${by} legend=${legend} dark=${dark} rings=${net?.statuses.includes("superseded")} />
        <p class="graph-keys" id="graph-keys">${text.keys}</p>
        <p class="hidden" role="status">${said}</p>
      </div>
      <aside class="graph-side" aria-label=${text.list}>
        ${
          net &&
          shown &&
          html`<p class="graph-count">
              ${text.shown(number.format(net.ids.length), number.format(shown.count))}
              ${
                net.nodes_left_out + net.edges_left_out > 0 &&
                html`<small
                  >${net.nodes_left_out > 0 && text.leftOut(number.format(net.nodes_left_out))}
                  ${net.edges_left_out > 0 && text.edgesLeftOut(number.format(net.edges_left_out))}</small
                >`
              }
            </p>
            ${
              chosen !== undefined &&
              chosen >= 0 &&
              html`<${Chosen}
                net=${net}
                links=${shown}
                node=${chosen}
                choose=${choose}
                dark=${dark}
              />`
            }
            <${List} net=${net} links=${shown} chosen=${chosen} hovered=${hovered} choose=${choose} />`
        }
      </aside>
    </section>
  `;
}

/** Keeps one picture for the element, and tells it what has changed. sigma is loaded with the first network. */
function usePicture(
  net: Network | undefined,
  links: Links | undefined,
  painted: string[],
  dark: boolean,
  on: {
    chosen: number | undefined;
    setChosen: (node: number | undefined) => void;
    setHovered: (node: number | undefined) => void;
  },
) {
  const element = useRef<HTMLDivElement>(null);
  const picture = useRef<Picture>(undefined);
  const showing = useRef<Network>(undefined);
  const latest = useRef(net);
  latest.current = net;
  const [failed, setFailed] = useState(false);
  const [ready, setReady] = useState(0);

  useEffect(() => {
    let over = false;
    void import("./canvas.ts").then((module) => {
      if (over || !element.current) return;
      try {
        picture.current = new module.Picture(element.current, {
          hover: on.setHovered,
          select: (node) => {
            on.setChosen(node);
            picture.current?.mark(node);
          },
          open: (node) => go(linkTo.memory(latest.current!.ids[node]!)),
        });
        setReady((count) => count + 1);
      } catch {
        setFailed(true);
      }
    });
    const size = new ResizeObserver(() => picture.current?.resize());
    size.observe(element.current!);
    return () => {
      over = true;
      size.disconnect();
      picture.current?.kill();
      picture.current = undefined;
      showing.current = undefined;
    };
  }, []);

  useEffect(() => {
    if (!picture.current || !net || !links) return;
    const edgeName = (type: string, subtype: string) => subtype || (text.types[type] ?? type)!;
    const look = { dark: dark, colours: painted, edgeName };
    if (showing.current === net) {
      picture.current.restyle(links, look);
      return;
    }
    showing.current = net;
    picture.current.show(net, links, look);
    performance.mark("combray-graph");
    element.current!.dataset.ready = String(net.ids.length);
  }, [net, links, painted, ready]);

  return {
    element,
    failed,
    zoom: (factor: number) => picture.current?.zoom(factor),
    fit: () => picture.current?.fit(),
    mark: (node: number | undefined, follow?: boolean) => picture.current?.mark(node, follow),
    central: () => picture.current?.central(),
  };
}

function paint(net: Network, by: string, dark: boolean): [string[], Map<string, string>] {
  if (by !== "age") {
    const values = by === "kind" ? net.kinds : net.categories;
    const found = colours(values, dark);
    return [values.map((each) => found.get(each)!), found];
  }
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const moment of net.moments) {
    first = Math.min(first, moment);
    last = Math.max(last, moment);
  }
  return [net.moments.map((moment) => aged((moment - first) / (last - first || 1), dark)), new Map()];
}

function Choice({ label, values, value, set }: { label: string; values: number[]; value: number; set: (n: number) => void }) {
  return html`<div class="graph-choice" role="group" aria-label=${label}>
    <span>${label}</span>
    ${values.map(
      (each) =>
        html`<button type="button" aria-pressed=${each === value} onClick=${() => set(each)}>${number.format(each)}</button>`,
    )}
  </div>`;
}

function Around({ net, memory, leave }: { net?: Network; memory: string; leave: () => void }) {
  const label = net?.labels[net.ids.indexOf(memory)]! ?? memory.slice(0, 8);
  return html`<p class="graph-around">
    <span>${text.around}</span> <b dir="auto">${label}</b>
    <button type="button" aria-label=${text.leave} title=${text.leave} onClick=${leave}>×</button>
  </p>`;
}

/** A short line as an edge of the type is drawn. */
export function Line({ type, dark }: { type: string; dark: boolean }) {
  const look = lookOf(type);
  return html`<svg class="graph-line" width="30" height="10" aria-hidden="true">
    <line
      x1="1"
      y1="5"
      x2=${look.arrow ? 24 : 29}
      y2="5"
      stroke=${dark ? look.dark : look.light}
      stroke-width="2"
      stroke-dasharray=${look.dash[1] ? look.dash.join(" ") : "none"}
    />
    ${look.arrow && html`<path d="M23 1 L29 5 L23 9 Z" fill=${dark ? look.dark : look.light} />`}
  </svg>`;
}

function Legend({ by, legend, dark, rings }: { by: string; legend: Map<string, string>; dark: boolean; rings?: boolean }) {
  const dots = [...legend].slice(0, 6);
  return html`<ul class="graph-legend">
    ${dots.map(
      ([name, colour]) =>
        html`<li><svg width="10" height="10" aria-hidden="true"><circle cx="5" cy="5" r="4.5" fill=${colour} /></svg>${name}</li>`,
    )}
    ${
      by === "age" &&
      html`<li>
        ${text.older}
        <svg width="70" height="8" aria-hidden="true">
          ${[0, 1, 2, 3, 4, 5, 6].map(
            (at) => html`<rect x=${at * 10} width="10" height="8" fill=${aged(at / 6, dark)} />`,
          )}</svg
        >${text.newer}
      </li>`
    }
    ${
      rings &&
      html`<li>
        <svg width="10" height="10" aria-hidden="true">
          <circle cx="5" cy="5" r="3.6" fill="none" stroke="currentColor" stroke-width="1.6" /></svg
        >${text.notCurrent}
      </li>`
    }
  </ul>`;
}

function Nothing({ gone, leave }: { gone?: string; leave: () => void }) {
  if (gone)
    return html`<h1>${text.title}</h1>
      <${Empty} text=${text.goneTitle} hint=${text.goneText}>
        <button type="button" onClick=${leave}>${text.leave}</button>
      <//>`;
  return html`<h1>${text.title}</h1>
    <${Empty} text=${text.emptyTitle} hint=${text.emptyText} command=${text.emptyHow} />`;
}
