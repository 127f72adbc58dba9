/** The page people. */

import { Empty, Heading, html, texts } from "../frame.ts";

export function Page() {
  return html`<${Heading} text=${texts.pages["people"]} /><${Empty} text=${texts.frame.notBuilt} />`;
}
