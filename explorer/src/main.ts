/** Starts the explorer. */

import { render } from "preact";
import { App } from "./frame/app.ts";
import { html } from "./frame.ts";
import { start } from "./frame/session.ts";

const place = document.getElementById("app");
if (place) {
  void start();
  render(html`<${App} />`, place);
}
