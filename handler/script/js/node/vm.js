// node:vm. Code sees its context in place of the global scope. As in Node, this is
// no wall: what the machine may do, such code may do.
const contexts = new WeakMap();
const hidden = Symbol("vm");
const scopeOf = (context) => contexts.get(context) ?? (contexts.set(context, new Proxy(context, {
  has: (own, key) => typeof key === "string" && !["eval", "__scope", "__code"].includes(key),
  get: (own, key) => {
    if (key === Symbol.unscopables) return undefined;
    if (key in own) return own[key];
    if (key === "globalThis") return own;
    if (intrinsics.has(key)) return globalThis[key];
    throw new ReferenceError(`${String(key)} is not defined`);
  },
  set: (own, key, value) => { own[key] = value; return true; },
})), contexts.get(context));
const intrinsics = new Set(["Object", "Function", "Array", "Number", "parseFloat", "parseInt", "Infinity", "NaN", "undefined", "Boolean", "String", "Symbol", "Date", "Promise", "RegExp", "Error", "AggregateError", "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError", "JSON", "Math", "Intl", "ArrayBuffer", "Uint8Array", "Int8Array", "Uint16Array", "Int16Array", "Uint32Array", "Int32Array", "Float32Array", "Float64Array", "Uint8ClampedArray", "BigUint64Array", "BigInt64Array", "DataView", "Map", "BigInt", "Set", "WeakMap", "WeakSet", "WeakRef", "Proxy", "Reflect", "decodeURI", "decodeURIComponent", "encodeURI", "encodeURIComponent", "escape", "unescape", "isFinite", "isNaN"]);
const check = (code) => { try { new Function(code); } catch (e) { try { (0, eval)(`(async () => {${code}\n})`); } catch { throw e; } } };

// declared puts what code declares at its top into its context, as a script's would be.
const declared = (code) => code.replace(/^(?:var|function|class)\b/gm, (m) => m).replace(/^(?:var)\s+(?=[A-Za-z_$][\w$]*\s*=)/gm, "");
const runInContext = (code, context) => Function("__scope", "__code", "with (__scope) { return eval(__code); }").call(context, scopeOf(context), declared(String(code)));
const createContext = (of = {}) => { Object.defineProperty(of, hidden, { value: true, configurable: true }); return of; };
class Script {
  constructor(code) { this.code = String(code); check(this.code); }
  runInThisContext() { return (0, eval)(this.code); }
  runInContext(context) { return runInContext(this.code, context); }
  runInNewContext(of = {}) { return runInContext(this.code, createContext(of)); }
}
export default {
  Script, createContext, isContext: (of) => of?.[hidden] === true, runInContext, runInNewContext: (code, of = {}) => runInContext(code, createContext(of)), runInThisContext: (code) => (0, eval)(String(code)),
  compileFunction: (code, params = []) => new Function(...params, code), constants: {}, measureMemory: async () => ({}),
};
