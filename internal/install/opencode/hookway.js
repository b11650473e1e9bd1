// hookway for OpenCode. Written by: hookway install opencode. Do not edit: it is
// written anew. Remove it with: hookway uninstall opencode.
//
// Every hook asks hookway-hook about the event, as JSON:
//   {"hook_event_name", "session_id", "cwd", "input", "output"}
// and takes one JSON object from it:
//   {"action": "block", "reason"}   stops the tool, command or prompt
//   {"modified": {…}}               what is to be changed in output
//   {"inject": "text"}              text for the model
//   {"user_message": "text"}        text for the user
// No answer, a late one, or one that is no such object: what gates something is
// stopped, the rest passes, unless it was installed with --on-failure continue.
// One hookway-hook answers one event after another; where it cannot, one is started
// for that event alone.
import { spawn } from "node:child_process";

const settings = /*HOOKWAY*/ {};

const gates = new Set(["tool.execute.before", "command.execute.before", "chat.message"]);
const stoppable = new Set([...gates, "experimental.chat.system.transform"]); // with --on-failure block
const held = "tool.execute.before"; // where a call may wait for a person
const longest = 64 * 1024 * 1024; // of an answer

// patience is how long an answer is waited for.
function patience(event) {
  const { timeout, timeoutMs, hold, holdMs } = settings;
  return event === held && hold ? { timeout: hold, timeoutMs: holdMs } : { timeout, timeoutMs };
}

// ask gives hookway's answer.
async function ask(stream, event, cwd, payload) {
  const text = JSON.stringify({ hook_event_name: event, cwd, ...payload });
  const said = await stream.ask(event, text);
  if (said?.how === 0) return read(said.text);
  if (said?.how === 2) return { action: "block", reason: said.text.trim() };
  return once(event, cwd, text);
}

const restAfterDeath = 10_000; // of a stream that never answered

// Stream is a hookway-hook that answers one event after another, as long as this
// OpenCode runs. An event comes as three numbers of four bytes: its own, and the
// lengths of its name and its JSON, which follow; an answer with its number, how it
// ends, and its length.
class Stream {
  constructor(cwd) {
    Object.assign(this, { cwd, child: null, last: 0, pending: new Map(), rest: Buffer.alloc(0), notBefore: 0 });
  }

  // ask gives {how, text}; null means that it cannot.
  ask(event, text) {
    if (!this.child && !this.start()) return Promise.resolve(null);
    const child = this.child;
    const [name, body] = [Buffer.from(event), Buffer.from(text)];
    const id = (this.last = (this.last + 1) >>> 0);
    const { timeout, timeoutMs } = patience(event);
    const head = Buffer.alloc(12);
    head.writeUInt32BE(id, 0);
    head.writeUInt32BE(name.length, 4);
    head.writeUInt32BE(body.length, 8);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(`no answer within ${timeout}`));
        this.pending.delete(id);
        this.lost(child); // what else waits for it is asked of another
      }, timeoutMs);
      this.pending.set(id, { resolve, timer });
      hold(child, true);
      child.stdin.write(Buffer.concat([head, name, body]));
    });
  }

  start() {
    if (Date.now() < this.notBefore) return false;
    const args = ["opencode", "--stream", "--timeout", settings.timeout];
    if (settings.hold) args.push("--hold", settings.hold);
    if (settings.onFailure) args.push("--on-failure", settings.onFailure);
    const child = spawn(settings.shim, args, { cwd: this.cwd, stdio: ["pipe", "pipe", "ignore"], windowsHide: true });
    this.child = child;
    this.answered = false;
    for (const end of [child, child.stdin, child.stdout]) end?.on("error", () => this.lost(child));
    child.on("close", () => this.lost(child));
    child.stdout?.on("data", (chunk) => {
      if (child === this.child) this.take(child, chunk);
    });
    hold(child, false);
    return true;
  }

  take(child, chunk) {
    this.rest = Buffer.concat([this.rest, chunk]);
    while (this.rest.length >= 12) {
      const [id, how, length] = [0, 4, 8].map((at) => this.rest.readUInt32BE(at));
      if (how > 3 || length > longest) return this.lost(child); // it is no stream of ours
      if (this.rest.length < 12 + length) return;
      const text = this.rest.toString("utf8", 12, 12 + length);
      this.rest = this.rest.subarray(12 + length);
      this.answered = true;
      this.settle(id, how === 3 ? null : { how, text });
    }
  }

  settle(id, said) {
    const { resolve, timer } = this.pending.get(id) ?? {};
    clearTimeout(timer);
    this.pending.delete(id);
    if (this.pending.size === 0 && this.child) hold(this.child, false);
    resolve?.(said);
  }

  // lost gives up a stream that ended, or does not answer.
  lost(child) {
    if (child !== this.child) return;
    this.child = null;
    this.rest = Buffer.alloc(0);
    if (!this.answered) this.notBefore = Date.now() + restAfterDeath;
    child.kill("SIGKILL");
    for (const id of [...this.pending.keys()]) this.settle(id, null);
  }

  // close ends it: it has no more events.
  close() {
    this.child?.stdin.end();
  }
}

