// What the root element says of the page: which view it is, and whether that is there yet.
// Programs that drive the page wait for it, and styles may.

import { asking, state, who } from "./daemon";
import { parse, route } from "./route";

/** Keeps the marks of the root element true from now on. */
export function markRoot(hasOne: (view: string) => boolean): void {
  const root = document.documentElement;
  let frame = 0;
  const settle = () => {
    frame = 0;
    if (asking.value === 0) root.dataset.state = who.value.old ? "old" : "ready";
  };
  const mark = () => {
    const { view, id } = parse(location.hash), is = state.value.is;
    root.dataset.view = is === "outside" ? "login" : id !== "" && hasOne(view) ? view.replace(/s$/, "") : view;
    cancelAnimationFrame(frame);
    if (is === "here") {
      root.dataset.state = "loading";
      // A view asks for what it shows after it was drawn once.
      if (asking.value === 0) frame = requestAnimationFrame(() => (frame = requestAnimationFrame(settle)));
    } else root.dataset.state = { waiting: "loading", gone: "away", outside: "login" }[is];
  };
  for (const s of [asking, state, who, route] as const) s.listen(mark);
  mark();
}
