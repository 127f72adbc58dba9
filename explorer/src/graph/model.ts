/** The graph as the server answers it, and what the page computes from it. No DOM. */

import type { Network } from "../frame/api.ts";

export type { Network };

/** What the filters let through. `types` are names; an empty set shows no edge. */
export interface Shown {
  types: ReadonlySet<string>;
  weight: number;
}

/** An edge as seen from one of its ends. */
export interface Step {
  edge: number;
  other: number;
  /** Whether the edge leads away from this end. */
  out: boolean;
}

/** The edges at each node that the filters let through. */
export class Links {
  readonly visible: boolean[];
  readonly degree: number[];
  count = 0;
  private readonly steps: Step[][];

  constructor(
    private readonly net: Network,
    shown: Shown,
  ) {
    const allowed = net.type_names.map((name) => shown.types.has(name));
    const at = Array.from(net.ids, (): Step[] => []);
    this.visible = net.types.map((code, edge) => Boolean(allowed[code]) && net.weights[edge]! >= shown.weight);
    this.visible.forEach((visible, edge) => {
      if (!visible) return;
      const [source, target] = [net.sources[edge]!, net.targets[edge]!];
      at[source]!.push({ edge, other: target, out: true });
      if (target !== source) at[target]!.push({ edge, other: source, out: false });
      this.count++;
    });
    this.steps = at;
    this.degree = at.map((each) => each.length);
  }

  /** The edges at a node, strongest first. */
  at(node: number): Step[] {
    const { weights } = this.net;
    return [...(this.steps[node]! ?? [])].sort((a, b) => weights[b.edge]! - weights[a.edge]! || a.edge - b.edge);
  }
}

/** How many edges of each type there are. */
export function counts(net: Network): Map<string, number> {
  const found = new Map<string, number>();
  for (const code of net.types) {
    const name = net.type_names[code]!;
    found.set(name, (found.get(name) ?? 0) + 1);
  }
  return found;
}

const DIRECTIONS: Record<string, readonly [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

/** The neighbour that lies in the direction of an arrow key: the smallest turn, of equal ones the nearest. */
export function towards(net: Network, links: Links, node: number, key: string): number | undefined {
  const way = DIRECTIONS[key];
  if (!way) return undefined;
  let best: number | undefined;
  let least = 0.35;
  for (const { other } of links.at(node)) {
    const dx = net.x[other]! - net.x[node]!;
    const dy = net.y[other]! - net.y[node]!;
    const length = Math.hypot(dx, dy) || 1e-9;
    const score = (dx * way[0] + dy * way[1]) / length - length * 0.15;
    if (other !== node && score > least) {
      least = score;
      best = other;
    }
  }
  return best;
}

export type Order = "links" | "newest" | "text";

/** The places of nodes for the list: those whose text holds every word, in an order. */
export function listed(net: Network, links: Links, words: string, order: Order): number[] {
  const wanted = words.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const places = net.ids.map((_, place) => place);
  const found = wanted.length
    ? places.filter((place) => {
        const text = net.labels[place]!.toLocaleLowerCase();
        return wanted.every((word) => text.includes(word));
      })
    : places;
  if (order === "links") return found.sort((a, b) => links.degree[b]! - links.degree[a]! || net.moments[b]! - net.moments[a]!);
  if (order === "newest") return found.sort((a, b) => net.moments[b]! - net.moments[a]!);
  return found.sort((a, b) => net.labels[a]!.localeCompare(net.labels[b]!));
}
