/** The layout of every page: navigation, namespace, content, messages, keys. */

import { html } from "htm/preact";
import type { ComponentType } from "preact";
import { useEffect, useErrorBoundary, useRef, useState } from "preact/hooks";
import { PAGES, type Page } from "../pages.ts";
import { door, frame as said, pages, shortPages } from "../texts.ts";
import { key, namespace, setKey, setNamespace } from "./api.ts";
import { Help } from "./help.ts";
import { Icon } from "./icons.ts";
import { type Keys, step, useKeys } from "./keys.ts";
import { Empty } from "./parts.ts";
import { go, place, to } from "./route.ts";
import { message, say } from "./say.ts";
import { caller, enter, leave, refused, spaces, unreachable } from "./session.ts";
import { type Theme, theme } from "./theme.ts";

const THEMES: readonly Theme[] = ["system", "light", "dark"];
const THEME_ICONS = { system: "system", light: "sun", dark: "moon" };
/** Milliseconds in which a letter after g leads to a page. */
const WAITS = 1200;

export function App() {
  const [help, setHelp] = useState(false);
  const went = useRef(0);
  const letters: Keys = Object.fromEntries(
    PAGES.filter((each) => each.key).map((each) => [
      each.key,
      () => {
        if (Date.now() - went.current > WAITS) return false;
        went.current = 0;
        go(to(each.name));
        return true;
      },
    ]),
  );
  useKeys({
    ...letters,
    g: (event) => {
      if (went.current && Date.now() - went.current < WAITS) return letters["g"]?.(event);
      went.current = Date.now();
      return false;
    },
    "?": () => setHelp(true),
    "/": () => find(),
    j: () => step(1),
    k: () => step(-1),
  });

  if (!caller.value) return html`<${Door} />`;
  return html`<a class="skip" href="#content" onClick=${toContent}>${said.skip}</a>
    <${Side} help=${() => setHelp(true)} />
    <main id="content" tabindex="-1" class=${`page page-${place.value.page}`}>
      <${Content} key=${namespace.value} />
    </main>
    <${Toast} />
    ${help && html`<${Help} close=${() => setHelp(false)} />`}`;
}

/** The address belongs to the pages, so the link to the content sets the focus by hand. */
function toContent(event: Event): void {
  event.preventDefault();
  document.getElementById("content")?.focus();
}

function find(): void {
  const field = document.querySelector<HTMLInputElement>("[data-find]");
  if (field) {
    field.focus();
    field.select();
  } else {
    go(to("search"));
  }
}

function Side({ help }: { help: () => void }) {
  const [more, setMore] = useState(false);
  const now = place.value.page;
  useEffect(() => setMore(false), [now]);
  const link = (each: Page) =>
    html`<li key=${each.name} class=${each.first ? "first" : ""}>
      <a
        href=${to(each.name)}
        aria-current=${now === each.name || (now === "memory" && each.name === "search") ? "page" : undefined}
      >
        <${Icon} name=${each.name} /><span class="name">${pages[each.name]}</span
        >${each.first && html`<span class="short-name" aria-hidden="true">${shortPages[each.name] ?? pages[each.name]}</span>`}
      </a>
    </li>`;
  return html`<header class=${`side ${more ? "more" : ""}`}>
    <a class="brand" href=${to("search")}
      ><img src="explorer/icon.svg" alt="" width="24" height="24" /><span>${said.product}</span></a
    >
    <${Namespace} />
    <nav aria-label=${said.navigation}>
      ${(["look", "care", "add"] as const).map(
        (group) =>
          html`<div key=${group} class="group">
            <h2 class="group-name">${said.groups[group]}</h2>
            <ul>
              ${PAGES.filter((each) => each.group === group).map(link)}
            </ul>
          </div>`,
      )}
    </nav>
    <div class="foot">
      <button
        type="button"
        class="ghost"
        onClick=${next}
        title=${said.themeNext(said.theme[theme.value])}
        aria-label=${said.themeNext(said.theme[theme.value])}
      >
        <${Icon} name=${THEME_ICONS[theme.value]} />
      </button>
      <button
        type="button"
        class="ghost"
        onClick=${help}
        title=${`${said.keyboard} (?)`}
        aria-label=${said.keyboard}
      >
        <${Icon} name="keyboard" />
      </button>
      <span class="role" title=${caller.value && said.role[caller.value.role]}
        >${caller.value && said.roleShort[caller.value.role]}</span
      >
      ${key.value && html`<button type="button" class="ghost small" onClick=${leave}>${said.leave}</button>`}
    </div>
    <button type="button" class="more-button" aria-expanded=${more} onClick=${() => setMore(!more)}>
      <${Icon} name="more" /><span>${said.more}</span>
    </button>
  </header>`;
}

