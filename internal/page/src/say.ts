// What a screen reader is told. It is one region, and it does not flood: what comes while
// it is busy is told together, the last of each kind.

let region: HTMLElement | null = null;
let waiting: string[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;

/** Says where to speak. */
export function speakIn(el: HTMLElement | null): void {
  region = el;
}

/** Tells something once. */
export function say(text: string): void {
  waiting = [...waiting.filter((w) => w !== text), text].slice(-4);
  timer ??= setTimeout(() => {
    timer = undefined;
    if (region) region.textContent = waiting.join(" ");
    waiting = [];
  }, 400);
}
