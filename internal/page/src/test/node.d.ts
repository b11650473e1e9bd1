// What of Node the tests use; its own declarations are larger than the page.
declare module "node:test" {
  export default function test(name: string, run: () => void | Promise<void>): void;
}
declare module "node:assert/strict" {
  const assert: { equal(got: unknown, want: unknown, says?: string): void; deepEqual(got: unknown, want: unknown, says?: string): void; ok(got: unknown, says?: string): void; throws(run: () => void, says?: RegExp): void };
  export default assert;
}
