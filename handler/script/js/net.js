// URL and fetch. The host parses addresses and makes the requests.
import { ask, cancellable, part, base64, unbase64, bytesOf } from "hookway:runtime";

class URLSearchParams {
  #list = [];
  #changed = () => {};
  constructor(init = "") {
    if (typeof init === "string") {
      for (const part of init.replace(/^\?/, "").split("&")) {
        if (part === "") continue;
        const at = part.indexOf("=");
        const read = (s) => { try { return decodeURIComponent(s.replace(/\+/g, " ")); } catch { return s; } };
        this.#list.push(at < 0 ? [read(part), ""] : [read(part.slice(0, at)), read(part.slice(at + 1))]);
      }
    } else if (init && typeof init[Symbol.iterator] === "function") {
      for (const [k, v] of init) this.#list.push([String(k), String(v)]);
    } else {
      for (const k of Object.keys(init ?? {})) this.#list.push([k, String(init[k])]);
    }
  }
  static of(text, changed) { const p = new URLSearchParams(text); p.#changed = changed; return p; }
  append(k, v) { this.#list.push([String(k), String(v)]); this.#changed(); }
  delete(k) { this.#list = this.#list.filter((e) => e[0] !== String(k)); this.#changed(); }
  get(k) { return this.#list.find((e) => e[0] === String(k))?.[1] ?? null; }
  getAll(k) { return this.#list.filter((e) => e[0] === String(k)).map((e) => e[1]); }
  has(k) { return this.#list.some((e) => e[0] === String(k)); }
  set(k, v) {
    const at = this.#list.findIndex((e) => e[0] === String(k));
    this.#list = this.#list.filter((e, i) => e[0] !== String(k) || i === at);
    at < 0 ? this.#list.push([String(k), String(v)]) : (this.#list[at][1] = String(v));
    this.#changed();
  }
  sort() { this.#list.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0)); this.#changed(); }
  forEach(fn, self) { for (const [k, v] of this.#list) fn.call(self, v, k, this); }
  keys() { return this.#list.map((e) => e[0])[Symbol.iterator](); }
  values() { return this.#list.map((e) => e[1])[Symbol.iterator](); }
  entries() { return this.#list.map((e) => [...e])[Symbol.iterator](); }
  [Symbol.iterator]() { return this.entries(); }
  get size() { return this.#list.length; }
  toString() {
    const write = (s) => encodeURIComponent(s).replace(/%20/g, "+").replace(/[!'()~]/g, (c) => "%" + c.charCodeAt(0).toString(16).toUpperCase());
    return this.#list.map(([k, v]) => write(k) + "=" + write(v)).join("&");
  }
}

const urlOf = (text, base) => {
  const parts = ask("url", String(text), base === undefined ? "" : String(base));
  if (parts.error) throw Object.assign(new TypeError(`Invalid URL: ${parts.error}`), { code: "ERR_INVALID_URL", input: String(text) });
  return parts;
};

class URL {
  #p;
  #params;
  constructor(text, base) { this.#p = urlOf(text, base); }
  static canParse(text, base) { try { urlOf(text, base); return true; } catch { return false; } }
  static parse(text, base) { try { return new URL(text, base); } catch { return null; } }
  get protocol() { return this.#p.protocol; }
  get username() { return this.#p.username; }
  get password() { return this.#p.password; }
  get hostname() { return this.#p.hostname; }
  get port() { return this.#p.port; }
  get host() { return this.#p.hostname + (this.#p.port ? ":" + this.#p.port : ""); }
  get origin() { return /^(https?|ftp|wss?):$/.test(this.#p.protocol) ? `${this.#p.protocol}//${this.host}` : "null"; }
  get pathname() { return this.#p.pathname; }
  get search() { return this.#p.search; }
  get hash() { return this.#p.hash; }
  get searchParams() {
    this.#params ??= URLSearchParams.of(this.#p.search, () => {
      const text = this.#params.toString();
      this.#p.search = text ? "?" + text : "";
    });
    return this.#params;
  }
  get href() {
    const p = this.#p;
    const user = p.username ? p.username + (p.password ? ":" + p.password : "") + "@" : "";
    return p.opaque ? `${p.protocol}${p.pathname}${p.search}${p.hash}` : `${p.protocol}//${user}${this.host}${p.pathname}${p.search}${p.hash}`;
  }
  set href(text) { this.#p = urlOf(text); this.#params = undefined; }
  set protocol(v) { this.#set({ protocol: String(v).replace(/:?$/, ":") }); }
  set username(v) { this.#set({ username: encodeURIComponent(v) }); }
  set password(v) { this.#set({ password: encodeURIComponent(v) }); }
  set hostname(v) { this.#set({ hostname: String(v) }); }
  set host(v) { const [h, port = ""] = String(v).split(/:(?=\d*$)/); this.#set({ hostname: h, port }); }
  set port(v) { this.#set({ port: String(v) }); }
  set pathname(v) { this.#set({ pathname: String(v).replace(/^\/?/, "/") }); }
  set search(v) { v = String(v); this.#set({ search: v === "" || v === "?" ? "" : "?" + v.replace(/^\?/, "") }); this.#params = undefined; }
  set hash(v) { v = String(v); this.#set({ hash: v === "" || v === "#" ? "" : "#" + v.replace(/^#/, "") }); }
  #set(change) { const was = this.#p; this.#p = { ...was, ...change }; try { this.#p = urlOf(this.href); } catch { this.#p = was; } }
  toString() { return this.href; }
  toJSON() { return this.href; }
}

class Headers {
  #map = new Map();
  constructor(init) {
    if (init instanceof Headers || Array.isArray(init)) for (const [k, v] of init) this.append(k, v);
    else for (const k of Object.keys(init ?? {})) this.append(k, init[k]);
  }
  append(k, v) { k = String(k).toLowerCase(); this.#map.set(k, this.#map.has(k) ? this.#map.get(k) + ", " + v : String(v)); }
  set(k, v) { this.#map.set(String(k).toLowerCase(), String(v)); }
  get(k) { return this.#map.get(String(k).toLowerCase()) ?? null; }
  has(k) { return this.#map.has(String(k).toLowerCase()); }
  delete(k) { this.#map.delete(String(k).toLowerCase()); }
  forEach(fn, self) { for (const [k, v] of this) fn.call(self, v, k, this); }
  keys() { return [...this].map((e) => e[0])[Symbol.iterator](); }
  values() { return [...this].map((e) => e[1])[Symbol.iterator](); }
  entries() { return this[Symbol.iterator](); }
  [Symbol.iterator]() { return [...this.#map].sort((a, b) => (a[0] < b[0] ? -1 : 1))[Symbol.iterator](); }
}

// body is what is sent: a text, or bytes in base64.
const bodyOf = (body, headers) => {
  const type = (t) => { if (!headers.has("content-type")) headers.set("content-type", t); };
  if (body === undefined || body === null) return {};
  if (body instanceof URLSearchParams) { type("application/x-www-form-urlencoded;charset=UTF-8"); return { text: body.toString() }; }
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return { base64: base64(bytesOf(body)) };
  if (typeof body === "object" && body.sent) { const { type: form, bytes } = body.sent; headers.set("content-type", form); return { base64: base64(bytes) }; }
  if (typeof body === "object" && body.raw instanceof Uint8Array) { if (body.type) type(body.type); return { base64: base64(body.raw) }; }
  type("text/plain;charset=UTF-8");
  return { text: String(body) };
};

class Body {
  #body;
  bodyUsed = false;
  constructor(body) { this.#body = body; }
  async #take() {
    if (this.bodyUsed) throw new TypeError("the body has been read already");
    this.bodyUsed = true;
    return this.#body;
  }
  async text() { const b = await this.#take(); return b.base64 !== undefined ? new TextDecoder().decode(unbase64(b.base64)) : b.text ?? ""; }
  async json() { return JSON.parse(await this.text()); }
  async bytes() { const b = await this.#take(); return b.base64 !== undefined ? unbase64(b.base64) : new TextEncoder().encode(b.text ?? ""); }
  async blob() { return new (part("web").Blob)([await this.bytes()], { type: this.headers?.get("content-type") ?? "" }); }
  get body() {
    const self = this;
    return (this.stream ??= new (part("web").ReadableStream)({ async pull(c) { const bytes = await self.bytes(); if (bytes.length) c.enqueue(bytes); c.close(); } }));
  }
  async arrayBuffer() { return (await this.bytes()).buffer; }
  get raw() { return this.#body; }
}

class Response extends Body {
  constructor(body, init = {}) {
    const headers = new Headers(init.headers);
    super(init.received ?? bodyOf(body, headers));
    Object.assign(this, { headers, status: init.status ?? 200, statusText: init.statusText ?? "", url: init.url ?? "", redirected: !!init.redirected, type: "basic" });
    this.ok = this.status >= 200 && this.status < 300;
  }
  clone() { return new Response(null, { ...this, received: this.raw }); }
  static json(value, init = {}) { return new Response(JSON.stringify(value), { ...init, headers: { "content-type": "application/json", ...init.headers } }); }
  static error() { return new Response(null, { status: 0 }); }
}

class Request extends Body {
  constructor(input, init = {}) {
    const from = input instanceof Request ? input : {};
    const headers = new Headers(init.headers ?? from.headers);
    super(init.body !== undefined ? bodyOf(init.body, headers) : from.raw ?? {});
    // A body without a method is meant to be sent.
    const sends = init.body !== undefined && init.body !== null;
    Object.assign(this, {
      headers, url: input instanceof Request ? input.url : new URL(input).href, redirect: init.redirect ?? from.redirect ?? "follow",
      method: String(init.method ?? from.method ?? (sends ? "POST" : "GET")).toUpperCase(), signal: init.signal ?? from.signal ?? null,
    });
  }
  clone() { return new Request(this); }
}

const fetch = async (input, init = {}) => {
  const r = new Request(input, init ?? {});
  const got = await cancellable(r.signal, "fetch", {
    url: r.url, method: r.method, headers: [...r.headers], redirect: r.redirect, timeout: init?.timeout ?? 0, ...r.raw,
  });
  return new Response(null, { ...got, received: got.body });
};

Object.assign(globalThis, { URL, URLSearchParams, Headers, Request, Response, fetch });
