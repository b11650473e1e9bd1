// Hooks as functions. A file that imports this is a program of hooks: hookway
// starts it for one event, as a worker, or to describe itself.

import { hook, on } from "./lib/hooks.js";
import { begin, run } from "./lib/program.js";

export { allow, answer, ask, block, change, inject, modify, proceed, retry, skip } from "./lib/answers.js";
export { hook, on, run };

export const defineHook = (definition) => definition;
export const defineConfig = (config) => config;

begin();
