// OpenClaw's plugins: register(api), api.registerHook, api.on.
import { add, form, habit } from "hookway:hooks";

const canonical = (name) => name.toLowerCase().replace(/[-_]/g, "").replace(/^on/, "");

// These only tell; nobody waits for what their handlers answer.
const tells = ["gatewaystart", "gatewaystop", "sessionstart", "sessionend", "messagesent", "aftertoolcall", "beforecompaction", "aftercompaction", "agentend"];
const names = { agentend: "AgentStop" };
const directions = { messagereceived: "received", messagesending: "sending", messagesent: "sent" };

// channelOf is where an event comes from. At SessionStart, source says how it began.
const channelOf = (ev) => ev.channel ?? ev.hookway_envelope?.source ?? ev.source ?? "";

const contextOf = (name, ev, ctx, config) => ({
  ...ev, sessionKey: ev.session_id, sessionId: ev.session_id, channel: channelOf(ev), channelId: channelOf(ev),
  senderId: ev.from ?? "", direction: directions[name] ?? ev.direction, timestamp: Date.parse(ev.time),
  runId: ev.run_id ?? ev.session_id, agentId: ev.agent ?? "", config, workspaceDir: ev.workspace_dir ?? ev.cwd, agentDir: ev.agent_dir ?? "",
  toolName: ev.tool_name, toolCallId: ev.tool_use_id, args: ev.tool_input, params: ev.tool_input, result: ev.tool_response,
  durationMs: ev.duration_ms ?? ev.tool_response?.duration_ms, signal: ctx.signal,
});

const register = (events, handler, options, own) => {
  for (const event of [events].flat()) {
    const name = canonical(event);
    // registerHook orders as it says, lower first; on is OpenClaw's own, higher first.
    const priority = options.priority === undefined ? undefined : own ? options.priority : -options.priority;
    const hook = { id: options.id ?? options.name ?? event, generated: options.id === undefined && options.name === undefined, on: names[name] ?? event, profile: "openclaw" };
    if (priority !== undefined) hook.priority = priority === 0 ? 0 : priority;
    if (tells.includes(name)) hook.async = true;
    add(hook, (ev, ctx) => { const c = contextOf(name, ev, ctx, options.config); return handler(c, c); }, handler);
  }
};

const apiOf = (about) => {
  const config = about.config ?? {};
  const logger = { info: console.info, warn: console.warn, error: console.error, debug: console.debug };
  const api = {
    id: about.id ?? "", name: about.name ?? about.id ?? "", config, pluginConfig: config, logger,
    registerHook(hook, handler, options = {}) {
      if (hook && typeof hook === "object" && !Array.isArray(hook)) register(hook.event ?? hook.events, hook.handler, { ...hook, config }, false);
      else register(hook, handler, { ...options, config }, false);
    },
    on(event, handler, options = {}) { register(event, handler, { ...options, config }, true); },
  };
  return new Proxy(api, {
    get: (own, name) => own[name] ?? (typeof name === "string" && /^(register|resolve)/.test(name) ? () => console.warn(`api.${name} does nothing here: hookway runs a plugin's hooks only`) : undefined),
  });
};

form((value, entry) => {
  const plugin = [value, entry].find((v) => v && typeof v === "object" && typeof v.register === "function") ??
    (typeof value === "function" && /^(register|activate)\d*$/.test(value.name) ? { register: value } : null);
  if (!plugin) return false;
  plugin.register(apiOf({ id: plugin.id, name: plugin.name, config: plugin.config }));
  return true;
});

// A file that is a hook's handler: its default function is called as registerHook's is.
habit((main, ev, ctx) => { const c = contextOf(canonical(ev.hook_event_name), ev, ctx, {}); return main(c, c); });

export const definePluginEntry = (entry) => entry;
