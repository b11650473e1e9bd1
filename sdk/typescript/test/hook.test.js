// A file of hooks as a program: for one event, as a worker, and described.

import assert from "node:assert/strict";
import test from "node:test";
import { bash, once, program, start, worker } from "./kit.js";

const answers = async (t, text, event, env) => {
  const out = await once(program(t, `import { on, hook, block, allow, ask, inject, modify, change, answer, retry, skip, proceed } from "hookway";\n${text}`), event, env);
  assert.equal(out.code, 0, out.stderr);
  return out.stdout === "" ? {} : JSON.parse(out.stdout);
};

test("each decision arrives as it was made", async (t) => {
  for (const [text, want] of [
    ['block("no")', { action: "block", reason: "no" }],
    ['block("no", "ask Ops")', { action: "block", reason: "no", user_message: "ask Ops" }],
    ['block("no", { inject: "try ls" })', { action: "block", reason: "no", inject: "try ls" }],
    ["allow()", { action: "allow" }],
    ['ask("sure?")', { action: "ask", reason: "sure?" }],
    ['inject("remember")', { inject: "remember" }],
    ['modify({ tool_input: { command: "ls -l" } })', { action: "continue", modified: { tool_input: { command: "ls -l" } } }],
    ["change({ tool_input: { timeout: null } })", { action: "continue", modified: { tool_input: { timeout: null } } }],
    ["answer({ cached: true })", { action: "answer", result: { cached: true } }],
    ["retry(250)", { action: "retry", retry_delay_ms: 250 }],
    ["skip()", { action: "skip" }],
    ["proceed()", { action: "continue" }],
    ["undefined", {}],
    ['({ decision: "block", reason: "as others write it" })', { decision: "block", reason: "as others write it" }],
  ]) {
    assert.deepEqual(await answers(t, `on("PreToolUse", async () => ${text});`, bash("ls")), want, text);
  }
});

test("a hook is asked for what it matches only", async (t) => {
  const file = program(t, `
    import { on, inject } from "hookway";
    on("beforeTool", { tool: "Bash|Edit", command: "(?i)\\\\bRM\\\\b" }, () => inject("rm"));
    on(["PreToolUse", "PostToolUse"], () => inject("glob"), { match: { tool: "mcp__*" } });
    on("*", { path: "src/**", not: { path: "*.md" } }, () => inject("path"));
    on("*", { any: [{ session: "s-9" }, { fields: { "tool_input.url": "https://*" } }] }, () => inject("any"));
    on("*", { enabled: false }, () => inject("never"));
  `);
  for (const [event, want] of [
    [bash("rm -rf x"), "rm"],
    [bash("ls"), undefined],
    [bash("ls", { tool_name: "mcp__fs/read" }), "glob"],
    [bash("", { tool_name: "Write", tool_input: { file_path: "src/a/b.ts" } }), "path"],
    [bash("", { tool_name: "Write", tool_input: { file_path: "src/a/b.md" } }), undefined],
    [bash("", { tool_name: "Write", tool_input: { file_path: "../src/b.ts" } }), undefined],
    [bash("ls", { session_id: "s-9" }), "any"],
    [bash("", { tool_name: "Fetch", tool_input: { url: "https://example.com/a" } }), "any"],
  ]) {
    const out = await once(file, event);
    assert.equal(out.code, 0, out.stderr);
    assert.equal(out.stdout && JSON.parse(out.stdout).inject, want ?? "", JSON.stringify(event));
  }
});

test("hooks of one file are asked one after the other, and see what was changed", async (t) => {
  const text = `
    on("PreToolUse", { lane: "guard" }, (e) => e.tool_input.command === "b" ? block("it was changed") : undefined);
    on("PreToolUse", { priority: 10 }, (e, ctx) => { ctx.inject("first"); return modify({ tool_input: { command: "b", old: null } }); });
    on("PreToolUse", { priority: 20 }, (e) => inject("saw " + e.tool_input.command));
  `;
  assert.deepEqual(await answers(t, text, bash("a", { tool_input: { command: "a", old: 1, kept: [1] } })), {
    action: "block", reason: "it was changed", inject: "first\n\nsaw b", modified: { tool_input: { command: "b", old: null } },
  });
});

