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
  /** Show which hooks would be asked, and ask none: the outcome is not a decision. */
  dry_run?: boolean;
  /** Ends the call; hooks are told. */
  signal?: AbortSignal;
}

export interface WatchOptions {
  session?: string;
  event?: EventName;
  /** An absolute path. */
  cwd?: string;
  /** What happens to hooks comes too. */
  hooks?: boolean;
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
/** Something that happened to a hook of the daemon. */
export interface HookChange {
  type: "hook:registered" | "hook:unregistered" | "hook:started" | "hook:completed" | "hook:error";
  /** The event that it was asked of, or the first of its own. */
  hookType: string;
  hookId: string;
  hookName?: string;
  durationMs?: number;
  error?: string;
  events: string[];
  lane?: string;
  action?: Action;
  eventId?: string;
  sessionId?: string;
  agent?: string;
  workspace: string;
}

export interface Watch<Seen = AuditRecord> extends AsyncIterable<Seen> {
  /** Connects now, so that nothing that happens from here on is missed. */
  open(): Promise<this>;
  /** Ends it. */
  close(): void;
}

/** A message as an agent is given it. What it says is data from others. */
export interface InboxMessage {
  id: string;
  /** What agents see of the id. */
  short: string;
  from: string;
  /** The agent, "#channel", or "*" for all. */
  to: string;
  thread?: string;
  reply_to?: string;
  sent: string;
  text: string;
  /** The text as an agent is shown it, with who sent it in front. */
  shown: string;
  /** Paths on the sender's machine. */
  files?: string[];
  priority?: "low" | "high" | "urgent";
  urgent?: boolean;
  /** It was given out before, and not confirmed. */
  repeat?: boolean;
}

export interface TakeOptions {
  /** Messages at most: 20 if it is left out, 100 at most. */
  max?: number;
  /** How long to wait for the first one; 0 if it is left out. */
  wait_ms?: number;
  /** false: they count as got at once. Otherwise confirm them with doneInbox. */
  confirm?: boolean;
  /** What is not confirmed in this time is given out again: a minute if it is left out. */
  lease_ms?: number;
  /** A name that nobody has becomes known. */
  join?: boolean;
  /** The folder whose hooks see the messages; the current one if it is left out. */
  cwd?: string;
  signal?: AbortSignal;
}

export interface MessageOptions {
  /** The sender's name; the client's agent if it is left out. */
  from?: string;
  reply_to?: string;
  thread?: string;
  priority?: "low" | "normal" | "high" | "urgent";
  metadata?: Record<string, any>;
  /** The folder whose hooks see the message; the current one if it is left out. */
  cwd?: string;
  signal?: AbortSignal;
}

/** A message that is on disk, and how far it is with each receiver. */
export interface SentMessage {
  id: string;
  short: string;
  message: Record<string, any>;
  receipts: Record<string, any>[];
  /** What the sender's hooks have to say. */
  note?: string;
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

  watch(options: WatchOptions & { hooks: true }): Watch<AuditRecord | HookChange>;
  watch(options?: WatchOptions): Watch;

  /**
   * The messages that wait for an agent, the most urgent first. Who takes them is that
   * agent. What is not confirmed within the lease is given out again, with repeat; until
   * then, later messages of the same sender wait.
   */
  takeInbox(name: string, options?: TakeOptions): Promise<InboxMessage[]>;

  /** Confirms messages that were taken, or their ids, and gives those that could not be. */
  doneInbox(name: string, messages: Iterable<string | { id: string }>, options?: { signal?: AbortSignal }): Promise<{ id: string; reason: string }[]>;

  /** Sends a message to an agent, "#channel" or "*"; to may be null with reply_to. It is on disk when this ends. */
  sendMessage(to: string | null, content: string, options?: MessageOptions): Promise<SentMessage>;

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
