/** The page Time: a chart of the whole time, two clocks that can be played, and lists of a window or a day. */

import { Empty, Heading, ask, html, linkTo, namespace, useEffect, useMemo, useState } from "../frame.ts";
import { Chart } from "./chart.ts";
import { Clocks } from "./clocks.ts";
import { Days, type Dated, type Timeline, byDay } from "./model.ts";
import { Row } from "./row.ts";
import { time as text } from "./texts.ts";

type Tab = "happened" | "learnt" | "true";
const BUCKETS = 240;
const PAGE = 100;
const number = new Intl.NumberFormat();
const long = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long", year: "numeric" });
const timeline = (query: Record<string, unknown>, signal: AbortSignal): Promise<Timeline> =>
  ask("GET", "/timeline", { query, signal });
const iso = (moment: number): string => new Date(moment).toISOString();

export function Page() {
  return html`<${Whole} key=${namespace.value} />`;
}

function Whole() {
  const [line, setLine] = useState<Timeline>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const stop = new AbortController();
    timeline({ buckets: BUCKETS, limit: 0 }, stop.signal).then(
      setLine,
      (error: Error) => error.name === "AbortError" || setProblem(error.message),
    );
    return () => stop.abort();
  }, []);
  if (problem) return html`<p role="alert" class="problem">${problem}</p>`;
  if (!line) return html`<div class="wait" role="status"><span class="hidden">${text.loading}</span></div>`;
  if (!line.first)
    return html`<${Heading} text=${text.title} />
      <${Empty} text=${text.emptyTitle} hint=${text.emptyText} command=${text.emptyHow} />`;
  return html`<${Shown} line=${line} />`;
}

function Shown({ line }: { line: Timeline }) {
  const days = useMemo(() => new Days(Date.parse(line.first!), Date.parse(line.last!)), [line]);
  const [from, to] = [days.start(0), days.start(days.count)];
  const [trueDay, setTrueDay] = useState(days.count - 1);
  const [knownDay, setKnownDay] = useState(days.count - 1);
  const [joined, setJoined] = useState(true);
  const [window, setWindow] = useState<[number, number]>();
  const [tab, setTab] = useState<Tab>("happened");
  const [at, known] = [days.end(trueDay), days.end(knownDay)];
  const setDay = (day: number) => {
    const inside = Math.min(days.count - 1, Math.max(0, day));
    setTrueDay(inside);
    if (joined) setKnownDay(inside);
  };
  return html`<section class="time">
    <${Heading} text=${text.title} about=${text.about} />
    <${Clocks}
      days=${days}
      trueDay=${trueDay}
      knownDay=${knownDay}
      joined=${joined}
      setDay=${setDay}
      setKnown=${setKnownDay}
      setJoined=${(both: boolean) => {
        setJoined(both);
        if (both) setKnownDay(trueDay);
      }}
    >
      <${Chart}
        line=${line}
        from=${from}
        to=${to}
        trueOn=${Math.min(at, to)}
        knownBy=${Math.min(known, to)}
        window=${tab === "true" ? undefined : window}
        setWindow=${(chosen: [number, number] | undefined) => {
          setWindow(chosen);
          if (tab === "true") setTab("happened");
        }}
        setDay=${(moment: number) => setDay(days.of(moment))}
      />
    <//>
    <div class="time-tabs" role="tablist">
      ${(["happened", "learnt", "true"] as const).map(
        (each) =>
          html`<button type="button" role="tab" aria-selected=${tab === each} onClick=${() => setTab(each)}>
            ${text.tabs[each]}
          </button>`,
      )}
    </div>
    ${tab !== "true" && html`<${Window} days=${days} window=${window} from=${from} to=${to} set=${setWindow} />`}
    <${List}
      key=${tab}
      tab=${tab}
      window=${window ?? [from, to]}
      whole=${!window}
      at=${at}
      known=${known}
      joined=${joined}
      extent=${[from, to]}
    />
  </section>`;
}

function Window(props: {
  days: Days;
  window?: [number, number];
  from: number;
  to: number;
  set: (window: [number, number] | undefined) => void;
}) {
  const [from, to] = props.window ?? [props.from, props.to];
  const local = (moment: number) => {
    const day = new Date(moment);
    const two = (value: number) => String(value).padStart(2, "0");
    return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
  };
  const set = (a: number, b: number) => Number.isFinite(a) && Number.isFinite(b) && a < b && props.set([a, b]);
  const midnight = (event: Event) => new Date(`${(event.target as HTMLInputElement).value}T00:00`).getTime();
  return html`<div class="time-bounds">
    <label>${text.from} <input type="date" value=${local(from)} onChange=${(event: Event) => set(midnight(event), to)} /></label>
    <label
      >${text.until}
      <input type="date" value=${local(to - 1)} onChange=${(event: Event) => set(from, midnight(event) + 86_400_000)}
    /></label>
    ${props.window && html`<button type="button" class="plain" onClick=${() => props.set(undefined)}>${text.whole}</button>`}
    <small>${text.hint}</small>
  </div>`;
}

