// Finds the package hookway beside this file, and modules that are named without their
// endings, as hookway's own runtime does.
const ours = { hookway: "./index.js", "hookway/client": "./client.js" };
const endings = [".ts", ".js", ".mts", ".mjs", "/index.ts", "/index.js", "/index.mts", "/index.mjs"];

export const resolve = async (name, context, next) => {
  if (Object.hasOwn(ours, name)) return { url: new URL(ours[name], import.meta.url).href, shortCircuit: true };
  try {
    return await next(name, context);
  } catch (error) {
    if (!/^\.{0,2}\//.test(name)) throw error;
    for (const other of [name.replace(/\.([cm]?)js$/, ".$1ts"), ...endings.map((e) => name + e)]) {
      try {
        return await next(other, context);
      } catch {} // the next one
    }
    throw error;
  }
};
