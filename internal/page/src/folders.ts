import type { VNode } from "preact";
import { useQuery } from "./daemon";
import { list, obj, str, yes } from "./decode";
import { html } from "./element";
import { folder } from "./format";
import { Select } from "./parts";

const folders = (v: unknown) => list(obj(v).folders, (f) => ({ path: str(obj(f).path), trusted: yes(obj(f).trusted) || str(obj(f).trusted) === "trusted" })).filter((f) => f.path !== "");

/** Chooses one of the folders that the daemon knows. */
export function Folder({ value, onChange }: { value: string; onChange: (v: string) => void }): VNode {
  const q = useQuery("/v1/folders", folders);
  return html`<${Select} label="Folder" value=${value} onChange=${onChange} options=${[["", "Every project"], ...(q.data ?? []).map((f) => [f.path, folder(f.path, 40) + (f.trusted ? "" : " (not trusted)")] as [string, string])]} />`;
}
