// What can go wrong between an agent and its hooks. Each error says what to do.

export class HookwayError extends Error {
  name = "HookwayError";
}

// NoDaemon: hookway cannot be reached, so there is no decision.
export class NoDaemon extends HookwayError {
  name = "NoDaemon";
}

// TimeoutError: there was no outcome in time.
export class TimeoutError extends HookwayError {
  name = "TimeoutError";
}

// Refused: hookway does not take the request. type is the end of the problem's
// type, such as unknown-event; field is what is wrong in the request.
export class Refused extends HookwayError {
  name = "Refused";
  constructor(status, type, detail, field = "") {
    super(detail);
    Object.assign(this, { status, type, detail, field });
  }
}

// Blocked: hooks refused a tool's call, or its result. The message is for the agent.
export class Blocked extends HookwayError {
  name = "Blocked";
  constructor(outcome, ran = false) {
    const reason = outcome.reason || `Blocked by hook ${outcome.by}`;
    super(outcome.inject ? `${reason}\n\n${outcome.inject}` : reason);
    Object.assign(this, { outcome, reason, ran }); // ran: the tool has run, and its result is withheld
  }
}

// TooManyRetries: a hook asked for one retry after another.
export class TooManyRetries extends Blocked {
  name = "TooManyRetries";
  constructor(outcome) {
    super(outcome);
    this.message = `hook ${outcome.by} asked for more than 10 retries: ${this.reason}`;
  }
}

// problemOf is the error that a response other than 200 is.
export const problemOf = (status, text) => {
  let p = {};
  try {
    p = JSON.parse(text) ?? {};
  } catch {} // whatever answers is not hookway: its status says what there is to say
  if (typeof p.type !== "string") return new HookwayError(`what answers is not hookway: status ${status}; is HOOKWAY_URL right?`);
  const type = p.type.slice(p.type.lastIndexOf(":") + 1);
  if (type === "hooks-took-long") return new TimeoutError(p.detail);
  return new Refused(status, type, p.detail, p.field);
};
