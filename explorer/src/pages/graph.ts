/** The page graph. */

import { Empty, Heading, html, texts } from "../frame.ts";

export function Page() {
  return html`<${Heading} text=${texts.pages["graph"]} /><${Empty} text=${texts.frame.notBuilt} />`;
}
