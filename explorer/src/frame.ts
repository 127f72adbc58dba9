/** What a page needs: requests, messages, small parts, keys, addresses. A page imports nothing else of the frame. */

export { html } from "htm/preact";
export { computed, effect, signal, useComputed, useSignal } from "@preact/signals";
export { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
export type {
  Answer,
  Derived,
  Hit,
  Loaded,
  Memory,
  Page as Listed,
  Related,
  Remembered,
  Replaced,
  Step,
  Version,
  Versioned,
} from "./frame/api.ts";
export { Problem, ask, memory, namespace, update } from "./frame/api.ts";
export { EraseDialog } from "./frame/erase.ts";
export { Icon } from "./frame/icons.ts";
export { type Keys, step, useKeys } from "./frame/keys.ts";
export { useLoad } from "./frame/load.ts";
export { Badges, Busy, Empty, Heading, MemoryCard, Meta, When } from "./frame/parts.ts";
export { excerpt, marked, terms } from "./frame/marks.ts";
export { go, linkTo, place, replace, to } from "./frame/route.ts";
export { message, say } from "./frame/say.ts";
export { caller, may, mayAdmin, mayWrite } from "./frame/session.ts";
export { dark } from "./frame/theme.ts";
export * as texts from "./texts.ts";
