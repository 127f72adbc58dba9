/** How edges and nodes look: an edge type has a colour and a dash, so that nothing is said by colour alone. */

export interface EdgeLook {
  light: string;
  dark: string;
  /** Drawn and empty length in pixels; an empty length of 0 is a whole line. */
  dash: readonly [number, number];
  /** Whether the direction matters. */
  arrow: boolean;
}

export const EDGES: Record<string, EdgeLook> = {
  temporal: { light: "#64748b", dark: "#94a3b8", dash: [2, 4], arrow: false },
  entity: { light: "#0369a1", dark: "#56b4e9", dash: [1, 0], arrow: false },
  causal: { light: "#c2410c", dark: "#f97316", dash: [1, 0], arrow: true },
  semantic: { light: "#7c3aed", dark: "#a78bfa", dash: [8, 4], arrow: false },
  supersedes: { light: "#a16207", dark: "#eab308", dash: [12, 3], arrow: true },
  may_revise: { light: "#4d7c0f", dark: "#a3e635", dash: [4, 4], arrow: true },
  restates: { light: "#be185d", dark: "#f472b6", dash: [8, 2], arrow: true },
  contrasts: { light: "#0f766e", dark: "#2dd4bf", dash: [3, 7], arrow: false },
};

/** Kinds have the colours that they have on other pages. */
const KINDS: Record<string, readonly [string, string]> = {
  fact: ["#14605c", "#7fc8bf"],
  episode: ["#7a6bb0", "#a396dd"],
  insight: ["#c27b1c", "#e2a24d"],
  chunk: ["#4c7fb0", "#7fb0de"],
  summary: ["#a5588a", "#d68bbb"],
};

/** Colours that colour-blind readers can tell apart. Okabe and Ito (2008); darker on light, lighter on dark. */
const GROUPS: readonly (readonly [string, string])[] = [
  ["#0072b2", "#56b4e9"],
  ["#d55e00", "#ff8a3d"],
  ["#00845f", "#2fd6a3"],
  ["#b0568f", "#e79ac6"],
  ["#9a6b00", "#f0c04a"],
  ["#5b6675", "#a5b0be"],
];

/** How a type is drawn; one that this page does not know is drawn as a plain line. */
export const lookOf = (type: string): EdgeLook => EDGES[type] ?? EDGES["entity"]!;

/** The values in use, most frequent first, each with its colour; what comes after the fifth shares the last one. */
export function colours(values: readonly string[], dark: boolean): Map<string, string> {
  const counted = new Map<string, number>();
  for (const each of values) counted.set(each, (counted.get(each) ?? 0) + 1);
  const names = [...counted.keys()].sort((a, b) => (counted.get(b) ?? 0) - (counted.get(a) ?? 0) || a.localeCompare(b));
  return new Map(names.map((name, at) => [name, (KINDS[name] ?? GROUPS[Math.min(at, GROUPS.length - 1)]!)[dark ? 1 : 0]]));
}

/** A colour between old and new, for a share of the time from 0 to 1. */
export function aged(share: number, dark: boolean): string {
  const [from, to]: [number[], number[]] = dark ? [[71, 85, 130], [253, 224, 120]] : [[190, 200, 215], [20, 60, 160]];
  const part = from.map((low, at) => Math.round(low + ((to[at] ?? low) - low) * share));
  return `#${part.map((each) => each.toString(16).padStart(2, "0")).join("")}`;
}

/** A colour with an opacity, as a text. */
export function faded(colour: string, alpha: number): string {
  const value = Number.parseInt(colour.slice(1), 16);
  return `rgba(${value >> 16},${(value >> 8) & 255},${value & 255},${alpha})`;
}
