/** Files in: notes, transcripts and exports are dropped, previewed, and imported. */

import { Empty, Heading, ask, html, linkTo, mayAdmin, say, texts, useRef, useState, When } from "../frame.ts";

interface Sample {
  content: string;
  author: string | null;
  occurred_at: string | null;
  context: string;
}

interface Report {
  name: string;
  kind: "notes" | "turns" | "memories";
  memories: number;
  known: number;
  quarantined: number;
  first: string | null;
  last: string | null;
  sample: Sample[];
  problems: string[];
  ids: string[];
}

interface Dropped {
  key: number;
  file: File;
  trusted: boolean;
  busy: boolean;
  preview?: Report;
  done?: Report;
  undone?: boolean;
  problem?: string;
}

/** Bytes of a file. The body of a request has at most 10 MB, and Base64 adds a third. */
const MOST_BYTES = 7_000_000;
const AT_ONCE = 500;
const said = texts.files;
let last = 0;

function base64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,?/, ""));
    reader.onerror = () => reject(reader.error ?? new Error(said.unreadable));
    reader.readAsDataURL(file);
  });
}

async function send(each: Dropped, dry_run: boolean): Promise<Report> {
  const data = await base64(each.file);
  return ask<Report>("POST", "/import/file", { body: { name: each.file.name, data, dry_run, trusted: each.trusted } });
}

async function takeBack(ids: string[]): Promise<void> {
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    await ask("POST", "/memories/forget", { body: { ids: ids.slice(start, start + AT_ONCE) } });
  }
}

function Samples({ report }: { report: Report }) {
  return html`<details>
    <summary>${said.show(report.sample.length, report.memories)}</summary>
    <ol class="samples">${report.sample.map(
      (each, place) => html`<li key=${place}>
        ${each.context && html`<strong dir="auto">${each.context}</strong>`}
        ${each.author && html`<strong dir="auto">${each.author}</strong>`}
        ${each.occurred_at && html` <span class="quiet"><${When} at=${each.occurred_at} /></span>`}
        <p dir="auto" class="sample">${each.content}</p>
      </li>`,
    )}</ol>
  </details>`;
}

function Facts({ report, past }: { report: Report; past: boolean }) {
  return html`<p role="status">${past ? said.imported(report.memories) : said.would(report.memories, report.known)}
    ${report.known > 0 && html` ${said.known(report.known)}`}
    ${report.quarantined > 0 && html` <a href=${linkTo.quarantine}>${said.quarantined(report.quarantined)}</a>`}
    ${report.first && html` <${When} at=${report.first} />`}
    ${report.last !== report.first && html` – <${When} at=${report.last} />`}</p>
    ${report.problems.length > 0 &&
    html`<p class="bad">${said.problems(report.problems.length)}</p>
      <ul>${report.problems.map((each, place) => html`<li key=${place} dir="auto">${each}</li>`)}</ul>`}`;
}

function One({ each, change, remove }: {
  each: Dropped;
  change: (fields: Partial<Dropped>) => void;
  remove: () => void;
}) {
  const shown = each.done ?? each.preview;

  async function submit() {
    change({ busy: true });
    const done = await say.trying(() => send(each, false));
    change({ busy: false, ...(done && { done }) });
    if (!done?.ids.length) return;
    say.done(said.imported(done.memories), () => undo(done));
  }

  async function undo(done: Report) {
    await takeBack(done.ids);
    change({ undone: true });
  }

  return html`<li class="card">
    <div class="row">
      <h2 class="grow clip"><bdi dir="auto">${each.file.name}</bdi></h2>
      <span class="quiet">${said.size(each.file.size)}</span>
      ${shown && html`<span class="chip">${said.kind[shown.kind]}</span>`}
    </div>
    ${each.busy && html`<p class="quiet" role="status">${said.reading}</p>`}
    ${each.problem && html`<p class="bad" role="alert" dir="auto">${each.problem}</p>`}
    ${shown && html`<${Facts} report=${shown} past=${Boolean(each.done)} />`}
    ${each.undone && html`<p role="status">${said.undone}</p>`}
    ${each.preview && !each.done && each.preview.sample.length > 0 && html`<${Samples} report=${each.preview} />`}
    ${each.done && !each.done.ids.length && each.done.memories > 0 && html`<p class="quiet">${said.noUndo}</p>`}
    <div class="row">
      ${each.preview && !each.done && each.preview.memories > 0 &&
      html`<label class="tick grow"><input type="checkbox" checked=${each.trusted}
            onChange=${(event: Event) => change({ trusted: (event.target as HTMLInputElement).checked })} />
          <span>${said.trusted} <span class="quiet">${said.trustedAbout}</span></span></label>
        <button class="primary" onClick=${submit} disabled=${each.busy}>${said.import(each.preview.memories)}</button>`}
      ${each.done && each.done.ids.length > 0 && !each.undone &&
      html`<button onClick=${() => say.trying(() => undo(each.done as Report))}>${said.undo}</button>`}
      <button class="plain" onClick=${remove} aria-label=${said.removeOf(each.file.name)}>${said.remove}</button>
    </div>
  </li>`;
}

export function Page() {
  const [dropped, setDropped] = useState<Dropped[]>([]);
  const [over, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);

  function change(key: number, fields: Partial<Dropped>) {
    setDropped((all) => all.map((each) => (each.key === key ? { ...each, ...fields } : each)));
  }

  async function add(files: Iterable<File>) {
    const made = [...files].map((file): Dropped => ({ key: ++last, file, trusted: false, busy: true }));
    setDropped((all) => [...made, ...all]);
    for (const each of made) {
      if (each.file.size > MOST_BYTES) {
        change(each.key, { busy: false, problem: said.tooLarge(each.file.size) });
        continue;
      }
      try {
        change(each.key, { busy: false, preview: await send(each, true) });
      } catch (error) {
        change(each.key, { busy: false, problem: error instanceof Error ? error.message : String(error) });
      }
    }
  }

  function drop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    if (event.dataTransfer) void add(event.dataTransfer.files);
  }

  return html`<section aria-labelledby="files-heading">
    <${Heading} id="files-heading" text=${said.heading} about=${said.about} />
    ${!mayAdmin.value && html`<${Empty} text=${said.needsAdmin} hint=${said.needsAdminHint} />`}
    ${mayAdmin.value && html`<div class="drop ${over ? "over" : ""}" onDrop=${drop}
      onDragOver=${(event: DragEvent) => { event.preventDefault(); setOver(true); }} onDragLeave=${() => setOver(false)}>
      <p><strong>${said.dropHere}</strong></p>
      <p class="quiet">${said.forms}</p>
      <input ref=${input} id="files-input" type="file" multiple class="hidden-input"
        accept=".md,.markdown,.txt,.json,.jsonl,.ndjson,.zip"
        onChange=${() => { if (input.current?.files) void add(input.current.files); if (input.current) input.current.value = ""; }} />
      <label for="files-input" class="button">${said.choose}</label>
    </div>`}
    <ul class="cards wide">${dropped.map((each) => html`<${One} key=${each.key} each=${each}
      change=${(fields: Partial<Dropped>) => change(each.key, fields)}
      remove=${() => setDropped((all) => all.filter((one) => one.key !== each.key))} />`)}</ul>
  </section>`;
}
