// node:url.
import querystring from "node:querystring";

const wrong = (message, code) => Object.assign(new TypeError(message), { code });
const windows = () => process.platform === "win32";
const fileURLToPath = (url) => {
  const u = typeof url === "string" ? new URL(url) : url;
  if (u.protocol !== "file:") throw wrong("The URL must be of scheme file", "ERR_INVALID_URL_SCHEME");
  if (/%2f/i.test(u.pathname)) throw wrong("File URL path must not include encoded / characters", "ERR_INVALID_FILE_URL_PATH");
  const path = decodeURIComponent(u.pathname);
  return windows() ? path.replace(/^\/(?=[A-Za-z]:)/, "").replaceAll("/", "\\") : path;
};
const pathToFileURL = (path) => {
  const whole = __hookway.part(windows() ? "path-win32" : "path").resolve(path).replaceAll("\\", "/") + (/[^/]\/$/.test(path) ? "/" : "");
  return new URL("file://" + (windows() ? "/" : "") + encodeURI(whole).replaceAll("?", "%3F").replaceAll("#", "%23"));
};
const parse = (text, query = false) => {
  const [, protocol = null, slashes, auth = null, host = null, pathname = null, search = null, hash = null] = /^([a-z][a-z0-9+.-]*:)?(\/\/)?(?:(?<=\/\/)(?:([^@/?#]*)@)?([^/?#]*))?([^?#]*)?(\?[^#]*)?(#.*)?$/i.exec(String(text).trim()) ?? [];
  const [hostname, port] = host ? host.split(/:(?=\d*$)/) : [null, null];
  const path = pathname || (slashes && protocol ? "/" : null);
  return {
    protocol: protocol?.toLowerCase() ?? null, slashes: slashes ? true : null, auth, host: host?.toLowerCase() ?? null, port: port ?? null, hostname: hostname?.toLowerCase() ?? null, hash: hash ?? null, search: search ?? (query ? "" : null),
    query: query ? querystring.parse((search ?? "").slice(1)) : search ? search.slice(1) : null, pathname: path, path: (path ?? "") + (search ?? "") || null, href: String(text).trim(),
  };
};
const format = (u) => {
  if (typeof u === "string") return parse(u).href;
  if (u instanceof URL) return u.href;
  const query = u.search ?? (u.query && typeof u.query === "object" && Object.keys(u.query).length ? "?" + querystring.stringify(u.query) : u.query && typeof u.query === "string" ? "?" + u.query : "");
  const host = u.host ?? (u.hostname ? u.hostname + (u.port ? ":" + u.port : "") : "");
  const protocol = u.protocol ? u.protocol.replace(/:?$/, ":") : "";
  return protocol + (u.slashes || /^(https?|ftp|file):$/.test(protocol) ? "//" : "") + (u.auth ? u.auth + "@" : "") + host + (u.pathname ?? "") + query + (u.hash ?? "");
};
export default {
  URL, URLSearchParams, fileURLToPath, pathToFileURL, parse, format, resolve: (from, to) => { try { return new URL(to, from).href; } catch { const u = new URL(to, new URL(from, "resolve://")); return u.protocol === "resolve:" ? u.pathname + u.search + u.hash : u.href; } },
  urlToHttpOptions: (u) => ({ protocol: u.protocol, hostname: u.hostname, hash: u.hash, search: u.search, pathname: u.pathname, path: u.pathname + u.search, href: u.href, ...(u.port ? { port: Number(u.port) } : {}), ...(u.username ? { auth: decodeURIComponent(u.username) + ":" + decodeURIComponent(u.password) } : {}) }),
  domainToASCII: (d) => { try { return new URL("http://" + d).hostname; } catch { return ""; } }, domainToUnicode: (d) => d, Url: class Url {},
};
