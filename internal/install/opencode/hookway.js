// hookway for OpenCode. Written by: hookway install opencode. Do not edit: it is
// written anew. Remove it with: hookway uninstall opencode.
//
// Every hook runs hookway-hook with the event as JSON on stdin:
//   {"hook_event_name", "session_id", "cwd", "input", "output"}
// and takes one JSON object from its stdout:
//   {"action": "block", "reason"}   stops the tool, command or prompt
//   {"modified": {…}}               fields of output that are to be changed
//   {"inject": "text"}              text for the model
// No answer, a late one, or one that is no JSON: what gates something is stopped,
// the rest passes, unless it was installed with --on-failure continue.
import { spawn } from "node:child_process";

const settings = /*HOOKWAY*/ {};

const gates = new Set(["tool.execute.before", "command.execute.before", "chat.message", "permission.ask"]);
const longest = 16 * 1024 * 1024; // of an answer

function ask(event, cwd, payload) {
  return new Promise((resolve, reject) => {
    const args = ["opencode", "--event", event, "--timeout", settings.timeout];
    if (settings.onFailure) args.push("--on-failure", settings.onFailure);
    const child = spawn(settings.shim, args, { cwd, stdio: ["pipe", "pipe", "pipe"], windowsHide: true });
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      child.stdout.destroy();
      reject(new Error(`no answer within ${settings.timeout}`));
    }, settings.timeoutMs);
    let out = "";
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (chunk) => {
      if (out.length < longest) out += chunk;
    });
    child.stderr.setEncoding("utf8").on("data", (chunk) => {
      if (said.length < 4096) said += chunk;
    });
    child.stdin.on("error", () => {}); // it may end before it read everything
    child.on("error", (err) => {
      clearTimeout(timer);
      reject(err);
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      if (code === 2) return resolve({ action: "block", reason: said.trim() });
      if (code !== 0) return reject(new Error(`exit code ${code}: ${said.trim().slice(0, 500)}`));
      if (out.trim() === "") return resolve({});
      try {
        resolve(JSON.parse(out) ?? {});
      } catch {
        reject(new Error("its answer is no JSON"));
      }
    });
    child.stdin.end(JSON.stringify({ hook_event_name: event, cwd, ...payload }));
  });
}

async function judge(event, cwd, payload) {
  try {
    return await ask(event, cwd, payload);
  } catch (err) {
    if (!gates.has(event) || settings.onFailure === "continue") return {};
    return { action: "block", reason: `hookway could not be asked (${err.message}); run hookway doctor` };
  }
}

function change(output, modified) {
  for (const [key, value] of Object.entries(modified ?? {})) {
    const now = output[key];
    if (now && value && typeof now === "object" && typeof value === "object" && !Array.isArray(now) && !Array.isArray(value)) {
      for (const name of Object.keys(now)) if (!(name in value)) delete now[name];
      Object.assign(now, value); // OpenCode keeps its own reference to the object
    } else {
      output[key] = value;
    }
  }
}

const points = [
  "chat.message", "chat.params", "chat.headers", "command.execute.before", "tool.execute.before", "tool.execute.after",
  "shell.env", "tool.definition", "experimental.chat.messages.transform", "experimental.chat.system.transform",
  "experimental.session.compacting", "experimental.compaction.autocontinue", "experimental.text.complete",
];

const bus = new Set([
  "session.created", "session.idle", "session.error", "session.compacted", "permission.asked", "permission.replied", "file.edited",
]);

export const Hookway = async ({ directory }) => {
  const hooks = {};
  for (const event of points) {
    hooks[event] = async (input, output) => {
      const answer = await judge(event, directory, { session_id: input?.sessionID, input, output });
      if (answer.action === "block" && gates.has(event)) throw new Error(answer.reason || "Blocked by hookway");
      if (output && typeof output === "object") {
        change(output, answer.modified);
        if (answer.inject && event === "tool.execute.after") output.output = `${output.output ?? ""}\n\n${answer.inject}`;
        if (answer.inject && Array.isArray(output.system)) output.system.push(answer.inject);
        if (answer.inject && Array.isArray(output.context)) output.context.push(answer.inject);
        if (answer.inject && event === "chat.message" && Array.isArray(output.parts)) {
          const first = output.parts[0] ?? {};
          output.parts.push({ ...first, id: `${first.id ?? "prt"}-hookway`, type: "text", text: answer.inject, synthetic: true });
        }
      }
    };
  }
  hooks.event = async ({ event }) => {
    if (bus.has(event.type)) await judge(event.type, directory, { session_id: event.properties?.sessionID, input: event });
  };
  return hooks;
};
