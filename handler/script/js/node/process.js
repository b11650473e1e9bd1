// node:process.
export default process;
