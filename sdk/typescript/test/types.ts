// What the types promise. It is checked, and never run.
import { block, change, defineHook, hook, inject, modify, on, type Decision, type HookEvent, type Match, type Options } from "hookway";
import { Blocked, Client, type Outcome } from "hookway/client";

on("PreToolUse", { tool: "Bash" }, async (event, ctx) => {
  const name: string = event.tool_name;
  const input: Record<string, any> = event.tool_input;
  ctx.signal.throwIfAborted();
  if (name === "x") return block("no", { inject: `${input.command}` });
});
on(["PreToolUse", "PostToolUse"], (event) => inject(event.tool_name), { lane: "guard", timeout: "2s" });
on("UserPromptSubmit", (event) => modify({ prompt: event.prompt.trim() }));
on("an-event-of-mine", (event: HookEvent): Decision | void => change({ text: event.text }));
hook({ on: "Idle", handler: (event) => { event.session_id.length; } });
export default defineHook({ on: ["Stop"], match: { any: [{ agent: "a*" }] } satisfies Match, handler: () => {} });
export const options: Options = { priority: 1, needs: ["HOME"] };

on("PreToolUse", { deletes: ["~/work/**"], runs: true, where: (e) => e.facts?.some((f) => f.does === "delete") }, (event, ctx) => {
  const hosts: (string | undefined)[] = (event.facts ?? ctx.facts).map((f) => f.host);
  if (hosts.length > 1) return block();
});

// @ts-expect-error: an option that there is not
on("PreToolUse", { tol: "Bash" }, () => {});
// @ts-expect-error: an answer that is none
on("PreToolUse", () => "no");
// @ts-expect-error: an action that there is not
on("PreToolUse", () => ({ action: "explode" }));

const client = new Client({ session_id: "s-1", timeout_ms: 1000 });
const out: Outcome<"PreToolUse"> = await client.fire("PreToolUse", { tool_name: "Bash", tool_input: {} }, { signal: AbortSignal.timeout(1) });
const command: unknown = out.payload.tool_input.command;
await client.fire("my-event", { anything: command });
// @ts-expect-error: a payload without what it must have
await client.fire("PreToolUse", { tool_name: "Bash" });
for await (const record of client.watch({ event: "PreToolUse" })) record.event.length;
for await (const seen of client.watch({ hooks: true })) if ("hookId" in seen) seen.hookId.length;
const run = client.guardTool(async (input: { command: string }) => input.command.length);
const length: number = await run({ command: "ls" }).catch((e) => (e instanceof Blocked ? e.outcome.reason.length : 0));
export const tool = client.guardTool({ name: "t", execute: (_: { n: number }) => length }, { ask: (o) => o.reason === "" });
tool.execute({ n: 1 });

for (const m of await client.takeInbox("Bob", { wait_ms: 1000, max: 1 })) {
  await client.sendMessage(null, m.text.trim(), { reply_to: m.id, priority: "high" });
  const left: { id: string; reason: string }[] = await client.doneInbox("Bob", [m, m.id]);
  left.length;
}
// @ts-expect-error: an option that there is not
await client.takeInbox("Bob", { limit: 1 });
