// node:buffer.
import { bytesOf, decoded, named } from "hookway:runtime";

const encodings = { utf8: "utf8", "utf-8": "utf8", hex: "hex", base64: "base64", base64url: "base64url", latin1: "latin1", binary: "latin1", ascii: "ascii", ucs2: "utf16le", "ucs-2": "utf16le", utf16le: "utf16le", "utf-16le": "utf16le" };
const encodingOf = (name) => {
  if (name === undefined || name === null || name === "") return "utf8";
  const known = encodings[String(name).toLowerCase()];
  if (!known) throw Object.assign(new TypeError(`Unknown encoding: ${name}`), { code: "ERR_UNKNOWN_ENCODING" });
  return known;
};

const encoder = new TextEncoder();
const encoded = (text, encoding) => {
  switch (encodingOf(encoding)) {
    case "utf8": return encoder.encode(text);
    case "hex": { const whole = /^(?:[0-9a-fA-F]{2})*/.exec(text)[0]; return Uint8Array.fromHex(whole); }
    case "base64": case "base64url": {
      const plain = text.replace(/[-_]/g, (c) => (c === "-" ? "+" : "/")).replace(/=[^]*$/, "").replace(/[^A-Za-z0-9+/]/g, "");
      return Uint8Array.fromBase64(plain.length % 4 === 1 ? plain.slice(0, -1) : plain);
    }
    case "utf16le": { const out = new Uint8Array(text.length * 2); for (let i = 0; i < text.length; i++) { const c = text.charCodeAt(i); out[2 * i] = c & 255; out[2 * i + 1] = c >> 8; } return out; }
    default: { const out = new Uint8Array(text.length); for (let i = 0; i < text.length; i++) out[i] = text.charCodeAt(i); return out; }
  }
};
const chars = (bytes, of) => {
  let out = "";
  for (let i = 0; i < bytes.length; i += 8192) out += String.fromCharCode.apply(null, Array.from(bytes.subarray(i, i + 8192), of));
  return out;
};
const textOf = (bytes, encoding) => {
  switch (encodingOf(encoding)) {
    case "utf8": return decoded(bytes);
    case "hex": return Uint8Array.prototype.toHex.call(bytes);
    case "base64": return Uint8Array.prototype.toBase64.call(bytes);
    case "base64url": return Uint8Array.prototype.toBase64.call(bytes, { alphabet: "base64url", omitPadding: true });
    case "latin1": return chars(bytes, (b) => b);
    case "ascii": return chars(bytes, (b) => b & 127);
    default: { const out = []; for (let i = 0; i + 1 < bytes.length; i += 2) out.push(String.fromCharCode(bytes[i] | (bytes[i + 1] << 8))); return out.join(""); }
  }
};

class Bytes extends Uint8Array {}
function Buffer(a, b, c) {
  if (a instanceof ArrayBuffer || a instanceof SharedArrayBuffer) return new Bytes(a, b, c);
  return typeof a === "number" ? Buffer.alloc(a) : Buffer.from(a, b, c);
}
Object.setPrototypeOf(Buffer, Uint8Array);
Buffer.prototype = Bytes.prototype;
Object.defineProperty(Bytes.prototype, "constructor", { value: Buffer, writable: true, configurable: true });

