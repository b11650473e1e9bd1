// node:net: a client's connections, as far as a hook needs them.
import { held, later } from "hookway:runtime";
import stream from "node:stream";
import buffer from "node:buffer";

const { Buffer } = buffer;
const isIPv4 = (text) => /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/.test(text);
const isIPv6 = (text) => { const bare = String(text).replace(/%.*$/, ""); if (!/^[0-9a-f:.]+$/i.test(bare) || !bare.includes(":")) return false; try { new URL(`http://[${bare}]`); } catch { return false; } return bare.split("::").length <= 2 && (bare.includes("::") ? bare.split(":").length <= 8 : bare.split(":").length === (bare.includes(".") ? 7 : 8)) && bare.split(":").every((p) => p === "" || /^[0-9a-f]{1,4}$/i.test(p) || isIPv4(p)); };

class Socket extends stream.Duplex {
  constructor(options = {}) {
    super({ allowHalfOpen: options.allowHalfOpen ?? false });
    Object.assign(this, { connecting: false, pending: true, bytesRead: 0, bytesWritten: 0, timeout: 0 });
  }
  connect(...args) {
    const done = args.find((a) => typeof a === "function");
    const o = typeof args[0] === "object" ? args[0] : typeof args[0] === "string" && !/^\d+$/.test(args[0]) ? { path: args[0] } : { port: Number(args[0]), host: typeof args[1] === "string" ? args[1] : undefined };
    if (done) this.once("connect", done);
    this.connecting = true;
    this._link = held("connect", [o.path ? { path: o.path } : { host: o.host ?? "localhost", port: Number(o.port) }], (event) => {
      switch (event.what) {
        case "open": this.connecting = this.pending = false; Object.assign(this, { remoteAddress: event.address, remotePort: Number(o.port) || undefined }); this.emit("connect"); this.emit("ready"); for (const fn of this._waits?.splice(0) ?? []) fn(); break;
        case "data": { const bytes = Buffer.from(event.base64, "base64"); this.bytesRead += bytes.length; this._stir(); this.push(bytes); break; }
        case "end": this.push(null); break;
        case "fail": this.connecting = false; this.destroy(Object.assign(new Error(event.message), { code: event.code, syscall: "connect", address: o.host ?? o.path, port: o.port })); break;
      }
    });
    return this;
  }
  _stir() { if (this.timeout) this.setTimeout(this.timeout); }
  _read() { this._asking = false; }
  _write(chunk, encoding, done) {
    const send = () => { this.bytesWritten += chunk.length; this._stir(); later("feed", this._link.id, chunk.toString("base64")).then(() => done(), done); };
    this.connecting ? (this._waits ??= []).push(send) : send();
  }
  _final(done) { const end = () => { later("fed", this._link?.id ?? 0).then(() => done(), () => done()); }; this.connecting ? (this._waits ??= []).push(end) : end(); }
  _destroy(error, done) { clearTimeout(this._late); this._link?.close(); done(error); }
  setTimeout(ms, fn) { this.timeout = ms; if (fn) this.once("timeout", fn); clearTimeout(this._late); if (ms > 0) { this._late = setTimeout(() => this.emit("timeout"), ms); this._late.unref(); } return this; }
  setNoDelay() { return this; }
  setKeepAlive() { return this; }
  ref() { this._link?.ref(); return this; }
  unref() { this._link?.unref(); return this; }
  address() { return {}; }
  destroySoon() { this.end(); }
}
const connect = (...args) => new Socket(typeof args[0] === "object" ? args[0] : {}).connect(...args);
const none = () => { throw Object.assign(new Error("a script cannot serve: net.createServer is not to be had here"), { code: "ERR_METHOD_NOT_IMPLEMENTED" }); };

// BlockList holds addresses, ranges and subnets, and says whether an address is of them.
const numberOf = (address, family) => {
  if (family === "ipv4") return isIPv4(address) ? address.split(".").reduce((n, b) => n * 256n + BigInt(b), 0n) : undefined;
  if (!isIPv6(address)) return undefined;
  const text = String(address).replace(/%.*$/, "").replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) => `${(a * 256 + +b).toString(16)}:${(c * 256 + +d).toString(16)}`);
  const [head, tail] = text.split("::").map((part) => (part ? part.split(":") : []));
  const all = tail ? [...head, ...Array(8 - head.length - tail.length).fill("0"), ...tail] : head;
  return all.reduce((n, part) => n * 65536n + BigInt(`0x${part}`), 0n);
};
const mapped = 0xffffn << 32n; // an IPv4 address within IPv6
class SocketAddress {
  constructor({ address, family = "ipv4", port = 0, flowlabel = 0 } = {}) { Object.assign(this, { address: address ?? (family === "ipv6" ? "::" : "127.0.0.1"), family, port, flowlabel }); numbered(this.address, family); }
}
const numbered = (address, family = "ipv4") => {
  if (address instanceof SocketAddress) ({ address, family } = address);
  const kind = String(family).toLowerCase(), number = numberOf(address, kind);
  if (number === undefined) throw Object.assign(new TypeError(`Invalid address: ${address}`), { code: "ERR_INVALID_ADDRESS" });
  return { kind, number };
};
class BlockList {
  #all = [];
  static isBlockList(v) { return v instanceof BlockList; }
  #add(kind, from, to, rule) { this.#all.unshift({ kind, from, to, rule }); }
  addAddress(address, family) { const { kind, number } = numbered(address, family); this.#add(kind, number, number, `Address: ${kind === "ipv4" ? "IPv4" : "IPv6"} ${address.address ?? address}`); }
  addRange(start, end, family) {
    const a = numbered(start, family), b = numbered(end, family);
    if (a.number > b.number) throw Object.assign(new RangeError("the range's start must come before its end"), { code: "ERR_INVALID_ARG_VALUE" });
    this.#add(a.kind, a.number, b.number, `Range: ${a.kind === "ipv4" ? "IPv4" : "IPv6"} ${start.address ?? start}-${end.address ?? end}`);
  }
  addSubnet(net, prefix, family) {
    const { kind, number } = numbered(net, family), bits = kind === "ipv4" ? 32 : 128;
    if (!Number.isInteger(prefix) || prefix < 0 || prefix > bits) throw Object.assign(new RangeError(`the prefix must be 0 to ${bits}`), { code: "ERR_OUT_OF_RANGE" });
    const size = 1n << BigInt(bits - prefix), from = number - (number % size);
    this.#add(kind, from, from + size - 1n, `Subnet: ${kind === "ipv4" ? "IPv4" : "IPv6"} ${net.address ?? net}/${prefix}`);
  }
  check(address, family = "ipv4") {
    let found;
    try { found = numbered(address, family); } catch { return false; }
    const has = (kind, number) => this.#all.some((r) => r.kind === kind && r.from <= number && number <= r.to);
    return has(found.kind, found.number) || (found.kind === "ipv6" && found.number >> 32n === 0xffffn && has("ipv4", found.number - mapped));
  }
  get rules() { return this.#all.map((r) => r.rule); }
}
export default { BlockList, SocketAddress, Socket, Stream: Socket, connect, createConnection: connect, createServer: none, Server: class Server { constructor() { none(); } }, isIP: (t) => (isIPv4(t) ? 4 : isIPv6(t) ? 6 : 0), isIPv4, isIPv6 };
