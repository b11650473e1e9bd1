// Light and dark: as the system has it, or as it was chosen here.

import { keep, kept } from "./keep";
import { Signal } from "./signal";

export type Theme = "" | "light" | "dark";

export const theme = new Signal<Theme>("");
const system = matchMedia("(prefers-color-scheme: dark)");
const colors = new Map<string, string>();

function apply(): void {
  const dark = theme.value ? theme.value === "dark" : system.matches;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  colors.clear();
}

export function beginTheme(): void {
  const was = kept("theme");
  theme.set(was === "light" || was === "dark" ? was : "");
  apply();
  system.addEventListener("change", () => (apply(), theme.tell()));
}

export function choose(t: Theme): void {
  keep("theme", t);
  theme.set(t);
  apply();
  theme.tell();
}

/** A colour of the style sheet, for what is painted. */
export function color(name: string): string {
  let c = colors.get(name);
  if (c === undefined) {
    c = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    colors.set(name, c);
  }
  return c;
}
