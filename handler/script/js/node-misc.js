// What hooks want of node:child_process, crypto, util, os, url and process.
const run = exec;
const callback = (promise, fn) => {
  promise.then((r) => fn(null, r.stdout, r.stderr), (e) => fn(e, e.stdout ?? "", e.stderr ?? ""));
  return { on: () => {}, kill: () => {} };
};
const own = Symbol.for("nodejs.util.promisify.custom");

const execute = (line, options, fn) => callback(run(line, typeof options === "object" ? options : {}), typeof options === "function" ? options : fn ?? (() => {}));
const quoted = (word) => `'${String(word).replaceAll("'", `'\\''`)}'`;
const file = (program, args = [], options = {}) => run([program, ...args].map(quoted).join(" "), options);
const executeFile = (program, ...rest) => {
  const fn = rest.find((r) => typeof r === "function") ?? (() => {});
  return callback(file(program, rest.find(Array.isArray) ?? [], rest.find((r) => r && typeof r === "object" && !Array.isArray(r)) ?? {}), fn);
};
execute[own] = run;
executeFile[own] = file;

export { execute as exec, executeFile as execFile };
export const promisify = (fn) => fn[own] ?? ((...args) => new Promise((resolve, reject) => fn(...args, (e, v) => (e ? reject(e) : resolve(v)))));
export const inspect = (v) => JSON.stringify(v, null, 2);
export const randomUUID = () => crypto.randomUUID();
export const webcrypto = crypto;
export const homedir = () => process.env.HOME ?? process.env.USERPROFILE ?? "";
export const tmpdir = () => process.env.TMPDIR ?? process.env.TEMP ?? "/tmp";
export const platform = () => process.platform;
export const EOL = "\n";
export const fileURLToPath = (url) => decodeURIComponent(new URL(url).pathname);
export const pathToFileURL = (path) => new URL("file://" + path);
const SameURL = URL;
export { SameURL as URL };
export const env = process.env;
export const cwd = process.cwd;
export const setTimeout = (ms, value) => new Promise((resolve) => globalThis.setTimeout(resolve, ms, value));
export default { exec: execute, execFile: executeFile, promisify, inspect, randomUUID, webcrypto, homedir, tmpdir, platform, EOL, fileURLToPath, pathToFileURL, URL, env, cwd, setTimeout };
