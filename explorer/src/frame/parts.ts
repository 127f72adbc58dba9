/** Small parts that pages share. Stored text is only ever a text node, with its own direction. */

import { html } from "htm/preact";
import type { ComponentChildren } from "preact";
import { frame, memoryTexts } from "../texts.ts";
import type { Memory } from "./api.ts";
import type { Load } from "./load.ts";
import { excerpt } from "./marks.ts";
import { linkTo } from "./route.ts";

export function Heading({
  id,
  text,
  about,
  children,
}: {
  id?: string;
  text: string;
  about?: string;
  children?: ComponentChildren;
}) {
  return html`<header class="heading">
    <div>
      <h1 id=${id}>${text}</h1>
      ${about && html`<p class="quiet">${about}</p>`}
    </div>
    ${children}
  </header>`;
}

/** What a page shows while it loads, and why it could not. */
export function Busy({ of }: { of: Load<unknown> }) {
  if (of.problem) {
    return html`<div class="problem" role="alert">
      <p>${of.problem}</p>
      <button type="button" onClick=${of.reload}>${frame.again}</button>
    </div>`;
  }
  return of.busy && of.value === undefined
    ? html`<div class="wait" role="status"><span class="hidden">${frame.loading}</span></div>`
    : null;
}

/** Nothing is there yet: what it would be, and what to do first, with the command. */
export function Empty({
  text,
  hint,
  command,
  icon,
  children,
}: {
  text: string;
  hint?: string;
  command?: string;
  icon?: string;
  children?: ComponentChildren;
}) {
  return html`<div class="empty">
    <p class="empty-text">${text}</p>
    ${hint && html`<p class="quiet">${hint}</p>`}
    ${command && html`<pre class="command"><code>${command}</code></pre>`} ${children}
  </div>`;
}

const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });
const MINUTE = new Intl.DateTimeFormat(undefined, {
  day: "numeric",
  month: "short",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});

/** A moment in the viewer's time zone. The title has it in UTC. */
export function When({ at, minutes }: { at: string | null | undefined; minutes?: boolean }) {
  if (!at) return null;
  const moment = new Date(at);
  if (Number.isNaN(moment.getTime())) return html`<span>${at}</span>`;
  const utc = memoryTexts.utc(moment.toISOString().slice(0, 19).replace("T", " "));
  return html`<time datetime=${at} title=${utc}>${(minutes ? MINUTE : DAY).format(moment)}</time>`;
}

/** What a reader must know about a memory before believing it. */
export function Badges({ memory }: { memory: Memory }) {
  const { status, trust } = memory;
  return html`${status !== "active" && html`<span class=${`badge ${status === "pending_embed" ? "" : "warn"}`}>${memoryTexts.statuses[status] ?? status}</span>`}
  ${(trust === "untrusted" || trust === "quarantined") && html`<span class="badge bad">${memoryTexts.trusts[trust]}</span>`}`;
}

/** The line below a text: kind, author, moment, tags. */
export function Meta({ memory, tags = true }: { memory: Memory; tags?: boolean }) {
  return html`<p class="meta">
    <span class=${`kind kind-${memory.kind}`}>${memoryTexts.kinds[memory.kind] ?? memory.kind}</span>
    ${memory.author && html`<bdi dir="auto">${memory.author}</bdi>`}
    <${When} at=${memory.said_at ?? memory.occurred_from ?? memory.recorded_at} />
    ${tags && memory.tags.map((each) => html`<span class="tag" dir="auto" key=${each}>${each}</span>`)}
    <${Badges} memory=${memory} />
  </p>`;
}

/** A memory in a list or beside another one. */
export function MemoryCard({
  memory,
  label,
  level = 3,
  plain,
}: {
  memory: Memory;
  label?: string;
  level?: number;
  plain?: boolean;
}) {
  return html`<article class=${plain ? "card plain-card" : "card"}>
    ${label && html`<${`h${level}`} class="card-label">${label}<//>`}
    <p class="text clamp" dir="auto">${excerpt(memory.content, [], 600)}</p>
    <${Meta} memory=${memory} />
    ${!plain && html`<a class="card-link" href=${linkTo.memory(memory.id)}>${frame.openMemory}</a>`}
  </article>`;
}
