/** The page of one memory: its text, why it holds or not, versions, evidence, edges, times, and what can be done. */

import {
  Badges,
  Empty,
  EraseDialog,
  Icon,
  MemoryCard,
  Meta,
  When,
  ask,
  excerpt,
  go,
  html,
  linkTo,
  marked,
  mayAdmin,
  mayWrite,
  memory as get,
  place,
  say,
  terms,
  texts,
  useKeys,
  useLoad,
  useMemo,
  useState,
  type Derived,
  type Loaded,
  type Memory,
  type Related,
  type Replaced,
  type Version,
  type Versioned,
} from "../frame.ts";
import { Edit, Replace } from "./change.ts";
import { Edges } from "./edges.ts";
import { Clocks, Facts } from "./facts.ts";
import { Versions } from "./versions.ts";

const said = texts.memory;
/** Characters of a text that are shown before somebody asks for more. */
const LONG = 4000;
const MOST_EVIDENCE = 20;

interface Whole {
  memory: Versioned;
  versions: Version[];
  chain: Replaced[];
  related: Loaded<Related>;
  derived: Derived;
  evidence: Memory[];
}

async function load(id: string, signal: AbortSignal): Promise<Whole> {
  const path = `/memories/${encodeURIComponent(id)}`;
  const [memory, versions, chain, related, derived] = await Promise.all([
    get(id, { signal }),
    ask<Loaded<Version>>("GET", `${path}/history`, { signal }),
    ask<Loaded<Replaced>>("GET", `${path}/chain`, { signal }),
    ask<Loaded<Related>>("GET", `${path}/related`, { query: { depth: 1 }, signal }),
    ask<Derived>("GET", `${path}/derived`, { signal }),
  ]);
  const found = await Promise.allSettled(
    memory.evidence.slice(0, MOST_EVIDENCE).map((each) => get(each, { signal })),
  );
  const evidence = found.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  return { memory, versions: versions.results, chain: chain.results, related, derived, evidence };
}

export function Page() {
  const id = place.value.rest;
  const query = place.value.query.get("q") ?? "";
  const found = useLoad<Whole>((signal) => load(id, signal), [id]);
  const back = html`<a class="back" href=${linkTo.search({ q: query })}><${Icon} name="back" />${said.back}</a>`;
  if (found.problem)
    return html`${back}<${Empty} text=${said.gone} hint=${`${found.problem} ${said.goneHint}`} />`;
  // Until another memory is loaded, nothing is shown: not the one before under a new address.
  if (!found.value?.memory.id.startsWith(id))
    return html`${back}
      <div class="wait" role="status"></div>`;
  return html`${back}<${Shown} key=${id} whole=${found.value} query=${query} reload=${found.reload} />`;
}

function Shown({ whole, query, reload }: { whole: Whole; query: string; reload: () => void }) {
  const { memory } = whole;
  const [form, setForm] = useState<"" | "edit" | "replace">("");
  const [erasing, setErasing] = useState(false);
  const path = `/memories/${encodeURIComponent(memory.id)}`;
  const live = memory.status === "active" || memory.status === "pending_embed";
  const restore = async () => {
    await ask("POST", `${path}/restore`, { body: {} });
    reload();
  };
  const forget = async () => {
    if (!(await say.trying(() => ask("DELETE", path)))) return;
    say.done(said.forgotten, restore);
    reload();
  };
  const bringBack = async () => {
    if (await say.trying(async () => (await restore(), true))) say.done(said.restored);
  };
  useKeys({ e: () => (mayWrite.value && !form ? setForm("edit") : false) });
  const closed = (erased: boolean) => {
    setErasing(false);
    if (erased) go(linkTo.search({ q: query }));
  };

  return html`<div class="memory">
    <div class="memory-main">
      <article class="memory-text" aria-label=${texts.pages["memory"]}>
        <h1 class="hidden">${excerpt(memory.content, [], 80)}</h1>
        ${!live && html`<${Why} whole=${whole} />`}
        ${form === "edit" ? html`<${Edit} memory=${memory} close=${() => setForm("")} done=${reload} />` : html`<${Text} text=${memory.content} query=${query} />`}
        <${Meta} memory=${memory} tags=${false} />
        ${memory.context && html`<p class="quiet" dir="auto">${memory.context}</p>`}
      </article>
      ${form === "replace" && html`<${Replace} memory=${memory} close=${() => setForm("")} done=${(id: string) => (place.value.rest === id ? reload() : go(linkTo.memory(id)))} />`}
      <div class="acts" role="group" aria-label=${said.actions}>
        ${
          mayWrite.value &&
          html`<button
              type="button"
              title=${`${said.editAbout} (e)`}
              aria-pressed=${form === "edit"}
              onClick=${() => setForm(form === "edit" ? "" : "edit")}
            >
              ${said.edit}
            </button>
            ${live && html`<button type="button" title=${said.supersedeAbout} aria-pressed=${form === "replace"} onClick=${() => setForm(form === "replace" ? "" : "replace")}>${said.supersede}</button>`}
            ${live && html`<button type="button" title=${said.forgetAbout} onClick=${forget}>${said.forget}</button>`}
            ${!live && html`<button type="button" title=${said.restoreAbout} onClick=${bringBack}>${said.restore}</button>`}`
        }
        <a class="button" href=${linkTo.graph(memory.id)}>${said.graph}</a>
        ${mayAdmin.value && html`<button type="button" class="danger end" title=${said.eraseAbout} onClick=${() => setErasing(true)}>${said.erase}</button>`}
        ${!mayWrite.value && html`<span class="quiet">${texts.frame.needs.write}</span>`}
      </div>
      ${
        whole.chain.length > 1 &&
        html`<section>
          <h2>${said.chain}</h2>
          <${Chain} steps=${whole.chain} now=${memory.id} />
        </section>`
      }
      ${
        whole.versions.length > 0 &&
        html`<section>
          <h2>${said.versions}</h2>
          <${Versions} memory=${memory} versions=${whole.versions} done=${reload} />
        </section>`
      }
      <${Sources} whole=${whole} />
      <section>
        <h2>${said.edges}</h2>
        <${Edges} memory=${memory} related=${whole.related} done=${reload} />
      </section>
    </div>
    <aside class="memory-side"><${Clocks} memory=${memory} /><${Facts} memory=${memory} /></aside>
    ${erasing && html`<${EraseDialog} ids=${[memory.id]} close=${closed} />`}
  </div>`;
}

