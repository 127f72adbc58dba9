/** The page files. */

import { Empty, Heading, html, texts } from "../frame.ts";

export function Page() {
  return html`<${Heading} text=${texts.pages["files"]} /><${Empty} text=${texts.frame.notBuilt} />`;
}
