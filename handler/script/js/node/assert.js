// node:assert.
import util from "node:util";

const { inspect, same } = util;
class AssertionError extends Error {
  constructor({ message, actual, expected, operator, generated = message === undefined }) {
    super(message ?? `${inspect(actual)} ${operator} ${inspect(expected)}`);
    Object.assign(this, { generatedMessage: generated, code: "ERR_ASSERTION", actual, expected, operator });
    Object.defineProperty(this, "name", { value: "AssertionError", writable: true, configurable: true });
  }
}
const fails = (actual, expected, message, operator, usual) => {
  if (message instanceof Error) throw message;
  throw new AssertionError({ message: message ?? usual, actual, expected, operator, generated: message === undefined });
};
const assert = (value, message) => { if (!value) fails(value, true, message, "==", arguments_(value)); };
const arguments_ = (value) => (value === undefined ? "The expression evaluated to a falsy value" : "The expression evaluated to a falsy value:\n\n  assert.ok(" + inspect(value) + ")\n");
const fits = (e, expected) => {
  if (expected === undefined) return true;
  if (typeof expected === "function") {
    if (expected.prototype !== undefined && e instanceof expected) return true;
    if (Object.prototype.isPrototypeOf.call(Error, expected)) return false;
    return expected.call({}, e) === true;
  }
  if (expected instanceof RegExp) return expected.test(String(e));
  return Object.keys(expected).every((k) => (expected[k] instanceof RegExp && typeof e[k] === "string" ? expected[k].test(e[k]) : same(e[k], expected[k], true)));
};
const thrown = (e, expected, message) => {
  if (typeof expected === "string") [expected, message] = [undefined, expected];
  if (!fits(e, expected)) { if (typeof expected === "function" || expected instanceof RegExp) { if (expected instanceof RegExp) fails(e, expected, message, "throws", `The input did not match the regular expression ${expected}. Input:\n\n${inspect(String(e))}\n`); throw e; } fails(e, expected, message, "throws"); }
};
const none = Symbol("none");
Object.assign(assert, {
  ok: (value, message) => assert(value, message),
  equal: (a, b, m) => { if (!(a == b || (a !== a && b !== b))) fails(a, b, m, "=="); },
  notEqual: (a, b, m) => { if (a == b) fails(a, b, m, "!="); },
  strictEqual: (a, b, m) => { if (!Object.is(a, b)) fails(a, b, m, "strictEqual", `Expected values to be strictly equal:\n\n${inspect(a)} !== ${inspect(b)}\n`); },
  notStrictEqual: (a, b, m) => { if (Object.is(a, b)) fails(a, b, m, "notStrictEqual", `Expected "actual" to be strictly unequal to: ${inspect(b)}`); },
  deepEqual: (a, b, m) => { if (!same(a, b, false)) fails(a, b, m, "deepEqual", `Expected values to be loosely deep-equal:\n\n${inspect(a)}\n\nshould loosely deep-equal\n\n${inspect(b)}`); },
  deepStrictEqual: (a, b, m) => { if (!same(a, b, true)) fails(a, b, m, "deepStrictEqual", `Expected values to be strictly deep-equal:\n${inspect(a)}\n\nshould equal\n\n${inspect(b)}`); },
  notDeepEqual: (a, b, m) => { if (same(a, b, false)) fails(a, b, m, "notDeepEqual"); },
  notDeepStrictEqual: (a, b, m) => { if (same(a, b, true)) fails(a, b, m, "notDeepStrictEqual"); },
  match: (text, re, m) => { if (typeof text !== "string" || !re.test(text)) fails(text, re, m, "match", `The input did not match the regular expression ${re}. Input:\n\n${inspect(text)}\n`); },
  doesNotMatch: (text, re, m) => { if (re.test(text)) fails(text, re, m, "doesNotMatch", `The input was expected to not match the regular expression ${re}. Input:\n\n${inspect(text)}\n`); },
  throws: (fn, expected, message) => { let e = none; try { fn(); } catch (caught) { e = caught; } if (e === none) fails(undefined, expected, typeof expected === "string" ? expected : message, "throws", "Missing expected exception."); thrown(e, expected, message); },
  doesNotThrow: (fn, message) => { try { fn(); } catch (e) { fails(e, undefined, typeof message === "string" ? message : undefined, "doesNotThrow", `Got unwanted exception.\nActual message: "${e?.message}"`); } },
  rejects: async (work, expected, message) => { let e = none; try { await (typeof work === "function" ? work() : work); } catch (caught) { e = caught; } if (e === none) fails(undefined, expected, message, "rejects", "Missing expected rejection."); thrown(e, expected, message); },
  doesNotReject: async (work, message) => { try { await (typeof work === "function" ? work() : work); } catch (e) { fails(e, undefined, message, "doesNotReject", `Got unwanted rejection.\nActual message: "${e?.message}"`); } },
  fail: (message = "Failed") => { if (message instanceof Error) throw message; throw new AssertionError({ message, operator: "fail" }); },
  ifError: (e) => { if (e !== null && e !== undefined) throw e; },
  AssertionError,
});
assert.strict = Object.assign((value, message) => assert(value, message), assert, { equal: assert.strictEqual, notEqual: assert.notStrictEqual, deepEqual: assert.deepStrictEqual, notDeepEqual: assert.notDeepStrictEqual });
assert.strict.strict = assert.strict;
export default assert;
