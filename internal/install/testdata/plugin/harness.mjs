// harness.mjs PLUGIN…: loads the plugin, or several copies of it, calls their hooks
// as OpenCode does, and prints for each what became of output, or what was thrown.
import { pathToFileURL } from "node:url";

const toasts = [];
const client = { tui: { showToast: async ({ body }) => toasts.push(body.message) } };
const copies = [];
for (const file of process.argv.slice(2)) {
  const { Hookway } = await import(pathToFileURL(file).href);
  copies.push(await Hookway({ client, directory: process.cwd() }));
}
const hooks = copies[0];

const sessionID = "ses-1";
const model = { id: "fake-model", providerID: "fake" };
const calls = {
  "chat.message": [{ sessionID }, { message: { id: "msg-1" }, parts: [
    { id: "prt-0", sessionID, messageID: "msg-1", type: "file", filename: "a.png" },
    { id: "prt-1", sessionID, messageID: "msg-1", type: "text", text: "Please" },
    { id: "prt-2", sessionID, messageID: "msg-1", type: "text", text: "clean up." },
  ] }],
  "chat.params": [{ sessionID, agent: "build", model }, { temperature: 0.5, options: {} }],
  "chat.headers": [{ sessionID, agent: "build", model }, { headers: {} }],
  "command.execute.before": [{ command: "init", sessionID, arguments: "" }, { parts: [{ type: "text", text: "Look around." }] }],
  "tool.execute.before": [{ tool: "bash", sessionID, callID: "call-1" }, { args: { command: "rm -rf ./build", description: "clean up" } }],
  "tool.execute.after": [{ tool: "bash", sessionID, callID: "call-1", args: { command: "true" } }, { title: "true", output: "removed", metadata: { exit: 0 } }],
  "shell.env": [{ cwd: "/", sessionID, callID: "call-1" }, { env: {} }],
  "experimental.chat.messages.transform": [{}, { messages: [] }],
  "experimental.chat.system.transform": [{ sessionID, model }, { system: ["You are helpful."] }],
  "experimental.session.compacting": [{ sessionID }, { context: [] }],
  "experimental.compaction.autocontinue": [{ sessionID }, { enabled: true }],
  "experimental.text.complete": [{ sessionID, messageID: "msg-2", partID: "prt-3" }, { text: "Clean." }],
};

for (const [name, [input, output]] of Object.entries(calls)) {
  const held = Object.values(output); // the references that OpenCode keeps
  let result;
  try {
    for (const copy of copies) await copy[name](input, output);
    const lost = Object.values(output).filter((v, i) => typeof v === "object" && v !== held[i]).length;
    result = JSON.stringify(output) + (lost ? " REPLACED" : "");
  } catch (err) {
    result = `throws ${err.message}`;
  }
  console.log(name, result);
}
const bus = [
  { type: "session.created", properties: { info: { id: "ses-2" } } },
  { type: "session.idle", properties: { sessionID } },
  { type: "session.error", properties: { sessionID, error: { name: "E", data: { message: "broken" } } } },
  { type: "session.compacted", properties: { sessionID } },
  { type: "permission.asked", properties: { sessionID, permission: "bash", metadata: { command: "ls" } } },
  { type: "permission.replied", properties: { sessionID } },
  { type: "file.edited", properties: { file: "a.go" } },
  { type: "message.part.updated", properties: {} }, // not for us
];
for (const event of bus) {
  try {
    await Promise.all(copies.map((copy) => copy.event({ event })));
    console.log(event.type, "passes");
  } catch (err) {
    console.log(event.type, `throws ${err.message}`);
  }
}
await hooks.dispose();
console.log("hooks", Object.keys(hooks).sort().join(" "));
console.log("toasts", new Set(toasts).size);
