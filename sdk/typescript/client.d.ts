// A client for agents: it fires events, and keeps connections open between them.

import type { Action, EventName, Outcome as AnyOutcome, Payloads } from "./types.js";

export type * from "./types.js";

/** The payload of an event. */
export type PayloadOf<E extends EventName> = E extends keyof Payloads ? Payloads[E] & { [field: string]: any } : Record<string, any>;

/** What all hooks of one event answered together. */
export interface Outcome<E extends EventName = EventName> extends AnyOutcome {
  /** The payload as hooks left it. */
  payload: PayloadOf<E>;
}

export interface Defaults {
  session_id?: string;
  agent?: string;
  /** Who reports the event; "typescript" if it is left out. */
  source?: string;
  /** The folder whose hooks are asked; the current one if it is left out. */
  cwd?: string;
  /** What hooks find in their environment; that of this process at each event if it is left out. */
  env?: Record<string, string>;
  /** How long one event may take: 10 minutes if it is left out. */
  timeout_ms?: number;
}

export interface ClientOptions extends Defaults {
  /** Where hookway listens, else HOOKWAY_URL, else this user's own daemon, which is started on demand. */
  url?: string;
  /** The token for it, else HOOKWAY_TOKEN. */
  token?: string;
}

export interface FireOptions extends Defaults {
  metadata?: Record<string, any>;
  /** Show which hooks would be asked, and ask none: the outcome is no decision. */
  dry_run?: boolean;
  /** Ends the call; hooks are told. */
  signal?: AbortSignal;
}

export interface WatchOptions {
  session?: string;
  event?: EventName;
  /** An absolute path. */
  cwd?: string;
  signal?: AbortSignal;
  /** Told of records that came faster than they were read; a warning if it is left out. */
  onMissed?: (count: number) => void;
}

/** One decision on record, as hookway log --json prints it. */
export interface AuditRecord {
  event: string;
  action: Action;
  [field: string]: any;
}

/** What hooks decide, as it happens. It goes on when the daemon ends and another one starts. */
export interface Watch extends AsyncIterable<AuditRecord> {
  /** Connects now, so that nothing that happens from here on is missed. */
  open(): Promise<this>;
  /** Ends it. */
  close(): void;
}

export interface ToolOptions extends Omit<FireOptions, "dry_run"> {
  /** The tool's name, else its own. */
  name?: string;
  /** The method that runs it, else the first of execute, run, call, invoke and handler that it has. */
  method?: string;
  tool_use_id?: string;
  /** Asks the user; without it, an ask is a block. */
  ask?: (outcome: Outcome<"PreToolUse">) => boolean | Promise<boolean>;
  /** Given text for the agent; without it, the text is added to a result that is text. */
  inject?: (text: string) => void;
}

/** Fires events at the hooks of this user. */
export class Client {
  constructor(options?: ClientOptions);

  /** Asks the hooks of an event. That they refuse is an outcome; an error means that there is none. */
  fire<E extends EventName>(event: E, payload?: PayloadOf<E>, options?: FireOptions): Promise<Outcome<E>>;

  watch(options?: WatchOptions): Watch;

  /**
   * Puts hooks around a tool: PreToolUse before it runs, PostToolUse after it.
   * Hooks may change its input and its result, answer in its place, have it tried
   * again (at most 10 times), and refuse it: that is a Blocked.
   */
  guardTool<T extends ((input: any, ...rest: any[]) => any) | object>(tool: T, options?: ToolOptions): T;

  /** Closes the connections. The client can still be used. */
  close(): void;
}

/** Any error of this package. */
export class HookwayError extends Error {}

/** hookway cannot be reached: there is no decision. */
export class NoDaemon extends HookwayError {}

/** There was no outcome in time. */
export class TimeoutError extends HookwayError {}

/** hookway does not take the request. */
export class Refused extends HookwayError {
  readonly status: number;
  /** The end of the problem's type, such as "unknown-event". */
  readonly type: string;
  readonly detail: string;
  /** What is wrong in the request, if it is one field. */
  readonly field: string;
}

/** Hooks refused a tool's call, or its result. The message is for the agent. */
export class Blocked extends HookwayError {
  readonly outcome: Outcome;
  readonly reason: string;
  /** The tool has run, and its result is withheld. */
  readonly ran: boolean;
}

/** A hook asked for one retry after another. */
export class TooManyRetries extends Blocked {}
