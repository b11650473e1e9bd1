// HOOKNAME: a push that says --force, -f or +branch is refused. It reads the command
// as text, which is no wall: a script or an alias that pushes by force passes.
//
// hookway runs this file itself: there is no Node, and nothing to build. What is
// exported below says which events it gets; the default function decides.
import { block, type Decision, type HookEvent } from "hookway";

export const on = ["PreToolUse"];
export const lane = "guard";
export const match = { tool: "Bash", command: "\\bgit\\s+push\\b" };

export default (event: HookEvent): Decision | void => {
  const words = [event.tool_input?.command ?? ""].flat().join(" ").split(/\s+/);
  if (words.some((word) => word === "--force" || /^-[A-Za-z]*f/.test(word) || /^\+\S/.test(word))) {
    return block("Use git push --force-with-lease, which keeps what others have pushed.");
  }
};
