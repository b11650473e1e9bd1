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
export default { Socket, Stream: Socket, connect, createConnection: connect, createServer: none, Server: class Server { constructor() { none(); } }, isIP: (t) => (isIPv4(t) ? 4 : isIPv6(t) ? 6 : 0), isIPv4, isIPv6 };
