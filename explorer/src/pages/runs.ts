/** The page runs. */

import { Empty, Heading, html, texts } from "../frame.ts";

export function Page() {
  return html`<${Heading} text=${texts.pages["runs"]} /><${Empty} text=${texts.frame.notBuilt} />`;
}
