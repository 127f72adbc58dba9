/** The page quarantine. */

import { Empty, Heading, html, texts } from "../frame.ts";

export function Page() {
  return html`<${Heading} text=${texts.pages["quarantine"]} /><${Empty} text=${texts.frame.notBuilt} />`;
}
