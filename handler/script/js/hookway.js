// The module "hookway": hooks as hookway itself has them.
import { add, form, optionsOf, set } from "hookway:hooks";

export const block = (reason, userMessage) => ({ action: "block", reason, ...(userMessage === undefined ? {} : { user_message: userMessage }) });
export const allow = (reason) => ({ action: "allow", ...(reason === undefined ? {} : { reason }) });
export const ask = (reason) => ({ action: "ask", ...(reason === undefined ? {} : { reason }) });
export const skip = () => ({ action: "skip" });
export const inject = (text) => ({ inject: text });
export const change = (modified) => ({ action: "continue", modified });
export const answer = (result) => ({ action: "answer", result });
export const retry = (ms) => ({ action: "retry", retry_delay_ms: ms });
export const proceed = () => ({ action: "continue" });

let count = 0;

// on registers a handler for events.
export const on = (events, handler, options = {}) => {
  count++;
  add({ id: `${[events].flat()[0]}-${count}`, generated: options.id === undefined, on: events, ...optionsOf(options) }, handler);
};

export const defineHook = (hook) => hook;
export const defineConfig = (config) => config;

const isHook = (v) => v && typeof v === "object" && typeof v.handler === "function" && v.on !== undefined;

form((value) => {
  const list = Array.isArray(value) ? value : isHook(value) ? [value] : value && typeof value === "object" && Array.isArray(value.hooks) ? value.hooks : null;
  if (!list) return false;
  list.forEach((h, i) => {
    if (!isHook(h)) throw new TypeError(`hook ${i + 1} of the default export is no {on, handler}`);
    on(h.on, h.handler, h);
  });
  if (typeof value.idleThreshold === "number") set({ idle_threshold_ms: value.idleThreshold });
  return true;
});
