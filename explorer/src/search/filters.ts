/** Filters as chips: one button for each field, and each chosen value beside it. */

import { Icon, ask, html, texts, useEffect, useRef, useState, type Loaded, type Memory } from "../frame.ts";
import { DAYS, LISTS, type DayName, type ListName, type Wish, filtered } from "./wish.ts";

const said = texts.search;
const FIXED: Partial<Record<ListName, string[]>> = {
  kind: ["fact", "episode", "insight", "chunk", "summary"],
  trust: ["owner", "agent", "untrusted"],
};
const SHOWN = 8;

interface Shared {
  wish: Wish;
  change: (wish: Wish) => void;
}

function named(name: ListName, value: string): string {
  const words = name === "kind" ? texts.memoryTexts.kinds : name === "trust" ? texts.memoryTexts.trusts : {};
  return words[value] ?? value;
}

export function Filters({ wish, change, seen }: Shared & { seen: Memory[] }) {
  const [open, setOpen] = useState("");
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    const away = (event: Event) =>
      !place.current?.querySelector(".menu-place.open")?.contains(event.target as Node) && setOpen("");
    document.addEventListener("pointerdown", away);
    return () => document.removeEventListener("pointerdown", away);
  }, [open]);
  const without = (name: ListName, value: string) =>
    change({ ...wish, lists: { ...wish.lists, [name]: wish.lists[name].filter((each) => each !== value) } });
  const none = {
    lists: Object.fromEntries(LISTS.map((each) => [each, []])) as unknown as Wish["lists"],
    days: { since: "", until: "", as_of: "" },
  };
  const button = (name: string, inner: unknown) =>
    html`<div
      class=${`menu-place ${open === name ? "open" : ""}`}
      key=${name}
      onKeyDown=${(event: KeyboardEvent) => {
        if (event.key !== "Escape" || open !== name) return;
        event.stopPropagation();
        setOpen("");
        (event.currentTarget as HTMLElement).querySelector("button")?.focus();
      }}
    >
      <button
        type="button"
        class="chip filter"
        aria-expanded=${open === name}
        onClick=${() => setOpen(open === name ? "" : name)}
      >
        ${said.filter[name]}<${Icon} name="down" />
      </button>
      ${open === name && html`<div class="menu" role="group" aria-label=${said.filter[name]}>${inner}</div>`}
    </div>`;
  return html`<div class="filters" role="group" aria-label=${said.filters} ref=${place}>
    ${LISTS.map((name) => button(name, html`<${Values} name=${name} wish=${wish} change=${change} seen=${seen} />`))}
    ${button("time", html`<${Days} wish=${wish} change=${change} />`)}
    ${LISTS.flatMap((name) =>
      wish.lists[name].map(
        (value) =>
          html`<span class="chip chosen" key=${`${name} ${value}`}>
            <span class="quiet">${said.filter[name]}</span><bdi dir="auto">${named(name, value)}</bdi>
            <button
              type="button"
              class="chip-button"
              onClick=${() => without(name, value)}
              aria-label=${said.remove(said.filter[name] ?? "", value)}
            >
              ×
            </button>
          </span>`,
      ),
    )}
    ${DAYS.filter((each) => wish.days[each]).map(
      (each) =>
        html`<span class="chip chosen" key=${each}>
          <span class="quiet">${said.filter[each]}</span>${wish.days[each]}
          <button
            type="button"
            class="chip-button"
            onClick=${() => change({ ...wish, days: { ...wish.days, [each]: "" } })}
            aria-label=${said.remove(said.filter[each] ?? "", wish.days[each])}
          >
            ×
          </button>
        </span>`,
    )}
    ${filtered(wish) && html`<button type="button" class="plain small" onClick=${() => change({ ...wish, ...none })}>${said.clear}</button>`}
  </div>`;
}

/** Values to choose from: all of a short list; of the others those of entities, or of the memories on the page. */
async function values(name: ListName, seen: Memory[]): Promise<string[]> {
  if (name === "entity") {
    const found = await ask<Loaded<{ name: string; memories: number }>>("GET", "/entities", {
      query: { limit: 500 },
    });
    return found.results.sort((a, b) => b.memories - a.memories).map((each) => each.name);
  }
  const listed = [
    ...seen,
    ...(await ask<{ memories: Memory[] }>("GET", "/memories", { query: { limit: 500 } })).memories,
  ];
  const counts = new Map<string, number>();
  for (const each of listed)
    for (const value of name === "tag" ? each.tags : [each.author ?? ""])
      if (value) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).map(([value]) => value);
}

function Values({ name, wish, change, seen }: Shared & { name: ListName; seen: Memory[] }) {
  const [known, setKnown] = useState<string[]>(FIXED[name] ?? []);
  const [typed, setTyped] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const place = useRef<HTMLDivElement>(null);
  const chosen = wish.lists[name];
  useEffect(() => {
    if (FIXED[name]) {
      place.current?.querySelector("input")?.focus();
      return;
    }
    field.current?.focus();
    let live = true;
    values(name, seen).then(
      (found) => live && setKnown(found),
      () => undefined,
    );
    return () => {
      live = false;
    };
  }, []);
  const matching = known.filter((each) => each.toLowerCase().includes(typed.trim().toLowerCase()));
  const shown = [...new Set([...chosen, ...matching])].slice(0, Math.max(SHOWN, chosen.length));
  const toggle = (value: string) =>
    change({
      ...wish,
      lists: {
        ...wish.lists,
        [name]: chosen.includes(value) ? chosen.filter((each) => each !== value) : [...chosen, value],
      },
    });
  return html`<div ref=${place}>
    ${
      !FIXED[name] &&
      html`<form
        onSubmit=${(event: Event) => {
          event.preventDefault();
          if (typed.trim()) toggle(matching[0] ?? typed.trim());
          setTyped("");
        }}
      >
        <input
          ref=${field}
          value=${typed}
          placeholder=${said.find}
          aria-label=${said.find}
          onInput=${(event: Event) => setTyped((event.target as HTMLInputElement).value)}
        />
      </form>`
    }
    <ul class="options">
      ${shown.map(
        (each) =>
          html`<li key=${each}>
            <label
              ><input type="checkbox" checked=${chosen.includes(each)} onChange=${() => toggle(each)} /><bdi
                dir="auto"
                >${named(name, each)}</bdi
              ></label
            >
          </li>`,
      )}
      ${
        !shown.length &&
        typed &&
        html`<li>
          <button
            type="button"
            class="plain small"
            onClick=${() => {
              toggle(typed.trim());
              setTyped("");
            }}
          >
            ${said.use(typed.trim())}
          </button>
        </li>`
      }
      ${!shown.length && !typed && html`<li class="quiet">${said.noValues}</li>`}
    </ul>
  </div>`;
}

function Days({ wish, change }: Shared) {
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => first.current?.focus(), []);
  const day = (name: DayName, label: string, place?: typeof first) =>
    html`<label class="field"
      ><span>${label}</span>
      <input
        type="date"
        ref=${place}
        value=${wish.days[name]}
        onChange=${(event: Event) => change({ ...wish, days: { ...wish.days, [name]: (event.target as HTMLInputElement).value } })}
      />
    </label>`;
  return html`${day("since", said.since, first)}${day("until", said.until)}${day("as_of", said.asOf)}`;
}
