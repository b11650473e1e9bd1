// What became of a hook that threw: one line with the place.

import path from "node:path";
import { inspect } from "node:util";
import { frames } from "./hooks.js";
import { Mistake } from "./mistake.js";

// report gives the line that says it all: guard.js:12: TypeError: no. The whole
// stack comes first, for the log.
export const report = (error, hooks = []) => {
  if (error instanceof Mistake) return { stack: "", line: error.message };
  if (!(error instanceof Error)) return { stack: "", line: `it threw ${oneLine(inspect(error))}` };
  const stack = frames(error.stack);
  const files = new Set(hooks.map((h) => h.file));
  const [file, line] = stack.find(([name]) => files.has(name)) ?? stack[0] ?? [];
  const said = oneLine(`${error.name}: ${error.message}`);
  return { stack: `${inspect(error)}\n`, line: file ? `${path.basename(file)}:${line}: ${said}` : said };
};

const oneLine = (text) => text.replace(/\s+/g, " ").slice(0, 2000);
