/** The graph as the server answers it, and what the page computes from it. No DOM. */

/** Columns: the values at one place belong to one memory, or to one edge. */
export interface Network {
  ids: string[];
  labels: string[];
  kinds: string[];
  categories: string[];
  statuses: string[];
  moments: number[];
  steps: number[];
  x: number[];
  y: number[];
  sources: number[];
  targets: number[];
  types: number[];
  weights: number[];
  subtypes: string[];
  type_names: string[];
  nodes_left_out: number;
  edges_left_out: number;
}

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
  readonly visible: Uint8Array;
  readonly degree: Uint32Array;
  readonly count: number;
  private readonly first: Uint32Array;
  private readonly edges: Uint32Array;

  constructor(
    private readonly net: Network,
    shown: Shown,
  ) {
    const { sources, targets, types, weights, type_names } = net;
    const allowed = type_names.map((name) => shown.types.has(name));
    this.visible = new Uint8Array(sources.length);
    this.degree = new Uint32Array(net.ids.length);
    let count = 0;
    for (let edge = 0; edge < sources.length; edge++) {
      if (!allowed[types[edge]] || weights[edge] < shown.weight) continue;
      this.visible[edge] = 1;
      this.degree[sources[edge]]++;
      this.degree[targets[edge]]++;
      count++;
    }
    this.count = count;
    this.first = new Uint32Array(net.ids.length + 1);
    for (let node = 0; node < net.ids.length; node++) this.first[node + 1] = this.first[node] + this.degree[node];
    const next = this.first.slice();
    this.edges = new Uint32Array(2 * count);
    for (let edge = 0; edge < sources.length; edge++) {
      if (!this.visible[edge]) continue;
      this.edges[next[sources[edge]]++] = edge;
      this.edges[next[targets[edge]]++] = edge;
    }
  }

  /** The edges at a node, strongest first. */
  at(node: number): Step[] {
    const found: Step[] = [];
    for (let place = this.first[node]; place < this.first[node + 1]; place++) {
      const edge = this.edges[place];
      const out = this.net.sources[edge] === node;
      found.push({ edge, out, other: out ? this.net.targets[edge] : this.net.sources[edge] });
    }
    return found.sort((a, b) => this.net.weights[b.edge] - this.net.weights[a.edge] || a.edge - b.edge);
  }
}

/** How many edges of each type there are. */
export function counts(net: Network): Map<string, number> {
  const found = new Map<string, number>();
  for (const code of net.types) {
    const name = net.type_names[code];
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
    const dx = net.x[other] - net.x[node];
    const dy = net.y[other] - net.y[node];
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
        const text = net.labels[place].toLocaleLowerCase();
        return wanted.every((word) => text.includes(word));
      })
    : places;
  if (order === "links") return found.sort((a, b) => links.degree[b] - links.degree[a] || net.moments[b] - net.moments[a]);
  if (order === "newest") return found.sort((a, b) => net.moments[b] - net.moments[a]);
  return found.sort((a, b) => net.labels[a].localeCompare(net.labels[b]));
}
