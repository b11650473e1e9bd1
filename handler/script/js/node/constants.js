// node:constants.
import fs from "node:fs";
import os from "node:os";
export default { ...fs.constants, ...os.constants.signals };
