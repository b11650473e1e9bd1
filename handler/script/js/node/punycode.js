// node:punycode is deprecated; names in ASCII pass.
const same = (text) => text;
export default { toASCII: (host) => new URL("http://" + host).hostname, toUnicode: same, encode: same, decode: same, ucs2: { decode: (text) => Array.from(text, (c) => c.codePointAt(0)), encode: (list) => String.fromCodePoint(...list) } };
