// node:stream/promises.
import stream from "node:stream";
export default {
  pipeline: (...steps) => {
    const options = steps.at(-1) && typeof steps.at(-1) === "object" && !steps.at(-1).on && !steps.at(-1)[Symbol.asyncIterator] && !steps.at(-1)[Symbol.iterator] ? steps.pop() : {};
    void options;
    return new Promise((resolve, reject) => stream.pipeline(...steps.length === 2 ? [...steps, (e, v) => (e ? reject(e) : resolve(v))] : [...steps, (e, v) => (e ? reject(e) : resolve(v))]));
  },
  finished: (s, options = {}) => new Promise((resolve, reject) => stream.finished(s, options, (e) => (e ? reject(e) : resolve()))),
};
