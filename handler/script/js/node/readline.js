// node:readline.
import EventEmitter from "node:events";
import decoding from "node:string_decoder";

class Interface extends EventEmitter {
  constructor(input, output, completer, terminal) {
    super();
    const options = input && (input.input !== undefined || input.output !== undefined) ? input : { input, output, completer, terminal };
    Object.assign(this, { input: options.input, output: options.output, terminal: false, line: "", cursor: 0, closed: false, history: [] });
    this._prompt = options.prompt ?? "> ";
    this._rest = "";
    this._cr = false;
    this._questions = [];
    const decoder = new decoding.StringDecoder("utf8");
    this._data = (chunk) => this._take(typeof chunk === "string" ? chunk : decoder.write(chunk));
    this._end = () => {
      this._take(decoder.end());
      if (this._rest !== "") { const last = this._rest; this._rest = ""; this._line(last); }
      this.close();
    };
    this._held = [];
    if (options.signal) options.signal.addEventListener("abort", () => this.close(), { once: true });
    if (this.input) {
      this.input.on("data", this._data);
      this.input.on("end", this._end);
      this.input.resume?.();
    }
  }
  _take(text) {
    if (this.closed && !this._iterates) return;
    if (this._cr && text.startsWith("\n")) text = text.slice(1);
    this._cr = false;
    const lines = (this._rest + text).split(/\r\n|\n|\r(?!$)|\r$/);
    if ((this._rest + text).endsWith("\r")) this._cr = true;
    this._rest = lines.pop();
    for (const l of lines) this._line(l);
  }
  _line(line) {
    if (this.closed) return;
    const asked = this._questions.shift();
    if (asked) asked(line);
    else this.emit("line", line);
  }
  setPrompt(prompt) { this._prompt = prompt; }
  getPrompt() { return this._prompt; }
  prompt() { this.output?.write?.(this._prompt); }
  question(query, options, done) {
    if (typeof options === "function") done = options;
    this.output?.write?.(query);
    this._questions.push(done);
  }
  write(text) { if (text) this._take(String(text)); }
  pause() { this.input?.pause?.(); this.paused = true; this.emit("pause"); return this; }
  resume() { this.input?.resume?.(); this.paused = false; this.emit("resume"); return this; }
  close() {
    if (this.closed) return;
    this.closed = true;
    this.input?.off?.("data", this._data);
    this.input?.off?.("end", this._end);
    this.input?.pause?.();
    this.emit("close");
  }
  [Symbol.dispose ?? Symbol.for("dispose")]() { this.close(); }
  [Symbol.asyncIterator]() {
    const lines = [], waiting = [];
    const next = () => { while (waiting.length && (lines.length || this.closed)) waiting.shift()(lines.length ? { value: lines.shift(), done: false } : { value: undefined, done: true }); };
    this.on("line", (l) => { lines.push(l); next(); });
    this.on("close", next);
    return { next: () => new Promise((resolve) => { waiting.push(resolve); next(); }), return: async () => { this.close(); return { value: undefined, done: true }; }, [Symbol.asyncIterator]() { return this; } };
  }
}
const createInterface = (...args) => new Interface(...args);
const seq = (stream, text, done) => { stream.write(text); done?.(); return true; };
export default {
  Interface, createInterface, emitKeypressEvents: () => {},
  clearLine: (s, dir, done) => seq(s, dir < 0 ? "\u001b[1K" : dir > 0 ? "\u001b[0K" : "\u001b[2K", done), cursorTo: (s, x, y, done) => seq(s, typeof y === "number" ? `\u001b[${y + 1};${x + 1}H` : `\u001b[${x + 1}G`, typeof y === "function" ? y : done),
  moveCursor: (s, x, y, done) => seq(s, (x < 0 ? `\u001b[${-x}D` : x > 0 ? `\u001b[${x}C` : "") + (y < 0 ? `\u001b[${-y}A` : y > 0 ? `\u001b[${y}B` : ""), done), clearScreenDown: (s, done) => seq(s, "\u001b[0J", done),
  get promises() { return __hookway.part("readline-promises"); },
};
