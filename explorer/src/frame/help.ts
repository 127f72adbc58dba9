/** The keys, in a dialog. */

import { html } from "htm/preact";
import { useEffect, useRef } from "preact/hooks";
import { PAGES } from "../pages.ts";
import { frame, help as said, pages } from "../texts.ts";
import { Icon } from "./icons.ts";

export function Help({ close }: { close: () => void }) {
  const place = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    place.current?.showModal();
  }, []);
  const everywhere: [string[], string][] = [
    [["/"], said.search],
    [["j"], said.next],
    [["k"], said.previous],
    [["Enter"], said.open],
    [["Esc"], said.back],
    [["?"], said.help],
  ];
  const lead: [string[], string][] = PAGES.filter((each) => each.key).map((each) => [
    ["g", each.key],
    pages[each.name] ?? each.name,
  ]);
  const rows = (listed: [string[], string][]) =>
    html`<dl class="keys">
      ${listed.map(
        ([keys, text]) =>
          html`<div key=${text}>
            <dt>${keys.map((each) => html`<kbd key=${each}>${each}</kbd>`)}</dt>
            <dd>${text}</dd>
          </div>`,
      )}
    </dl>`;
  return html`<dialog
    ref=${place}
    class="dialog"
    aria-labelledby="help-heading"
    onClose=${close}
    onClick=${(event: Event) => event.target === place.current && place.current?.close()}
  >
    <div>
      <div class="dialog-head">
        <h2 id="help-heading">${said.heading}</h2>
        <button type="button" class="ghost" onClick=${() => place.current?.close()} aria-label=${frame.close}>
          <${Icon} name="close" />
        </button>
      </div>
      <div class="keys-columns">
        <section>
          <h3>${said.everywhere}</h3>
          ${rows(everywhere)}
        </section>
        <section>
          <h3>${said.pages}</h3>
          ${rows(lead)}
        </section>
      </div>
    </div>
  </dialog>`;
}