// hold says whether OpenCode may end while its stream runs.
function hold(child, yes) {
  for (const end of [child, child.stdin, child.stdout]) end?.[yes ? "ref" : "unref"]?.();
}

// once runs hookway-hook for one event.
function once(event, cwd, text) {
  return new Promise((resolve, reject) => {
    const { timeout, timeoutMs } = patience(event);
    const args = ["opencode", "--event", event, "--timeout", timeout];
    if (settings.onFailure) args.push("--on-failure", settings.onFailure);
    const child = spawn(settings.shim, args, { cwd, stdio: ["pipe", "pipe", "pipe"], windowsHide: true });
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      child.stdout.destroy(); // somebody else may hold it
      child.stderr.destroy();
      reject(new Error(`no answer within ${timeout}`));
    }, timeoutMs);
    let out = "";
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (chunk) => {
      if (out.length <= longest) out += chunk;
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
      resolve(read(out));
    });
    child.stdin.end(text);
  });
}

// read gives the answer, or null if it is none.
function read(text) {
  try {
    const answer = JSON.parse(text);
    return answer && typeof answer === "object" && !Array.isArray(answer) ? answer : null;
  } catch {
    return null;
  }
}

// The user and the project may both have this plugin, and OpenCode then runs both,
// one after the other, with the same objects. What the one has had judged, the
// other leaves alone: it would see it as the first has changed it. Both find each
// other here, by what OpenCode gives them.
const judged = (globalThis[Symbol.for("hookway.opencode.judged")] ??= new WeakMap());
const me = {};

// others tells whether another copy has had this call judged; what is judged
// again by the same copy is another call.
function others(event, object, id) {
  const by = isObject(object) ? judged.get(object)?.get(`${event} ${id}`) : undefined;
  return by !== undefined && by !== me;
}

function mine(event, object, id) {
  if (!isObject(object)) return;
  if (!judged.has(object)) judged.set(object, new Map());
  judged.get(object).set(`${event} ${id}`, me);
}

// judge asks, and answers itself if nobody does.
async function judge(stream, event, cwd, payload) {
  let why = "its answer is no JSON object";
  try {
    const answer = await ask(stream, event, cwd, payload);
    if (answer) return answer;
  } catch (err) {
    why = err.message;
  }
  if (settings.onFailure === "continue" || !(settings.onFailure === "block" ? stoppable : gates).has(event)) return { unasked: true };
  return { action: "block", reason: `hookway could not be asked (${why}); run hookway doctor` };
}

// OpenCode keeps its own references to the objects and lists in output, so they
// are changed in place.
function put(list, items) {
  list.splice(0, list.length, ...items);
}

