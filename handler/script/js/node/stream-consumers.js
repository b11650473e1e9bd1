// node:stream/consumers.
import buffer from "node:buffer";
const { Buffer } = buffer;
const all = async (stream) => { const out = []; for await (const c of stream) out.push(typeof c === "string" ? Buffer.from(c) : c); return Buffer.concat(out); };
export default {
  buffer: all, text: async (s) => (await all(s)).toString(), json: async (s) => JSON.parse((await all(s)).toString()),
  arrayBuffer: async (s) => { const b = await all(s); return b.buffer.slice(b.byteOffset, b.byteOffset + b.byteLength); }, blob: async (s) => new (__hookway.part("web").Blob)([await all(s)]),
};
