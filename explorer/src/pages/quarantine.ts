/** Quarantine: what the guard kept away, released or erased. */

import {
  Busy, Empty, EraseDialog, Heading, type Loaded, type Memory, MemoryCard, ask, html, mayAdmin, say, texts, useLoad, useState,
} from "../frame.ts";

interface Quarantined {
  memory: Memory;
  reasons: string[];
  claimed: string;
}

const TRUSTS = ["untrusted", "agent", "owner"] as const;
const said = texts.quarantine;

/** Undo a release: the version that it wrote is taken back. */
async function keepAway(id: string): Promise<void> {
  const path = `/memories/${encodeURIComponent(id)}`;
  const history = await ask<Loaded<{ number: number }>>("GET", `${path}/history`);
  const last = history.results.at(-1);
  if (last) await ask("POST", `${path}/restore`, { body: { version: last.number } });
}

function One({ each, ticked, tick, done, erase }: {
  each: Quarantined;
  ticked: boolean;
  tick: () => void;
  done: () => void;
  erase: () => void;
}) {
  const [trust, setTrust] = useState<string>("untrusted");
  const id = each.memory.id;

  async function release() {
    const path = `/memories/${encodeURIComponent(id)}/release`;
    const memory = await say.trying(() => ask("POST", path, { body: { trust } }));
    if (!memory) return;
    say.done(said.released, async () => {
      await keepAway(id);
      done();
    });
    done();
  }

  return html`<li class="card">
    <${MemoryCard} memory=${each.memory} label=${said.claimed(each.claimed)} level=${2} plain />
    <ul class="chips" aria-label=${said.reasons}>
      ${each.reasons.map((reason) => html`<li key=${reason} class="chip warn"><bdi dir="auto">${reason}</bdi></li>`)}
    </ul>
    <div class="row">
      <label class="tick"><input type="checkbox" checked=${ticked} onChange=${tick} /> ${said.choose}</label>
      <span class="grow"></span>
      <label class="inline"><span class="label">${said.as}</span>
        <select value=${trust} onChange=${(event: Event) => setTrust((event.target as HTMLSelectElement).value)}>
          ${TRUSTS.map((name) => html`<option key=${name} value=${name}>${said.trust[name]}</option>`)}
        </select>
      </label>
      <button onClick=${release}>${said.release}</button>
      <button class="danger" onClick=${erase}>${said.erase}</button>
    </div>
  </li>`;
}

export function Page() {
  if (!mayAdmin.value) {
    return html`<section aria-labelledby="quarantine-heading">
      <${Heading} id="quarantine-heading" text=${said.heading} about=${said.about} />
      <${Empty} text=${said.needsAdmin} hint=${said.needsAdminHint} />
    </section>`;
  }
  return html`<${All} />`;
}

function All() {
  const found = useLoad<Loaded<Quarantined>>(() => ask("GET", "/quarantine", { query: { limit: 500 } }));
  const [ticked, setTicked] = useState<string[]>([]);
  const [erasing, setErasing] = useState<string[]>([]);
  const all = found.value?.results ?? [];
  const chosen = ticked.filter((id) => all.some((each) => each.memory.id === id));

  function tick(id: string) {
    setTicked(ticked.includes(id) ? ticked.filter((each) => each !== id) : [...ticked, id]);
  }

  return html`<section aria-labelledby="quarantine-heading">
    <${Heading} id="quarantine-heading" text=${said.heading} about=${said.about} />
    <${Busy} of=${found} />
    ${found.value && !all.length && html`<${Empty} text=${said.empty} hint=${said.emptyHint} />`}
    ${all.length > 0 &&
    html`<div class="row">
        <p class="quiet grow" role="status">${said.count(all.length)}</p>
        <button class="plain" onClick=${() => setTicked(chosen.length === all.length ? [] : all.map((each) => each.memory.id))}>
          ${chosen.length === all.length ? said.chooseNone : said.chooseAll}
        </button>
        <button class="danger" disabled=${!chosen.length} onClick=${() => setErasing(chosen)}>
          ${said.eraseChosen(chosen.length)}
        </button>
      </div>
      <ul class="cards wide">
        ${all.map(
          (each) => html`<${One} key=${each.memory.id} each=${each} ticked=${ticked.includes(each.memory.id)}
            tick=${() => tick(each.memory.id)} done=${found.reload} erase=${() => setErasing([each.memory.id])} />`,
        )}
      </ul>`}
    ${erasing.length > 0 &&
    html`<${EraseDialog} ids=${erasing} close=${(erased: boolean) => {
      setErasing([]);
      if (erased) found.reload();
    }} />`}
  </section>`;
}
