// node:http: what a client needs, by the host's fetch.
import { later } from "hookway:runtime";
import EventEmitter from "node:events";
import stream from "node:stream";
import buffer from "node:buffer";

const { Buffer } = buffer;
const STATUS_CODES = { 100: "Continue", 200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 206: "Partial Content", 301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 408: "Request Timeout", 409: "Conflict", 410: "Gone", 413: "Payload Too Large", 415: "Unsupported Media Type", 418: "I'm a Teapot", 422: "Unprocessable Entity", 429: "Too Many Requests", 500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout" };

class IncomingMessage extends stream.Readable {
  constructor(got) {
    super({ read() {} });
    Object.assign(this, { statusCode: got.status, statusMessage: got.statusText.replace(/^\d+ /, ""), httpVersion: "1.1", complete: true, headers: {}, rawHeaders: [], url: "", method: null, aborted: false, socket: new Socket() });
    for (const [k, v] of got.headers) {
      const name = k.toLowerCase();
      this.rawHeaders.push(k, v);
      if (name === "set-cookie") (this.headers[name] ??= []).push(v);
      else this.headers[name] = name in this.headers ? `${this.headers[name]}, ${v}` : v;
    }
    const body = got.body.base64 !== undefined ? Buffer.from(got.body.base64, "base64") : Buffer.from(got.body.text ?? "");
    if (body.length) this.push(body);
    this.push(null);
  }
  setTimeout() { return this; }
}
class Socket extends EventEmitter { setTimeout() { return this; } setKeepAlive() { return this; } setNoDelay() { return this; } ref() { return this; } unref() { return this; } destroy() { return this; } }

const codes = [[/connection refused/, "ECONNREFUSED"], [/no such host|server misbehaving/, "ENOTFOUND"], [/reset by peer|EOF$/, "ECONNRESET"], [/timeout|timed out|in time/, "ETIMEDOUT"], [/certificate/, "CERT_HAS_EXPIRED"], [/unreachable/, "ENETUNREACH"]];
class ClientRequest extends stream.Writable {
  #options;
  #chunks = [];
  #headers = new Map();
  #sent = false;
  constructor(options, done) {
    super({ write: (chunk, encoding, next) => { this.#chunks.push(chunk); next(); }, final: (next) => { this.#send(); next(); }, autoDestroy: false });
    this.#options = options;
    Object.assign(this, { method: String(options.method ?? "GET").toUpperCase(), path: options.path ?? "/", host: options.hostname ?? options.host ?? "localhost", protocol: options.protocol, aborted: false, reusedSocket: false, socket: new Socket(), finished: false });
    const given = options.headers ?? {};
    for (const [k, v] of Array.isArray(given) ? given : typeof given.entries === "function" ? given.entries() : Object.entries(given)) this.setHeader(k, v);
    if (options.auth && !this.hasHeader("authorization")) this.setHeader("Authorization", "Basic " + Buffer.from(options.auth).toString("base64"));
    if (done) this.once("response", done);
    if (options.timeout) this.setTimeout(options.timeout);
    options.signal?.addEventListener("abort", () => this.destroy(Object.assign(new Error("The operation was aborted"), { name: "AbortError", code: "ABORT_ERR" })), { once: true });
    process.nextTick(() => { this.emit("socket", this.socket); });
  }
  setHeader(name, value) { this.#headers.set(String(name).toLowerCase(), [name, value]); return this; }
  getHeader(name) { return this.#headers.get(String(name).toLowerCase())?.[1]; }
  hasHeader(name) { return this.#headers.has(String(name).toLowerCase()); }
  removeHeader(name) { this.#headers.delete(String(name).toLowerCase()); }
  getHeaders() { return Object.fromEntries([...this.#headers].map(([k, [, v]]) => [k, v])); }
  getHeaderNames() { return [...this.#headers.keys()]; }
  flushHeaders() {}
  setNoDelay() { return this; }
  setSocketKeepAlive() { return this; }
  setTimeout(ms, done) {
    if (done) this.once("timeout", done);
    clearTimeout(this._late);
    if (ms > 0) { this._late = setTimeout(() => this.emit("timeout"), ms); this._late.unref(); }
    return this;
  }
  abort() { this.aborted = true; this.destroy(); }
  _destroy(error, done) {
    clearTimeout(this._late);
    this._over = true;
    this.#sent = true;
    if (!error && !this.res) error = Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
    done(this.res && !error ? null : error);
  }
  #send() {
    if (this.#sent) return;
    this.#sent = true;
    const o = this.#options, port = o.port && Number(o.port) !== (o.protocol === "https:" ? 443 : 80) ? ":" + o.port : "";
    const host = String(o.hostname ?? o.host ?? "localhost").replace(/:\d+$/, (m) => (o.hostname === undefined && !port ? m : ""));
    const url = `${o.protocol}//${host.includes(":") && !host.startsWith("[") && !/:\d+$/.test(host) ? `[${host}]` : host}${port}${this.path}`;
    const body = Buffer.concat(this.#chunks);
    if (body.length === 0) this.removeHeader("content-length");
    this.finished = true;
    later("fetch", { url, method: this.method, headers: [...this.#headers.values()].flatMap(([k, v]) => (Array.isArray(v) ? v.map((one) => [String(k), String(one)]) : [[String(k), String(v)]])), redirect: "manual", timeout: 0, ...(body.length ? { base64: body.toString("base64") } : {}) }).then((got) => {
      if (this._over) return;
      clearTimeout(this._late);
      this.res = new IncomingMessage(got);
      this.res.req = this;
      if (!this.emit("response", this.res)) this.res.resume();
      this.res.once("end", () => this.destroy());
    }, (e) => {
      if (this._over) return;
      const text = String(e.message), found = codes.find(([re]) => re.test(text));
      const failed = found ? Object.assign(new Error(found[1] === "ECONNREFUSED" ? `connect ECONNREFUSED ${host}${port || (o.protocol === "https:" ? ":443" : ":80")}` : found[1] === "ENOTFOUND" ? `getaddrinfo ENOTFOUND ${host}` : text), { code: found[1], syscall: found[1] === "ENOTFOUND" ? "getaddrinfo" : "connect", hostname: host, address: host, port: Number(o.port) || undefined }) : e;
      this.destroy(failed);
    });
  }
}

const optionsOf = (protocol, first, second) => {
  let o = {};
  if (typeof first === "string" || first instanceof URL) {
    const u = new URL(first);
    o = { protocol: u.protocol, hostname: u.hostname, port: u.port, path: u.pathname + u.search, ...(u.username ? { auth: decodeURIComponent(u.username) + ":" + decodeURIComponent(u.password) } : {}) };
    if (u.protocol !== protocol) throw Object.assign(new TypeError(`Protocol "${u.protocol}" not supported. Expected "${protocol}"`), { code: "ERR_INVALID_PROTOCOL" });
  } else second = first;
  return { protocol, ...o, ...second, ...(o.protocol ? { protocol: o.protocol } : {}) };
};
class Agent { constructor(options = {}) { this.options = options; } destroy() {} }

const none = () => { throw Object.assign(new Error("a script cannot serve: http.createServer is not to be had here"), { code: "ERR_METHOD_NOT_IMPLEMENTED" }); };
const client = (protocol) => {
  const request = (first, second, third) => {
    const done = [second, third].find((a) => typeof a === "function");
    return new ClientRequest(optionsOf(protocol, first, typeof second === "function" ? undefined : second), done);
  };
  return {
    request, get: (...args) => { const r = request(...args); r.end(); return r; }, createServer: none, Server: class Server { constructor() { none(); } },
    Agent, globalAgent: new Agent(), ClientRequest, IncomingMessage, OutgoingMessage: stream.Writable, ServerResponse: stream.Writable, STATUS_CODES, METHODS: ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"], maxHeaderSize: 16384,
    validateHeaderName: () => {}, validateHeaderValue: () => {},
  };
};
export default Object.defineProperty(client("http:"), "secure", { value: () => client("https:"), enumerable: false });
