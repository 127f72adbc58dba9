/** The page Time. */

export { Page } from "../time/page.ts";
