// The part of node:fs that hooks need. Files are text, unless bytes are wanted.
import { ask, later, base64, unbase64, bytesOf, named } from "hookway:runtime";

const now = (what, ...args) => {
  const { error, value } = ask(what, ...args);
  if (!error) return value;
  const { name, message, ...rest } = error;
  throw Object.assign(named(new Error(message), name), rest);
};

const nameOf = (path) => (path instanceof URL ? decodeURIComponent(path.pathname) : String(path));
const isText = (o) => (typeof o === "string" ? o : o?.encoding) !== undefined && (typeof o === "string" ? o : o?.encoding) !== null;
const read = (got, options) => (isText(options) ? got.text ?? new TextDecoder().decode(unbase64(got.base64)) : asBytes(got.text !== undefined ? new TextEncoder().encode(got.text) : unbase64(got.base64)));
const asBytes = (bytes) => Object.defineProperty(bytes, "toString", { value: () => new TextDecoder().decode(bytes), enumerable: false });
const written = (data) => (data instanceof ArrayBuffer || ArrayBuffer.isView(data) ? { base64: base64(bytesOf(data)) } : { text: String(data) });
const stats = (s) => ({ size: s.size, mtimeMs: s.mtimeMs, mtime: new Date(s.mtimeMs), isFile: () => s.file, isDirectory: () => s.folder });

export const readFile = async (path, options) => read(await later("readFile", nameOf(path)), options);
export const writeFile = (path, data) => later("writeFile", nameOf(path), written(data));
export const appendFile = (path, data) => later("appendFile", nameOf(path), written(data));
export const readdir = (path) => later("readdir", nameOf(path));
export const stat = async (path) => stats(await later("stat", nameOf(path)));
export const access = async (path) => { await later("stat", nameOf(path)); };
export const mkdir = (path) => later("mkdir", nameOf(path));
export const rm = (path, options = {}) => later("rm", nameOf(path), !!options.force);
export const unlink = (path) => later("rm", nameOf(path), false);

export const readFileSync = (path, options) => read(now("readFile", nameOf(path)), options);
export const writeFileSync = (path, data) => { now("writeFile", nameOf(path), written(data)); };
export const appendFileSync = (path, data) => { now("appendFile", nameOf(path), written(data)); };
export const readdirSync = (path) => now("readdir", nameOf(path));
export const statSync = (path) => stats(now("stat", nameOf(path)));
export const mkdirSync = (path) => { now("mkdir", nameOf(path)); };
export const rmSync = (path, options = {}) => { now("rm", nameOf(path), !!options.force); };
export const unlinkSync = (path) => { now("rm", nameOf(path), false); };
export const existsSync = (path) => {
  try {
    now("stat", nameOf(path));
    return true;
  } catch (e) {
    if (e.code === "ENOENT") return false;
    throw e;
  }
};

export const promises = { readFile, writeFile, appendFile, readdir, stat, access, mkdir, rm, unlink };
export default { ...promises, promises, readFileSync, writeFileSync, appendFileSync, readdirSync, statSync, mkdirSync, rmSync, unlinkSync, existsSync };
