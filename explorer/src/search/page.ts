/** The page Search: hits as you type, their reasons, the stages on demand, filters, presets side by side. */

import {
  Empty,
  Icon,
  caller,
  html,
  namespace,
  place,
  replace,
  step,
  terms,
  texts,
  to,
  useEffect,
  useMemo,
  useRef,
  useState,
  type Answer,
  type Listed,
  type Memory,
} from "../frame.ts";
import { Compare } from "./compare.ts";
import { Filters } from "./filters.ts";
import { Hits, Rows } from "./hits.ts";
import { Stages } from "./stages.ts";
import { type Wish, address, filtered, list, read, recall } from "./wish.ts";

const said = texts.search;
/** Milliseconds without a key before the question is sent. Short: an answer takes less. */
const PAUSE = 40;

interface Found {
  of: string;
  answer?: Answer | undefined;
  listed?: Listed | undefined;
  problem?: string | undefined;
}

/** The last result of a namespace, shown at once to somebody who comes back. */
let last: { space: string; found: Found } = { space: "", found: { of: "" } };

export function Page() {
  const wish = read(place.value.query);
  const typed = wish.q;
  const [found, setFound] = useState<Found>(last.space === namespace.value ? last.found : { of: "" });
  const [stages, setStages] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const asked = JSON.stringify([typed, wish.lists, wish.days]);
  const comparing = wish.presets.length > 0;
  const of = useMemo(() => terms(typed), [typed]);

  useEffect(() => {
    if (document.activeElement === document.body) field.current?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    if (comparing) return;
    const stop = new AbortController();
    const work = async () => {
      const next: Found = { of: asked };
      try {
        if (typed.trim()) next.answer = await recall(wish, undefined, stop.signal);
        else next.listed = await list(wish, undefined, stop.signal);
      } catch (error) {
        next.problem = (error as Error).message;
      }
      if (stop.signal.aborted) return;
      last = { space: namespace.value, found: next };
      setFound(next);
    };
    const timer = setTimeout(() => void work(), found.of ? PAUSE : 0);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [asked, comparing]);

  const change = (next: Wish) => replace(address(next));
  const compare = () => change({ ...wish, presets: comparing ? [] : (caller.value?.presets ?? []).slice(0, 3) });
  const seen: Memory[] = found.answer?.hits.map((each) => each.memory) ?? found.listed?.memories ?? [];

  return html`<h1 class="hidden">${texts.pages["search"]}</h1>
    <search>
      <label class="find"
        ><span class="hidden">${said.label}</span><${Icon} name="search" />
        <input
          type="search"
          data-find
          ref=${field}
          value=${typed}
          placeholder=${said.placeholder}
          dir="auto"
          autocomplete="off"
          spellcheck=${false}
          onInput=${(event: Event) => change({ ...wish, q: (event.target as HTMLInputElement).value })}
          onKeyDown=${(event: KeyboardEvent) => {
            if (event.key === "Escape" && !typed) field.current?.blur();
            if (event.key === "ArrowDown" || event.key === "Enter") {
              event.preventDefault();
              step(1);
            }
          }}
        />
        <kbd aria-hidden="true">/</kbd>
      </label>
      <${Filters} wish=${wish} change=${change} seen=${seen} />
    </search>
    <div class="summary">
      <p role="status">${comparing ? "" : html`<${Summary} found=${found} />`}</p>
      <span class="summary-acts">
        ${found.answer && !comparing && html`<button type="button" class="small" aria-pressed=${stages} onClick=${() => setStages(!stages)}><${Icon} name="steps" />${said.why}</button>`}
        ${typed.trim() && html`<button type="button" class="small" aria-pressed=${comparing} onClick=${compare}><${Icon} name="columns" />${said.compare}</button>`}
      </span>
    </div>
    ${
      comparing
        ? html`<${Presets} wish=${wish} change=${change} /><${Compare} wish=${wish} of=${of} />`
        : html`${
              stages &&
              found.answer &&
              html`<div class="why">
                <p class="quiet">${found.answer.reason}</p>
                <${Stages} trace=${found.answer.trace} />
              </div>`
            }<${Results} found=${found} wish=${wish} of=${of} all=${stages} />`
    }`;
}

function Summary({ found }: { found: Found }) {
  const { answer, listed } = found;
  if (answer) {
    const ms = answer.trace.reduce((sum, each) => sum + each.milliseconds, 0);
    return html`<span class="number">${said.found(answer.hits.length, ms)}</span>
      ${answer.hits.length > 0 && html`<span class="quiet number">${said.confidence(answer.confidence)}</span>`}
      ${answer.details?.weak && answer.hits.length > 0 && html`<span class="warn-text">${said.weak}</span>`}`;
  }
  return listed
    ? html`<span>${said.newest}</span><span class="quiet number">${said.total(listed.total)}</span>`
    : null;
}

function Results({ found, wish, of, all }: { found: Found; wish: Wish; of: string[]; all: boolean }) {
  const [more, setMore] = useState<Listed[]>([]);
  useEffect(() => setMore([]), [found]);
  if (found.problem) return html`<div class="problem" role="alert"><p>${found.problem}</p></div>`;
  if (found.answer) {
    const { hits } = found.answer;
    return hits.length
      ? html`<${Hits} hits=${hits} query=${wish.q} of=${of} all=${all} />`
      : html`<${Empty} text=${said.none} hint=${`${found.answer.reason}. ${said.noneHint}`} />`;
  }
  if (!found.listed) return null;
  if (!found.listed.memories.length) {
    if (filtered(wish)) return html`<${Empty} text=${said.noneMatch} />`;
    return html`<${Empty} text=${said.empty} hint=${said.emptyHint} command=${said.emptyCommand}
      ><a class="button primary" href=${to("files")}>${said.emptyFiles}</a><//
    >`;
  }
  const pages = [found.listed, ...more];
  const cursor = pages.at(-1)?.cursor;
  const next = async () => setMore([...more, await list(wish, cursor ?? undefined)]);
  return html`<${Rows} memories=${pages.flatMap((each) => each.memories)} />
    ${cursor && html`<p class="center"><button type="button" data-item onClick=${next}>${said.more}</button></p>`}`;
}

/** Which presets to compare. */
function Presets({ wish, change }: { wish: Wish; change: (wish: Wish) => void }) {
  const toggle = (name: string) => {
    const names = wish.presets.includes(name)
      ? wish.presets.filter((each) => each !== name)
      : [...wish.presets, name];
    if (names.length) change({ ...wish, presets: names });
  };
  return html`<div class="presets chips" role="group" aria-label=${said.presets}>
    ${(caller.value?.presets ?? []).map((each) => html`<button type="button" key=${each} class="small" aria-pressed=${wish.presets.includes(each)} onClick=${() => toggle(each)}>${each}</button>`)}
  </div>`;
}
