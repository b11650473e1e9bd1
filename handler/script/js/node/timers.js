// node:timers.
export default {
  setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate,
  get promises() { return __hookway.part("timers-promises"); },
};
