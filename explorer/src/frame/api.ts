/** Requests to /v1. Types are those of the generated TypeScript client. */

import { signal } from "@preact/signals";
import type { Memory } from "../../../clients/typescript/src/generated.ts";

export type * from "../../../clients/typescript/src/generated.ts";
export type Versioned = Memory & { version: number };
export interface Loaded<T> {
  results: T[];
}

const KEY = "combray-key";
const NAMESPACE = "combray-namespace";

/** The key of this tab. It is never stored beyond it. */
export const key = signal(sessionStorage.getItem(KEY) ?? "");
export const namespace = signal(sessionStorage.getItem(NAMESPACE) ?? "default");
/** Why the server lets nobody in, "" if it does. */
export const refused = signal("");

export function setKey(text: string): void {
  key.value = text;
  if (text) sessionStorage.setItem(KEY, text);
  else sessionStorage.removeItem(KEY);
}

export function setNamespace(name: string): void {
  namespace.value = name;
  sessionStorage.setItem(NAMESPACE, name);
}

/** A request that was answered with an error: the sentence of the server, and its status. */
export class Problem extends Error {
  readonly status: number;
  constructor(status: number, detail: string) {
    super(detail);
    this.status = status;
  }
}

export interface Given {
  query?: Record<string, unknown> | undefined;
  body?: unknown;
  signal?: AbortSignal | undefined;
  headers?: Record<string, string>;
}

async function send(method: string, path: string, given: Given): Promise<Response> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given.query ?? {})) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null && each !== "") {
        query.append(name, typeof each === "object" ? JSON.stringify(each) : String(each));
      }
    }
  }
  const headers: Record<string, string> = { "Combray-Namespace": namespace.value, ...given.headers };
  if (key.value) headers["Authorization"] = `Bearer ${key.value}`;
  if (given.body !== undefined) headers["Content-Type"] = "application/json";
  const answer = await fetch(`v1${path}${query.size ? `?${query}` : ""}`, {
    method,
    headers,
    cache: "no-store",
    ...(given.body !== undefined && { body: JSON.stringify(given.body) }),
    ...(given.signal && { signal: given.signal }),
  });
  if (!answer.ok) throw await problem(answer);
  return answer;
}

async function problem(answer: Response): Promise<Problem> {
  let detail = answer.statusText;
  try {
    detail = ((await answer.json()) as { detail?: string }).detail ?? detail;
  } catch {
    // A proxy answered, not the server.
  }
  if (answer.status === 401) refused.value = detail;
  return new Problem(answer.status, detail);
}

/** Call the API. The path is that below /v1. Rejects with a Problem. */
export async function ask<T>(method: string, path: string, given: Given = {}): Promise<T> {
  return (await (await send(method, path, given)).json()) as T;
}

/** Return a memory with the number of its version, which `If-Match` takes. */
export async function memory(id: string, given: Given = {}): Promise<Versioned> {
  return versioned(await send("GET", `/memories/${encodeURIComponent(id)}`, given));
}

/** Change fields of a memory, if nobody else has changed it since that version. */
export async function update(id: string, changes: Record<string, unknown>, version: number): Promise<Versioned> {
  const headers = { "If-Match": `"${version}"` };
  return versioned(await send("PATCH", `/memories/${encodeURIComponent(id)}`, { body: changes, headers }));
}

async function versioned(answer: Response): Promise<Versioned> {
  const version = Number((answer.headers.get("etag") ?? "").replace(/\D/g, ""));
  return { ...((await answer.json()) as Memory), version };
}
