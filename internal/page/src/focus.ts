// Where the focus goes when what had it is gone.

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

/**
 * Where a card goes that had the focus, the next one gets it: as a whole, so that no key
 * that is pressed once more answers it. The place is another one when cards came or went.
 */
export function useFocusKept<T extends HTMLElement>(cards: string, place: string): { current: T | null } {
  const box = useRef<T>(null);
  const was = useRef(-1);
  useEffect(() => {
    const note = () => {
      const card = document.activeElement?.closest(cards);
      if (card || document.activeElement !== document.body) was.current = card && box.current ? [...box.current.children].indexOf(card) : -1;
    };
    document.addEventListener("focusin", note);
    return () => document.removeEventListener("focusin", note);
  }, []);
  useLayoutEffect(() => {
    if (was.current < 0 || document.activeElement !== document.body) return;
    const left = box.current?.children ?? [];
    ((left[Math.min(was.current, left.length - 1)] ?? document.querySelector("main h1")) as HTMLElement | null)?.focus();
  }, [place]);
  return box;
}
