// The elements of which the page is made. What is put into one as text is text, and no
// more: see h.

import { h as element, type ComponentChild, type ComponentType, type VNode } from "preact";
import htm from "htm";
import { line, lines } from "./visible";

const spoken = /^(title|alt|placeholder|aria-label|aria-description|aria-valuetext|label)$/;

/**
 * An element. Strings in it become text nodes with each hidden character made visible, so
 * that no view can forget it. There is no way to give HTML, and a link stays on the page.
 */
export function h(type: string | ComponentType<object>, props: Record<string, unknown> | null, ...children: ComponentChild[]): VNode {
  if (typeof type !== "string") return element(type, props, ...children);
  const safe: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(props ?? {})) {
    if (name === "dangerouslySetInnerHTML" || /^(src|srcset|srcdoc|action|formaction)$/i.test(name)) continue;
    if (/^(xlink:)?href$/i.test(name) && !(typeof value === "string" && value.startsWith("#/"))) continue;
    safe[name] = typeof value === "string" && spoken.test(name) ? line(value) : value;
  }
  return element(type, safe, ...shown(children, type === "option" || type === "title" ? line : lines));
}

function shown(children: ComponentChild[], how: (text: string) => string): ComponentChild[] {
  return children.map((c) => (typeof c === "string" ? how(c) : Array.isArray(c) ? (shown(c, how) as unknown as ComponentChild) : c));
}

/** A template of elements. */
export const html = htm.bind(h as never) as (texts: TemplateStringsArray, ...values: unknown[]) => VNode;

/** Names of classes: those that are given. */
export function names(...all: (string | false | null | undefined)[]): string {
  return all.filter(Boolean).join(" ");
}
