// OpenClaw's plugins: register(api), api.registerHook, api.on; and the handlers of
// HOOK.md.
import { add, atClose, form, habit, nearly, note, noted, set } from "hookway:hooks";
import { answerOf, contextOf, find, internalAnswer, internalOf, known, plain } from "hookway:openclaw-events";
import { apart, ask, later as meanwhile } from "hookway:runtime";
import { later, stub } from "hookway:openclaw-sdk";

const homeOf = () => process.env.HOME ?? process.env.USERPROFILE ?? "";

let gates = 0; // at which events wait for services

// Plugin is one plugin of the script: what it registers, and what it keeps.
class Plugin {
  services = [];
  commands = new Map();
  kept = new Map(); // by the name of the method: what else it registered
  waiting = new Map(); // by the tool's call: who wants to hear how it was decided
  queued = new Map(); // by session: what the agent is told with its next prompt
  #starting; // how far the services are
  #ends = new AbortController();
  constructor(about) {
    ask("together"); // what its hooks share they share in one machine
    this.about = about;
    this.theirs = about.packaged === true; // it is published: its tools are OpenClaw's
    this.settings = about.config ?? {};
    this.config = {
      agents: { defaults: { workspace: process.cwd() }, list: [] }, channels: {}, gateway: {}, hooks: {}, models: { providers: {} }, session: {}, tools: {},
      plugins: { enabled: true, entries: about.id ? { [about.id]: { enabled: true, config: this.settings } } : {} },
    };
    this.context = { pluginConfig: this.settings, config: this.config };
  }
  home() { return homeOf(); }
  // lifecycle is the plugin's: it ends with the daemon, as its services do.
  lifecycle() {
    return { signal: this.#ends.signal, onDispose: (fn) => {
      const end = { id: "onDispose", start() {}, stop: fn };
      if (typeof fn !== "function") throw new TypeError("onDispose needs a function");
      this.serve(end);
      return () => { end.stop = undefined; };
    } };
  }
  stateDir() { return process.env.OPENCLAW_STATE_DIR ?? `${homeOf()}/.openclaw`; }

  // register takes a handler for events.
  register(events, handler, options, own) {
    this.#spelled(options);
    if ([events].flat().length === 0 || [events].flat().some((e) => typeof e !== "string" || e === "")) throw new TypeError(`a hook needs the name of an event, as in {event: "message-sent", handler}; it is ${JSON.stringify(events) ?? "not there"}`);
    for (const event of [events].flat()) {
      const at = find(event);
      if (typeof handler !== "function") throw new TypeError(`the hook of ${event} has no handler; it must be a function`);
      if (at?.never) {
        note(`nothing here fires ${event}: ${at.never}; its handler is never called`);
        continue;
      }
      this.#add(at ?? { name: plain(event), on: event, strange: true }, event, handler, options, own);
    }
  }

  // spelled refuses an option that is nearly one. A published plugin runs without it.
  #spelled(options) {
    try {
      nearly("a hook", options, ["event", "events", "handler", "priority", "id", "name", "description", "timeoutMs", "entry", "register"]);
    } catch (e) {
      if (!this.theirs) throw e;
      note(e.message);
    }
  }

  #add(at, event, handler, options, own) {
    const hook = { id: options.id ?? options.name ?? event, generated: options.id === undefined && options.name === undefined, on: at.strange ? event : at.on, profile: "openclaw" };
    if (options.description) hook.description = String(options.description);
    if (options.priority !== undefined) hook.priority = options.priority;
    if (!own) hook.lower_first = true; // registerHook orders as the document says, lower first; on higher first
    if (typeof options.timeoutMs === "number" && options.timeoutMs > 0) hook.timeout = `${Math.round(options.timeoutMs)}ms`;
    if (at.tells) hook.async = true;
    else if (own && at.name === "beforetoolcall") hook.on_failure = "block"; // as OpenClaw has it
    add(hook, (ev, ctx) => this.#after(() => this.#call(at, handler, ev, ctx)), handler);
  }

  #call(at, handler, ev, ctx) {
    if (at.only && !at.only(ev)) return undefined;
    const c = contextOf(at.name, ev, ctx, this);
    if (at.internal) {
      const event = internalOf(at, ev, c);
      const value = handler(event, c);
      const end = (v) => internalAnswer(event) ?? (v === event || v === c ? undefined : answerOf(at, v, c, ev, this)); // what it was given is no answer
      return value && typeof value.then === "function" ? value.then(end) : end(value);
    }
    const value = handler(c, c);
    const end = (v) => (v === c ? undefined : answerOf(at, v, c, ev, this));
    return value && typeof value.then === "function" ? value.then(end) : end(value);
  }

  // ---- services: started with the first event, stopped with the daemon

  serve(service) {
    if (!service || typeof service.start !== "function") throw new TypeError("a service needs start()");
    if (this.#starting) apart(() => this.#start(service));
    if (this.services.push(service) > 1) return;
    atClose(() => this.#stopped());
    add({ id: `${this.about.id || "plugin"}-services`, generated: true, on: "GatewayStart", async: true, profile: "openclaw" }, () => this.#after(() => undefined), service.start);
    add({ id: `${this.about.id || "plugin"}-services-end`, generated: true, on: "GatewayStop", async: true, profile: "openclaw" }, () => this.#stopped(), service.stop ?? service.start);
  }
  #about() { return { config: this.config, workspaceDir: process.cwd(), stateDir: this.stateDir(), logger: loggerOf() }; }

  // after does something when the services have begun, or have had their time for it.
  #after(run) {
    if (!this.services.length) return run();
    if (!this.#starting) {
      const begun = (this.#starting = { gate: ++gates, open: false, running: [] });
      const open = () => { begun.open = true; ask("opened", begun.gate); };
      apart(async () => {
        const late = setTimeout(open, 5000);
        for (const s of [...this.services]) if (this.#starting === begun) await this.#start(s);
        clearTimeout(late);
        open();
      });
    }
    return this.#starting.open ? run() : meanwhile("gate", this.#starting.gate).then(run);
  }
  async #start(service) {
    this.#starting?.running.push(service);
    try { await service.start(this.#about()); } catch (e) { console.error(`the service ${service.id ?? ""} did not start:`, e); }
  }

  // stopped stops the services, the last that was begun first; one that does not end is left.
  async #stopped() {
    const running = this.#starting?.running.reverse() ?? [];
    this.#starting = undefined;
    this.#ends.abort();
    for (const s of running) {
      let late;
      try { await Promise.race([s.stop?.(this.#about()), new Promise((end) => { late = setTimeout(end, 1000); })]); } catch (e) { console.error(`the service ${s.id ?? ""} did not stop:`, e); }
      clearTimeout(late);
    }
    return undefined;
  }

  // ---- commands: a prompt that begins with one is its call

  command(definition) {
    if (!definition || typeof definition.name !== "string" || typeof definition.handler !== "function") throw new TypeError("a command needs a name and a handler");
    const first = this.commands.size === 0;
    this.commands.set(definition.name.replace(/^\//, "").toLowerCase(), definition);
    if (!first) return;
    add({ id: `${this.about.id || "plugin"}-commands`, generated: true, on: "AgentStart", profile: "openclaw" }, (ev) => {
      const [, name, args = ""] = /^\s*\/([\w-]+)(?:\s+([^]*))?$/.exec(ev.prompt ?? "") ?? [];
      const found = name && this.commands.get(name.toLowerCase());
      if (!found) return undefined;
      return this.#after(async () => found.handler({ args: args.trim(), commandBody: ev.prompt, channel: ev.source ?? "", senderId: "user", isAuthorizedSender: true, sessionKey: ev.session_id, sessionId: ev.session_id, config: this.config }))
        .then((answer) => ({ action: "block", reason: answer?.text ?? "" }));
    }, definition.handler);
  }

  // ---- approvals: the agent asks its user; what came of it is seen in what happens next

  resolves(ev, tell) {
    if (this.waiting.size === 0 && !this.listens) this.#listen();
    this.waiting.set(ev.tool_use_id ?? ev.session_id, { tell, session: ev.session_id });
  }
  listens = false;
  #listen() {
    this.listens = true;
    const end = (key, decision) => {
      const one = this.waiting.get(key);
      this.waiting.delete(key);
      return one?.tell(decision);
    };
    const id = `${this.about.id || "plugin"}-approvals`;
    const hook = (name, on) => ({ id: `${id}-${name}`, generated: true, on, async: true, profile: "openclaw" });
    const key = (ev) => ev.tool_use_id ?? ev.session_id;
    add(hook("allowed", ["PostToolUse", "PostToolUseFailure"]), async (ev) => { await end(key(ev), "allow-once"); }, this.resolves);
    add(hook("denied", "PermissionDenied"), async (ev) => { await end(key(ev), "deny"); }, this.resolves);
    add(hook("cancelled", ["AgentStop", "SessionEnd"]), async (ev) => {
      for (const [key, one] of [...this.waiting]) if (one.session === ev.session_id) await end(key, "cancelled");
    }, this.resolves);
  }

  // ---- what the agent is told with its next prompt

  enqueue(text, session = "") {
    if (!this.queued.size && !this.tells) {
      this.tells = true;
      add({ id: `${this.about.id || "plugin"}-events`, generated: true, on: "AgentStart", profile: "openclaw" }, (ev) => {
        const texts = [...(this.queued.get("") ?? []), ...(this.queued.get(ev.session_id) ?? [])];
        this.queued.delete("");
        this.queued.delete(ev.session_id);
        return texts.length ? { inject: texts.join("\n") } : undefined;
      }, this.enqueue);
    }
    this.queued.set(session, [...(this.queued.get(session) ?? []), String(text)].slice(-20));
    return true;
  }
  tells = false;

  // keep takes what has no place here.
  keep(method, args) {
    const name = args.map((a) => (typeof a === "string" ? a : a?.name ?? a?.id ?? a?.plugin?.id ?? a?.path ?? a?.names?.join(", "))).find((n) => typeof n === "string") ?? "";
    if (!this.kept.has(method)) {
      this.kept.set(method, []);
      console.warn(`api.${method} does nothing here: hookway runs a plugin's hooks; what it registers is kept and listed`);
    }
    this.kept.get(method).push(name);
  }
  said() {
    for (const [method, names] of this.kept) noted(`${method}: ${names.filter(Boolean).slice(0, 20).join(", ") || names.length} — not served here: hookway runs a plugin's hooks`);
  }
}

const loggerOf = () => {
  const logger = { info: console.info, warn: console.warn, error: console.error, debug: console.debug, trace: console.debug, child: () => logger, isLevelEnabled: () => true };
  return logger;
};

const runtimeOf = (plugin) => stub("api.runtime", {
  version: "2026.9.6",
  config: stub("api.runtime.config", { loadConfig: () => plugin.config, current: () => plugin.config, get: () => plugin.config }),
  state: stub("api.runtime.state", { resolveStateDir: () => plugin.stateDir() }),
  logging: { getChildLogger: loggerOf, shouldLogVerbose: () => false },
  system: stub("api.runtime.system", {
    enqueueSystemEvent: (text, options) => plugin.enqueue(text, options?.sessionKey), requestHeartbeatNow: () => {}, requestHeartbeat: () => {},
    runCommandWithTimeout: async (argv, options = {}) => {
      const { timeoutMs, cwd, env, input } = typeof options === "number" ? { timeoutMs: options } : options;
      const line = argv.map((a) => `'${String(a).replaceAll("'", "'\\''")}'`).join(" ");
      try {
        return { ...(await exec(line, { timeout: timeoutMs, cwd, env, input })), signal: null, killed: false, termination: "exit" };
      } catch (e) {
        if (typeof e?.code !== "number") throw e;
        return { stdout: e.stdout ?? "", stderr: e.stderr ?? "", code: e.code, signal: null, killed: false, termination: "exit" };
      }
    },
  }),
  agent: stub("api.runtime.agent", { defaults: { model: "", provider: "" }, resolveAgentDir: () => process.cwd(), resolveAgentWorkspaceDir: () => process.cwd(), resolveAgentTimeoutMs: () => 600000 }),
  events: { onAgentEvent: () => () => {}, onSessionTranscriptUpdate: () => () => {} },
});

const apiOf = (plugin) => {
  const { about } = plugin;
  const said = (method) => (...args) => plugin.keep(method, args);
  const api = {
    id: about.id ?? "", name: about.name ?? about.id ?? "", version: about.version, description: about.description, source: about.source ?? "", rootDir: about.rootDir,
    registrationMode: "full", lifecycle: plugin.lifecycle(), config: plugin.config, pluginConfig: plugin.settings, runtime: runtimeOf(plugin), logger: loggerOf(),
    resolvePath: (path) => (path === "~" || path.startsWith("~/") ? homeOf() + path.slice(1) : /^([/\\]|[A-Za-z]:)/.test(path) ? path : `${about.rootDir ?? process.cwd()}/${path}`),
    registerHook(hook, handler, options = {}) {
      if (hook && typeof hook === "object" && !Array.isArray(hook)) plugin.register(hook.event ?? hook.events, hook.handler, hook, false);
      else plugin.register(hook, handler, options ?? {}, false);
    },
    on(event, handler, options = {}) { plugin.register(event, handler, options ?? {}, true); },
    registerService: (service) => plugin.serve(service),
    registerCommand: (definition) => plugin.command(definition),
    enqueueNextTurnInjection: async (what) => { plugin.enqueue(typeof what === "string" ? what : what?.text ?? what?.content ?? "", what?.sessionKey); return { enqueued: true }; },
    registerTrustedToolPolicy: (policy) => { if (typeof policy?.evaluate === "function") plugin.register("before_tool_call", (event, ctx) => policy.evaluate(event, ctx), { name: policy.id, priority: 1000 }, true); else said("registerTrustedToolPolicy")(policy); },
    getSessionExtension: () => undefined,
  };
  return new Proxy(api, {
    get: (own, name) => own[name] ?? (typeof name === "string" && /^(register|resolve|schedule|unschedule|emit|set|clear)[A-Z]/.test(name) ? said(name) : undefined),
    has: (own, name) => name in own || (typeof name === "string" && /^register[A-Z]/.test(name)),
  });
};

// registering finds how a file says that it is a plugin.
const registering = (v) => (v && (typeof v === "object" || typeof v === "function") ? (typeof v.register === "function" ? "register" : typeof v.activate === "function" ? "activate" : "") : "");
const takesAPI = (fn) => /^(register|activate)\d*$/.test(fn.name) || /^(async\s+)?(function\b[^(]*)?\(?\s*_?(api|pluginApi|openclaw)\b/i.test(Function.prototype.toString.call(fn));

const pluginOf = (value, entry, about) => {
  const all = [value, value?.default, entry, entry.plugin];
  const found = all.find(registering);
  if (found) return { about: found, run: (api) => found[registering(found)](api) };
  const fn = [value, value?.default].find((v) => typeof v === "function");
  if (fn && (about?.packaged || takesAPI(fn))) return { about: fn, run: fn };
  return null;
};

// hookPack registers the handler of a HOOK.md.
const hookPack = (value, entry, about) => {
  const { hook } = about;
  const run = hook.export && hook.export !== "default" ? entry[hook.export] : typeof value === "function" ? value : value?.default ?? entry.handler;
  if (typeof run !== "function") throw new TypeError(`${hook.name}: its handler exports no function ${hook.export ?? "default"}`);
  new Plugin({ ...about, id: hook.name }).register(hook.events, run, { id: hook.name, description: hook.description }, false);
};

// substituted puts the environment into settings, as OpenClaw does: "${NAME}".
const substituted = (value) => {
  if (typeof value === "string") return value.replace(/\$\{([A-Z_][A-Z0-9_]*)\}/g, (all, name) => process.env[name] ?? all);
  if (Array.isArray(value)) return value.map(substituted);
  if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, substituted(v)]));
  return value;
};

form((value, entry, base, about) => {
  if (about?.hook) { hookPack(value, entry, about); return true; }
  const found = pluginOf(value, entry, about);
  if (!found) {
    if (about?.packaged) throw new TypeError("it exports no plugin: a default function (api), or an object with register(api) or activate(api)");
    return false;
  }
  const plugin = new Plugin({ id: found.about.id, name: found.about.name, version: found.about.version, description: found.about.description, ...about, config: substituted(ask("settings") ?? found.about.config ?? undefined) });
  if (plugin.about.id) set({ plugin: String(plugin.about.id) });
  const before = later.begin();
  const had = add.count();
  try {
    const done = found.run(apiOf(plugin));
    if (done && typeof done.then === "function") done.then(undefined, (e) => console.error("its register failed:", e));
  } catch (e) {
    const hooks = add.count() - had;
    if (!hooks) throw e;
    note(`its register ended with an error: ${e?.message ?? e}; the ${hooks === 1 ? "hook" : `${hooks} hooks`} that it had registered ${hooks === 1 ? "runs" : "run"}`);
  } finally {
    later.end(before);
  }
  plugin.said();
  return true;
});

// A file that is a hook's handler: its default function is called as registerHook's is.
let single;
habit((main, ev, ctx) => {
  single ??= new Plugin({});
  const at = find(ev.hook_event_name) ?? { name: plain(ev.hook_event_name) };
  const c = contextOf(at.name, ev, ctx, single);
  const value = main(c, c);
  const end = (v) => (v === null ? undefined : answerOf({ name: at.name }, v, c, ev, single));
  return value && typeof value.then === "function" ? value.then(end) : end(value);
});

export { known };
export * from "hookway:openclaw-sdk";
