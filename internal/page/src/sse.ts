// Server-sent events out of a stream that fetch reads: an EventSource cannot send the
// header that lets a page in.

export interface Said {
  event: string;
  id: string;
  data: string;
}

const longest = 8 << 20; // of one event; no record is that long

/** Takes text as it comes, and gives the events that are whole. */
export class Parser {
  private rest = "";
  private event = "";
  private id = "";
  private data: string[] = [];

  feed(text: string): Said[] {
    const out: Said[] = [];
    this.rest += text;
    let from = 0;
    for (let at = this.rest.indexOf("\n", from); at >= 0; at = this.rest.indexOf("\n", from)) {
      const end = at > from && this.rest[at - 1] === "\r" ? at - 1 : at;
      this.take(this.rest.slice(from, end), out);
      from = at + 1;
    }
    this.rest = this.rest.slice(from);
    if (this.rest.length > longest) throw new Error("the stream says something without an end");
    return out;
  }

  private take(line: string, out: Said[]): void {
    if (line === "") {
      if (this.data.length > 0 || this.event !== "") out.push({ event: this.event || "message", id: this.id, data: this.data.join("\n") });
      this.event = "";
      this.data = [];
      return;
    }
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (name === "event") this.event = value;
    else if (name === "id") this.id = value;
    else if (name === "data") this.data.push(value);
  }
}

/** Reads a stream to its end, or until nothing has come for so long. It tells of each piece, also of one without events. */
export async function readStream(answer: Response, silence: number, said: (events: Said[]) => void, stop: AbortController): Promise<void> {
  const reader = answer.body!.getReader();
  const decoder = new TextDecoder();
  const parser = new Parser();
  let timer = setTimeout(() => stop.abort(), silence);
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => stop.abort(), silence);
      said(parser.feed(decoder.decode(value, { stream: true })));
    }
  } finally {
    clearTimeout(timer);
    reader.cancel().catch(() => undefined);
  }
}
