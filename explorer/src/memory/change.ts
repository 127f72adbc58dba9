/** Forms that change a memory: edit its fields, or replace it with what holds now. */

import {
  Problem,
  ask,
  html,
  say,
  texts,
  update,
  useEffect,
  useRef,
  useState,
  type Remembered,
  type Versioned,
} from "../frame.ts";

const said = texts.memory;
const CATEGORIES = ["preference", "decision", "fact", "insight", "context", "general"];

function split(text: string): string[] {
  return text
    .split(",")
    .map((each) => each.trim())
    .filter(Boolean);
}

interface Fields {
  content: string;
  category: string;
  importance: string;
  tags: string;
  author: string;
}

function fieldsOf(memory: Versioned): Fields {
  const { content, category, importance, tags, author } = memory;
  return { content, category, importance: String(importance), tags: tags.join(", "), author: author ?? "" };
}

/** Return what differs from the stored memory, as the API takes it. */
function changed(now: Fields, memory: Versioned): Record<string, unknown> {
  const before = fieldsOf(memory);
  const found: Record<string, unknown> = {};
  for (const name of Object.keys(now) as (keyof Fields)[]) {
    if (now[name] === before[name]) continue;
    if (name === "tags") found[name] = split(now.tags);
    else if (name === "importance") found[name] = Number(now.importance);
    else if (name === "author") found[name] = now.author.trim() || null;
    else found[name] = now[name];
  }
  return found;
}

export function Edit({ memory, close, done }: { memory: Versioned; close: () => void; done: () => void }) {
  const [fields, setFields] = useState(fieldsOf(memory));
  const [busy, setBusy] = useState(false);
  const first = useRef<HTMLTextAreaElement>(null);
  useEffect(() => first.current?.focus(), []);
  const set = (name: keyof Fields) => (event: Event) =>
    setFields({ ...fields, [name]: (event.target as HTMLInputElement).value });

  async function submit(event: Event) {
    event.preventDefault();
    const what = changed(fields, memory);
    if (!Object.keys(what).length) {
      say.done(said.unchanged);
      return close();
    }
    setBusy(true);
    try {
      const now = await update(memory.id, what, memory.version);
      say.done(said.edited, async () => {
        await ask("POST", `/memories/${encodeURIComponent(memory.id)}/restore`, {
          body: { version: now.version },
        });
        done();
      });
      close();
      done();
    } catch (error) {
      const stale = error instanceof Problem && error.status === 412;
      say.bad(stale ? said.stale : (error as Error).message);
      if (stale) done();
    }
    setBusy(false);
  }

  return html`<form
    class="card change-form"
    onSubmit=${submit}
    onKeyDown=${(event: KeyboardEvent) => event.key === "Escape" && close()}
  >
    <label class="field"
      ><span>${said.fields["content"]}</span
      ><textarea ref=${first} dir="auto" value=${fields.content} onInput=${set("content")}></textarea>
    </label>
    <div class="fields">
      <label class="field"
        ><span>${said.fields["category"]}</span
        ><select value=${fields.category} onChange=${set("category")}>
          ${CATEGORIES.map((each) => html`<option key=${each}>${each}</option>`)}
        </select></label
      >
      <label class="field"
        ><span>${said.fields["importance"]}</span
        ><select value=${fields.importance} onChange=${set("importance")}>
          ${[1, 2, 3, 4, 5].map((each) => html`<option key=${each}>${each}</option>`)}
        </select></label
      >
      <label class="field"
        ><span>${said.fields["author"]}</span><input dir="auto" value=${fields.author} onInput=${set("author")}
      /></label>
      <label class="field wide"
        ><span>${said.fields["tags"]}, ${said.comma}</span
        ><input dir="auto" value=${fields.tags} onInput=${set("tags")}
      /></label>
    </div>
    <div class="form-acts">
      <span class="quiet">${said.editAbout}</span><button type="button" onClick=${close}>${said.cancel}</button
      ><button class="primary" disabled=${busy}>${said.save}</button>
    </div>
  </form>`;
}

export function Replace({
  memory,
  close,
  done,
}: {
  memory: Versioned;
  close: () => void;
  done: (id: string) => void;
}) {
  const [text, setText] = useState(memory.content);
  const [busy, setBusy] = useState(false);
  const first = useRef<HTMLTextAreaElement>(null);
  useEffect(() => first.current?.select(), []);

  async function submit(event: Event) {
    event.preventDefault();
    setBusy(true);
    const { category, entities, author, slot, tags } = memory;
    const body = { content: text, supersedes: [memory.id], category, entities, author, slot, tags };
    const stored = await say.trying(() => ask<Remembered>("POST", "/memories", { body }));
    setBusy(false);
    if (!stored) return;
    if (stored.action === "refused" || stored.action === "skipped")
      return say.bad(said.notStored(stored.reason || stored.action));
    say.done(said.replaced, async () => {
      await ask("POST", "/settle", { body: { new: stored.id, old: memory.id, verdict: "open" } });
      await ask("POST", "/memories/forget", { body: { ids: [stored.id] } });
      done(memory.id);
    });
    close();
    done(stored.id);
  }

  return html`<form
    class="card change-form"
    onSubmit=${submit}
    onKeyDown=${(event: KeyboardEvent) => event.key === "Escape" && close()}
  >
    <label class="field"
      ><span>${said.newText}</span
      ><textarea
        ref=${first}
        dir="auto"
        value=${text}
        onInput=${(event: Event) => setText((event.target as HTMLTextAreaElement).value)}
      ></textarea>
    </label>
    <div class="form-acts">
      <span class="quiet">${said.newTextHint} ${said.undoable}</span
      ><button type="button" onClick=${close}>${said.cancel}</button>
      <button class="primary" disabled=${busy || !text.trim() || text === memory.content}>${said.replace}</button>
    </div>
  </form>`;
}
