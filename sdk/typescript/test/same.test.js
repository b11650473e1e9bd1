// One file, in hookway's own runtime and in Node: the same decisions.

import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { Client } from "../client.js";
import { home } from "./kit.js";

const text = `
import { allow, answer, ask, block, change, hook, inject, modify, on, proceed, retry, skip } from "hookway";

on("PreToolUse", { tool: "Bash|Shell", command: ["^rm\\\\b", "\\\\bsudo\\\\b"] }, (event, ctx) => {
  ctx.inject("seen by " + ctx.sessionId);
  return block("no " + event.tool_input.command, "for you");
});
on("beforeTool", async (event) => modify({ tool_input: { url: event.tool_input.url.replace("http:", "https:"), old: null } }), { match: { fields: { "tool_input.url": "http:*" } } });
on("PreToolUse", { path: ["src/**", ".env"], not: { path: "*.md" } }, () => ask("sure?", { inject: "look first" }));
hook({ on: "PreToolUse", tool: "mcp__*", handler: (event) => answer({ cached: [event.tool_name] }) });
on("PreToolUse", { tool: "Retry" }, () => retry(5));
on("PreToolUse", { tool: "Allow", any: [{ session: "s-1" }, { agent: "a*" }] }, () => allow("known", { metadata: { ticket: 1 } }));
on("PreToolUse", { tool: "Quiet" }, () => proceed());
on("PreToolUse", { tool: "Skip" }, () => skip());
on("PreToolUse", { tool: "Number" }, (event) => change({ tool_input: { ...event.tool_input, seen: true } }));
on("PreToolUse", { deletes: "keep/**", lane: "guard" }, (event, ctx) => block("deletes " + ctx.facts.find((f) => f.does === "delete").path.split("/").pop()));
on("PreToolUse", { lane: "guard", where: (event) => event.facts?.some((f) => f.does === "git" && f.force) }, () => block("no force"));
on("UserPromptSubmit", (event) => inject(event.prompt.toUpperCase()));
export default hook({ on: "Stop", handler: () => block("go on") });
`;

const use = (tool_name, tool_input = {}) => ["PreToolUse", { tool_name, tool_input }];
const events = [
  use("Bash", { command: "rm -rf x" }), use("Shell", { command: "a; sudo b" }), use("Bash", { command: "ls" }), use("Bash", { command: "cd keep; unlink 'x'y" }), use("Bash", { command: "git push -f" }), use("Bash", { command: "echo unlink keep/x" }), use("Read", { command: "rm x" }),
  use("Fetch", { url: "http://example.com/a", old: 1, kept: 2 }), use("Fetch", { url: "https://example.com/a" }),
  use("Write", { file_path: "src/a/b.ts" }), use("Write", { file_path: "a/.env" }), use("Write", { file_path: "src/b.md" }),
  use("mcp__fs/read"), use("Retry"), use("Allow"), use("Quiet"), use("Skip"), use("Number", { n: 9007199254740991 }),
  ["AgentStart", { prompt: "hello" }], ["AgentStop", { success: true, stop_hook_active: false }], ["SubagentStop", { agent_type: "x" }],
];

test("one file decides the same in hookway's own runtime and in Node", async (t) => {
  const { work } = home(t);
  const client = new Client({ session_id: "s-1" });
  t.after(() => client.close());
  const outcomes = async (name, config) => {
    const cwd = path.join(work, name);
    mkdirSync(path.join(cwd, "node_modules"), { recursive: true });
    symlinkSync(fileURLToPath(new URL("..", import.meta.url)), path.join(cwd, "node_modules", "hookway"), "junction");
    writeFileSync(path.join(cwd, "same.mjs"), text);
    writeFileSync(path.join(cwd, "hookway.yaml"), config);
    const out = [];
    for (const [event, payload] of events) {
      const o = await client.fire(event, payload, { cwd });
      if (o.metadata?.approval) o.metadata.approval.code = "of its own"; // each ask has another
      for (const s of o.steps) assert.ok(!s.error, `${name}, ${JSON.stringify(payload)}: ${s.error}`);
      out.push({ event, for: payload, action: o.action, reason: o.reason, user_message: o.user_message, payload: o.payload, inject: o.inject, result: o.result, retry: o.retry_delay_ms, metadata: o.metadata });
    }
    return out;
  };
  const inside = await outcomes("inside", "hooks:\n  - {id: same, script: same.mjs}\n");
  const node = await outcomes("node", 'hooks:\n  - {id: same, on: [PreToolUse, AgentStart, Stop], command: [node, same.mjs], mode: worker}\n');
  const once = await outcomes("once", 'hooks:\n  - {id: same, on: [PreToolUse, AgentStart, Stop], command: [node, same.mjs]}\n');
  node.forEach((o, i) => assert.deepEqual(o, inside[i]));
  once.forEach((o, i) => assert.deepEqual(o, inside[i]));
  assert.deepEqual(inside.slice(0, 5).map((o) => o.action), ["block", "block", "continue", "block", "block"]);
  assert.deepEqual([inside[3].reason, inside[4].reason, inside[5].action], ["deletes xy", "no force", "continue"]);
  assert.equal(inside[7].payload.tool_input.url, "https://example.com/a");
  assert.equal(inside.find((o) => o.event === "AgentStop").reason, "go on");
});
