// node:crypto: digests and randomness, which the host makes.
import { ask, bytesOf, named } from "hookway:runtime";
import buffer from "node:buffer";
import stream from "node:stream";

const { Buffer } = buffer;
const raw = (data, encoding) => (typeof data === "string" ? Buffer.from(data, encoding) : data?.key !== undefined ? data.key : bytesOf(data));
const given = (bytes, encoding) => (encoding && encoding !== "buffer" ? bytes.toString(encoding) : bytes);
const asked = (...args) => {
  const got = ask(...args);
  if (got.error) throw Object.assign(new Error(got.error), got.code ? { code: got.code } : {});
  return Buffer.from(got.value, "base64");
};
const b64 = (bytes) => Uint8Array.prototype.toBase64.call(bytes);

class Hash extends stream.Transform {
  #chunks = [];
  #done = false;
  #algorithm;
  #key;
  constructor(algorithm, key) {
    super();
    this.#algorithm = String(algorithm);
    this.#key = key === undefined ? null : b64(raw(key));
    asked("digest", this.#algorithm, "", this.#key); // it is known, or it throws now
  }
  update(data, encoding) {
    if (this.#done) throw Object.assign(new Error("Digest already called"), { code: "ERR_CRYPTO_HASH_FINALIZED" });
    if (typeof data !== "string" && !ArrayBuffer.isView(data)) throw Object.assign(new TypeError(`The "data" argument must be of type string or an instance of Buffer, TypedArray, or DataView. Received ${data === undefined ? "undefined" : data === null ? "null" : `type ${typeof data} (${String(data)})`}`), { code: "ERR_INVALID_ARG_TYPE" });
    this.#chunks.push(Buffer.from(raw(data, encoding)));
    return this;
  }
  digest(encoding) {
    if (this.#done) throw Object.assign(new Error("Digest already called"), { code: "ERR_CRYPTO_HASH_FINALIZED" });
    this.#done = true;
    return given(asked("digest", this.#algorithm, b64(Buffer.concat(this.#chunks)), this.#key), encoding);
  }
  copy() { const c = new Hash(this.#algorithm, this.#key === null ? undefined : Buffer.from(this.#key, "base64")); c.#chunks = [...this.#chunks]; return c; }
  _transform(chunk, encoding, done) { this.update(chunk, encoding); done(); }
  _flush(done) { this.push(this.digest()); done(); }
}

const randomBytes = (size, done) => {
  const out = [];
  for (let left = size; left > 0; left -= 65536) out.push(Buffer.from(ask("random", Math.min(left, 65536)), "base64"));
  const bytes = Buffer.concat(out);
  if (!done) return bytes;
  process.nextTick(done, null, bytes);
};
const randomInt = (min, max, done) => {
  if (max === undefined || typeof max === "function") [min, max, done] = [0, min, max];
  const range = max - min;
  if (!(range > 0) || range > 2 ** 48) throw Object.assign(new RangeError(`The value of "max" is out of range. It must be greater than the value of "min" (${min}). Received ${max}`), { code: "ERR_OUT_OF_RANGE" });
  const bound = 2 ** 48 - (2 ** 48 % range);
  for (;;) {
    const n = randomBytes(6).readUIntBE(0, 6);
    if (n < bound) { if (!done) return min + (n % range); process.nextTick(done, null, min + (n % range)); return; }
  }
};
const randomFillSync = (into, offset = 0, size) => { const b = bytesOf(into).subarray(offset, size === undefined ? undefined : offset + size); b.set(randomBytes(b.length)); return into; };
const timingSafeEqual = (a, b) => {
  const x = bytesOf(a), y = bytesOf(b);
  if (x.length !== y.length) throw Object.assign(new RangeError("Input buffers must have the same byte length"), { code: "ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH" });
  let differ = 0;
  for (let i = 0; i < x.length; i++) differ |= x[i] ^ y[i];
  return differ === 0;
};
const back = (fn) => (...args) => { const done = args.pop(); let value, error = null; try { value = fn(...args); } catch (e) { error = e; } process.nextTick(done, error, value); };
const pbkdf2Sync = (password, salt, rounds, size, digest = "sha1") => asked("derive", "pbkdf2", b64(raw(password)), b64(raw(salt)), rounds, size, digest);
const hkdfSync = (digest, key, salt, info, size) => { const b = asked("derive", "hkdf", b64(raw(key)), b64(raw(salt)), 0, size, digest, b64(raw(info))); return b.buffer.slice(b.byteOffset, b.byteOffset + b.length); };
const hash = (algorithm, data, encoding = "hex") => new Hash(algorithm).update(data).digest(encoding);
const none = (name) => () => { throw new Error(`crypto.${name} is not to be had here`); };
const subtle = {
  digest: async (algorithm, data) => { const b = new Hash(String(algorithm.name ?? algorithm).replace("-", "").toLowerCase()).update(Buffer.from(bytesOf(data))).digest(); return b.buffer.slice(b.byteOffset, b.byteOffset + b.length); },
};
globalThis.crypto.subtle ??= subtle;
const others = Object.fromEntries(["createCipheriv", "createDecipheriv", "createSign", "createVerify", "sign", "verify", "generateKeyPairSync", "generateKeyPair", "createPublicKey", "createPrivateKey", "publicEncrypt", "privateDecrypt", "createECDH", "createDiffieHellman", "scryptSync", "scrypt"].map((n) => [n, none(n)]));
export default {
  createHash: (algorithm) => new Hash(algorithm), createHmac: (algorithm, key) => new Hash(algorithm, key), Hash, Hmac: Hash, hash,
  randomBytes, pseudoRandomBytes: randomBytes, randomInt, randomFillSync, randomFill: back(randomFillSync), randomUUID: () => globalThis.crypto.randomUUID(), getRandomValues: (a) => globalThis.crypto.getRandomValues(a),
  timingSafeEqual, pbkdf2Sync, pbkdf2: back(pbkdf2Sync), hkdfSync, hkdf: back(hkdfSync), createSecretKey: (key, encoding) => ({ type: "secret", key: raw(key, encoding), export: () => raw(key, encoding) }),
  getHashes: () => ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha512-256", "sha3-256", "sha3-384", "sha3-512"], getCiphers: () => [], getCurves: () => [], constants: {}, webcrypto: globalThis.crypto, subtle, ...others,
};
void named;
