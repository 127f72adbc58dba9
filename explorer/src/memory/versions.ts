/** Every change of a memory, newest first, as a difference; each can be taken back. */

import { When, ask, html, linkTo, mayWrite, say, texts, type Memory, type Version } from "../frame.ts";
import { diff } from "./diff.ts";

const said = texts.memory;
/** Fields that follow from others, or that only the engine reads. */
const SILENT = new Set(["content_hash", "valid_from_source", "said_at"]);

interface Change {
  field: string;
  before: unknown;
  after: unknown;
}

/** What each version changed. A row has the fields before it; what came after is in the next row, or holds now. */
export function changes(versions: readonly Version[], now: Memory): { version: Version; changed: Change[] }[] {
  const after: Record<string, unknown> = { ...now };
  const found = [];
  for (const version of [...versions].reverse()) {
    const changed = Object.entries(version.before)
      .filter(([field]) => !SILENT.has(field))
      .map(([field, before]) => ({ field, before, after: after[field] }))
      .filter((each) => !sameList(each.before, each.after));
    Object.assign(after, version.before);
    found.push({ version, changed });
  }
  return found;
}

/** Whether two lists hold the same, in whatever order. */
function sameList(one: unknown, other: unknown): boolean {
  return (
    Array.isArray(one) &&
    Array.isArray(other) &&
    JSON.stringify([...one].sort()) === JSON.stringify([...other].sort())
  );
}

function shown(value: unknown): string {
  if (value === null || value === undefined || value === "" || (Array.isArray(value) && !value.length))
    return said.nothing;
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function Value({ field, value }: { field: string; value: unknown }) {
  if (value && (field === "superseded_by" || field === "supersedes" || field === "merged_into")) {
    return html`<a href=${linkTo.memory(String(value))}>${String(value).slice(0, 8)}</a>`;
  }
  if (value && /_(at|from|to)$/.test(field)) {
    const at = typeof value === "number" ? new Date(value * 1000).toISOString() : String(value);
    return html`<${When} at=${at} minutes />`;
  }
  return html`<bdi dir="auto">${shown(value)}</bdi>`;
}

function One({ change }: { change: Change }) {
  const { field, before, after } = change;
  if (field === "content") {
    return html`<p class="diff text" dir="auto">
      ${diff(String(before), String(after)).map(([kind, text], index) =>
        kind === "same"
          ? text
          : kind === "gone"
            ? html`<del key=${index}>${text}</del>`
            : html`<ins key=${index}>${text}</ins>`,
      )}
    </p>`;
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const gone = before.filter((each) => !after.includes(each));
    const added = after.filter((each) => !before.includes(each));
    return html`<p class="change">
      <span class="quiet">${said.fields[field] ?? field}</span>
      ${gone.map((each) => html`<del key=${each} dir="auto">${each}</del>`)}${added.map((each) => html`<ins key=${each} dir="auto">${each}</ins>`)}
    </p>`;
  }
  return html`<p class="change">
    <span class="quiet">${said.fields[field] ?? field}</span>
    <del><${Value} field=${field} value=${before} /></del><span aria-hidden="true">→</span
    ><span class="hidden">${said.to}</span> <ins><${Value} field=${field} value=${after} /></ins>
  </p>`;
}

export function Versions({
  memory,
  versions,
  done,
}: {
  memory: Memory;
  versions: readonly Version[];
  done: () => void;
}) {
  if (!versions.length) return html`<p class="quiet">${said.noVersions}</p>`;
  const bringBack = async (version: Version) => {
    const path = `/memories/${encodeURIComponent(memory.id)}`;
    const back = await say.trying(() =>
      ask<Memory>("POST", `${path}/restore`, { body: { version: version.number } }),
    );
    if (!back) return;
    say.done(said.broughtBack, async () => {
      // Bringing back is a change of its own, and is taken back like any other.
      const now = await ask<{ results: Version[] }>("GET", `${path}/history`);
      const last = now.results.at(-1);
      if (last) await ask("POST", `${path}/restore`, { body: { version: last.number } });
      done();
    });
    done();
  };
  return html`<ol class="versions">
    ${changes(versions, memory).map(
      ({ version, changed }) =>
        html`<li key=${version.number}>
          <div class="version-head">
            <span
              ><strong>${said.operations[version.operation] ?? version.operation.replaceAll("_", " ")}</strong>
              <span class="quiet">
                ${version.actor.startsWith("consolidate") ? said.consolidation : said.by(version.actor)} ·
                <${When} at=${version.changed_at} minutes /></span
            ></span>
            ${mayWrite.value && html`<button type="button" class="plain small" title=${said.bringBackAbout(version.number)} onClick=${() => bringBack(version)}>${said.bringBack}</button>`}
          </div>
          ${changed.map((each) => html`<${One} key=${each.field} change=${each} />`)}
        </li>`,
    )}
  </ol>`;
}
