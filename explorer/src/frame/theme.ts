/** Dark or light: as the system says, or as chosen. */

import { computed, effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";
const NAME = "combray-theme";
const wish = matchMedia("(prefers-color-scheme: dark)");
const system = signal(wish.matches);
wish.addEventListener("change", () => (system.value = wish.matches));

export const theme = signal<Theme>((localStorage.getItem(NAME) as Theme | null) ?? "system");
export const dark = computed(() => (theme.value === "system" ? system.value : theme.value === "dark"));

effect(() => {
  document.documentElement.dataset["theme"] = dark.value ? "dark" : "light";
  localStorage.setItem(NAME, theme.value);
});