/** The whole text; of a very long one the beginning, or the part around the first term. */
function Text({ text, query }: { text: string; query: string }) {
  const [all, setAll] = useState(false);
  const of = useMemo(() => terms(query), [query]);
  const long = text.length > LONG && !all;
  const shown = long ? excerpt(text, of, LONG) : text;
  return html`<p class="text body" dir="auto">${marked(shown, of)}</p>
    ${long && html`<button type="button" class="plain small" onClick=${() => setAll(true)}>${said.long(text.length)}</button>`}`;
}

/** Why the memory is not active. */
function Why({ whole }: { whole: Whole }) {
  const { memory, chain } = whole;
  const step = chain.find((each) => each.memory.id === memory.id);
  const by = step?.by ?? memory.superseded_by ?? memory.merged_into;
  const later = chain.find((each) => each.memory.id === by)?.memory;
  return html`<div class="why-not">
    <p>
      <${Badges} memory=${memory} /> ${step?.reason && html`<span>${said.because(step.reason)}</span>`}
      ${memory.valid_to && html`<${When} at=${memory.valid_to} />`}
    </p>
    ${by && html`<a href=${linkTo.memory(by)}><bdi dir="auto">${later ? excerpt(later.content, [], 160) : by.slice(0, 8)}</bdi></a>`}
  </div>`;
}

function Chain({ steps, now }: { steps: readonly Replaced[]; now: string }) {
  return html`<ol class="chain">
    ${steps.map(
      ({ memory, verdict, reason }) =>
        html`<li key=${memory.id} class=${memory.id === now ? "here" : ""}>
          <a data-item href=${linkTo.memory(memory.id)} aria-current=${memory.id === now ? "true" : undefined}
            ><span class="text clamp" dir="auto">${excerpt(memory.content, [], 240)}</span></a
          >
          <p class="meta">
            <${When} at=${memory.valid_from ?? memory.recorded_at} />
            <span class=${`badge ${verdict ? "warn" : "good"}`}
              >${verdict ? (said.verdicts[verdict] ?? verdict) : said.holds}</span
            >
            ${reason && html`<span dir="auto">${said.because(reason)}</span>`}
          </p>
        </li>`,
    )}
  </ol>`;
}

/** What the memory rests on, and what rests on it. */
function Sources({ whole }: { whole: Whole }) {
  const { made, resting, quoting, files } = whole.derived;
  const lists: [string, Memory[]][] = [
    [said.evidence, whole.evidence],
    [said.derived, made],
    [said.resting, resting],
    [said.quoting, quoting],
  ];
  return html`${lists
    .filter(([, each]) => each.length)
    .map(
      ([title, listed]) =>
        html`<section key=${title}>
          <h2>${title}</h2>
          <div class="plain-list">
            ${listed.map((each) => html`<${MemoryCard} key=${each.id} memory=${each} />`)}
          </div>
        </section>`,
    )}
  ${
    files.length > 0 &&
    html`<section>
      <h2>${said.files}</h2>
      <ul>
        ${files.map((each) => html`<li key=${each} dir="auto">${each}</li>`)}
      </ul>
    </section>`
  }`;
}
