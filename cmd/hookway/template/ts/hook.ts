// HOOKNAME: a push that overwrites the work of others is refused.
//
// hookway runs this file itself: there is no Node, and nothing to build. What is
// exported below says which events it gets; the default function decides.
import { block, type Decision, type HookEvent } from "hookway";

export const on = ["PreToolUse"];
export const lane = "guard";
export const match = { tool: "Bash", command: "\\bgit\\s+push\\b" };

export default (event: HookEvent): Decision | void => {
  const words = [event.tool_input?.command ?? ""].flat().join(" ").split(/\s+/);
  if (words.includes("--force") || words.includes("-f")) {
    return block("Use git push --force-with-lease, which keeps what others have pushed.");
  }
};
