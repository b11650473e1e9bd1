// node:module.
import { requires } from "hookway:runtime";

const names = ["assert", "assert/strict", "buffer", "child_process", "constants", "crypto", "events", "fs", "fs/promises", "http", "https", "module", "net", "os", "path", "path/posix", "path/win32", "perf_hooks", "process", "punycode", "querystring", "readline", "readline/promises", "stream", "stream/consumers", "stream/promises", "stream/web", "string_decoder", "sys", "timers", "timers/promises", "tty", "url", "util", "util/types", "vm", "worker_threads", "zlib"];
const bare = (name) => String(name).replace(/^node:/, "");
function Module(id = "") { Object.assign(this, { id, exports: {}, loaded: false, children: [], paths: [] }); }
Object.assign(Module, {
  createRequire: (from) => requires(from instanceof URL || /^file:/.test(from) ? __hookway.part("url").fileURLToPath(from) : String(from)),
  builtinModules: names, isBuiltin: (name) => names.includes(bare(name)), Module, register: () => {}, enableCompileCache: () => ({ status: 3 }), syncBuiltinESMExports: () => {}, findPackageJSON: () => undefined,
  _extensions: {}, _cache: {}, globalPaths: [],
});
export default Module;
