/** Presets side by side on the same question. */

import { Badges, Busy, excerpt, html, marked, texts, to, useLoad, useState, type Answer } from "../frame.ts";
import { Bar } from "./hits.ts";
import { type Wish, recall } from "./wish.ts";

const said = texts.search;
const SHOWN = 10;

export function Compare({ wish, of }: { wish: Wish; of: string[] }) {
  const [pointed, setPointed] = useState("");
  const { presets, ...asked } = wish;
  const found = useLoad<Answer[]>(
    (signal) =>
      wish.q.trim() ? Promise.all(presets.map((each) => recall(wish, each, signal))) : Promise.resolve([]),
    [JSON.stringify(asked), presets.join()],
  );
  const first = found.value?.[0]?.hits.map((each) => each.memory.id) ?? [];
  return html`<${Busy} of=${found} />
    <div class="columns">
      ${(found.value ?? []).map(
        (answer, column) =>
          html`<section key=${answer.preset} aria-label=${answer.preset}>
            <h2>${answer.preset}</h2>
            <p class="quiet">
              ${said.found(
                answer.hits.length,
                answer.trace.reduce((sum, each) => sum + each.milliseconds, 0),
              )}
            </p>
            <ol>
              ${answer.hits.slice(0, SHOWN).map((hit, place) => {
                const id = hit.memory.id;
                const before = first.indexOf(id);
                const moved = before < 0 ? said.only : before === place ? said.same : said.rank(before - place);
                return html`<li key=${id}>
                  <a
                    data-item
                    class=${`ranked ${pointed === id ? "pointed" : ""}`}
                    href=${to("memory", id, { q: wish.q })}
                    onPointerEnter=${() => setPointed(id)}
                    onPointerLeave=${() => setPointed("")}
                    onFocus=${() => setPointed(id)}
                    onBlur=${() => setPointed("")}
                  >
                    <span class="place number">${place + 1}</span>
                    <span class="text clamp" dir="auto">${marked(excerpt(hit.memory.content, of, 160), of)}</span>
                    <span class="ranked-foot"
                      ><${Bar}
                        share=${answer.hits[0]?.score ? hit.score / answer.hits[0].score : 0}
                        strong /><span class="number">${hit.score.toFixed(2)}</span>
                      ${column > 0 && html`<span class="quiet">${moved}</span>`}<${Badges} memory=${hit.memory}
                    /></span>
                  </a>
                </li>`;
              })}
            </ol>
            ${!answer.hits.length && html`<p class="quiet">${answer.reason}</p>`}
          </section>`,
      )}
    </div>`;
}
