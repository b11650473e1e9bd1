// node:fs, within the grants read and write.
import { ask, bytesOf, named } from "hookway:runtime";
import buffer from "node:buffer";

const { Buffer } = buffer;
const constants = { F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1, COPYFILE_EXCL: 1, COPYFILE_FICLONE: 2, COPYFILE_FICLONE_FORCE: 4, O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, O_NOFOLLOW: 131072, O_SYNC: 1052672, O_DIRECTORY: 65536, O_NONBLOCK: 2048, S_IFMT: 61440, S_IFREG: 32768, S_IFDIR: 16384, S_IFLNK: 40960, S_IRUSR: 256, S_IWUSR: 128, S_IXUSR: 64, UV_FS_COPYFILE_EXCL: 1 };

const nameOf = (path, what = "path") => {
  if (path instanceof URL) return __hookway.part("url").fileURLToPath(path);
  if (ArrayBuffer.isView(path)) return new TextDecoder().decode(path);
  if (typeof path !== "string") throw Object.assign(new TypeError(`The "${what}" argument must be of type string or an instance of Buffer or URL. Received ${path === null ? "null" : path === undefined ? "undefined" : typeof path === "object" ? `an instance of ${path.constructor?.name}` : `type ${typeof path} (${String(path)})`}`), { code: "ERR_INVALID_ARG_TYPE" });
  if (path.includes("\0")) throw Object.assign(new TypeError(`The argument '${what}' must be a string, Uint8Array, or URL without null bytes. Received '${path.replaceAll("\0", "\\x00")}'`), { code: "ERR_INVALID_ARG_VALUE" });
  return path;
};
const fileOf = (path) => (typeof path === "number" ? path : path && typeof path === "object" && typeof path.fd === "number" ? path.fd : nameOf(path));
const encodingOf = (o) => { const e = typeof o === "string" ? o : o?.encoding; return e === "buffer" ? null : e ?? null; };
const optionsOf = (o) => (o !== null && typeof o === "object" ? o : {});
const flagsOf = (flag, usual) => {
  if (typeof flag === "number") return flag;
  const known = { r: 0, rs: 0, "r+": 2, "rs+": 2, w: 577, wx: 705, xw: 705, "w+": 578, "wx+": 706, "xw+": 706, a: 1089, ax: 1217, xa: 1217, "a+": 1090, "ax+": 1218, as: 1089, "as+": 1090 }[flag ?? usual];
  if (known === undefined) throw Object.assign(new TypeError(`The argument 'flags' is invalid. Received '${flag}'`), { code: "ERR_INVALID_ARG_VALUE" });
  return known;
};
const modeOf = (mode, usual) => (mode === undefined || mode === null ? usual : typeof mode === "string" ? parseInt(mode, 8) : mode);
const written = (data, encoding) => {
  if (typeof data === "string") return encoding && !/^utf-?8$/i.test(encoding) ? { base64: Buffer.from(data, encoding).toString("base64") } : data.isWellFormed() ? { text: data } : { text: data.toWellFormed() };
  if (data instanceof ArrayBuffer || ArrayBuffer.isView(data)) return { base64: Uint8Array.prototype.toBase64.call(bytesOf(data)) };
  throw Object.assign(new TypeError(`The "data" argument must be of type string or an instance of Buffer, TypedArray, or DataView. Received ${data === null ? "null" : data === undefined ? "undefined" : typeof data === "object" ? `an instance of ${data.constructor?.name}` : `type ${typeof data} (${String(data)})`}`), { code: "ERR_INVALID_ARG_TYPE" });
};
const read = (got, options) => {
  const encoding = encodingOf(options);
  if (got.text !== undefined && encoding && /^utf-?8$/i.test(encoding)) return got.text;
  const bytes = got.text !== undefined ? Buffer.from(got.text) : Buffer.from(got.base64, "base64");
  return encoding ? bytes.toString(encoding) : bytes;
};

