// node:os.
import { ask } from "hookway:runtime";

let known;
const about = () => (known ??= ask("os"));
const windows = () => process.platform === "win32";
const signals = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGILL: 4, SIGTRAP: 5, SIGABRT: 6, SIGBUS: 7, SIGFPE: 8, SIGKILL: 9, SIGUSR1: 10, SIGSEGV: 11, SIGUSR2: 12, SIGPIPE: 13, SIGALRM: 14, SIGTERM: 15, SIGCHLD: 17, SIGCONT: 18, SIGSTOP: 19, SIGTSTP: 20 };
const errno = { EPERM: 1, ENOENT: 2, EINTR: 4, EIO: 5, EBADF: 9, EAGAIN: 11, ENOMEM: 12, EACCES: 13, EBUSY: 16, EEXIST: 17, EXDEV: 18, ENOTDIR: 20, EISDIR: 21, EINVAL: 22, EMFILE: 24, ENOSPC: 28, EROFS: 30, EPIPE: 32, ENOTEMPTY: 39, ELOOP: 40 };
const constants = { signals, errno, priority: {}, UV_UDP_REUSEADDR: 4 };
Object.defineProperty(constants, "errnoName", { value: (n) => Object.keys(errno).find((k) => errno[k] === Math.abs(n)), enumerable: false });
export default {
  homedir: () => (windows() ? process.env.USERPROFILE : process.env.HOME) || about().home,
  tmpdir: () => (windows() ? process.env.TEMP || process.env.TMP || "C:\\Windows\\temp" : (process.env.TMPDIR || process.env.TMP || process.env.TEMP || "/tmp").replace(/(?<=.)\/$/, "")),
  hostname: () => about().host, platform: () => process.platform, arch: () => about().arch, type: () => ({ linux: "Linux", darwin: "Darwin", win32: "Windows_NT" })[process.platform] ?? process.platform,
  release: () => about().release, version: () => about().version, machine: () => ({ x64: "x86_64", arm64: process.platform === "darwin" ? "arm64" : "aarch64" })[about().arch] ?? about().arch,
  cpus: () => Array.from({ length: about().cpus }, () => ({ model: "", speed: 0, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } })), availableParallelism: () => about().cpus,
  totalmem: () => about().memory, freemem: () => Math.floor(about().memory / 2), uptime: () => about().uptime, loadavg: () => [0, 0, 0], endianness: () => "LE", networkInterfaces: () => ({}),
  userInfo: () => ({ uid: about().uid, gid: about().gid, username: about().user, homedir: about().home, shell: process.env.SHELL ?? null }), getPriority: () => 0, setPriority: () => {},
  constants, get EOL() { return windows() ? "\r\n" : "\n"; }, get devNull() { return windows() ? "\\\\.\\nul" : "/dev/null"; },
};
