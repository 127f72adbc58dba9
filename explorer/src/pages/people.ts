/** People and topics: entities with their other names, merged and split. */

import { Busy, Empty, Heading, type Loaded, ask, html, linkTo, mayWrite, say, texts, useLoad, useState } from "../frame.ts";

interface Entity {
  name: string;
  memories: number;
  aliases: string[];
  learned: string[];
  stated_by: string[];
}

interface Changed {
  id: string;
  status: string;
}

const MOST = 500;
const said = texts.people;

/** Hide the memory that declared a name: the declaration is undone. */
async function takeBack(memory: Changed): Promise<void> {
  await ask("POST", "/memories/forget", { body: { ids: [memory.id] } });
}

/** Undo the last change of each memory that a split changed. */
async function joinAgain(memories: Changed[]): Promise<void> {
  for (const each of memories) {
    const path = `/memories/${encodeURIComponent(each.id)}`;
    if (each.status === "forgotten") {
      await ask("POST", "/memories/restore", { body: { ids: [each.id] } });
    } else {
      const history = await ask<Loaded<{ number: number }>>("GET", `${path}/history`);
      const last = history.results.at(-1);
      if (last) await ask("POST", `${path}/restore`, { body: { version: last.number } });
    }
  }
}

function Names({ entity, split }: { entity: Entity; split: (alias: string) => void }) {
  if (!entity.aliases.length) return null;
  return html`<ul class="chips">
    ${entity.aliases.map(
      (each) => html`<li key=${each} class="chip">
        <bdi dir="auto">${each}</bdi>
        ${entity.learned.includes(each) && html`<span class="quiet">${said.learned}</span>`}
        ${mayWrite.value &&
        html`<button class="chip-button" onClick=${() => split(each)} aria-label=${said.splitOf(each, entity.name)}
          title=${said.splitOf(each, entity.name)}>×</button>`}
      </li>`,
    )}
  </ul>`;
}

function Change({ entity, names, done }: { entity: Entity; names: string[]; done: () => void }) {
  const [other, setOther] = useState("");
  const [busy, setBusy] = useState(false);
  const known = names.some((each) => each.toLowerCase() === other.trim().toLowerCase());

  async function submit(event: Event) {
    event.preventDefault();
    const name = other.trim();
    if (!name) return;
    setBusy(true);
    const memory = await say.trying(() =>
      known
        ? ask<Changed>("POST", "/entities/merge", { body: { other: name, into: entity.name } })
        : ask<Changed>("POST", "/entities/alias", { body: { name: entity.name, others: [name] } }),
    );
    setBusy(false);
    if (!memory) return;
    setOther("");
    say.done(said.joined(name, entity.name), async () => {
      await takeBack(memory);
      done();
    });
    done();
  }

  return html`<form class="row" onSubmit=${submit}>
    <label class="grow">
      <span class="label">${said.otherName}</span>
      <input list="entity-names" value=${other} dir="auto" autocomplete="off"
        onInput=${(event: InputEvent) => setOther((event.target as HTMLInputElement).value)} />
    </label>
    <button disabled=${busy || !other.trim()}>${known ? said.merge : said.add}</button>
  </form>`;
}

export function Page() {
  const [wanted, setWanted] = useState("");
  const [open, setOpen] = useState("");
  const found = useLoad<Loaded<Entity>>(() => ask("GET", "/entities", { query: { limit: MOST } }));
  const all = found.value?.results ?? [];
  const word = wanted.trim().toLowerCase();
  const shown = word
    ? all.filter((each) => [each.name, ...each.aliases].some((name) => name.toLowerCase().includes(word)))
    : all;

  async function split(entity: Entity, alias: string) {
    const changed = await say.trying(() =>
      ask<Loaded<Changed>>("POST", "/entities/separate", { body: { name: entity.name, alias } }),
    );
    if (!changed) return;
    say.done(said.parted(alias, entity.name), async () => {
      await joinAgain(changed.results);
      found.reload();
    });
    found.reload();
  }

  return html`<section aria-labelledby="people-heading">
    <${Heading} id="people-heading" text=${said.heading} about=${said.about} />
    <${Busy} of=${found} />
    ${found.value && !all.length && html`<${Empty} text=${said.empty} hint=${said.emptyHint} />`}
    ${all.length > 0 &&
    html`<label class="field narrow">
        <span class="label">${said.find}</span>
        <input type="search" value=${wanted} dir="auto"
          onInput=${(event: InputEvent) => setWanted((event.target as HTMLInputElement).value)} />
      </label>
      <datalist id="entity-names">${all.map((each) => html`<option key=${each.name} value=${each.name} />`)}</datalist>
      <p class="quiet" role="status">${said.count(shown.length, all.length)}</p>
      <ul class="cards">
        ${shown.slice(0, 200).map(
          (each) => html`<li key=${each.name} class="card entity">
            <div class="entity-head">
              <h2 class="entity-name"><bdi dir="auto">${each.name}</bdi></h2>
              <a class="quiet" href=${linkTo.entity(each.name)}>${said.memories(each.memories)}</a>
            </div>
            <${Names} entity=${each} split=${(alias: string) => split(each, alias)} />
            ${mayWrite.value &&
            html`<button class="small" aria-expanded=${open === each.name} aria-label=${said.changeOf(each.name)}
              onClick=${() => setOpen(open === each.name ? "" : each.name)}>${said.change}</button>`}
            ${open === each.name &&
            html`<${Change} entity=${each} names=${all.map((one) => one.name)} done=${found.reload} />`}
          </li>`,
        )}
      </ul>`}
  </section>`;
}