class Stats {
  constructor(s, big) {
    const n = big ? (v) => BigInt(Math.trunc(v)) : (v) => v;
    for (const k of ["dev", "mode", "nlink", "uid", "gid", "rdev", "blksize", "ino", "size", "blocks", "atimeMs", "mtimeMs", "ctimeMs", "birthtimeMs"]) this[k] = n(s[k]);
    for (const k of ["atime", "mtime", "ctime", "birthtime"]) { this[k] = new Date(s[k + "Ms"]); if (big) this[k + "Ns"] = BigInt(Math.trunc(s[k + "Ms"] * 1e6)); }
    Object.defineProperty(this, "kind", { value: s.kind, enumerable: false });
  }
  isFile() { return this.kind === "file"; }
  isDirectory() { return this.kind === "folder"; }
  isSymbolicLink() { return this.kind === "link"; }
  isFIFO() { return this.kind === "pipe"; }
  isSocket() { return this.kind === "socket"; }
  isCharacterDevice() { return this.kind === "device"; }
  isBlockDevice() { return false; }
}
class Dirent {
  #kind;
  constructor(name, parent, kind) { this.name = name; this.parentPath = this.path = parent; this.#kind = kind; }
  isFile() { return this.#kind === "file"; }
  isDirectory() { return this.#kind === "folder"; }
  isSymbolicLink() { return this.#kind === "link"; }
  isFIFO() { return this.#kind === "pipe"; }
  isSocket() { return this.#kind === "socket"; }
  isCharacterDevice() { return this.#kind === "device"; }
  isBlockDevice() { return false; }
}
const listed = (list, path, o) => {
  const options = typeof o === "string" ? {} : optionsOf(o), join = __hookway.part("path").join;
  if (!options.withFileTypes) return list.map((e) => e.name);
  return list.map((e) => { const at = e.name.lastIndexOf("/"); return new Dirent(e.name.slice(at + 1), at < 0 ? nameOf(path) : join(nameOf(path), e.name.slice(0, at)), e.kind); });
};

// ops are what the host does with files: by name, the arguments for it, and what
// becomes of its answer.
const same = (v) => v;
const nothing = () => undefined;
const ops = {
  readFile: [(p, o) => [fileOf(p), flagsOf(optionsOf(o).flag, "r")], (got, p, o) => read(got, o)],
  writeFile: [(p, d, o) => [fileOf(p), written(d, encodingOf(o)), flagsOf(optionsOf(o).flag, "w"), modeOf(optionsOf(o).mode, 0o666)], nothing],
  appendFile: [(p, d, o) => [fileOf(p), written(d, encodingOf(o)), flagsOf(optionsOf(o).flag, "a"), modeOf(optionsOf(o).mode, 0o666)], nothing],
  readdir: [(p, o) => [nameOf(p), !!optionsOf(o).recursive], (got, p, o) => listed(got, p, o)],
  stat: [(p) => [nameOf(p)], (got, p, o) => new Stats(got, o?.bigint)],
  lstat: [(p) => [nameOf(p)], (got, p, o) => new Stats(got, o?.bigint)],
  fstat: [(fd) => [fd], (got, p, o) => new Stats(got, o?.bigint)],
  access: [(p, mode) => [nameOf(p), typeof mode === "number" ? mode : 0], nothing],
  mkdir: [(p, o) => [nameOf(p), !!optionsOf(o).recursive, modeOf(typeof o === "number" || typeof o === "string" ? o : optionsOf(o).mode, 0o777)], (got) => got ?? undefined],
  mkdtemp: [(p) => [nameOf(p, "prefix")], same],
  rm: [(p, o) => [nameOf(p), !!optionsOf(o).force, !!optionsOf(o).recursive], nothing],
  rmdir: [(p, o) => [nameOf(p), !!optionsOf(o).recursive], nothing],
  unlink: [(p) => [nameOf(p)], nothing],
  rename: [(a, b) => [nameOf(a, "oldPath"), nameOf(b, "newPath")], nothing],
  copyFile: [(a, b, mode) => [nameOf(a, "src"), nameOf(b, "dest"), typeof mode === "number" ? mode : 0], nothing],
  cp: [(a, b, o) => [nameOf(a, "src"), nameOf(b, "dest"), !!optionsOf(o).recursive, optionsOf(o).force !== false, !!optionsOf(o).errorOnExist], nothing],
  link: [(a, b) => [nameOf(a, "existingPath"), nameOf(b, "newPath")], nothing],
  symlink: [(a, b) => [nameOf(a, "target"), nameOf(b)], nothing],
  readlink: [(p) => [nameOf(p)], same],
  realpath: [(p) => [nameOf(p)], same],
  chmod: [(p, mode) => [nameOf(p), modeOf(mode, 0)], nothing],
  utimes: [(p, a, m) => [nameOf(p), ...[a, m].map((t) => (t instanceof Date ? t.getTime() : Number(t) * 1000))], nothing],
  truncate: [(p, size) => [nameOf(p), typeof size === "number" ? size : 0], nothing],
  ftruncate: [(fd, size) => [fd, typeof size === "number" ? size : 0], nothing],
  fsync: [(fd) => [fd], nothing],
  close: [(fd) => [fd], nothing],
  open: [(p, flags, mode) => [nameOf(p), flagsOf(typeof flags === "string" || typeof flags === "number" ? flags : undefined, "r"), modeOf(typeof mode === "function" ? undefined : mode, 0o666)], same],
  chown: [(p, uid, gid) => [nameOf(p), uid, gid], nothing],
};
ops.lutimes = ops.utimes;
ops.fdatasync = ops.fsync;

const thrown = ({ name, message, ...rest }) => Object.assign(named(new Error(message), name), rest);
const now = (what, args) => {
  const { error, value } = ask(what, ...args);
  if (error) throw thrown(error);
  return value;
};
// later does it at once, and tells of it later: what waits is not here.
const later = async (what, ...args) => now(what, args);
const out = { constants, Stats, Dirent, F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1 }, promises = { constants };
for (const [name, [before, after]] of Object.entries(ops)) {
  const host = { lutimes: "utimes", fdatasync: "fsync" }[name] ?? name;
  out[`${name}Sync`] = (...args) => after(now(host, before(...args)), ...args);
  promises[name] = async (...args) => after(await later(host, ...before(...args)), ...args);
  out[name] = (...args) => {
    const at = args.findLastIndex((a) => typeof a === "function");
    if (at < 0) throw Object.assign(new TypeError('The "cb" argument must be of type function. Received undefined'), { code: "ERR_INVALID_ARG_TYPE" });
    const done = args[at], given = args.slice(0, at);
    const asked = before(...given);
    later(host, ...asked).then((got) => after(got, ...given)).then((v) => process.nextTick(() => (v === undefined ? done(null) : done(null, v))), (e) => process.nextTick(() => done(e)));
  };
}
const bareStat = (name) => { const plain = out[name]; out[name] = (p, o) => { try { return plain(p, o); } catch (e) { if (o?.throwIfNoEntry === false && (e.code === "ENOENT" || e.code === "ENOTDIR")) return undefined; throw e; } }; };
bareStat("statSync");
bareStat("lstatSync");
out.realpathSync.native = out.realpathSync;
out.realpath.native = out.realpath;
out.existsSync = (path) => {
  let name;
  try { name = nameOf(path); } catch { return false; }
  try { now("access", [name, 0]); return true; } catch (e) { if (e.code) return false; throw e; }
};
out.exists = (path, done) => process.nextTick(() => done(out.existsSync(path)));

const whole = (args) => { const o = args.find((a) => a && typeof a === "object"); return o ?? {}; };
out.readSync = (fd, into, offset, length, position) => {
  if (offset !== null && typeof offset === "object") ({ offset = 0, length, position } = offset);
  offset ??= 0;
  length ??= into.byteLength - offset;
  const bytes = Buffer.from(now("read", [fd, Math.min(length, into.byteLength - offset), typeof position === "number" || typeof position === "bigint" ? Number(position) : -1]), "base64");
  bytesOf(into).set(bytes, offset);
  return bytes.length;
};
const put = (fd, data, offset, length, position) => {
  if (typeof data === "string") return [fd, written(data, typeof length === "string" ? length : undefined), typeof offset === "number" ? offset : -1];
  if (offset !== null && typeof offset === "object") ({ offset = 0, length, position } = offset);
  offset ??= 0;
  return [fd, written(bytesOf(data).subarray(offset, length === undefined || length === null ? undefined : offset + length)), typeof position === "number" ? position : -1];
};
out.writeSync = (...args) => now("write", put(...args));
out.writevSync = (fd, list, position) => out.writeSync(fd, Buffer.concat(list.map((b) => Buffer.from(b))), 0, undefined, position);
out.readvSync = (fd, list) => list.reduce((n, b) => n + out.readSync(fd, b), 0);
out.read = (fd, into, offset, length, position, done) => {
  const fn = [into, offset, length, position, done].find((a) => typeof a === "function");
  const o = typeof into === "function" ? {} : ArrayBuffer.isView(into) ? { buffer: into, ...(offset && typeof offset === "object" ? offset : { offset, length, position }) } : into;
  const target = o.buffer ?? Buffer.alloc(16384), from = typeof o.offset === "number" ? o.offset : 0, size = typeof o.length === "number" ? o.length : target.byteLength - from;
  later("read", fd, size, typeof o.position === "number" ? o.position : -1).then((got) => { const b = Buffer.from(got, "base64"); bytesOf(target).set(b, from); process.nextTick(fn, null, b.length, target); }, (e) => process.nextTick(fn, e));
};
out.write = (fd, data, ...rest) => {
  const done = rest.find((a) => typeof a === "function"), args = rest.filter((a) => typeof a !== "function");
  later("write", ...put(fd, data, ...args)).then((n) => process.nextTick(done, null, n, data), (e) => process.nextTick(done, e));
};
void whole;

class FileHandle {
  constructor(fd) { this.fd = fd; }
  async read(into, offset, length, position) {
    const o = ArrayBuffer.isView(into) ? { buffer: into, ...(offset && typeof offset === "object" ? offset : { offset, length, position }) } : into ?? {};
    const target = o.buffer ?? Buffer.alloc(16384), from = o.offset ?? 0;
    const b = Buffer.from(await later("read", this.fd, o.length ?? target.byteLength - from, typeof o.position === "number" ? o.position : -1), "base64");
    bytesOf(target).set(b, from);
    return { bytesRead: b.length, buffer: target };
  }
  async write(data, ...args) { return { bytesWritten: await later("write", ...put(this.fd, data, ...args)), buffer: data }; }
  readFile(o) { return promises.readFile(this.fd, o); }
  writeFile(d, o) { return promises.writeFile(this.fd, d, o); }
  appendFile(d, o) { return promises.appendFile(this.fd, d, o); }
  stat(o) { return promises.fstat(this.fd, o); }
  truncate(n) { return promises.ftruncate(this.fd, n); }
  sync() { return promises.fsync(this.fd); }
  datasync() { return promises.fsync(this.fd); }
  async close() { await promises.close(this.fd); this.fd = -1; }
  createReadStream(o) { return out.createReadStream("", { ...o, fd: this.fd }); }
  createWriteStream(o) { return out.createWriteStream("", { ...o, fd: this.fd }); }
  async *readLines() { yield* __hookway.part("readline").createInterface({ input: this.createReadStream() }); }
  [Symbol.asyncDispose ?? Symbol.for("asyncDispose")]() { return this.close(); }
}
const openFile = promises.open;
promises.open = async (...args) => new FileHandle(await openFile(...args));
promises.FileHandle = FileHandle;
for (const name of ["fstat", "ftruncate", "fsync", "fdatasync", "close"]) Object.defineProperty(promises, name, { enumerable: false });
promises.opendir = async (p, o) => out.opendirSync(p, o);

out.opendirSync = (path) => {
  const list = out.readdirSync(path, { withFileTypes: true });
  return { path: nameOf(path), readSync: () => list.shift() ?? null, read: async () => list.shift() ?? null, closeSync() {}, async close() {}, async *[Symbol.asyncIterator]() { yield* list; } };
};
out.opendir = (path, o, done = o) => { try { const d = out.opendirSync(path); process.nextTick(done, null, d); } catch (e) { process.nextTick(done, e); } };

const streams = () => __hookway.part("stream");
out.createReadStream = (path, o) => {
  const options = typeof o === "string" ? { encoding: o } : o ?? {};
  let fd = options.fd?.fd ?? options.fd, at = options.start ?? -1, left = options.end === undefined ? Infinity : options.end - (options.start ?? 0) + 1;
  const given = fd !== undefined && fd !== null;
  const r = new (streams().Readable)({ encoding: options.encoding, highWaterMark: options.highWaterMark ?? 65536, signal: options.signal, async read() {
    try {
      if (!given && fd === undefined) { fd = await later("open", nameOf(path), flagsOf(options.flags, "r"), 0o666); r.fd = fd; r.pending = false; r.emit("open", fd); r.emit("ready"); }
      const b = left <= 0 ? Buffer.alloc(0) : Buffer.from(await later("read", fd, Math.min(65536, left), at), "base64");
      if (at >= 0) at += b.length;
      left -= b.length;
      r.bytesRead += b.length;
      r.push(b.length ? b : null);
    } catch (e) { r.destroy(e); }
  }, destroy(e, done) { if (fd === undefined || options.autoClose === false || fd <= 2) return done(e); later("close", fd).then(() => done(e), () => done(e)); } });
  Object.assign(r, { path, bytesRead: 0, pending: true, close(done) { r.destroy(null, done); } });
  if (!given) process.nextTick(() => r._ask());
  return r;
};
out.createWriteStream = (path, o) => {
  const options = typeof o === "string" ? { encoding: o } : o ?? {};
  let fd = options.fd?.fd ?? options.fd, at = options.start ?? -1, opening;
  const opened = () => (opening ??= fd !== undefined && fd !== null ? Promise.resolve() : later("open", nameOf(path), flagsOf(options.flags, "w"), modeOf(options.mode, 0o666)).then((n) => { fd = n; w.fd = n; w.pending = false; w.emit("open", n); w.emit("ready"); }));
  const w = new (streams().Writable)({ highWaterMark: options.highWaterMark ?? 16384, signal: options.signal, write(chunk, encoding, done) {
    opened().then(() => later("write", fd, written(chunk), at)).then((n) => { if (at >= 0) at += n; w.bytesWritten += chunk.length; done(); }, done);
  }, final(done) { opened().then(() => done(), done); }, destroy(e, done) { (opening ?? Promise.resolve()).then(() => (fd === undefined || fd <= 2 || options.autoClose === false ? undefined : later("close", fd))).then(() => done(e), () => done(e)); } });
  if (options.encoding) w.setDefaultEncoding(options.encoding);
  Object.assign(w, { path, bytesWritten: 0, pending: true, close(done) { if (done) w.once("close", done); w.end(); } });
  opened().catch((e) => w.destroy(e));
  return w;
};
Object.defineProperty(out, "ReadStream", { get: () => streams().Readable, enumerable: true });
Object.defineProperty(out, "WriteStream", { get: () => streams().Writable, enumerable: true });
const none = (name) => () => { throw Object.assign(new Error(`fs.${name} is not to be had here: a hook ends`), { code: "ERR_METHOD_NOT_IMPLEMENTED" }); };
out.watch = none("watch");
out.watchFile = none("watchFile");
out.unwatchFile = () => {};
promises.watch = none("watch");
out.globSync = none("globSync");
out.promises = promises;
export default out;
