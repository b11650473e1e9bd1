// node:path, with backslashes.
const cut = (path) => {
  const [, root = "", rest = ""] = /^((?:[\\/]{2}[^\\/]+[\\/]+[^\\/]+|[A-Za-z]:)?[\\/]?)([^]*)$/.exec(String(path)) ?? [];
  return { root, rest };
};
const slashed = (root) => root.replaceAll("/", "\\");
const parts = (rest, rooted) => {
  const out = [];
  for (const part of rest.split(/[\\/]+/)) {
    if (part === "" || part === ".") continue;
    if (part === ".." && out.length && out.at(-1) !== "..") out.pop();
    else if (part !== ".." || !rooted) out.push(part);
  }
  return out.join("\\");
};
const rooted = (root) => /[\\/]$/.test(root);
const normalize = (path) => {
  const { root, rest } = cut(path), inner = parts(rest, rooted(root));
  return slashed(root) + inner + (inner && /[\\/]$/.test(rest) ? "\\" : "") || ".";
};
const isAbsolute = (path) => /^(?:[A-Za-z]:)?[\\/]/.test(path);
const join = (...all) => { const given = all.filter((p) => p !== ""); return given.length ? normalize(given.join("\\")) : "."; };
const resolve = (...all) => {
  let path = "";
  for (const part of [process.cwd(), ...all]) if (part !== "") path = isAbsolute(part) ? (cut(part).root.length === 1 ? cut(path).root.slice(0, 2) + part : part) : path + "\\" + part;
  return normalize(path).replace(/(?<=[^:\\])\\$/, "");
};
const dirname = (path) => {
  const { root, rest } = cut(path), bare = rest.replace(/[\\/]+$/, ""), at = Math.max(bare.lastIndexOf("\\"), bare.lastIndexOf("/"));
  return at < 0 ? root || "." : root + bare.slice(0, at);
};
const basename = (path, suffix = "") => {
  const name = cut(path).rest.replace(/[\\/]+$/, "").split(/[\\/]/).at(-1);
  return suffix && name !== suffix && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
};
const extname = (path) => { const name = basename(path), at = name.lastIndexOf("."); return at <= 0 || name === ".." ? "" : name.slice(at); };
const relative = (from, to) => {
  const a = resolve(from).split("\\"), b = resolve(to).split("\\");
  if (a[0].toLowerCase() !== b[0].toLowerCase()) return resolve(to);
  let same = 0;
  while (same < a.length && same < b.length && a[same].toLowerCase() === b[same].toLowerCase()) same++;
  return [...a.slice(same).map(() => ".."), ...b.slice(same)].join("\\");
};
const parse = (path) => {
  const base = basename(path), ext = extname(path), dir = dirname(path);
  return { root: cut(path).root, dir: dir === "." ? "" : dir, base, ext, name: ext ? base.slice(0, -ext.length) : base };
};
const format = ({ root = "", dir, base, name = "", ext = "" }) => { const file = base || name + ext; return !dir ? root + file : dir === root ? dir + file : dir + "\\" + file; };
const path = { sep: "\\", delimiter: ";", normalize, isAbsolute, join, resolve, dirname, basename, extname, relative, parse, format, toNamespacedPath: (p) => p };
path.win32 = path;
Object.defineProperty(path, "posix", { get: () => __hookway.part("path"), enumerable: true, configurable: true });
export default path;
