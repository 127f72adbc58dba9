/** Keys of the whole page. A page adds its own with `useKeys`. */

import { useEffect, useRef } from "preact/hooks";

export type Keys = Record<string, (event: KeyboardEvent) => unknown>;

/** Whether a key belongs to what has the focus, such as a field or an open dialog. */
export function taken(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement | null;
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return true;
  return Boolean(
    target?.closest("input, textarea, select, [contenteditable], [role=application]") ||
    document.querySelector("dialog[open]"),
  );
}

/** Handle keys while a component is shown. A handler that returns false leaves the key to others. */
export function useKeys(keys: Keys): void {
  const now = useRef(keys);
  now.current = keys;
  useEffect(() => {
    const handle = (event: KeyboardEvent) => {
      const found = now.current[event.key];
      if (found && !taken(event) && found(event) !== false) event.preventDefault();
    };
    document.addEventListener("keydown", handle);
    return () => document.removeEventListener("keydown", handle);
  }, []);
}

/** Move the focus among the elements with `data-item` on the page: j forwards, k backwards. */
export function step(by: number): void {
  const items = [...document.querySelectorAll<HTMLElement>("main [data-item]")];
  const now = items.findIndex((each) => each.contains(document.activeElement));
  const next = items[Math.min(items.length - 1, Math.max(0, now + by))];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}
