// node:util.
import shown from "hookway:inspect";
import types from "node:util/types";

const { inspect, format, formatWith } = shown;
const custom = Symbol.for("nodejs.util.promisify.custom");

const promisify = (fn) => {
  if (typeof fn !== "function") throw Object.assign(new TypeError('The "original" argument must be of type function'), { code: "ERR_INVALID_ARG_TYPE" });
  if (fn[custom]) return fn[custom];
  const made = function (...args) { return new Promise((resolve, reject) => Reflect.apply(fn, this, [...args, (e, v) => (e ? reject(e) : resolve(v))])); };
  return Object.defineProperty(Object.setPrototypeOf(made, Object.getPrototypeOf(fn)), custom, { value: made });
};
promisify.custom = custom;

const callbackify = (fn) => function (...args) {
  const done = args.pop();
  Reflect.apply(fn, this, args).then((v) => process.nextTick(done, null, v), (e) => process.nextTick(done, e ?? new Error("it was rejected with nothing")));
};

const inherits = (child, parent) => {
  Object.defineProperty(child, "super_", { value: parent, writable: true, configurable: true });
  Object.setPrototypeOf(child.prototype, parent.prototype);
};

const deprecate = (fn) => fn;
const stripVTControlCharacters = (text) => String(text).replace(/[\u001B\u009B][[\]()#;?]*(?:(?:(?:(?:;[-a-zA-Z\d/#&.:=?%@~_]+)*|[a-zA-Z\d]+(?:;[-a-zA-Z\d/#&.:=?%@~_]*)*)?(?:\u0007|\u001B\u005C|\u009C))|(?:(?:\d{1,4}(?:;\d{0,4})*)?[\dA-PR-TZcf-nq-uy=><~]))/g, "");
const styleText = (style, text) => [style].flat().reduceRight((t, s) => (inspect.colors[s] ? `\u001b[${inspect.colors[s][0]}m${t}\u001b[${inspect.colors[s][1]}m` : t), text);

const same = (a, b, strict, seen = []) => {
  if (strict ? Object.is(a, b) : a == b || (a !== a && b !== b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (strict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (seen.some(([x, y]) => x === a && y === b)) return true;
  const inner = [...seen, [a, b]];
  if (a instanceof Date && b instanceof Date && +a !== +b) return false;
  if (a instanceof RegExp && b instanceof RegExp && String(a) !== String(b)) return false;
  if (a instanceof Error && b instanceof Error && (a.message !== b.message || a.name !== b.name)) return false;
  if ((a instanceof Number || a instanceof String || a instanceof Boolean) && !Object.is(a.valueOf(), b.valueOf())) return false;
  if (a instanceof Map && b instanceof Map) return a.size === b.size && [...a].every(([k, v]) => (b.has(k) ? same(v, b.get(k), strict, inner) : [...b].some(([k2, v2]) => same(k, k2, strict, inner) && same(v, v2, strict, inner))));
  if (a instanceof Set && b instanceof Set) return a.size === b.size && [...a].every((v) => b.has(v) || [...b].some((w) => same(v, w, strict, inner)));
  const keys = Object.keys(a), others = Object.keys(b);
  return keys.length === others.length && (!Array.isArray(a) || a.length === b.length) && keys.every((k) => Object.hasOwn(b, k) && same(a[k], b[k], strict, inner));
};
const isDeepStrictEqual = (a, b) => same(a, b, true);

const wrong = (code, message) => Object.assign(new TypeError(message), { code });
const parseArgs = ({ args = process.argv.slice(2), options = {}, strict = true, allowPositionals = !strict, allowNegative = false, tokens: wanted = false } = {}) => {
  const values = Object.create(null), positionals = [], tokens = [];
  const set = (name, value, raw, index, inline) => {
    let known = Object.hasOwn(options, name) ? options[name] : undefined;
    if (!known && allowNegative && name.startsWith("no-") && options[name.slice(3)]?.type === "boolean") { name = name.slice(3); known = options[name]; value = false; }
    tokens.push({ kind: "option", name, rawName: raw, index, value: typeof value === "string" ? value : undefined, inlineValue: typeof value === "string" ? inline : undefined });
    if (strict) {
      if (!known) throw wrong("ERR_PARSE_ARGS_UNKNOWN_OPTION", `Unknown option '${raw}'${allowPositionals ? `. To specify a positional argument starting with a '-', place it at the end of the command after '--', as in '-- "${raw}"` : ""}`);
      const short = known.short ? `-${known.short}, ` : "";
      if (known.type === "string" && typeof value !== "string") throw wrong("ERR_PARSE_ARGS_INVALID_OPTION_VALUE", `Option '${short}--${name} <value>' argument missing`);
      if (known.type === "boolean" && typeof value === "string") throw wrong("ERR_PARSE_ARGS_INVALID_OPTION_VALUE", `Option '${short}--${name}' does not take an argument`);
    }
    value ??= true;
    if (known?.multiple) (values[name] ??= []).push(value);
    else values[name] = value;
  };
  for (let i = 0; i < args.length; i++) {
    const arg = args[i];
    if (arg === "--") {
      tokens.push({ kind: "option-terminator", index: i });
      for (let j = i + 1; j < args.length; j++) { positionals.push(args[j]); tokens.push({ kind: "positional", index: j, value: args[j] }); }
      break;
    }
    if (arg.startsWith("--")) {
      const at = arg.indexOf("="), name = arg.slice(2, at < 0 ? undefined : at);
      if (at >= 0) set(name, arg.slice(at + 1), `--${name}`, i, true);
      else if (options[name]?.type === "string" && i + 1 < args.length && (!strict || !args[i + 1].startsWith("-") || args[i + 1] === "-")) set(name, args[++i], arg, i - 1, false);
      else set(name, undefined, arg, i);
    } else if (arg.startsWith("-") && arg.length > 1) {
      const letters = arg.slice(1);
      for (let j = 0; j < letters.length; j++) {
        const name = Object.keys(options).find((n) => options[n].short === letters[j]) ?? letters[j];
        if (options[name]?.type === "string") {
          if (j + 1 < letters.length) set(name, letters.slice(j + 1), `-${letters[j]}`, i, true);
          else if (i + 1 < args.length && !args[i + 1].startsWith("-")) set(name, args[++i], `-${letters[j]}`, i - 1, false);
          else set(name, undefined, `-${letters[j]}`, i);
          break;
        }
        set(name, undefined, `-${letters[j]}`, i);
      }
    } else {
      if (!allowPositionals) throw wrong("ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL", `Unexpected argument '${arg}'. This command does not take positional arguments`);
      positionals.push(arg);
      tokens.push({ kind: "positional", index: i, value: arg });
    }
  }
  for (const [name, o] of Object.entries(options)) if (o.default !== undefined && values[name] === undefined) values[name] = o.default;
  return wanted ? { values, positionals, tokens } : { values, positionals };
};

export default {
  promisify, callbackify, inherits, deprecate, inspect, format, formatWithOptions: formatWith, types, isDeepStrictEqual, parseArgs, stripVTControlCharacters, styleText,
  TextEncoder, TextDecoder, debuglog: () => Object.assign(() => {}, { enabled: false }), debug: () => Object.assign(() => {}, { enabled: false }),
  isArray: Array.isArray, isString: (v) => typeof v === "string", isFunction: (v) => typeof v === "function", isRegExp: types.isRegExp, isDate: types.isDate, isError: (v) => v instanceof Error,
  isBoolean: (v) => typeof v === "boolean", isNumber: (v) => typeof v === "number", isUndefined: (v) => v === undefined, isNull: (v) => v === null, isObject: (v) => v !== null && typeof v === "object",
  toUSVString: (s) => String(s).toWellFormed(), getSystemErrorName: (n) => __hookway.part("os").constants.errnoName(n), aborted: (signal) => new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener("abort", () => resolve(), { once: true }))),
  parseEnv: (text) => Object.fromEntries([...String(text).matchAll(/^\s*(?:export\s+)?([\w.-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^#\n]*))/gm)].map((m) => [m[1], m[2] !== undefined ? m[2].replaceAll("\\n", "\n") : m[3] ?? m[4].trim()])),
  _extend: Object.assign, log: (...args) => console.log(...args), same,
};
