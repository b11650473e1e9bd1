// node:string_decoder: text out of chunks that may end within a character.
import buffer from "node:buffer";

const { Buffer } = buffer;

// cut is where the last character that is not whole begins.
const cut = (bytes, encoding) => {
  if (encoding === "base64" || encoding === "base64url") return bytes.length - (bytes.length % 3);
  if (encoding === "utf16le") return bytes.length - (bytes.length % 2);
  if (encoding !== "utf8") return bytes.length;
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const b = bytes[bytes.length - back];
    if (b < 0x80) break;
    if (b >= 0xc0) return (b >= 0xf0 ? 4 : b >= 0xe0 ? 3 : 2) > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
};

class StringDecoder {
  #left = Buffer.alloc(0);
  constructor(encoding = "utf8") {
    const name = String(encoding).toLowerCase();
    this.encoding = { "utf-8": "utf8", binary: "latin1", ucs2: "utf16le", "ucs-2": "utf16le", "utf-16le": "utf16le" }[name] ?? name;
  }
  write(chunk) {
    if (typeof chunk === "string") return chunk;
    const all = this.#left.length ? Buffer.concat([this.#left, chunk]) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const at = cut(all, this.encoding);
    this.#left = Buffer.from(all.subarray(at));
    return all.toString(this.encoding, 0, at);
  }
  end(chunk) {
    const text = (chunk === undefined ? "" : this.write(chunk)) + this.#left.toString(this.encoding);
    this.#left = Buffer.alloc(0);
    return text;
  }
}

export default { StringDecoder };
