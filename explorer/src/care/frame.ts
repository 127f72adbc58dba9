/** What these pages share: requests that load and reload, one message with an undo, small pieces of a page. */

import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { signal } from "@preact/signals";
import * as care from "./texts";

export { html, useEffect, useRef, useState };
export const texts = care as any;
export interface Memory { id: string; content: string; recorded_at: string; occurred_from: string | null; author: string | null; trust: string; kind: string; }
export interface Loaded<T> { results: T[]; }
export async function ask<T>(method: string, path: string, given: { query?: Record<string, unknown>; body?: unknown } = {}): Promise<T> {
  const q = new URLSearchParams(Object.entries(given.query ?? {}).map(([a, b]) => [a, String(b)])).toString();
  const answer = await fetch(`/v1${path}${q ? "?" + q : ""}`, { method, headers: { "Content-Type": "application/json" }, ...(given.body !== undefined && { body: JSON.stringify(given.body) }) });
  const data = await answer.json();
  if (!answer.ok) throw new Error(data.detail);
  return data;
}
export const message = signal<{ text: string; undo?: () => unknown; bad?: boolean } | null>(null);
export const say = {
  done(text: string, undo?: () => unknown) { message.value = { text, undo }; },
  async trying<T>(work: () => Promise<T>): Promise<T | undefined> {
    try { return (await work()) ?? (true as any); } catch (error) { message.value = { text: String((error as Error).message), bad: true }; return undefined; }
  },
};
export function useLoad<T>(work: () => Promise<T>, of: unknown[] = []) {
  const [state, set] = useState<{ value?: T; problem?: string; busy: boolean }>({ busy: true });
  const [turn, next] = useState(0);
  useEffect(() => {
    let live = true;
    set((now) => ({ ...now, busy: true }));
    work().then((value) => live && set({ value, busy: false }), (error) => live && set({ problem: error.message, busy: false }));
    return () => { live = false; };
  }, [...of, turn]);
  return { ...state, reload: () => next((n) => n + 1) };
}
export function Heading({ id, text, about }: any) { return html`<h1 id=${id}>${text}</h1><p class="quiet">${about}</p>`; }
export function Busy({ of }: any) { return of.problem ? html`<p role="alert" class="bad">${of.problem}</p>` : of.busy && !of.value ? html`<p role="status">…</p>` : null; }
export function Empty({ text, hint, children }: any) { return html`<div class="empty"><p><strong>${text}</strong></p><p class="quiet">${hint}</p>${children}</div>`; }
export function When({ at }: any) { return at ? html`<time datetime=${at}>${String(at).slice(0, 16)}</time>` : null; }
export function MemoryCard({ memory, label }: any) { return html`<article class="card"><h2>${label}</h2><p dir="auto">${memory.content}</p><p class="quiet">${memory.recorded_at.slice(0, 10)} ${memory.author ?? ""}</p></article>`; }
export function EraseDialog() { return null; }
export const linkTo = { memory: (id: string) => `#/memory/${id}`, quarantine: "#/quarantine", entity: (n: string) => `#/search?entity=${encodeURIComponent(n)}` };
