/** The page usage. */

import { Empty, Heading, html, texts } from "../frame.ts";

export function Page() {
  return html`<${Heading} text=${texts.pages["usage"]} /><${Empty} text=${texts.frame.notBuilt} />`;
}