const range = (message) => Object.assign(new RangeError(message), { code: "ERR_OUT_OF_RANGE" });
const own = (bytes) => new Bytes(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const copied = (bytes) => { const out = new Bytes(bytes.length); out.set(bytes); return out; };

Object.assign(Buffer, {
  poolSize: 8192,
  from(value, encoding, length) {
    if (typeof value === "string") return own(encoded(value, encoding));
    if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return new Bytes(value, encoding, length);
    if (ArrayBuffer.isView(value)) return copied(value instanceof Uint8Array ? value : bytesOf(value));
    if (value && typeof value === "object") {
      if (value.type === "Buffer" && Array.isArray(value.data)) return Buffer.from(value.data);
      if (typeof value.length === "number") { const out = new Bytes(value.length); for (let i = 0; i < value.length; i++) out[i] = value[i]; return out; }
      const plain = value.valueOf();
      if (plain !== value && plain !== null && plain !== undefined) return Buffer.from(plain, encoding, length);
      if (typeof value[Symbol.toPrimitive] === "function") return Buffer.from(value[Symbol.toPrimitive]("string"), encoding);
    }
    throw Object.assign(new TypeError(`The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object. Received ${value === null ? "null" : value === undefined ? "undefined" : `type ${typeof value} (${String(value)})`}`), { code: "ERR_INVALID_ARG_TYPE" });
  },
  of: (...bytes) => Buffer.from(bytes),
  alloc(size, fill, encoding) {
    if (typeof size !== "number" || size < 0 || size > 2 ** 31) throw range(`The value of "size" is out of range. It must be >= 0 && <= 2147483648. Received ${size}`);
    const out = new Bytes(size);
    return fill === undefined || fill === 0 ? out : out.fill(fill, encoding);
  },
  allocUnsafe: (size) => Buffer.alloc(size),
  allocUnsafeSlow: (size) => Buffer.alloc(size),
  isBuffer: (value) => value instanceof Bytes,
  isEncoding: (name) => typeof name === "string" && String(name).toLowerCase() in encodings,
  byteLength: (value, encoding) => (typeof value === "string" ? encoded(value, encoding).length : value.byteLength),
  concat(list, total) {
    total ??= list.reduce((n, b) => n + b.length, 0);
    const out = Buffer.alloc(total);
    let at = 0;
    for (const b of list) {
      if (at >= total) break;
      out.set(at + b.length > total ? b.subarray(0, total - at) : b, at);
      at += b.length;
    }
    return out;
  },
  compare(a, b) {
    const n = Math.min(a.length, b.length);
    for (let i = 0; i < n; i++) if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1;
    return Math.sign(a.length - b.length);
  },
});

const needle = (value, encoding) => (typeof value === "string" ? encoded(value, encoding) : typeof value === "number" ? Uint8Array.of(value) : value);
const seek = (self, what, from, encoding, last) => {
  if (typeof from === "string") [from, encoding] = [undefined, from];
  const n = needle(what, encoding);
  if (last) {
    for (let i = Math.min(from ?? Infinity, self.length - n.length); i >= 0; i--) if (n.every((b, j) => self[i + j] === b)) return i;
    return -1;
  }
  from = Math.trunc(from ?? 0) || 0;
  for (let i = from < 0 ? Math.max(0, self.length + from) : from; i + n.length <= self.length; i++) {
    let j = 0;
    while (j < n.length && self[i + j] === n[j]) j++;
    if (j === n.length) return i;
  }
  return -1;
};

const methods = {
  toString(encoding, start = 0, end = this.length) { return textOf(start === 0 && end >= this.length ? this : Uint8Array.prototype.subarray.call(this, Math.max(0, start), Math.max(0, end)), encoding); },
  toLocaleString(encoding) { return this.toString(encoding); },
  toJSON() { return { type: "Buffer", data: Array.from(this) }; },
  equals(other) { return this.length === other.length && Buffer.compare(this, other) === 0; },
  compare(other, start = 0, end = other.length, from = 0, to = this.length) { return Buffer.compare(this.subarray(from, to), other.subarray(start, end)); },
  slice(start, end) { return this.subarray(start, end); },
  indexOf(what, from, encoding) { return seek(this, what, from, encoding, false); },
  lastIndexOf(what, from, encoding) { return seek(this, what, from, encoding, true); },
  includes(what, from, encoding) { return this.indexOf(what, from, encoding) >= 0; },
  write(text, at, length, encoding) {
    if (typeof at === "string") [at, encoding] = [0, at];
    if (typeof length === "string") [length, encoding] = [undefined, length];
    const bytes = encoded(text, encoding).subarray(0, Math.min(length ?? Infinity, this.length - (at ?? 0)));
    this.set(bytes, at ?? 0);
    return bytes.length;
  },
  copy(into, at = 0, start = 0, end = this.length) {
    const part = this.subarray(start, Math.min(end, start + into.length - at));
    into.set(part, at);
    return part.length;
  },
  fill(value, start, end, encoding) {
    if (typeof start === "string") [start, encoding] = [0, start];
    if (typeof end === "string") [end, encoding] = [undefined, end];
    if (typeof value === "number") return Uint8Array.prototype.fill.call(this, value, start, end);
    const bytes = needle(value, encoding);
    for (let i = start ?? 0, j = 0; i < (end ?? this.length); i++, j++) this[i] = bytes.length ? bytes[j % bytes.length] : 0;
    return this;
  },
  swap16() { for (let i = 0; i + 1 < this.length; i += 2) [this[i], this[i + 1]] = [this[i + 1], this[i]]; return this; },
};
const view = (b) => new DataView(b.buffer, b.byteOffset, b.byteLength);
const checked = (b, at, size) => { if (at < 0 || at + size > b.length) throw range(`The value of "offset" is out of range. It must be >= 0 and <= ${b.length - size}. Received ${at}`); return at; };
for (const [name, type, size] of [["UInt8", "Uint8", 1], ["Int8", "Int8", 1], ["UInt16", "Uint16", 2], ["Int16", "Int16", 2], ["UInt32", "Uint32", 4], ["Int32", "Int32", 4], ["BigUInt64", "BigUint64", 8], ["BigInt64", "BigInt64", 8], ["Float", "Float32", 4], ["Double", "Float64", 8]]) {
  for (const end of size === 1 ? [""] : ["LE", "BE"]) {
    const read = function (at = 0) { return view(this)[`get${type}`](checked(this, at, size), end === "LE"); };
    const write = function (value, at = 0) { view(this)[`set${type}`](checked(this, at, size), value, end === "LE"); return at + size; };
    methods[`read${name}${end}`] = methods[`read${name.replace("UInt", "Uint")}${end}`] = read;
    methods[`write${name}${end}`] = methods[`write${name.replace("UInt", "Uint")}${end}`] = write;
  }
}
const many = (b, at, size, little) => { checked(b, at, size); let n = 0; for (let i = 0; i < size; i++) n = n * 256 + b[little ? at + size - 1 - i : at + i]; return n; };
for (const [end, little] of [["LE", true], ["BE", false]]) {
  methods[`readUInt${end}`] = methods[`readUint${end}`] = function (at, size) { return many(this, at, size, little); };
  methods[`readInt${end}`] = function (at, size) { const n = many(this, at, size, little), half = 2 ** (8 * size - 1); return n >= half ? n - 2 * half : n; };
  methods[`writeUInt${end}`] = methods[`writeInt${end}`] = function (value, at, size) { let n = value < 0 ? value + 2 ** (8 * size) : value; for (let i = 0; i < size; i++) { this[little ? at + i : at + size - 1 - i] = n % 256; n = Math.floor(n / 256); } return at + size; };
}
for (const [name, value] of Object.entries(methods)) Object.defineProperty(Bytes.prototype, name, { value, writable: true, configurable: true });
Object.defineProperty(Bytes.prototype, "parent", { get() { return this.buffer; }, configurable: true });

const web = () => __hookway.part("web");
export default {
  Buffer, SlowBuffer: Buffer, kMaxLength: 2 ** 31, kStringMaxLength: 2 ** 29, INSPECT_MAX_BYTES: 50,
  constants: { MAX_LENGTH: 2 ** 31, MAX_STRING_LENGTH: 2 ** 29 }, atob, btoa,
  isUtf8: (b) => { try { new TextDecoder("utf-8", { fatal: true }).decode(b); return true; } catch { return false; } },
  isAscii: (b) => bytesOf(b).every((c) => c < 128),
  transcode: (b, from, to) => Buffer.from(textOf(b, from), to),
  get Blob() { return web().Blob; }, get File() { return web().File; },
};
