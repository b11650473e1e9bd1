// What hooktest wants of the far side of a handler, as a hook.
import type { Behaviour } from "./behaviour";


export const allow = ["net"];

function said(behaviour: Behaviour): unknown {
  if (!behaviour.size) return JSON.parse(behaviour.text ?? "");
  return { action: "continue", inject: "x".repeat(behaviour.size - 34) };
}

export default async function (event: any, ctx: any) {
  const behaviour: Behaviour = JSON.parse(process.env.HOOKWAY_EXAM ?? "{}");
  if (behaviour.kind !== "obeys") return said(behaviour);
  const { do: what, text } = event.tool_input;
  if (what === "hang") {
    await fetch(`http://${behaviour.probe}/`, { signal: ctx.signal });
    throw new Error("the probe answered");
  }
  if (what === "crash") throw new Error("crash in the middle");
  return { action: "continue", inject: text, modified: { tool_input: event.tool_input } };
}
