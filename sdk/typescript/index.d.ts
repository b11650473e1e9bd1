// Hooks as functions. The names and types are those of the module "hookway" in
// hookway's own runtime (script: FILE), but for what needs that runtime.

import type { Decision, Envelope, EventName, Events, Fact, Lane } from "./types.js";

export type * from "./types.js";

/** An event as it reaches a hook: one flat object. */
export interface HookEvent extends Envelope {
  tool_name?: string;
  tool_input?: Record<string, any>;
  tool_use_id?: string;
  tool_response?: { success: boolean; output: string; exit_code?: number | null; duration_ms?: number; [field: string]: any };
  prompt?: string;
  text?: string;
  content?: string;
  from?: string;
  to?: string;
  namespace?: string;
  target?: string;
  body?: string;
  [field: string]: any;
}

/** What a hook of this event is given. */
export type EventOf<E extends EventName> = E extends keyof Events ? Events[E] & { [field: string]: any } : HookEvent;

export interface Context {
  /** The event's name in hookway, whatever the hook was registered as. */
  readonly eventName: string;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** What the tool call would do; event.facts, or none. */
  readonly facts: Fact[];
  readonly agentId: string;
  readonly agentName: string;
  readonly sessionId: string;
  /** The agent's folder; a worker's own is the workspace. */
  readonly workingDir: string;
  /** The workspace. */
  readonly projectDir: string;
  readonly env: Record<string, string | undefined>;
  /** What earlier hooks said; a change to it is told to those that follow. */
  readonly metadata: Record<string, any>;
  /** Text for the agent, beside the answer. */
  inject(text: string): void;
  notify(channel: string, text: string): Promise<void>;
  log(...values: unknown[]): void;
}

export type Answer = Decision | void | undefined;
export type Handler<Event = HookEvent> = (event: Event, ctx: Context) => Answer | Promise<Answer>;

/** Which events a hook wants: all that is given must hold. */
export interface Match {
  /** Names, globs, or "Edit|Write". */
  tool?: string | string[];
  /** Globs over the file that a tool is called with. */
  path?: string | string[];
  /** Regular expressions over the command line of a shell tool. */
  command?: string | string[];
  session?: string | string[];
  agent?: string | string[];
  source?: string | string[];
  namespace?: string | string[];
  target?: string | string[];
  /** Fields of the payload, such as "tool_input.url". */
  fields?: Record<string, string | string[]>;
  /** What the call would do: globs over the files that it deletes or moves away; true is any. */
  deletes?: true | string | string[];
  writes?: true | string | string[];
  reads?: true | string | string[];
  moves?: true | string | string[];
  /** Programs: "rm", "git push", "npm run deploy*". */
  runs?: true | string | string[];
  /** Hosts, "host:port", or public, private, metadata, loopback. */
  connects?: true | string | string[];
  /** "secret:*", "env:*", "file:**\/.env". */
  sends?: true | string | string[];
  /** "push", "push force", "reset uncommitted". */
  git?: true | string | string[];
  /** "drop", "delete users". */
  sql?: true | string | string[];
  /** "terraform apply", "kubernetes delete *". */
  infra?: true | string | string[];
  /** Kinds of credentials in the text of the call. */
  secret?: true | string | string[];
  /** A part of what it does shows only when it runs. */
  unknown?: true;
  /** Asked of the event by the file itself. */
  where?: (event: HookEvent) => unknown;
  any?: Match[];
  all?: Match[];
  not?: Match;
}

/** The keys of hookway.yaml. They are told to hookway when the file lies in a folder of hooks. */
export interface Options extends Match {
  id?: string;
  match?: Match;
  lane?: Lane;
  async?: boolean;
  priority?: number;
  /** Milliseconds, or a text such as "2s". */
  timeout?: number | string;
  maxRetries?: number;
  onFailure?: "continue" | "block";
  /** Of a worker: the variables of the agent's environment that it needs. */
  needs?: string[];
  profile?: string;
  override?: boolean;
  description?: string;
  enabled?: boolean;
  queue?: number;
}

export interface HookDefinition<E extends EventName = EventName> extends Options {
  on: E | E[];
  handler: Handler<EventOf<E>>;
}

/** Registers a handler for events: on("PreToolUse", {tool: "Bash"}, (event) => block("no")). */
export function on<E extends EventName>(events: E | E[], handler: Handler<EventOf<E>>, options?: Options): void;
export function on<E extends EventName>(events: E | E[], options: Options, handler: Handler<EventOf<E>>): void;

/** Registers a hook that is written as one object, and gives it back. */
export function hook<E extends EventName>(definition: HookDefinition<E>): HookDefinition<E>;

/** Gives types to a default export: export default defineHook({on, handler}). */
export function defineHook<E extends EventName>(definition: HookDefinition<E>): HookDefinition<E>;
export function defineConfig<C extends { hooks: HookDefinition<any>[]; idleThreshold?: number }>(config: C): C;

/** Runs the hooks. It happens of itself in a program that hookway has started, or that registers hooks in its own file. */
export function run(): Promise<void>;

/** What may come with any answer; a text alone is the one for the user. */
export type More = string | Pick<Decision, "user_message" | "inject" | "metadata" | "modified" | "reason">;

/** Do not run it; the agent is told the reason. */
export function block(reason?: string, more?: More): Decision;
/** Run it without asking the user. */
export function allow(reason?: string, more?: More): Decision;
/** Ask the user, with the reason. */
export function ask(reason?: string, more?: More): Decision;
/** Go on, and ask no further hooks of the same lane. */
export function skip(more?: More): Decision;
/** Text for the agent. */
export function inject(text: string, more?: More): Decision;
/** Change the payload, by a merge patch (RFC 7386): null takes a value out. */
export function modify(modified: Record<string, any>, more?: More): Decision;
export { modify as change };
/** Do not run it; the result stands in for its own. */
export function answer(result: unknown, more?: More): Decision;
/** Try again after so many milliseconds; hookway waits 1000 if none are given. */
export function retry(milliseconds?: number, more?: More): Decision;
/** No opinion. */
export function proceed(more?: More): Decision;
