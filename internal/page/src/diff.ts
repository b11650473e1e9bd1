// The difference of two texts, line by line.

const most = 600; // lines of each; longer texts are shown one after the other

/** A unified diff without a head; "" if the texts are the same. */
export function unified(from: string, to: string, around = 3): string {
  if (from === to) return "";
  const a = from.split("\n"), b = to.split("\n");
  const ops = a.length > most || b.length > most ? [...a.map((l) => "-" + l), ...b.map((l) => "+" + l)] : compare(a, b);
  const keep = ops.map((_, i) => ops.slice(Math.max(0, i - around), i + around + 1).some((o) => o[0] !== " "));
  const out: string[] = [];
  ops.forEach((op, i) => {
    if (keep[i]) out.push(op);
    else if (i > 0 && keep[i - 1]) out.push("@@");
  });
  if (out[out.length - 1] === "@@") out.pop();
  return out.join("\n");
}

/** Lines with what becomes of them, by the longest common subsequence. */
function compare(a: string[], b: string[]): string[] {
  const width = b.length + 1, longest = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      longest[i * width + j] = a[i] === b[j] ? longest[(i + 1) * width + j + 1]! + 1 : Math.max(longest[(i + 1) * width + j]!, longest[i * width + j + 1]!);
    }
  }
  const out: string[] = [];
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) out.push(" " + a[i++]), j++;
    else if (i < a.length && (j >= b.length || longest[(i + 1) * width + j]! >= longest[i * width + j + 1]!)) out.push("-" + a[i++]);
    else out.push("+" + b[j++]);
  }
  return out;
}