function next(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? "system";
}

function Namespace() {
  const fixed = caller.value?.namespaces !== null || caller.value.role === "admin";
  if (fixed && spaces.value.length < 2) {
    return html`<p class="namespace">
      <span class="hidden">${said.namespace}</span><bdi dir="auto">${namespace.value}</bdi>
    </p>`;
  }
  return html`<label class="namespace"
    ><span class="hidden">${said.namespace}</span>
    ${
      fixed
        ? html`<select
            value=${namespace.value}
            onChange=${(event: Event) => setNamespace((event.target as HTMLSelectElement).value)}
          >
            ${spaces.value.map((each) => html`<option key=${each} value=${each}>${each}</option>`)}
          </select>`
        : html`<input
            value=${namespace.value}
            onChange=${(event: Event) => setNamespace((event.target as HTMLInputElement).value || "default")}
          />`
    }
  </label>`;
}

const loaded = new Map<string, ComponentType>();

function Content() {
  const name = place.value.page;
  const page = PAGES.find((each) => each.name === name);
  const [, turn] = useState(0);
  const [problem, setProblem] = useState("");
  const [broken, mend] = useErrorBoundary((error) => console.error(error));
  useEffect(() => {
    document.title = `${pages[name] ?? said.notFound} · ${said.product}`;
    setProblem("");
    if (broken) mend();
    window.scrollTo(0, 0);
    if (page && !loaded.has(name)) {
      page.load().then(
        (module) => {
          loaded.set(name, module.Page);
          turn((now) => now + 1);
        },
        (error: Error) => setProblem(error.message),
      );
    }
  }, [name]);
  if (!page) return html`<${Empty} text=${said.notFound} hint=${said.notFoundHint} />`;
  if (problem || broken) return html`<${Empty} text=${said.failed} hint=${problem || String(broken)} />`;
  const Shown = loaded.get(name);
  return Shown
    ? html`<${Shown} key=${name} />`
    : html`<div class="wait" role="status"><span class="hidden">${said.loading}</span></div>`;
}

function Toast() {
  const now = message.value;
  const close = () => (message.value = null);
  const undo = async () => {
    close();
    await say.trying(async () => now?.undo?.());
  };
  return html`<div class="toasts" role=${now?.bad ? "alert" : "status"}>
    ${
      now &&
      html`<div class=${`toast ${now.bad ? "bad" : ""}`}>
        <p>${now.text}</p>
        ${now.undo && html`<button type="button" class="plain" onClick=${undo}>${said.undo}</button>`}
        <button type="button" class="ghost" onClick=${close} aria-label=${said.close}>
          <${Icon} name="close" />
        </button>
      </div>`
    }
  </div>`;
}

/** What is shown to somebody who is not let in. */
function Door() {
  const [typed, setTyped] = useState("");
  if (unreachable.value) {
    return html`<main class="door">
      <h1>${said.unreachable}</h1>
      <p class="quiet">${said.unreachableHint}</p>
      <pre class="command"><code>combray serve</code></pre>
      <p class="quiet">${unreachable.value}</p>
      <button type="button" class="primary" onClick=${enter}>${said.again}</button>
    </main>`;
  }
  if (!refused.value)
    return html`<main class="door">
      <div class="wait" role="status"><span class="hidden">${said.loading}</span></div>
    </main>`;
  const submit = (event: Event) => {
    event.preventDefault();
    setKey(typed.trim());
    void enter();
  };
  return html`<main class="door">
    <img src="explorer/icon.svg" alt="" width="40" height="40" />
    <h1>${door.heading}</h1>
    <p class="quiet">${door.about}</p>
    <form onSubmit=${submit}>
      <label class="field"
        ><span>${door.label}</span>
        <input
          type="password"
          autocomplete="off"
          spellcheck=${false}
          autofocus
          value=${typed}
          onInput=${(event: Event) => setTyped((event.target as HTMLInputElement).value)}
        />
      </label>
      <button class="primary">${door.enter}</button>
    </form>
    ${!refused.value.startsWith(door.heading) && html`<p role="alert" class=${key.value ? "bad-text" : "quiet"}>${key.value && door.wrong} ${refused.value}</p>`}
    <p class="quiet">${door.make}</p>
    <pre class="command"><code>${door.command}</code></pre>
    <p class="quiet">${door.explore}</p>
    <pre class="command"><code>${door.exploreCommand}</code></pre>
  </main>`;
}
