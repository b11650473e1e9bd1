// node:tty. A hook has no terminal.
export default { isatty: () => false, ReadStream: class ReadStream {}, WriteStream: class WriteStream {} };