test("lanes: who transforms comes first, a guard may not change, who observes has no say", async (t) => {
  const lanes = `
    on("PreToolUse", { lane: "observe" }, (e, ctx) => { ctx.inject("unheard"); console.log("observed " + e.tool_input.command); return block("unheard"); });
    on("PreToolUse", { lane: "observe" }, () => { throw new Error("of an observer"); });
    on("PreToolUse", { lane: "guard" }, (e) => ask(e.tool_input.command));
    on("PreToolUse", () => modify({ tool_input: { command: "b" } }));
  `;
  const out = await once(program(t, `import { on, ask, block, modify } from "hookway";${lanes}`), bash("a"));
  assert.deepEqual(JSON.parse(out.stdout), { action: "ask", reason: "b", modified: { tool_input: { command: "b" } } });
  assert.match(out.stderr, /observed b\n[^]*hook\.mjs:3: Error: of an observer/);
  for (const [text, want] of [
    ['on("PreToolUse", () => skip()); on("PreToolUse", () => block("skipped")); on("PreToolUse", { lane: "guard" }, () => inject("guarded"));', { action: "skip", inject: "guarded" }],
    ['on("PreToolUse", { lane: "guard" }, () => block("no")); on("PreToolUse", { lane: "guard" }, () => { throw new Error(); }); on("PreToolUse", { lane: "observe" }, () => allow());', { action: "block", reason: "no" }],
    ['on("PreToolUse", { lane: "observe" }, () => block("alone"));', {}],
    ['on("PreToolUse", { tool: "Other" }, () => block("no")); on("PreToolUse", () => modify({ tool_name: "Other" }), { priority: 1 });', { action: "block", reason: "no", modified: { tool_name: "Other" } }],
  ]) {
    assert.deepEqual(await answers(t, text, bash("ls")), want, text);
  }
  for (const [text, want] of [
    ['on("PreToolUse", { lane: "guard" }, () => modify({ tool_input: {} }));', /hook\.mjs:2: a guard may not change the event; give it the lane transform$/],
    ['on("PreToolUse", { lane: "guard" }, () => skip()); on("PreToolUse", () => {});', /hook\.mjs:2: a guard cannot skip other guards$/],
    ['on("PreToolUse", { lane: "observe" }, () => { throw new Error("alone"); });', /hook\.mjs:2: Error: alone$/],
    ['on("PreToolUse", { lane: "first" }, () => {});', /hook\.mjs:2: there is no lane first; use transform, guard or observe$/],
  ]) {
    const failed = await once(program(t, `import { on, modify, skip } from "hookway";\n${text}`), bash("ls"));
    assert.deepEqual([failed.code, failed.stdout], [1, ""], text);
    assert.match(failed.last, want);
  }
});

test("numbers keep their digits", async (t) => {
  const event = '{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"n":9007199254740993,"d":0.1000000000000000055,"e":1e999,"s":"12345678901234567890 \\\\","new":1}}';
  const out = await once(program(t, 'import { on, modify } from "hookway"; on("PreToolUse", (e) => modify({ tool_input: { ...e.tool_input, new: 2 } }));'), event);
  assert.equal(out.stdout.trim(), '{"action":"continue","modified":{"tool_input":{"n":9007199254740993,"d":0.1000000000000000055,"e":1e999,"s":"12345678901234567890 \\\\","new":2}}}');
});

test("what is printed cannot spoil the answer", async (t) => {
  const file = program(t, 'import { on, block } from "hookway"; console.log("at load"); on("PreToolUse", () => { console.log("in hook"); process.stdout.write("written\\n"); return block("no"); });');
  const out = await once(file, bash("ls"));
  assert.deepEqual(JSON.parse(out.stdout), { action: "block", reason: "no" });
  assert.match(out.stderr, /at load\nin hook\nwritten/);
});

