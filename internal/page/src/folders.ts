import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useQuery } from "./daemon";
import { list, obj, str, yes } from "./decode";
import { html } from "./element";
import { folder } from "./format";
import { Select } from "./parts";

const folders = (v: unknown) => list(obj(v).folders, (f) => ({ path: str(obj(f).path), trusted: yes(obj(f).trusted) || str(obj(f).trusted) === "trusted" })).filter((f) => f.path !== "");

/** Chooses one of the folders that the daemon knows. It is asked when somebody is about to. */
export function Folder({ value, onChange }: { value: string; onChange: (v: string) => void }): VNode {
  const [near, setNear] = useState(false);
  const q = useQuery(near ? "/v1/folders" : null, folders);
  const come = () => setNear(true);
  return html`<span class="contents" onPointerEnter=${come} onPointerOver=${come} onFocusIn=${come}><${Select} label="Folder" value=${value} onChange=${onChange} options=${[["", "Every project"], ...(q.data ?? (value ? [{ path: value, trusted: true }] : [])).map((f) => [f.path, folder(f.path, 20) + (f.trusted ? "" : " (not trusted)")] as [string, string])]} /></span>`;
}
