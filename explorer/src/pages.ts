/** The pages: where each is in the navigation, the key that leads to it, and its code, loaded when it is opened. */

import type { ComponentType } from "preact";

export interface Page {
  name: string;
  group: "look" | "care" | "add" | "";
  /** Pressed after g. */
  key: string;
  /** Whether it has its own place in the bar of narrow screens. */
  first?: boolean;
  load: () => Promise<{ Page: ComponentType }>;
}

export const PAGES: readonly Page[] = [
  { name: "search", group: "look", key: "s", first: true, load: () => import("./search/page.ts") },
  { name: "graph", group: "look", key: "g", first: true, load: () => import("./pages/graph.ts") },
  { name: "time", group: "look", key: "t", first: true, load: () => import("./pages/time.ts") },
  { name: "people", group: "look", key: "p", first: true, load: () => import("./pages/people.ts") },
  { name: "pairs", group: "care", key: "o", load: () => import("./pages/pairs.ts") },
  { name: "quarantine", group: "care", key: "q", load: () => import("./pages/quarantine.ts") },
  { name: "runs", group: "care", key: "c", load: () => import("./pages/runs.ts") },
  { name: "audit", group: "care", key: "a", load: () => import("./pages/audit.ts") },
  { name: "usage", group: "care", key: "u", load: () => import("./pages/usage.ts") },
  { name: "files", group: "add", key: "f", load: () => import("./pages/files.ts") },
  { name: "memory", group: "", key: "", load: () => import("./memory/page.ts") },
];