test("a failure says where", async (t) => {
  for (const [text, want] of [
    ['on("PreToolUse", () => { throw new TypeError("no such table"); });', /^hook\.mjs:2: TypeError: no such table$/],
    ['on("PreToolUse", async () => { await null; null.x; });', /^hook\.mjs:2: TypeError: Cannot read/],
    ['on("PreToolUse", () => { throw "a text"; });', /^it threw 'a text'$/],
    ['on("PreToolUse", () => true);', /^hook\.mjs:2: it returned true; return block\(\)/],
    ['on("PreToolUse", () => null);', /^hook\.mjs:2: it returned null;/],
    ['on("PreToolUse", () => new Promise(() => setTimeout(() => { throw new Error("later"); })));', /^hook\.mjs:2: Error: later$/],
    ['on("PreToolUse", () => new Promise(() => { Promise.reject(new Error("nobody looks")); setTimeout(() => {}, 1e6); }));', /^hook\.mjs:2: Error: nobody looks$/],
    ['on("PreToolUse", { tool: "[x" }, () => {});', /hook\.mjs:2: tool: glob "\[x": a "\[" is not closed$/],
    ['on("PreToolUse", { too: "x" }, () => {});', /hook\.mjs:2: a hook has no option too; it may have id/],
    ['on("PreToolUse", {});', /^hook\.mjs:2: TypeError: the hook of PreToolUse has no handler/],
    ['on("PostToolUse", () => {});', /^no hook of this file is for PreToolUse; it has hooks for PostToolUse$/],
    ["", /hook\.mjs: it has no hooks; begin with on\(/],
    ['throw new Error("at load");', /^hook\.mjs:2: Error: at load$/],
  ]) {
    const out = await once(program(t, `import { on } from "hookway";\n${text}`), bash("ls"));
    assert.equal(out.code, 1, `${text}\n${out.stdout}`);
    assert.match(out.last, want, text);
    assert.equal(out.stdout, "");
  }
});

test("wrong input is a failure that says so", async (t) => {
  const file = program(t, 'import { on } from "hookway"; on("*", () => {});');
  for (const [input, want] of [["", /stdin is not JSON/], ["{", /stdin is not JSON/], ["[]", /stdin is not an event/], ["{}", /the event has no name/]]) {
    const out = await once(file, input);
    assert.deepEqual([out.code, out.stdout], [1, ""]);
    assert.match(out.last, want);
  }
  assert.equal((await once(file, "{}", { HOOKWAY_EVENT: "Idle" })).code, 0);
});

test("an exit status is the hook's own", async (t) => {
  const file = program(t, 'import { on } from "hookway"; on("PreToolUse", () => { console.error("not on main"); process.exit(2); });');
  const out = await once(file, bash("ls"));
  assert.deepEqual([out.code, out.last], [2, "not on main"]);
  const w = worker(t, file);
  assert.deepEqual((await w.ask(bash("ls"))).result, { action: "block" });
  assert.deepEqual((await w.ask(bash("ls"))).result, { action: "block" });
});

test("it runs without hookway, too, and not where a test imports it", async (t) => {
  const file = program(t, 'import { on, block } from "hookway"; on("PreToolUse", () => block("no"));');
  const plain = start(file, { HOOK_ACTION: "" });
  plain.child.stdin.end(JSON.stringify(bash("ls")));
  assert.deepEqual(JSON.parse((await plain.ended).stdout), { action: "block", reason: "no" });
  const tested = start(file, { HOOK_ACTION: "", NODE_TEST_CONTEXT: "child-v8" });
  assert.deepEqual([(await tested.ended).code, tested.out.stdout], [0, ""]);
  const agents = await once(file, bash("ls"), { NODE_TEST_CONTEXT: "child-v8" }); // of an agent that is being tested
  assert.deepEqual(JSON.parse(agents.stdout), { action: "block", reason: "no" });
});

test("files in the forms of hookway's own runtime are understood", async (t) => {
  const want = { action: "block", reason: "no" };
  for (const text of [
    'export const on = ["PreToolUse"]; export const match = { tool: "Bash" }; export default () => block("no");',
    'import { defineHook } from "hookway"; export default defineHook({ on: "PreToolUse", handler: () => block("no") });',
    'import { defineConfig } from "hookway"; export default defineConfig({ hooks: [{ on: "PreToolUse", handler: () => block("no") }] });',
    'import { hook } from "hookway"; export default hook({ on: "PreToolUse", tool: "Bash", handler: () => block("no") });',
    'import { on } from "hookway"; await new Promise((done) => setTimeout(done, 20)); on("PreToolUse", () => block("no"));',
  ]) {
    const out = await once(program(t, `import { block } from "hookway"; ${text}`), bash("ls"));
    assert.deepEqual(out.stdout && JSON.parse(out.stdout), want, text + out.stderr);
  }
});

test("a file describes itself", async (t) => {
  const described = async (text) => {
    const out = await once(program(t, `import { on } from "hookway"; ${text}`), "", { HOOK_ACTION: "describe" });
    return out.code === 0 ? JSON.parse(out.stdout) : out.last;
  };
  assert.deepEqual(await described('on("PreToolUse", { tool: "Bash", lane: "guard", priority: 5, timeout: 500, maxRetries: 2, onFailure: "block", description: "d" }, () => {});'), {
    events: ["PreToolUse"], mode: "worker", lane: "guard", priority: 5, timeout_ms: 500, max_retries: 2, on_failure: "block", description: "d", match: { tool: "Bash" },
  });
  assert.deepEqual(await described('on(["Stop", "PreToolUse"], { tool: "A" }, () => {}); on("Stop", { timeout: "2s", agent: "b*" }, () => {});'), {
    events: ["Stop", "PreToolUse"], mode: "worker", timeout: "2s", match: { any: [{ tool: "A" }, { agent: "b*" }] },
  });
  assert.match(await described('on("Stop", { lane: "guard" }, () => {});\non("Stop", () => {});'), /hook\.mjs:2: its lane is the default, transform, but that of hook\.mjs:1 is "guard"; hookway runs a file as one hook/);
});

test("a worker answers many at once, in any order", async (t) => {
  const w = worker(t, program(t, `
    import { on, inject } from "hookway";
    let release; const gate = new Promise((done) => { release = done; });
    on("PreToolUse", async (e) => { if (e.tool_input.command === "0") await gate; if (e.tool_input.command === "299") release(); console.log("noise"); return inject(e.tool_input.command); });
  `));
  const all = await Promise.all(Array.from({ length: 300 }, (_, i) => w.ask(bash(String(i)))));
  all.forEach((m, i) => assert.deepEqual(m, { jsonrpc: "2.0", id: i + 1, result: { inject: String(i) } }));
  w.child.stdin.end();
  assert.equal((await w.ended).code, 0);
});

test("a cancelled event aborts its signal, and is answered all the same", async (t) => {
  const w = worker(t, program(t, `
    import { on, inject } from "hookway";
    on("PreToolUse", (e, { signal }) => e.tool_input.command === "listens"
      ? new Promise((_, no) => signal.addEventListener("abort", () => { console.log("aborted:", signal.reason.name); no(signal.reason); }))
      : e.tool_input.command === "deaf" ? new Promise(() => {}) : inject("still here"));
  `));
  for (const kind of ["listens", "deaf"]) {
    const call = w.ask(bash(kind));
    w.cancel(call.id);
    assert.deepEqual((await call).error, { code: 1, message: "cancelled" });
  }
  assert.match(w.out.stderr, /aborted: AbortError/);
  assert.deepEqual((await w.ask(bash("x"))).result, { inject: "still here" });
});

test("a rejection that nobody handles does not end the events of others", async (t) => {
  const w = worker(t, program(t, `
    import { on, inject } from "hookway";
    let open;
    on("PreToolUse", (e) => {
      if (e.tool_input.command === "waits") return new Promise((done) => { open = () => done(inject("waited")); });
      Promise.reject(new Error("nobody looks"));
      setImmediate(() => setImmediate(() => open()));
      return inject("at once");
    });
  `));
  const waits = w.ask(bash("waits"));
  assert.deepEqual((await w.ask(bash("rejects"))).result, { inject: "at once" });
  assert.deepEqual((await waits).result, { inject: "waited" });
  w.child.stdin.end();
  const { code, stderr } = await w.ended;
  assert.equal(code, 0);
  assert.match(stderr, /^hook\.mjs:6: Error: nobody looks; nothing awaits it$/m);
});

test("a worker says what it does not understand", async (t) => {
  const w = worker(t, program(t, 'import { on } from "hookway"; on("PreToolUse", () => { throw new Error("no"); });'));
  assert.deepEqual((await w.ask(bash("x"))).error, { code: 1, message: "hook.mjs:1: Error: no" });
  w.send({ id: 77, method: "dance" });
  assert.deepEqual((await w.answerTo(77)).error, { code: -32601, message: 'the worker was sent "dance"; it knows hook and cancel' });
  w.send("{nonsense");
  assert.equal((await w.answerTo(null)).error.code, -32700);
  w.child.stdin.end();
  assert.equal((await w.ended).code, 0);
});

test("a signal aborts the hook of one event", async (t) => {
  const file = program(t, `
    import { on } from "hookway";
    on("PreToolUse", (e, { signal }) => new Promise((done) => { setTimeout(() => {}, 1e6); signal.addEventListener("abort", () => { console.log("cleaned up"); done(); }); console.log("at work"); }));
  `);
  const { child, ended } = start(file);
  child.stdin.end(JSON.stringify(bash("ls")));
  await new Promise((done) => child.stderr.on("data", (text) => text.includes("at work") && done()));
  child.kill("SIGTERM");
  assert.match((await ended).stderr, /cleaned up/);
});
