import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useQuery } from "./daemon";
import { list, obj, str, yes } from "./decode";
import { html } from "./element";
import { folder } from "./format";
import { Notice, Select } from "./parts";
import { link, route } from "./route";
import { useSignal } from "./signal";
import { clip } from "./visible";

const folders = (v: unknown) => list(obj(v).folders, (f) => ({ path: str(obj(f).path), trusted: yes(obj(f).trusted) || str(obj(f).trusted) === "trusted" })).filter((f) => f.path !== "");

/** The projects that the user trusts, where none is chosen. Until they are known, nothing below them may be shown. */
export function useProjects(chosen: string): { ready: boolean; all: string[] } {
  const q = useQuery(chosen === "" ? "/v1/folders" : null, folders);
  return { ready: chosen !== "" || q.data !== undefined || !q.loading, all: chosen !== "" ? [] : (q.data ?? []).filter((f) => f.trusted).map((f) => f.path) };
}

/** Says whose is what a view shows where no project is chosen, and leads to the projects. */
export function Projects({ of, what }: { of: string[]; what: string }): VNode | null {
  const { view, params } = useSignal(route), most = 6;
  if (of.length === 0) return null;
  return html`<${Notice}>This is your own configuration, which holds in every project. A project may have ${what} of its own: ${of.slice(0, most).map((path, i) => html`${i > 0 && ", "}<a key=${path} href=${link(view, "", { ...params, cwd: path })} title=${clip(path, 300)}>${clip(folder(path, 40), 60)}</a>`)}${of.length > most && ` and ${of.length - most} more, in the choice above`}.<//>`;
}

/** Chooses one of the folders that the daemon knows. It is asked when somebody is about to. */
export function Folder({ value, onChange }: { value: string; onChange: (v: string) => void }): VNode {
  const [near, setNear] = useState(false);
  const q = useQuery(near ? "/v1/folders" : null, folders);
  const come = () => setNear(true);
  return html`<span class="contents" onPointerEnter=${come} onPointerOver=${come} onFocusIn=${come}><${Select} steady label="Folder" value=${value} onChange=${onChange} options=${[["", "Every project"], ...(q.data ?? (value ? [{ path: value, trusted: true }] : [])).map((f) => [f.path, folder(f.path, 20) + (f.trusted ? "" : " (not trusted)")] as [string, string])]} /></span>`;
}
