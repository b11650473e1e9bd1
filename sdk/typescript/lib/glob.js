// Globs as hookway.yaml has them: of names, in which "/" is a character like any
// other, and of paths, in which it is not.

const meta = /[*?[{\\!]/;

// nameTest gives a test of one name against names and globs.
export const nameTest = (patterns) => {
  const exact = new Set(patterns.filter((p) => !meta.test(p)));
  const globs = patterns.filter((p) => meta.test(p)).flatMap((p) => alternatives(p).map((a) => whole(a, p, "[^]")));
  return (name) => exact.has(name) || globs.some((g) => g.test(name));
};

// pathTest gives a test of one file, {rel, abs}, with slashes.
export const pathTest = (pattern, home) => {
  if (pattern === "") throw new TypeError("an empty pattern matches nothing; leave the field out to match all");
  const tests = alternatives(full(pattern, home), pattern).map((a) => onePath(a, pattern));
  return (file) => tests.some((test) => test(file));
};

const full = (pattern, home) => (/^~(\/|$)/.test(pattern) ? home + pattern.slice(1) : pattern).replace(/^\.\//, "").replace(/\/$/, "/**");

// places are a pattern for absolute paths: its segments and tests of them, whether it
// starts at the root, and whether it names no folder.
export const places = (pattern, home) => {
  if (pattern === "") throw new TypeError("an empty pattern matches nothing; leave the field out to match all");
  return alternatives(full(pattern, home), pattern).map((text) => {
    const absolute = isAbsolute(text);
    const segments = text.replace(/^\//, "").split("/");
    if (segments.length === 1 && !absolute && segments[0] !== "**") segments.unshift("**");
    const free = segments[0] === "**";
    const parts = segments.map((s) => (s === "**" ? null : whole(s, pattern, "[^/]")));
    return { segments, parts, below: !absolute && !free, free };
  });
};

const onePath = (text, pattern) => {
  const absolute = isAbsolute(text);
  const segments = text.replace(/^\//, "").split("/");
  const parts = segments.map((s) => (s === "**" ? null : whole(s, pattern, "[^/]")));
  const base = parts.length === 1 && !absolute && parts[0] !== null;
  return ({ rel, abs }) => {
    const p = absolute || rel === "" ? abs : rel;
    if (base) return parts[0].test(p.slice(p.lastIndexOf("/") + 1));
    if (absolute !== isAbsolute(p) && parts[0] !== null) return false;
    return walk(parts, p.replace(/^\//, "").split("/"));
  };
};

const isAbsolute = (p) => p.startsWith("/") || /^.:\//.test(p);

// walk goes through pattern and path together; only the last "**" is tried again.
export const walk = (pattern, path) => {
  let [p, s, again, from] = [0, 0, -1, 0];
  while (s < path.length) {
    if (p < pattern.length && pattern[p] === null) {
      [again, from] = [p++, s];
    } else if (p < pattern.length && pattern[p].test(path[s])) {
      p++;
      s++;
    } else if (again < 0) {
      return false;
    } else {
      p = again + 1;
      s = ++from;
    }
  }
  return pattern.slice(p).every((x) => x === null);
};

// alternatives writes {a,b} out, nested ones too.
export const alternatives = (text, pattern = text) => {
  if (pattern.startsWith("!")) throw new TypeError(`glob "${pattern}": a leading "!" does not negate; put the pattern under not`);
  const out = braces(text, pattern);
  if (out.length > 64) throw new TypeError(`glob "${pattern}": its braces expand to more than 64 patterns`);
  return out;
};

const braces = (text, pattern) => {
  const open = text.indexOf("{");
  if (open < 0) {
    if (text.includes("}")) throw new TypeError(`glob "${pattern}": a "}" has no "{"`);
    return [text];
  }
  const choices = [];
  let depth = 0;
  let start = open + 1;
  for (let i = open; i < text.length; i++) {
    if (text[i] === "{") depth++;
    const ends = text[i] === "}" && --depth === 0;
    if (ends || (text[i] === "," && depth === 1)) {
      choices.push(text.slice(start, i));
      start = i + 1;
    }
    if (ends) return choices.flatMap((c) => braces(text.slice(0, open) + c + text.slice(i + 1), pattern)).slice(0, 65);
  }
  throw new TypeError(`glob "${pattern}": a "{" is not closed`);
};

// whole is a glob without braces as an expression; any is what "*" and "?" take.
const whole = (glob, pattern, any) => {
  let out = "";
  for (let i = 0; i < glob.length; i++) {
    const c = glob[i];
    if (c === "*") {
      while (glob[i + 1] === "*") i++;
      out += `${any}*`;
    } else if (c === "?") {
      out += any;
    } else if (c === "[") {
      const set = /^\[([!^]?)((?:\\[^]|[^\]\\])+)\]/.exec(glob.slice(i));
      if (!set) throw new TypeError(`glob "${pattern}": a "[" is not closed`);
      out += `[${set[1] && "^"}${set[2].replace(/\\([^])|([[\]^&~!])/g, (_, a, b) => quote(a ?? b))}]`;
      i += set[0].length - 1;
    } else if (c === "\\") {
      if (++i === glob.length) throw new TypeError(`glob "${pattern}": nothing follows the last backslash`);
      out += quote(glob[i]);
    } else {
      out += quote(c);
    }
  }
  return new RegExp(`^(?:${out})$`, "u");
};

const quote = (c) => (/[\^$\\.*+?()[\]{}|/]/.test(c) ? `\\${c}` : c === "-" ? "\\x2d" : c);
