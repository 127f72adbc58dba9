/** Where the page is: `#/page/rest?name=value`. Everything that a reader may want to come back to is in the address. */

import { computed, signal } from "@preact/signals";

export interface Place {
  page: string;
  /** What follows the page, such as the id of a memory. */
  rest: string;
  query: URLSearchParams;
}

const hash = signal(location.hash);
addEventListener("hashchange", () => (hash.value = location.hash));

export const place = computed<Place>(() => {
  const [path = "", query = ""] = hash.value.replace(/^#\/?/, "").split("?", 2);
  const [page = "", ...rest] = path.split("/");
  return { page: page || "search", rest: decoded(rest.join("/")), query: new URLSearchParams(query) };
});

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Return the address of a page within the explorer. Values that are empty are left out. */
export function to(page: string, rest = "", query: Record<string, string | string[] | undefined> = {}): string {
  const said = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) if (each) said.append(name, each);
  }
  return `#/${page}${rest && `/${encodeURIComponent(rest)}`}${said.size ? `?${said}` : ""}`;
}

export function go(address: string): void {
  location.hash = address;
}

/** Change the address without an entry in the history of the browser: for what changes at every key. */
export function replace(address: string): void {
  history.replaceState(history.state, "", address);
  hash.value = location.hash;
}

export const linkTo = {
  memory: (id: string) => to("memory", id),
  search: (query: Record<string, string | string[] | undefined> = {}) => to("search", "", query),
  entity: (name: string) => to("search", "", { entity: name }),
  graph: (id?: string) => to("graph", id),
  quarantine: "#/quarantine",
};
