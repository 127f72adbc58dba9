/** The page audit. */

import { Empty, Heading, html, texts } from "../frame.ts";

export function Page() {
  return html`<${Heading} text=${texts.pages["audit"]} /><${Empty} text=${texts.frame.notBuilt} />`;
}
