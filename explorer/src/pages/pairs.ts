/** The page pairs. */

import { Empty, Heading, html, texts } from "../frame.ts";

export function Page() {
  return html`<${Heading} text=${texts.pages["pairs"]} /><${Empty} text=${texts.frame.notBuilt} />`;
}
