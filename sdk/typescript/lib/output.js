// Standard output belongs to the answer. Whatever else is printed goes to
// standard error, where hookway reads its log.

import { Console } from "node:console";

let answers; // writes to what was standard output
let exit; // what process.exit was

export const divert = () => {
  if (answers) return;
  const { stdout, stderr } = process;
  answers = stdout.write.bind(stdout);
  stdout.on("error", () => (exit ?? process.exit)(1)); // nobody reads the answer
  stdout.write = stderr.write.bind(stderr);
  globalThis.console = new Console(stderr, stderr);
};

// answer writes one, whole.
export const answer = (text) => new Promise((done) => answers(text, done));

// leave ends the program once what it said on standard error is written.
export const leave = (code, text = "") => new Promise(() => process.stderr.write(text, () => (exit ?? process.exit)(code)));

// Exit is what process.exit throws in a worker.
export class Exit extends Error {
  constructor(code) {
    super(`the hook ended with exit status ${code}`);
    this.code = code;
  }
}

// trapExit makes process.exit, in a worker, the end of one event.
export const trapExit = () => {
  exit ??= process.exit.bind(process);
  process.exit = (code) => {
    throw new Exit(code ?? process.exitCode ?? 0);
  };
};
