// Values that views look at, and signals that something ends.

import { useLayoutEffect, useReducer } from "preact/hooks";

/** A value that tells when it becomes another. */
export class Signal<T> {
  private readonly listeners = new Set<() => void>();

  constructor(private now: T) {}

  get value(): T {
    return this.now;
  }

  set(value: T): void {
    if (Object.is(value, this.now)) return;
    this.now = value;
    this.tell();
  }

  tell(): void {
    for (const listener of [...this.listeners]) listener();
  }

  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** The value of a signal; the view is drawn anew when it becomes another. */
export function useSignal<T>(signal: Signal<T>): T {
  const [, redraw] = useReducer((n: number) => n + 1, 0), shown = signal.value;
  useLayoutEffect(() => {
    if (!Object.is(signal.value, shown)) redraw(undefined); // it became another before anybody listened
    return signal.listen(() => redraw(undefined));
  }, [signal]);
  return shown;
}

/** A controller that ends with a signal, if not before. */
export function under(signal: AbortSignal): AbortController {
  const one = new AbortController(), end = () => one.abort();
  if (signal.aborted) end();
  signal.addEventListener("abort", end, { signal: one.signal });
  return one;
}

/** Waits so long, or until the signal. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), done()), { once: true });
  });
}
