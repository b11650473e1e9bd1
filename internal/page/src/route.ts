// Where the page is: #/sessions/ID?agent=claude. Every view and every filter has a link.

import { Signal } from "./signal";

export interface Route {
  view: string;
  id: string;
  params: Record<string, string>;
}

export function parse(hash: string): Route {
  if (hash.startsWith("#link=")) hash = ""; // a login, which takes it out of the address
  const [path = "", query = ""] = split(hash.replace(/^#\/?/, ""), "?");
  const [view = "", id = ""] = split(path, "/");
  return { view: view || "now", id: decoded(id), params: Object.fromEntries(new URLSearchParams(query)) };
}

/** The link to a place. Parameters that are empty are left out. */
export function link(view: string, id: string | number = "", params: Record<string, string> = {}): string {
  const query = new URLSearchParams(Object.entries(params).filter(([, v]) => v !== "")).toString();
  return `#/${view}${id === "" ? "" : "/" + encodeURIComponent(wellFormed(String(id)))}${query && "?" + query}`;
}

function split(text: string, at: string): [string, string] {
  const i = text.indexOf(at);
  return i < 0 ? [text, ""] : [text.slice(0, i), text.slice(i + 1)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// encodeURIComponent throws at half a character.
function wellFormed(text: string): string {
  return text.replace(/\p{Cs}/gu, "\ufffd");
}

export const route = new Signal<Route>({ view: "now", id: "", params: {} });

/** Follows the address from now on. */
export function followAddress(): void {
  const read = () => route.set(parse(location.hash));
  addEventListener("hashchange", read);
  read();
}

export function go(to: string): void {
  location.hash = to;
}

/** Changes parameters of where the page is. It makes no step to go back to. */
export function refine(change: Record<string, string>): void {
  const { view, id, params } = route.value;
  const to = link(view, id, { ...params, ...change });
  history.replaceState(history.state, "", to);
  route.set(parse(to));
}