function List(props: {
  tab: Tab;
  window: [number, number];
  whole: boolean;
  at: number;
  known: number;
  joined: boolean;
  extent: [number, number];
}) {
  const { tab, window, at, known } = props;
  const [found, setFound] = useState<Timeline>();
  const [limit, setLimit] = useState(PAGE);
  const then = tab === "true";
  useEffect(() => {
    const stop = new AbortController();
    const asked = then
      ? { clock: "true", true_on: iso(at), known_by: iso(known) }
      : { clock: tab, ...(props.whole ? {} : { since: iso(window[0]), until: iso(window[1]) }) };
    const later = setTimeout(
      () => timeline({ ...asked, buckets: 1, limit }, stop.signal).then(setFound, () => undefined),
      found ? 120 : 0,
    );
    return () => {
      clearTimeout(later);
      stop.abort();
    };
  }, [tab, limit, ...(then ? [at, known] : window)]);
  const moment = (each: Dated) => (tab === "happened" ? each.happened : tab === "learnt" ? each.recorded : each.true_from);
  const days = useMemo(() => (found ? byDay(found.memories, moment) : []), [found, tab]);
  const [from, to] = then ? props.extent : window;
  return html`<div class="time-list" role="tabpanel">
    ${then && html`<${Ask} at=${at} joined=${props.joined} />`}
    ${found && html`<p class="time-count">${text.count(number.format(found.memories.length), number.format(found.total))}</p>`}
    ${found && !found.total && html`<p class="time-none">${then ? text.nothingThen : text.nothingHere}</p>`}
    ${days.map(
      ({ day, items }) => html`<section key=${day.getTime()}>
        <h2>${long.format(day)}</h2>
        <ol>
          ${items.map(
            (each) =>
              html`<${Row}
                key=${each.id}
                each=${each}
                moment=${moment(each)}
                at=${at}
                known=${known}
                from=${from}
                to=${to}
              />`,
          )}
        </ol>
      </section>`,
    )}
    ${
      found &&
      found.total > found.memories.length &&
      limit < 1000 &&
      html`<button type="button" class="plain" onClick=${() => setLimit(Math.min(1000, limit + 300))}>${text.more}</button>`
    }
  </div>`;
}

interface Hit {
  memory: { id: string; content: string };
  score: number;
}

function Ask({ at, joined }: { at: number; joined: boolean }) {
  const [query, setQuery] = useState("");
  const [asked, setAsked] = useState("");
  const [hits, setHits] = useState<Hit[]>();
  useEffect(() => {
    if (!asked || !joined) return setHits(undefined);
    const stop = new AbortController();
    const later = setTimeout(
      () =>
        ask<{ hits: Hit[] }>("POST", "/recall", {
          body: { query: asked, as_of: iso(at), limit: 5 },
          signal: stop.signal,
        }).then((answer) => setHits(answer.hits), () => undefined),
      hits ? 150 : 0,
    );
    return () => {
      clearTimeout(later);
      stop.abort();
    };
  }, [asked, at, joined]);
  const onSubmit = (event: Event) => {
    event.preventDefault();
    setAsked(query.trim());
  };
  return html`<form class="time-ask" onSubmit=${onSubmit}>
    <label
      >${text.ask}
      <input
        type="search"
        value=${query}
        placeholder=${text.asking}
        disabled=${!joined}
        onInput=${(event: Event) => {
          setQuery((event.target as HTMLInputElement).value);
          if (!(event.target as HTMLInputElement).value) setAsked("");
        }}
    /></label>
    <button type="submit" disabled=${!joined}>${text.askGo}</button>
    ${!joined && html`<small>${text.askJoin}</small>`}
    ${
      hits &&
      html`<ol class="time-hits">
        ${hits.map(
          ({ memory, score }) =>
            html`<li key=${memory.id}><a href=${linkTo.memory(memory.id)} dir="auto">${memory.content.slice(0, 300)}</a> <small>${score.toFixed(2)}</small></li>`,
        )}
        ${!hits.length && html`<li>${text.noAnswer}</li>`}
      </ol>`
    }
  </form>`;
}
