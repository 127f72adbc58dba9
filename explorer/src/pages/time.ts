/** The page time. */

import { Empty, Heading, html, texts } from "../frame.ts";

export function Page() {
  return html`<${Heading} text=${texts.pages["time"]} /><${Empty} text=${texts.frame.notBuilt} />`;
}