function change(output, modified) {
  for (const [key, value] of Object.entries(modified)) {
    const now = output[key];
    if (Array.isArray(now) && Array.isArray(value)) {
      put(now, value);
    } else if (isObject(now) && isObject(value)) {
      for (const name of Object.keys(now)) if (!(name in value)) delete now[name];
      Object.assign(now, value);
    } else {
      output[key] = value;
    }
  }
}

function isObject(v) {
  return v !== null && typeof v === "object" && !Array.isArray(v);
}

// reword puts a new prompt in place of all texts of a message; what else is in
// it, such as files, stays.
function reword(parts, prompt) {
  const at = parts.findIndex((part) => part.type === "text");
  const others = parts.filter((part, i) => part.type !== "text" || i === at);
  if (at < 0) others.unshift(another(parts, prompt));
  for (const part of others) if (part.type === "text") part.text = prompt;
  put(parts, others);
}

let made = 0;

// another is one more text for a message, with the ids of its other parts.
function another(parts, text) {
  const { sessionID, messageID, id } = parts[0] ?? {};
  return { id: `${id ?? "prt"}hookway${++made}`, sessionID, messageID, type: "text", text, synthetic: true };
}

function inject(event, output, text) {
  if (Array.isArray(output.system)) output.system.push(text);
  else if (Array.isArray(output.context)) output.context.push(text);
  else if (Array.isArray(output.parts)) output.parts.push(another(output.parts, text));
  else if (event === "tool.execute.after") output.output = `${output.output ?? ""}\n\n${text}`;
}

// obey does what an answer says.
function obey(event, output, answer) {
  if (answer.action === "block") throw new Error(answer.reason || "Blocked by hookway");
  if (!isObject(output)) return;
  const { prompt, ...modified } = isObject(answer.modified) ? answer.modified : {};
  if (typeof prompt === "string" && Array.isArray(output.parts)) reword(output.parts, prompt);
  change(output, modified);
  if (answer.inject) inject(event, output, answer.inject);
}

// tell shows the user a message, where there is a user interface.
function tell(client, answer) {
  if (!answer.user_message) return;
  const shown = client?.tui?.showToast?.({ body: { message: answer.user_message, variant: "info" } });
  Promise.resolve(shown).catch(() => {});
}

// Not among them: tool.definition, which comes for each tool at each call of the
// model, and permission.ask, which never comes.
const points = [
  "chat.message", "chat.params", "chat.headers", "command.execute.before", "tool.execute.before", "tool.execute.after",
  "shell.env", "experimental.chat.messages.transform", "experimental.chat.system.transform",
  "experimental.session.compacting", "experimental.compaction.autocontinue", "experimental.text.complete",
];

const bus = new Set([
  "session.created", "session.idle", "session.error", "session.compacted", "permission.asked", "permission.replied", "file.edited",
]);

export const Hookway = async ({ client, directory }) => {
  const stream = new Stream(directory);
  let session; // the one that was heard of last: not all hooks say theirs
  const hooks = {};
  for (const event of points) {
    hooks[event] = async (input, output) => {
      session = input?.sessionID ?? session;
      const id = input?.callID ?? input?.messageID;
      if (others(event, output, id)) return;
      const answer = await judge(stream, event, directory, { session_id: session, input, output });
      if (!answer.unasked) mine(event, output, id);
      tell(client, answer);
      obey(event, output, answer);
    };
  }
  hooks.event = async ({ event }) => {
    if (!bus.has(event.type)) return;
    session = event.properties?.sessionID ?? event.properties?.info?.id ?? session;
    if (others(event.type, event, event.id)) return; // both are told at once, and nobody is stopped
    mine(event.type, event, event.id);
    tell(client, await judge(stream, event.type, directory, { session_id: session, input: event }));
  };
  hooks.dispose = async () => {
    await judge(stream, "dispose", directory, { session_id: session, input: {} });
    stream.close();
  };
  return hooks;
};
