// Signs that stand beside words. None says anything by itself.

import type { VNode } from "preact";
import { html } from "./element";

const drawn = {
  now: "M3 12h4l3-8 4 16 3-8h4",
  sessions: "M4 6h10M4 12h16M9 18h11",
  decisions: "M4 5h16M4 12h16M4 19h9",
  approvals: "M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6zM9 12l2 2 4-4",
  guards: "M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6z",
  hooks: "M12 3v9a4 4 0 1 1-8 0M12 3l-3 3M12 3l3 3M20 12v3",
  messages: "M4 5h16v11H9l-5 4z",
  memory: "M5 6c0-2 14-2 14 0v12c0 2-14 2-14 0zM5 6c0 2 14 2 14 0M5 12c0 2 14 2 14 0",
  agents: "M6 9h12v9H6zM12 9V5M9.5 13v1M14.5 13v1M3 13h3M18 13h3",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14M16 16l4 4",
  pause: "M8 5v14M16 5v14",
  play: "M7 5l12 7-12 7z",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  save: "M12 4v11M7 11l5 5 5-5M4 20h16",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5L19 19M19 5l-1.5 1.5M6.5 17.5L5 19",
  moon: "M20 14A8 8 0 1 1 10 4a6.5 6.5 0 0 0 10 10z",
  auto: "M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18",
  bell: "M6 16V11a6 6 0 0 1 12 0v5l1.5 2h-15zM10 21h4",
  prompt: "M5 7l5 5-5 5M12 18h7",
  answer: "M4 5h16v11H9l-5 4z",
  call: "M14 6a4 4 0 0 0 4 5l-9 9-4-4 9-9z",
  left: "M15 5l-7 7 7 7",
  right: "M9 5l7 7-7 7",
  up: "M5 15l7-7 7 7",
  cross: "M6 6l12 12M18 6L6 18",
  tick: "M5 12l5 5 9-10",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  fit: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  leave: "M14 4H5v16h9M10 12h10M16 8l4 4-4 4",
  reload: "M20 12a8 8 0 1 1-2.5-5.8M20 3v4h-4",
} as const;

export type Sign = keyof typeof drawn;

export function Icon({ is }: { is: Sign }): VNode {
  return html`<svg class="icon" viewBox="0 0 24 24" width="16" height="16" aria-hidden="true" focusable="false"><path d=${drawn[is]} /></svg>`;
}

/** hookway's own sign. */
export function Mark(): VNode {
  return html`<svg class="mark" viewBox="0 0 24 24" width="22" height="22" aria-hidden="true" focusable="false"><path d="M7 3v11a5 5 0 0 0 10 0v-2M17 12l-3.2 3M17 12l3.2 3" /></svg>`;
}
