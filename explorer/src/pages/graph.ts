/** The page Graph. */

export { Page } from "../graph/page.ts";
