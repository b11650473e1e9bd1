// The way into the API: a cookie that scripts cannot read, and a token that this origin
// alone has. Either is worth nothing without the other.

const tokenKey = "hookway-token";

/** What GET /session says. */
export interface Session {
  id: string;
  since: string;
  until: string;
  pin: boolean; // allowing and guards need the PIN, in the header X-Hookway-PIN
  version: string; // of the daemon
  bundle: string; // that the daemon serves; another one than bundle: the page is old
}

/** A problem of the API, as RFC 9457 has them. */
export class Problem extends Error {
  constructor(readonly status: number, readonly kind: string, detail: string) {
    super(detail);
  }
}

/** The bundle that this page is. */
export const bundle = document.querySelector<HTMLMetaElement>("meta[name=bundle]")?.content ?? "";

/** Sends a request with what lets it in. Answers of 400 and more are a Problem. */
export async function ask(path: string, options: RequestInit & { pin?: string } = {}): Promise<Response> {
  const headers = new Headers(options.headers);
  headers.set("X-Hookway-Token", localStorage.getItem(tokenKey) ?? "");
  if (options.pin) headers.set("X-Hookway-PIN", encodeURIComponent(options.pin));
  const answer = await fetch(path, { ...options, headers, credentials: "same-origin", redirect: "error" });
  if (!answer.ok) throw await problemOf(answer);
  return answer;
}

async function problemOf(answer: Response): Promise<Problem> {
  const said = await answer.json().catch(() => ({}));
  return new Problem(answer.status, String(said.type ?? "").replace("urn:hookway:problem:", ""), String(said.detail ?? answer.statusText));
}

/** Takes the link out of the address, where there is one, and logs in with it. */
export async function enter(): Promise<void> {
  const link = new URLSearchParams(location.hash.slice(1)).get("link");
  if (!link) return;
  history.replaceState(null, "", "/");
  const answer = await fetch("/login", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ link }) });
  if (!answer.ok) throw await problemOf(answer);
  localStorage.setItem(tokenKey, (await answer.json()).token);
}

/** Whether this browser was let in once. */
export function hasToken(): boolean {
  return localStorage.getItem(tokenKey) !== null;
}

/** Ends the session. */
export async function leave(): Promise<void> {
  await ask("/logout", { method: "POST" });
  localStorage.removeItem(tokenKey);
}
