// node:path, with slashes.
const text = (value, what = "path") => {
  if (typeof value !== "string") throw Object.assign(new TypeError(`The "${what}" argument must be of type string. Received ${value === null ? "null" : value === undefined ? "undefined" : typeof value === "object" ? `an instance of ${value.constructor?.name}` : `type ${typeof value} (${String(value)})`}`), { code: "ERR_INVALID_ARG_TYPE" });
  return value;
};

const parts = (path, rooted) => {
  const out = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && out.length && out.at(-1) !== "..") out.pop();
    else if (part !== ".." || !rooted) out.push(part);
  }
  return out.join("/");
};
const normalize = (path) => {
  if (text(path) === "") return ".";
  const rooted = path.startsWith("/"), inner = parts(path, rooted);
  if (inner === "") return rooted ? "/" : path.endsWith("/") ? "./" : ".";
  return (rooted ? "/" : "") + inner + (path.endsWith("/") ? "/" : "");
};
const isAbsolute = (path) => text(path).startsWith("/");
const join = (...all) => {
  const given = all.filter((p) => text(p) !== "");
  return given.length ? normalize(given.join("/")) : ".";
};
const resolve = (...all) => {
  let path = "";
  for (let i = all.length - 1; i >= -1 && !path.startsWith("/"); i--) {
    const part = i >= 0 ? text(all[i], `paths[${i}]`) : process.cwd().replaceAll("\\", "/");
    if (part !== "") path = path === "" ? part : part + "/" + path;
  }
  const rooted = path.startsWith("/"), inner = parts(path, rooted);
  return (rooted ? "/" : "") + inner || ".";
};
const dirname = (path) => {
  const bare = text(path).replace(/(?<=[^/])\/+$/, ""), at = bare.lastIndexOf("/");
  if (path === "") return ".";
  if (at < 0) return ".";
  return bare.slice(0, at).replace(/\/+$/, "") || "/";
};
const basename = (path, suffix = "") => {
  const name = text(path).replace(/\/+$/, "").split("/").at(-1);
  return text(suffix, "suffix") && name !== suffix && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
};
const extname = (path) => {
  const name = basename(path), at = name.lastIndexOf(".");
  return at <= 0 || name === ".." ? "" : name.slice(at);
};
const relative = (from, to) => {
  const a = resolve(text(from, "from")).split("/").filter(Boolean), b = resolve(text(to, "to")).split("/").filter(Boolean);
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same++;
  return [...a.slice(same).map(() => ".."), ...b.slice(same)].join("/");
};
const parse = (path) => {
  const root = text(path).startsWith("/") ? "/" : "", base = basename(path), ext = extname(path);
  const dir = dirname(path);
  return { root, dir: dir === "." && !/^\.\//.test(path) ? "" : dir, base, ext, name: ext ? base.slice(0, -ext.length) : base };
};
const format = ({ root = "", dir, base, name = "", ext = "" }) => {
  const file = base || name + (ext && !ext.startsWith(".") ? "." + ext : ext);
  if (!dir) return root + file;
  return dir === root ? dir + file : dir + "/" + file;
};
const matchesGlob = (path, pattern) => new RegExp("^" + pattern.replace(/[.+^${}()|[\]\\]/g, "\\$&").replace(/\*\*\/?|\*|\?/g, (m) => (m === "**/" ? "(?:.*/)?" : m === "**" ? ".*" : m === "*" ? "[^/]*" : "[^/]")) + "$").test(path);
const path = { sep: "/", delimiter: ":", normalize, isAbsolute, join, resolve, dirname, basename, extname, relative, parse, format, matchesGlob, toNamespacedPath: (p) => p, _makeLong: (p) => p };
path.posix = path;
Object.defineProperty(path, "win32", { get: () => __hookway.part("path-win32"), enumerable: true, configurable: true });
export default path;
