// How Node shows values: util.inspect and util.format.
const custom = Symbol.for("nodejs.util.inspect.custom");
const { hasOwn } = Object;
const known = /^[A-Za-z_$][\w$]*$/;

const quoted = (text) => {
  const mark = !text.includes("'") ? "'" : !text.includes('"') ? '"' : !text.includes("`") && !text.includes("${") ? "`" : "'";
  const escapes = { "\n": "\\n", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\f": "\\f", "\v": "\\v", "\\": "\\\\", [mark]: "\\" + mark };
  return mark + text.replace(/[\x00-\x1f\x7f-\x9f\\'"`]/g, (c) => escapes[c] ?? (c === "'" || c === '"' || c === "`" ? c : "\\x" + c.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0"))) + mark;
};

const styles = { number: [33, 39], bigint: [33, 39], boolean: [33, 39], string: [32, 39], symbol: [32, 39], undefined: [90, 39], null: [1, 22], special: [36, 39], date: [35, 39], regexp: [31, 39], module: [4, 24] };
const paint = (o, text, style) => (o.colors && styles[style] ? `\u001b[${styles[style][0]}m${text}\u001b[${styles[style][1]}m` : text);

const nameOf = (value) => {
  for (let at = value; at; at = Object.getPrototypeOf(at)) {
    const c = Object.getOwnPropertyDescriptor(at, "constructor");
    if (c && typeof c.value === "function" && c.value.name !== "" && (value instanceof c.value || at === value)) return c.value.name;
    if (c && typeof c.value === "function" && c.value.name !== "") return c.value.name;
  }
  return null;
};
const tagOf = (value, name) => { let tag; try { tag = value[Symbol.toStringTag]; } catch { /* a getter that throws */ } return typeof tag === "string" && tag !== "" && tag !== name ? tag : ""; };
const prefix = (value, usual, size) => {
  const name = nameOf(value), tag = tagOf(value, name ?? "");
  const shown = name === null ? `[${usual}${size ?? ""}: null prototype]` : name + (size ?? "");
  return (shown === usual && !tag ? "" : shown + " ") + (tag ? `[${tag}] ` : "");
};

const primitive = (o, value, line) => {
  switch (typeof value) {
    case "string": {
      let left = "";
      if (value.length > o.maxStringLength) { left = `... ${value.length - o.maxStringLength} more character${value.length - o.maxStringLength > 1 ? "s" : ""}`; value = value.slice(0, o.maxStringLength); }
      if (line && o.compact !== true && value.length > 16 && value.length > o.breakLength - o.at - 4) return value.split(/(?<=\n)/).map((l) => paint(o, quoted(l), "string")).join(` +\n${" ".repeat(o.at + 2)}`) + left;
      return paint(o, quoted(value), "string") + left;
    }
    case "number": return paint(o, Object.is(value, -0) ? "-0" : String(value), "number");
    case "bigint": return paint(o, `${value}n`, "bigint");
    case "boolean": return paint(o, String(value), "boolean");
    case "undefined": return paint(o, "undefined", "undefined");
    case "symbol": return paint(o, value.toString(), "symbol");
  }
  return paint(o, "null", "null");
};

const keysOf = (o, value) => {
  const keys = o.showHidden ? Object.getOwnPropertyNames(value) : Object.keys(value);
  for (const s of Object.getOwnPropertySymbols(value)) if (o.showHidden || Object.getOwnPropertyDescriptor(value, s).enumerable) keys.push(s);
  return keys;
};

const keyed = (o, key) => (typeof key === "symbol" ? `[${paint(o, key.toString(), "symbol")}]` : known.test(key) ? key : paint(o, quoted(key), "string"));

const property = (o, value, key, level, bare) => {
  const d = Object.getOwnPropertyDescriptor(value, key) ?? { value: value[key], enumerable: true };
  let text;
  if (d.get || d.set) text = paint(o, d.get ? (d.set ? "[Getter/Setter]" : "[Getter]") : "[Setter]", "special");
  else {
    const was = o.at;
    o.at += bare ? 2 : 2;
    text = show(o, d.value, level, true);
    o.at = was;
  }
  if (bare) return text;
  const name = d.enumerable === false ? `[${String(key)}]` : keyed(o, key);
  return `${name}: ${text}`;
};

const stackOf = (e) => {
  const stack = typeof e.stack === "string" ? e.stack.trimEnd() : "";
  const name = e.name !== undefined ? String(e.name) : "Error", message = e.message === undefined ? "" : String(e.message);
  const head = message ? `${name}: ${message}` : name;
  if (stack === "" || /^\s*at /.test(stack)) return stack === "" ? `[${head}]` : `${head}\n${stack}`;
  const first = /^(?:[A-Z][\w$]*)?Error(?=:|\n|$)/.exec(stack);
  return first && first[0] !== name && /Error$/.test(name) ? name + stack.slice(first[0].length) : stack;
};

const group = (o, list, more, value) => {
  let longest = 0, i = 0, total = 0;
  const length = more ? list.length - 1 : list.length, lengths = [];
  for (; i < length; i++) {
    const n = o.colors ? plain(list[i]).length : width(list[i]);
    lengths.push(n);
    total += n + 2;
    longest = Math.max(longest, n);
  }
  const actual = longest + 2;
  if (!(actual * 3 + o.at < o.breakLength && (total / actual > 5 || longest <= 6))) return list;
  const wide = Math.max(actual - 3 - Math.sqrt(actual - total / list.length), 1);
  const count = Math.min(Math.round(Math.sqrt(2.5 * wide * length) / wide), Math.floor((o.breakLength - o.at) / actual), o.compact * 4, 15);
  if (count <= 1) return list;
  const out = [], widths = [];
  for (let c = 0; c < count; c++) {
    let w = 0;
    for (let j = c; j < length; j += count) w = Math.max(w, lengths[j]);
    widths.push(w + 2);
  }
  const numbers = value !== undefined && value.every((v) => typeof v === "number" || typeof v === "bigint");
  for (let row = 0; row < length; row += count) {
    const end = Math.min(row + count, length);
    let line = "", j = row;
    for (; j < end - 1; j++) {
      const text = `${list[j]}, `, pad = widths[j - row] - lengths[j] - 2;
      line += numbers ? " ".repeat(pad) + text : text + " ".repeat(pad);
    }
    line += numbers ? " ".repeat(widths[j - row] - lengths[j] - 2) + list[j] : list[j];
    out.push(line);
  }
  if (more) out.push(list[length]);
  return out;
};
const plain = (text) => text.replace(/\u001b\[\d+m/g, "");
const width = (text) => { let n = 0; for (const c of text) { const p = c.codePointAt(0); n += p >= 0x1100 && (p <= 0x115f || (p >= 0x2e80 && p <= 0xffdc) || p >= 0x1f300) ? 2 : p >= 0x300 && p <= 0x36f || p === 0x200d || p === 0xfe0f ? 0 : 1; } return n; };

const together = (o, list, open, close, isArray, level, value, head) => {
  if (o.compact !== true) {
    const entries = list.length;
    if (isArray && entries > 6) list = group(o, list, isArray.more, value);
    if (o.current - level < o.compact && entries === list.length) {
      const start = list.length + o.at + open.length + head.length + 10;
      const total = list.reduce((n, l) => n + (o.colors ? plain(l) : l).length, list.length + start);
      if (total <= o.breakLength && 2 * list.length + start <= o.breakLength && !list.some((l) => l.includes("\n")) && !head.includes("\n")) return `${head}${open} ${list.join(", ")} ${close}`;
    }
    const indent = `\n${" ".repeat(o.at)}`;
    return `${head}${open}${indent}  ${list.join(`,${indent}  `)}${indent}${close}`;
  }
  return `${head}${open} ${list.join(", ")} ${close}`;
};

const limited = (o, all, write) => {
  const out = all.slice(0, o.maxArrayLength).map(write), left = all.length - Math.min(all.length, o.maxArrayLength);
  if (left > 0) out.push(`... ${left} more item${left > 1 ? "s" : ""}`);
  return out;
};

const kinds = (o, value, level) => {
  let keys = keysOf(o, value), open = "{", close = "}", head = "", entries = [], isArray = null, numeric;
  const inner = (v) => { const was = o.at; o.at += 2; const text = show(o, v, level, true); o.at = was; return text; };
  if (Array.isArray(value)) {
    keys = keys.filter((k) => typeof k === "symbol" || !/^(0|[1-9]\d*)$/.test(k));
    head = nameOf(value) === "Array" && !tagOf(value, "Array") ? "" : prefix(value, "Array", `(${value.length})`);
    [open, close] = ["[", "]"];
    isArray = { more: value.length > o.maxArrayLength };
    numeric = value;
    let holes = 0;
    const flush = () => { if (holes) entries.push(paint(o, `<${holes} empty item${holes > 1 ? "s" : ""}>`, "undefined")); holes = 0; };
    let shown = 0, i = 0;
    for (; i < value.length && shown < o.maxArrayLength; i++) {
      if (!hasOwn(value, i)) { if (holes++ === 0) shown++; continue; }
      flush();
      entries.push(property(o, value, i, level, true));
      shown++;
    }
    flush();
    if (i < value.length) entries.push(`... ${value.length - i} more item${value.length - i > 1 ? "s" : ""}`);
  } else if (value instanceof Set) {
    head = prefix(value, "Set", `(${value.size})`);
    entries = limited(o, [...Set.prototype.values.call(value)], inner);
  } else if (value instanceof Map) {
    head = prefix(value, "Map", `(${value.size})`);
    entries = limited(o, [...Map.prototype.entries.call(value)], ([k, v]) => `${inner(k)} => ${inner(v)}`);
  } else if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
    if (nameOf(value) === "Buffer") {
      const bytes = Array.from(value.subarray(0, 50), (b) => b.toString(16).padStart(2, "0")).join(" ");
      return { done: `<Buffer${bytes ? " " + bytes : ""}${value.length > 50 ? ` ... ${value.length - 50} more byte${value.length > 51 ? "s" : ""}` : ""}>` };
    }
    keys = keys.filter((k) => typeof k === "symbol" || !/^\d+$/.test(k));
    head = prefix(value, "", `(${value.length})`);
    [open, close] = ["[", "]"];
    isArray = { more: value.length > o.maxArrayLength };
    numeric = Array.from(value);
    entries = limited(o, numeric, (v) => primitive(o, v));
  } else if (value instanceof ArrayBuffer) {
    head = prefix(value, "ArrayBuffer");
    head ||= "ArrayBuffer ";
    entries = [`[Uint8Contents]: <${Array.from(new Uint8Array(value).subarray(0, 50), (b) => b.toString(16).padStart(2, "0")).join(" ")}>`, `byteLength: ${primitive(o, value.byteLength)}`];
  } else if (value instanceof Error) {
    let text = stackOf(value);
    keys = keys.filter((k) => !["name", "message", "stack"].includes(k) || (k === "name" && !text.includes(String(value.name))));
    for (const k of ["cause", "errors"]) if (hasOwn(value, k) && !keys.includes(k)) keys.push(k);
    if (o.at) text = text.replaceAll("\n", `\n${" ".repeat(o.at)}`);
    if (keys.length === 0) return { done: text };
    head = text + " ";
  } else if (value instanceof RegExp) {
    const text = paint(o, RegExp.prototype.toString.call(value), "regexp");
    if (keys.length === 0) return { done: text };
    head = text + " ";
  } else if (value instanceof Date) {
    const text = paint(o, isNaN(value) ? "Invalid Date" : Date.prototype.toISOString.call(value), "date");
    if (keys.length === 0) return { done: text };
    head = text + " ";
  } else if (typeof value === "function") {
    const source = Function.prototype.toString.call(value), name = value.name;
    let text;
    if (/^class\b/.test(source)) {
      const parent = Object.getPrototypeOf(value);
      text = `[class ${name || "(anonymous)"}${parent && parent !== Function.prototype && parent.name ? ` extends ${parent.name}` : ""}]`;
    } else {
      const kind = nameOf(value) ?? "Function";
      text = `[${kind}${name ? `: ${name}` : " (anonymous)"}]`;
    }
    text = paint(o, text, "special");
    if (keys.length === 0) return { done: text };
    head = text + " ";
  } else if (value instanceof Promise) {
    head = prefix(value, "") || "Promise ";
    entries = [paint(o, "<pending>", "special")];
  } else if (value instanceof WeakSet || value instanceof WeakMap) {
    head = prefix(value, "");
    entries = [paint(o, "<items unknown>", "special")];
  } else if (value instanceof Number || value instanceof String || value instanceof Boolean) {
    const type = nameOf(value);
    if (type === "String") keys = keys.filter((k) => typeof k === "symbol" || !/^\d+$/.test(k));
    const text = `[${type}: ${primitive({ ...o, colors: false }, value.valueOf())}]`;
    if (keys.length === 0) return { done: text };
    head = text + " ";
  } else if (Object.prototype.toString.call(value) === "[object Arguments]") {
    head = "[Arguments] ";
    [open, close] = ["[", "]"];
    keys = keys.filter((k) => typeof k === "symbol" || !/^\d+$/.test(k));
    entries = Array.from(value, inner);
  } else if (typeof value.next === "function" && /Generator|Iterator/.test(tagOf(value, ""))) {
    head = `Object [${tagOf(value, "Object")}] `;
  } else {
    head = prefix(value, "Object");
    if (keys.length === 0) return { done: `${head}{}` };
  }
  if (keys.length === 0 && entries.length === 0) return { done: `${head}${open}${close}` };
  return { keys, open, close, head, entries, isArray, numeric };
};

const show = (o, value, level, line) => {
  if ((typeof value !== "object" || value === null) && typeof value !== "function") return primitive(o, value, line);
  if (o.customInspect) {
    const own = value[custom];
    if (typeof own === "function" && own !== inspect) {
      const { at, current, seen, budget, circular, ...rest } = o;
      const got = own.call(value, o.depth === null || o.depth === Infinity ? o.depth : o.depth - level, { ...rest, stylize: (t, s) => paint(o, t, s) }, inspect);
      if (got !== value) return typeof got === "object" && got !== null ? show(o, got, level, line) : String(got).replaceAll("\n", `\n${" ".repeat(o.at)}`);
    }
  }
  if (o.seen.includes(value)) {
    if (!o.circular.has(value)) o.circular.set(value, o.circular.size + 1);
    return paint(o, `[Circular *${o.circular.get(value)}]`, "special");
  }
  if (level > o.depth && o.depth !== null) {
    if (Array.isArray(value)) return paint(o, "[Array]", "special");
    if (typeof value !== "function" && !(value instanceof Error) && !(value instanceof Date) && !(value instanceof RegExp)) return paint(o, `[${nameOf(value) ?? "Object: null prototype"}]`, "special");
  }
  o.seen.push(value);
  o.current = level;
  try {
    const k = kinds(o, value, level + 1);
    if (k.done !== undefined) return k.done;
    const entries = [...k.entries, ...k.keys.map((key) => property(o, value, key, level + 1, false))];
    if (o.sorted) entries.sort(typeof o.sorted === "function" ? o.sorted : undefined);
    let head = k.head;
    if (o.circular.has(value)) head = `${paint(o, `<ref *${o.circular.get(value)}>`, "special")} ${head}`;
    return together(o, entries, k.open, k.close, k.isArray, level, k.numeric, head);
  } finally {
    o.seen.pop();
  }
};

const usual = { showHidden: false, depth: 2, colors: false, customInspect: true, showProxy: false, maxArrayLength: 100, maxStringLength: 10000, breakLength: 80, compact: 3, sorted: false, getters: false, numericSeparator: false };
const inspect = (value, options, depth, colors) => {
  const given = typeof options === "boolean" ? { showHidden: options, depth: depth ?? 2, colors: colors ?? false } : options ?? {};
  const o = { ...usual, ...given, at: 0, current: 0, seen: [], circular: new Map() };
  o.depth ??= Infinity;
  o.maxArrayLength ??= Infinity;
  o.maxStringLength ??= Infinity;
  if (o.compact === false) o.compact = 0;
  return show(o, value, 0, false);
};
Object.assign(inspect, { custom, defaultOptions: usual, styles: {}, colors: Object.fromEntries(Object.entries({ reset: [0, 0], bold: [1, 22], dim: [2, 22], italic: [3, 23], underline: [4, 24], inverse: [7, 27], hidden: [8, 28], strikethrough: [9, 29], black: [30, 39], red: [31, 39], green: [32, 39], yellow: [33, 39], blue: [34, 39], magenta: [35, 39], cyan: [36, 39], white: [37, 39], gray: [90, 39], grey: [90, 39], bgRed: [41, 49], bgGreen: [42, 49], bgYellow: [43, 49], bgBlue: [44, 49] })) });

const formatWith = (options, ...args) => {
  let text = "", from = 0;
  const said = (v) => (typeof v === "string" ? v : inspect(v, { ...options, compact: 3 }));
  if (typeof args[0] === "string") {
    if (args.length === 1) return args[0];
    let i = 1;
    text = args[0].replace(/%[sdifjoOc%]/g, (m) => {
      if (m === "%%") return "%";
      if (i >= args.length) return m;
      const a = args[i++];
      switch (m[1]) {
        case "s": return typeof a === "bigint" ? `${a}n` : Object.is(a, -0) ? "-0" : typeof a === "object" && a !== null ? (a instanceof Error || (typeof a.toString === "function" && a.toString !== Object.prototype.toString && a.toString !== Array.prototype.toString && !(a instanceof Date)) ? String(a) : inspect(a, { ...options, depth: 0, colors: false, compact: 3 })) : typeof a === "function" && !hasOwn(a, "toString") ? Function.prototype.toString.call(a) : String(a);
        case "d": return typeof a === "bigint" ? `${a}n` : typeof a === "symbol" ? "NaN" : Object.is(Number(a), -0) ? "-0" : String(typeof a === "object" && a !== null ? NaN : Number(a));
        case "i": return typeof a === "bigint" ? `${a}n` : typeof a === "object" ? "NaN" : String(Math.trunc(parseFloat(a)) || (parseInt(a, 10)));
        case "f": return typeof a === "symbol" ? "NaN" : String(parseFloat(a));
        case "j": try { return JSON.stringify(a); } catch (e) { if (/circular/.test(e.message)) return "[Circular]"; throw e; }
        case "o": return inspect(a, { ...options, showHidden: true, showProxy: true, depth: 4 });
        case "O": return inspect(a, options);
      }
      return "";
    });
    from = i;
    const rest = args.slice(from);
    return rest.length ? `${text} ${rest.map(said).join(" ")}` : text;
  }
  return args.map(said).join(" ");
};
const format = (...args) => formatWith({}, ...args);

export default { inspect, format, formatWith };
