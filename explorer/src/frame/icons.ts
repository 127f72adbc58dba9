/** Line icons, drawn on a grid of 20. */

import { html } from "htm/preact";

const PATHS: Record<string, string> = {
  search: "M9 3.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11ZM13 13l4 4",
  memory: "M5 3.5h10v13l-5-3-5 3z",
  graph: "M5 5.5h.01M15 4.5h.01M10 15.5h.01M5.8 6.8l3.4 7.2M13.9 5.7 10.9 14M6.8 5.3l6.4-.6",
  time: "M10 3a7 7 0 1 0 0 14 7 7 0 0 0 0-14Zm0 3.2V10l2.6 1.8",
  people: "M7.5 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM2.5 16.5c.3-3 2.300-4.500 5-4.500s4.700 1.500 5 4.500M13 4a3 3 0 0 1 0 5.500M14.500 12.300c1.700.6 2.700 2 3 4.200",
  pairs: "M3.500 5.500h6v6h-6zM10.500 8.500h6v6h-6z",
  quarantine: "M10 2.800 16 5v4.800c0 3.700-2.500 6.200-6 7.400-3.500-1.200-6-3.700-6-7.400V5zM10 7v3.500M10 13.200h.01",
  runs: "M4 8a6.200 6.200 0 0 1 11-2.400L16.500 7M16.500 3.500V7H13M16 12a6.200 6.200 0 0 1-11 2.400L3.500 13M3.500 16.500V13H7",
  audit: "M5 3h7l3 3v11H5zM8 9.500h4M8 12.500h4",
  usage: "M3.500 16.500h13M5.500 14v-4M10 14V5M14.500 14V8",
  files: "M10 13V4M6.500 7.500 10 4l3.500 3.500M4 12.500v4h12v-4",
  more: "M4.500 10h.01M10 10h.01M15.500 10h.01",
  sun: "M10 6.800a3.200 3.200 0 1 0 0 6.400 3.200 3.200 0 0 0 0-6.400ZM10 2v1.600M10 16.400V18M2 10h1.600M16.400 10H18M4.300 4.300l1.200 1.200M14.500 14.500l1.200 1.200M4.300 15.700l1.200-1.200M14.500 5.500l1.200-1.200",
  moon: "M16 12.200A6.500 6.500 0 0 1 7.800 4a6.500 6.500 0 1 0 8.200 8.200Z",
  system: "M3 4.500h14v9H3zM7.500 16.500h5",
  keyboard: "M2.500 5.500h15v9h-15zM5.500 8.500h.01M8.500 8.500h.01M11.500 8.500h.01M14.500 8.500h.01M7 11.800h6",
  close: "M5 5l10 10M15 5 5 15",
  plus: "M10 4v12M4 10h12",
  down: "M5.500 8l4.500 4.500L14.500 8",
  back: "M12 4.500 6.500 10l5.500 5.500",
  steps: "M3.500 5.500h13M3.500 10h8M3.500 14.500h4",
  columns: "M3.500 4h5.500v12H3.500zM11 4h5.500v12H11z",
};
const DOTS = new Set(["graph", "more", "keyboard"]);

/** An icon beside a text that says the same, so readers of the screen skip it. */
export function Icon({ name }: { name: string }) {
  return html`<svg class=${`icon ${DOTS.has(name) ? "dots" : ""}`} viewBox="0 0 20 20" aria-hidden="true" focusable="false">
    <path d=${PATHS[name] ?? ""} />
  </svg>`;
}
