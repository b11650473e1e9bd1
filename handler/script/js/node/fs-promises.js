// node:fs/promises.
import fs from "node:fs";
export default fs.promises;
