// Values that views look at.

import { useEffect, useReducer } from "preact/hooks";

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
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  useEffect(() => signal.listen(() => redraw(undefined)), [signal]);
  return signal.value;
}
