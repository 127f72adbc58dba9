/** Who looks: the key, its role and its namespaces. */

import { computed, effect, signal } from "@preact/signals";
import { type Loaded, ask, key, namespace, refused, setKey, setNamespace } from "./api.ts";

export interface Caller {
  name: string;
  role: "read" | "write" | "admin";
  namespaces: string[] | null;
  presets: string[];
  version: string;
}

const ROLES = ["read", "write", "admin"] as const;

export const caller = signal<Caller | null>(null);
/** Namespaces to choose from. A key that may not list them names its own. */
export const spaces = signal<string[]>(["default"]);
/** Why the server cannot be reached, "" if it can. */
export const unreachable = signal("");

// A key that expires while somebody looks leads to the door, too.
effect(() => {
  if (refused.value) caller.value = null;
});

/** Whether the caller may do what a role may do. */
export function may(role: Caller["role"]): boolean {
  return caller.value !== null && ROLES.indexOf(caller.value.role) >= ROLES.indexOf(role);
}
export const mayWrite = computed(() => may("write"));
export const mayAdmin = computed(() => may("admin"));

/** Let in: exchange a token in the address for a key, then ask who that is. */
export async function start(): Promise<void> {
  const token = /[#&]token=([^&]+)/.exec(location.hash)?.[1];
  if (token) {
    // The token is used up: it must stay neither in the address nor in the history.
    history.replaceState(null, "", location.pathname);
    try {
      setKey((await ask<{ key: string }>("POST", "/session", { body: { token } })).key);
    } catch {
      // Who may not enter is asked for a key below.
    }
  }
  await enter();
}

/** Ask who calls with the key of this tab. */
export async function enter(): Promise<void> {
  try {
    const found = await ask<Caller>("GET", "/caller");
    unreachable.value = refused.value = "";
    await choose(found);
    caller.value = found;
  } catch (error) {
    caller.value = null;
    if (!refused.value) unreachable.value = (error as Error).message;
  }
}

async function choose(found: Caller): Promise<void> {
  let names = found.namespaces ?? [];
  if (found.role === "admin" && !found.namespaces) {
    names = (await ask<Loaded<string>>("GET", "/namespaces")).results;
  }
  if (found.namespaces && !names.includes(namespace.value)) setNamespace(names[0] ?? "default");
  spaces.value = [...new Set([...names, namespace.value])].sort();
}

export function leave(): void {
  setKey("");
  void enter();
}

export { key, namespace, refused };
