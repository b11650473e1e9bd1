// The names of events: an event is found by any of them, without regard to case,
// "_", "-" and a leading "on".

import { NAMES } from "./events.js";

export const normal = (name) => name.replace(/[A-Z]/g, (c) => c.toLowerCase()).replace(/[_-]/g, "");

export const canonical = (name) => {
  const plain = normal(name);
  return NAMES.get(plain) ?? (plain.startsWith("on") ? NAMES.get(plain.slice(2)) : undefined) ?? name;
};
