// node:querystring.
const escape = (s) => encodeURIComponent(s);
const unescape = (s) => { try { return decodeURIComponent(s); } catch { return s; } };
const parse = (text, sep = "&", eq = "=", options = {}) => {
  const out = Object.create(null), decode = options.decodeURIComponent ?? unescape;
  for (const part of String(text ?? "").split(sep).slice(0, options.maxKeys ?? 1000)) {
    if (part === "") continue;
    const at = part.indexOf(eq);
    const [k, v] = (at < 0 ? [part, ""] : [part.slice(0, at), part.slice(at + eq.length)]).map((s) => decode(s.replace(/\+/g, " ")));
    if (k in out) out[k] = [out[k], v].flat();
    else out[k] = v;
  }
  return out;
};
const plain = (v) => (typeof v === "string" ? v : typeof v === "number" && isFinite(v) ? String(v) : typeof v === "bigint" || typeof v === "boolean" ? String(v) : "");
const stringify = (of, sep = "&", eq = "=", options = {}) => {
  const encode = options.encodeURIComponent ?? escape;
  return Object.entries(of ?? {}).flatMap(([k, v]) => (Array.isArray(v) ? v : [v]).map((one) => encode(k) + eq + encode(plain(one)))).join(sep);
};
export default { parse, stringify, escape, unescape, decode: parse, encode: stringify };
