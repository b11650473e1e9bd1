// Where hookway is reached: the daemon of this user, or what HOOKWAY_URL names.

import { lstatSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { HookwayError, NoDaemon } from "./errors.js";

// find gives the place: what to connect to, and whether it is the user's own
// daemon, which may be started.
export const find = ({ url, token } = {}) => {
  const given = url || process.env.HOOKWAY_URL;
  if (!given) return { ...(process.platform === "win32" ? pipe() : socket()), own: true, text: "" };
  let u;
  try {
    u = new URL(given);
  } catch {
    throw new HookwayError(`HOOKWAY_URL is "${given}"; write it like http://127.0.0.1:8787, or unix:///run/user/1000/hookway.sock`);
  }
  token ||= process.env.HOOKWAY_TOKEN || "";
  if (u.protocol === "unix:" && !u.host && u.pathname.length > 1) return { path: decodeURIComponent(u.pathname), token, own: false, text: given };
  if (!["http:", "https:"].includes(u.protocol) || u.pathname !== "/" || u.search || u.username) {
    throw new HookwayError(`HOOKWAY_URL is "${given}"; write it like http://127.0.0.1:8787, or unix:///run/user/1000/hookway.sock`);
  }
  if (!token) throw new HookwayError(`${given} wants a token: set HOOKWAY_TOKEN to the one that hookway serve --token names the file of`);
  const tls = u.protocol === "https:";
  return { host: u.hostname.replace(/^\[|\]$/g, ""), port: Number(u.port) || (tls ? 443 : 80), tls, token, own: false, text: given };
};

const maxSocket = 104; // how long the path of a socket may be on every unix, with its zero

const socket = () => {
  const uid = os.userInfo().uid;
  const { HOOKWAY_HOME: home, XDG_RUNTIME_DIR: runtime = "", TMPDIR: temp = "" } = process.env;
  let folder, name;
  if (home) {
    name = (home.startsWith("/") ? home : `${process.cwd()}/${home}`).replace(/(?!^)\/+$/, "");
    folder = `${name}/run`;
  } else if (runtime.startsWith("/") && ours(runtime, uid)) {
    [folder, name] = [`${runtime}/hookway`, runtime];
  } else {
    name = temp.startsWith("/") ? temp : "/tmp";
    folder = `${name}/hookway-${uid}`;
  }
  if (Buffer.byteLength(`${folder}/hookway.sock`) >= maxSocket) folder = `/tmp/hookway-${uid}-${hash(name)}`;
  return { folder, path: `${folder}/hookway.sock` };
};

const ours = (folder, uid) => {
  const info = statSync(folder, { throwIfNoEntry: false });
  return info !== undefined && info.isDirectory() && info.uid === uid;
};

const pipe = () => {
  const { HOOKWAY_HOME: home, LOCALAPPDATA: local, USERNAME = "" } = process.env;
  if (!home && !local) throw new HookwayError("the user's folder is unknown; set LOCALAPPDATA, or HOOKWAY_HOME");
  const folder = home ? `${path.resolve(home).replace(/\\+$/, "")}\\run` : `${local}\\hookway\\run`;
  const user = [...USERNAME].map((c) => (c > " " && c < "\x7f" && !'\\/:*?"<>|'.includes(c) ? c : "_")).join("");
  return { folder, path: `\\\\.\\pipe\\hookway-${user}-${hash(folder.toLowerCase())}` };
};

// hash is FNV-1a in base 36, as hookway names what is too long otherwise.
const hash = (text) => {
  let h = 14695981039346656037n;
  for (const b of Buffer.from(text)) h = BigInt.asUintN(64, (h ^ BigInt(b)) * 1099511628211n);
  return h.toString(36);
};

// check refuses a socket in a folder that others may write: they choose who
// answers. That it is not there is no error.
export const check = ({ folder }) => {
  if (process.platform === "win32") return;
  const info = lstatSync(folder, { throwIfNoEntry: false });
  if (info === undefined) return;
  if (!info.isDirectory()) throw new NoDaemon(`${folder} is not a folder; remove it`);
  if (info.uid !== os.userInfo().uid) throw new NoDaemon(`${folder} belongs to another user; set HOOKWAY_HOME to a folder of your own`);
  if (info.mode & 0o077) throw new NoDaemon(`${folder} is open to others; close it with chmod 700`);
};
