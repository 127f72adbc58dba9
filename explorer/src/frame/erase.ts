/** Erase memories: a preview, and the count typed by hand. */

import { html } from "htm/preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { erase as said } from "../texts.ts";
import { type Changed, type Derived, type Memory, ask, memory } from "./api.ts";
import { useLoad } from "./load.ts";
import { excerpt } from "./marks.ts";
import { Busy, Meta } from "./parts.ts";
import { say } from "./say.ts";

const SHOWN = 5;

interface Preview {
  changed: Changed;
  memories: Memory[];
  lost: Derived[];
}

async function preview(ids: string[], signal: AbortSignal): Promise<Preview> {
  const changed = await ask<Changed>("POST", "/memories/erase", { body: { ids, dry_run: true }, signal });
  const memories = await Promise.all(ids.slice(0, SHOWN).map((id) => memory(id, { signal })));
  const lost = await Promise.all(
    ids
      .slice(0, SHOWN)
      .map((id) => ask<Derived>("GET", `/memories/${encodeURIComponent(id)}/derived`, { signal })),
  );
  return { changed, memories, lost };
}

function Texts({ memories }: { memories: Memory[] }) {
  return html`<ul class="plain-list">
    ${memories.map(
      (each) =>
        html`<li key=${each.id} class="card">
          <p class="text clamp" dir="auto">${excerpt(each.content, [])}</p>
          <${Meta} memory=${each} />
        </li>`,
    )}
  </ul>`;
}

export function EraseDialog({ ids, close }: { ids: string[]; close: (erased: boolean) => void }) {
  const place = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState(false);
  const found = useLoad((signal) => preview(ids, signal), [ids.join()]);
  useEffect(() => {
    place.current?.showModal();
  }, []);
  const made = found.value?.lost.flatMap((each) => each.made) ?? [];
  const quoting = found.value?.lost.flatMap((each) => [...each.resting, ...each.quoting]) ?? [];
  const files = [...new Set(found.value?.lost.flatMap((each) => each.files))];
  const count = found.value?.changed.count ?? 0;

  async function submit(event: Event) {
    event.preventDefault();
    if (typed.trim() !== String(count) || !count) return;
    setBusy(true);
    const done = await say.trying(() =>
      ask<Changed>("POST", "/memories/erase", { body: { ids, dry_run: false, confirm: count } }),
    );
    setBusy(false);
    if (!done) return close(false);
    say.done(said.done(count));
    close(true);
  }

  return html`<dialog
    ref=${place}
    class="dialog"
    aria-labelledby="erase-heading"
    onCancel=${() => close(false)}
    onClose=${() => close(false)}
  >
    <form onSubmit=${submit}>
      <h2 id="erase-heading">${said.heading(ids.length)}</h2>
      <p>${said.about}</p>
      <${Busy} of=${found} />
      ${
        found.value &&
        html` <p>${said.these(count)}</p>
          <${Texts} memories=${found.value.memories} />
          ${ids.length > SHOWN && html`<p class="quiet">${said.others(ids.length - SHOWN)}</p>`}
          ${
            made.length > 0 &&
            html`<p>${said.derived(made.length)}</p>
              <${Texts} memories=${made.slice(0, SHOWN)} />`
          }
          ${quoting.length > 0 && html`<p>${said.keepsQuotes(quoting.length)}</p>`}
          ${
            files.length > 0 &&
            html`<p>${said.files}</p>
              <ul>
                ${files.map((each) => html`<li key=${each} dir="auto">${each}</li>`)}
              </ul>`
          }
          <label class="field"
            ><span>${said.type(count)}</span>
            <input
              value=${typed}
              inputmode="numeric"
              autocomplete="off"
              onInput=${(event: Event) => setTyped((event.target as HTMLInputElement).value)}
            />
          </label>`
      }
      <div class="dialog-acts">
        <button type="button" onClick=${() => close(false)}>${said.cancel}</button>
        <button class="danger" disabled=${busy || !count || typed.trim() !== String(count)}>
          ${said.confirm}
        </button>
      </div>
    </form>
  </dialog>`;
}
