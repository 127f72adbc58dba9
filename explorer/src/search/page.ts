/** The page search. */

import { Empty, Heading, html, texts } from "../frame.ts";

export function Page() {
  return html`<${Heading} text=${texts.pages["search"]} /><${Empty} text=${texts.frame.notBuilt} />`;
}
