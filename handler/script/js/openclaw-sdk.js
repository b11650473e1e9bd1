// openclaw/plugin-sdk and what is below it: what plugins use of it to register. The
// rest is told when it is called.

import { atEnd } from "hookway:hooks";

let registering = 1; // the file is being read, and how many of its plugins
let read = false;
const later = {
  begin: () => { registering++; },
  end: () => { registering--; },
};
atEnd(() => { if (!read) registering--; read = true; });

const told = new Set();

// stub stands for what is not here: while a plugin registers, it gives more of its
// kind, so that the plugin's hooks are registered; later it throws.
const stub = (name, own = {}) => {
  const call = (what) => {
    if (!registering) throw new Error(`${what} is not here: hookway runs a plugin's hooks, and is no OpenClaw gateway`);
    if (!told.has(what)) {
      told.add(what);
      console.warn(`${what} does nothing here`);
    }
    return stub(what);
  };
  return new Proxy(Object.assign(function () {}, own), {
    get: (at, key) => {
      if (Object.hasOwn(own, key)) return own[key];
      if (key === Symbol.toPrimitive) return () => `[${name}]`;
      if (key === Symbol.iterator) return function* () {};
      if (typeof key === "symbol" || ["then", "toJSON", "prototype"].includes(key)) return at[key];
      return stub(`${name}.${key}`);
    },
    apply: () => call(name),
    construct: () => call(name),
  });
};

export const definePluginEntry = (entry) => ({ ...entry, configSchema: typeof entry.configSchema === "function" ? entry.configSchema() : entry.configSchema });
export const defineSetupPluginEntry = (plugin) => ({ plugin });
export const defineChannelPluginEntry = (entry) => ({
  ...entry,
  register(api) {
    entry.setRuntime?.(api.runtime);
    api.registerChannel({ plugin: entry.plugin });
    entry.registerCliMetadata?.(api);
    entry.registerFull?.(api);
  },
});
export const defineBundledChannelEntry = defineChannelPluginEntry;

const accepts = (schema) => ({ safeParse: (value) => ({ success: true, data: value ?? {} }), parse: (value) => value ?? {}, validate: () => ({ ok: true }), jsonSchema: schema, uiHints: {} });
export const emptyPluginConfigSchema = () => accepts({ type: "object", additionalProperties: false, properties: {} });
export const buildPluginConfigSchema = (schema) => accepts(schema);
export const buildJsonPluginConfigSchema = (schema) => accepts(schema);
export const emptyChannelConfigSchema = emptyPluginConfigSchema;
export const buildChannelConfigSchema = (schema) => ({ schema });

export const jsonResult = (payload) => ({ content: [{ type: "text", text: JSON.stringify(payload, null, 2) }], details: payload });
export const textResult = (text, details) => ({ content: [{ type: "text", text }], details });
export const stringEnum = (values, options = {}) => ({ type: "string", enum: [...values], ...options });
export const optionalStringEnum = stringEnum;
export const DEFAULT_ACCOUNT_ID = "default";
export const normalizeAccountId = (id) => String(id ?? "").trim().toLowerCase() || DEFAULT_ACCOUNT_ID;
export const createSubsystemLogger = (name) => {
  const say = (level) => (...args) => console[level](`[${name}]`, ...args);
  const logger = { info: say("info"), warn: say("warn"), error: say("error"), debug: say("debug"), trace: say("debug"), child: () => logger };
  return logger;
};
export const createPluginRuntimeStore = (message) => {
  const name = typeof message === "string" ? message : message?.errorMessage ?? "the plugin's runtime is not set";
  let runtime = null;
  return { setRuntime: (next) => { runtime = next; }, clearRuntime: () => { runtime = null; }, tryGetRuntime: () => runtime, getRuntime: () => { if (!runtime) throw new Error(name); return runtime; } };
};
export const onDiagnosticEvent = () => () => {};
export const registerContextEngine = () => {};
export const isDangerousNameMatchingEnabled = () => false;
export const PluginApprovalResolutions = { ALLOW_ONCE: "allow-once", ALLOW_ALWAYS: "allow-always", DENY: "deny", TIMEOUT: "timeout", CANCELLED: "cancelled" };
export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// AsyncLocalStorage is for what runs at once: it does not follow what is awaited.
class AsyncLocalStorage {
  #store;
  run(store, fn, ...args) {
    const before = this.#store;
    this.#store = store;
    try { return fn(...args); } finally { this.#store = before; }
  }
  exit(fn, ...args) { return this.run(undefined, fn, ...args); }
  enterWith(store) { this.#store = store; }
  disable() { this.#store = undefined; }
  getStore() { return this.#store; }
}
class AsyncResource {
  runInAsyncScope(fn, self, ...args) { return fn.apply(self, args); }
  emitDestroy() { return this; }
  static bind(fn) { return fn; }
}

// sdk is a module of that name in which everything is: what is not here, too.
const modules = new Map();
const sdk = (path, own) => {
  if (!modules.has(path)) {
    if (path === "node:async_hooks") own = { AsyncLocalStorage, AsyncResource };
    else if (path.startsWith("node:")) own = {};
    const rest = new Proxy({}, { get: (at, key) => (typeof key !== "string" || key === "__esModule" || key === "then" ? undefined : stub(`${path}: ${key}`)) });
    modules.set(path, Object.assign(Object.create(rest), own));
  }
  return modules.get(path);
};

// For hookway itself; a plugin has no use for them.
export { later, sdk, stub };
