/** The page memory. */

import { Empty, Heading, html, texts } from "../frame.ts";

export function Page() {
  return html`<${Heading} text=${texts.pages["memory"]} /><${Empty} text=${texts.frame.notBuilt} />`;
}
