/** Fields and times of a memory. */

import { When, html, linkTo, say, texts, type Memory } from "../frame.ts";

const said = texts.memory;

function Line({ name, children }: { name: string; children: unknown }) {
  return html`<div>
    <dt>${name}</dt>
    <dd>${children}</dd>
  </div>`;
}

/** When it happened and was true in the world, and when it was learnt. */
export function Clocks({ memory }: { memory: Memory }) {
  const {
    occurred_from,
    occurred_to,
    said_at,
    valid_from,
    valid_to,
    recorded_at,
    expires_at,
    last_accessed_at,
    access_count,
  } = memory;
  return html`<section>
    <h2>${said.clocks}</h2>
    <dl class="facts">
      ${occurred_from && html`<${Line} name=${said.happened}><${When} at=${occurred_from} minutes />${occurred_to && occurred_to !== occurred_from && html` – <${When} at=${occurred_to} minutes />`}<//>`}
      ${said_at && html`<${Line} name=${said.said}><${When} at=${said_at} minutes /><//>`}
      <${Line} name=${said.valid}
        >${
          valid_from || valid_to
            ? html`${valid_from && html`${said.from} <${When} at=${valid_from} />`}
              ${valid_to && html`${said.until} <${When} at=${valid_to} />`}`
            : html`<span class="quiet">${said.always}</span>`
        }<//
      >
      <${Line} name=${said.recorded}><${When} at=${recorded_at} minutes /><//>
      ${expires_at && html`<${Line} name=${said.expires}><${When} at=${expires_at} minutes /><//>`}
      <${Line} name=${said.recalled}
        >${access_count > 0 ? html`${said.times(access_count)} <${When} at=${last_accessed_at} minutes />` : said.never}<//
      >
    </dl>
  </section>`;
}

export function Facts({ memory }: { memory: Memory }) {
  const { kind, category, author, source, session, trust, importance, confidence, tier, slot, entities, tags } =
    memory;
  const words = texts.memoryTexts;
  const text = (value: string) => html`<bdi dir="auto">${value}</bdi>`;
  const copy = () => void navigator.clipboard?.writeText(memory.id).then(() => say.done(said.copied));
  return html`<section>
    <h2>${said.facts}</h2>
    <dl class="facts">
      <${Line} name=${said.fields["kind"]!}>${words.kinds[kind] ?? kind}<//>
      <${Line} name=${said.fields["category"]!}>${category}<//>
      ${author && html`<${Line} name=${said.fields["author"]!}><a href=${linkTo.search({ author })}>${text(author)}</a><//>`}
      <${Line} name=${said.fields["source"]!}>${text(source)}<//>
      ${session && html`<${Line} name=${said.fields["session"]!}>${text(session)}<//>`}
      <${Line} name=${said.fields["trust"]!}>${words.trusts[trust] ?? trust}<//>
      <${Line} name=${said.fields["importance"]!}><span class="number">${importance} / 5</span><//>
      <${Line} name=${said.fields["confidence"]!}
        ><span class="number">${Math.round(confidence * 100)} %</span><//
      >
      <${Line} name=${said.fields["tier"]!}>${tier}<//>
      ${slot && html`<${Line} name=${said.fields["slot"]!}>${text(slot)}<//>`}
      ${entities.length > 0 && html`<${Line} name=${said.fields["entities"]!}><span class="chips">${entities.map((each) => html`<a key=${each} class="chip" href=${linkTo.entity(each)}>${text(each)}</a>`)}</span><//>`}
      ${tags.length > 0 && html`<${Line} name=${said.fields["tags"]!}><span class="chips">${tags.map((each) => html`<a key=${each} class="chip" href=${linkTo.search({ tag: each })}>${text(each)}</a>`)}</span><//>`}
      ${Object.entries(memory.metadata).map(([name, value]) => html`<${Line} key=${name} name=${name}>${text(typeof value === "string" ? value : JSON.stringify(value))}<//>`)}
      <${Line} name=${said.id}
        ><button type="button" class="id" onClick=${copy} title=${said.copy}><code>${memory.id}</code></button><//
      >
    </dl>
  </section>`;
}
