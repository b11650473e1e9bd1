// What hooks answer. An answer is a plain object, so that it can also be written
// by hand.

const decision = (action, fields, extras) => {
  const out = action === undefined ? {} : { action };
  for (const [name, value] of Object.entries({ ...fields, ...extras })) if (value !== undefined) out[name] = value;
  return out;
};

// said reads what comes after a reason: the text for the user, or several things.
const said = (more) => (typeof more === "string" ? { user_message: more } : more);

export const block = (reason, more) => decision("block", { reason }, said(more));
export const allow = (reason, more) => decision("allow", { reason }, said(more));
export const ask = (reason, more) => decision("ask", { reason }, said(more));
export const skip = (more) => decision("skip", {}, said(more));
export const retry = (milliseconds, more) => decision("retry", { retry_delay_ms: milliseconds }, said(more));
export const answer = (result, more) => ({ ...decision("answer", {}, said(more)), result });
export const inject = (text, more) => decision(undefined, { inject: text }, said(more));
export const modify = (modified, more) => decision("continue", { modified }, said(more));
export const proceed = (more) => decision("continue", {}, said(more));
export { modify as change };
