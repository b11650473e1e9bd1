// node:readline/promises.
import readline from "node:readline";
class Interface extends readline.Interface {
  question(query) { return new Promise((resolve) => super.question(query, resolve)); }
}
export default { Interface, createInterface: (...args) => new Interface(...args) };
