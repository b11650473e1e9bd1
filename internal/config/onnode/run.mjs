// Runs a script by Node: run.mjs hooks|program FILE [BUNDLE]. The bundle is the file for
// a Node that cannot read TypeScript.
import { register } from "node:module";
import { pathToFileURL } from "node:url";

const [, , kind, file, bundle] = process.argv;
const typed = /\.[cm]?tsx?$/.test(file);
const main = typed && !process.features.typescript ? bundle : file;
if (!main) {
  console.error(`${file}: this Node (${process.version}) reads no TypeScript; install Node 22.18 or newer, or take runtime: node out`);
  process.exit(1);
}
process.argv.splice(1, process.argv.length - 1, main);
register("./resolve.mjs", import.meta.url);
await import(pathToFileURL(main).href);
if (kind === "hooks") await import("./index.js");
