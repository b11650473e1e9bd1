// node:path, with slashes.
export const sep = "/";
export const delimiter = ":";
export const normalize = (path) => {
  const out = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && out.length && out.at(-1) !== "..") out.pop();
    else if (part !== ".." || !path.startsWith("/")) out.push(part);
  }
  return (path.startsWith("/") ? "/" : "") + out.join("/") || (path.startsWith("/") ? "/" : ".");
};
export const isAbsolute = (path) => path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path);
export const join = (...parts) => normalize(parts.filter((p) => p !== "").join("/"));
export const resolve = (...parts) => {
  let path = "";
  for (const part of [process.cwd(), ...parts]) if (part !== "") path = isAbsolute(part) ? part : path + "/" + part;
  return normalize(path);
};
export const dirname = (path) => {
  const at = path.replace(/\/+$/, "").lastIndexOf("/");
  return at < 0 ? "." : at === 0 ? "/" : path.slice(0, at);
};
export const basename = (path, suffix = "") => {
  const name = path.replace(/\/+$/, "").split("/").at(-1);
  return suffix && name !== suffix && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
};
export const extname = (path) => {
  const name = basename(path);
  const at = name.lastIndexOf(".");
  return at <= 0 ? "" : name.slice(at);
};
export const relative = (from, to) => {
  const a = resolve(from).split("/").filter(Boolean), b = resolve(to).split("/").filter(Boolean);
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same++;
  return [...a.slice(same).map(() => ".."), ...b.slice(same)].join("/");
};
export const parse = (path) => {
  const base = basename(path), ext = extname(path);
  return { root: path.startsWith("/") ? "/" : "", dir: dirname(path) === "." ? "" : dirname(path), base, ext, name: ext ? base.slice(0, -ext.length) : base };
};
export const posix = { sep, delimiter, normalize, isAbsolute, join, resolve, dirname, basename, extname, relative, parse };
export default { ...posix, posix };
