// node:zlib, which the host does.
import { ask, bytesOf } from "hookway:runtime";
import buffer from "node:buffer";
import stream from "node:stream";

const { Buffer } = buffer;
const work = (kind) => (data, options) => {
  const got = ask("squeeze", kind, Uint8Array.prototype.toBase64.call(typeof data === "string" ? Buffer.from(data) : bytesOf(data)), options?.level ?? -1);
  if (got.error) throw Object.assign(new Error(got.error), { code: got.code, errno: -3 });
  return Buffer.from(got.value, "base64");
};
const out = {}, names = { gzip: "Gzip", gunzip: "Gunzip", deflate: "Deflate", inflate: "Inflate", deflateRaw: "DeflateRaw", inflateRaw: "InflateRaw", unzip: "Unzip" };
for (const [name, type] of Object.entries(names)) {
  const sync = work(name);
  out[`${name}Sync`] = sync;
  out[name] = (data, options, done) => { if (typeof options === "function") done = options; let value, error = null; try { value = sync(data, options); } catch (e) { error = e; } process.nextTick(done, error, value); };
  out[type] = class extends stream.Transform {
    #all = [];
    _transform(chunk, encoding, done) { this.#all.push(chunk); done(); }
    _flush(done) { try { this.push(sync(Buffer.concat(this.#all))); done(); } catch (e) { done(e); } }
  };
  out[`create${type}`] = (options) => new out[type](options);
}
const none = () => { throw new Error("Brotli is not to be had here"); };
export default { ...out, crc32: (data, from = 0) => ask("squeeze", "crc32", Uint8Array.prototype.toBase64.call(typeof data === "string" ? Buffer.from(data) : bytesOf(data)), from).value, brotliCompressSync: none, brotliDecompressSync: none, constants: { Z_NO_COMPRESSION: 0, Z_BEST_SPEED: 1, Z_BEST_COMPRESSION: 9, Z_DEFAULT_COMPRESSION: -1, Z_SYNC_FLUSH: 2, Z_FINISH: 4 } };
