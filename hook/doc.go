// Package hook is the engine of hookway: events of an AI agent, the hooks that
// decide about them, and the one chain in which every decision is made.
//
// It imports the standard library only, and can be used alone: a Go program
// that runs its own agent fires events and asks the hooks. The hookway daemon
// is built on the same engine, so a hook written for one works in the other.
//
// # Events
//
// An [Event] is something an agent is about to do, or has done. It has a name
// ([PreToolUse]), an [Envelope] (who, when, where) and a typed payload
// ([ToolUse]). A [Point] ties a name to its payload type, so that the compiler
// checks both ends:
//
//	var engine hook.Engine // the zero value is ready
//
//	err := hook.On(&engine, hook.PreToolUse,
//		func(ctx context.Context, ev *hook.Event[hook.ToolUse]) (hook.Decision, error) {
//			return hook.Block("not on a Friday"), nil
//		}, hook.MatchTool("Bash"), hook.As(hook.Guard))
//
//	out, err := hook.Fire(ctx, &engine, hook.PreToolUse, &hook.Envelope{Session: "s-1"}, use)
//
// Names are looked up without regard to case, '_', '-' and a leading "on", and
// every name that other hook systems use for the same thing is an alias: see
// [Lookup]. [Define] adds an event to the whole process, [Engine.Define] to one
// engine.
//
// # Hooks and handlers
//
// A [Hook] is a registration: which events, which matcher, which lane, what to
// do when it fails. Its [Handler] is what runs. [On] registers a typed Go
// function; [New] and [Engine.Add] register any handler for any set of events.
// The packages under handler/ are handlers for programs, scripts, web servers,
// gRPC and WebAssembly. [Static] decides the same each time and needs no code.
//
// A [Match] narrows a hook down to some events. All fields that are set must
// hold; of a list, one entry must. It is compiled when the hook is added, and
// hooks that name exact tools are indexed by tool, so that a thousand rules for
// other tools cost nothing.
//
// # Decisions
//
// A handler answers with a [Decision]. Its [Action] says what happens to the
// operation; text for the agent ([Decision.Inject]), a changed payload
// ([Decision.Modified]) and metadata may come with any action:
//
//	return hook.Continue(), nil                       // no opinion
//	return hook.Block("use the staging host"), nil    // stop, and tell the agent why
//	return hook.Ask("this deletes a branch"), nil     // the user decides
//	return hook.Change(ev.Payload.WithInput("timeout", 5)), nil
//
// Each event lists in [EventInfo].May what its hooks may decide. The rest of a
// decision is dropped, and its [Step] says so with a [RefusedError].
//
// The [Outcome] of a firing is the sum: the strongest action, all texts, the
// payload as the hooks left it, and one [Step] for each call of a handler.
// Strength is block, retry, answer, ask, allow, continue.
//
// # Changing a payload
//
// Only transform hooks may change a payload, and only the fields that the event
// lists. A handler returns a whole new payload; it never edits the one it was given:
//
//	func(ctx context.Context, ev *hook.Event[hook.AgentRun]) (hook.Decision, error) {
//		run := ev.Payload // a copy: AgentRun has no maps or slices
//		run.Prompt = strings.ReplaceAll(run.Prompt, secret, "[redacted]")
//		return hook.Change(run), nil
//	}
//
// The next hook sees the change, and so does every guard. Fields of maps and slices
// are shared with other handlers until they are cloned: use [ToolUse.WithInput] for
// a tool's arguments, and [Clone] for everything else.
//
// # Metadata
//
// [Envelope].Metadata travels with the event. A hook adds to it with
// [Decision].Metadata, and the hooks after it find the sum: a later key replaces an
// earlier one. The key "env" holds environment variables for hooks that are
// programs, merged name by name. At most 64 KiB of JSON follow an operation.
//
// # Operations
//
// [Tool], [Generate], [Iteration] and [Session] run a whole operation with all
// of its events, so that an agent's loop needs no code for retries, answers and
// recoveries. What a hook puts into the metadata before an operation is in the
// metadata of the events after it: see [Operations].
//
// # Lanes, and what is ordered
//
// One firing runs the hooks that match in three lanes, each in the order
// (priority ascending, then order of registration; at a [Directive], of equal
// priorities, the hook that names namespace and target more closely comes
// first, and a [Builtin] one before others that are as close):
//
//   - [Transform] (the default): one after the other; each sees what earlier
//     ones changed. A block, retry or answer ends the lane, and with it the
//     firing; a skip ends the lane only.
//   - [Guard]: sees the final payload and may not change it. Guards run side by
//     side; the strongest answer wins, ties go to the first in order.
//   - [Observe]: never waited for. Each hook has a bounded queue of its own and
//     sees its events in the order in which they were fired.
//
// A firing works on the set of hooks that was registered when it began. Adding
// and removing hooks meanwhile is safe, from handlers too, and never affects it.
// No lock is held while a handler runs.
//
// # Profiles
//
// Hooks that were written for another system expect its habits: another order of
// priorities, another meaning of a skip, an unknown action that passes. A [Profile]
// has these as data on the hook ([WithProfile]); hooks with and without one run in
// the same chain.
//
// # Failure
//
// A handler fails when it returns an error, panics, runs out of time or gives
// an invalid answer. Each failure is a recorded [Step]; then the hook's policy
// decides: [FailOpen] goes on, [FailClosed] blocks. Guards are closed by default,
// all others open. A refusal is a [Decision], never an error.
//
// [Hook].Retries repeats a failed call inside the same timeout. Five calls in a
// row that cost time for nothing (timeouts, and errors marked [Unreachable]) open
// the hook's circuit: its policy answers at once with [ErrCircuitOpen], and one
// call every two seconds is let through to find out whether the hook is back.
//
// # Time
//
// Every call has a deadline, 30 s by default, carried by its context. A guard,
// an observer, and any hook with a [Timeout] of its own, runs on a goroutine of
// its own, and is abandoned at the deadline even if it ignores its context; its
// late answer changes nothing. A transform hook without a timeout of its own
// runs on the caller's goroutine, which makes it cost nanoseconds: it must obey
// its context, as any Go function that is given one.
//
// # Nesting
//
// A handler may fire events itself, on the same engine or another. If it fires the
// event that it is handling, that may go [MaxDepth] deep; then Fire returns an error.
// Values of the caller's context reach the handler, and through it nested firings.
//
// # Concurrency
//
// An [Engine] may be used from many goroutines, and from handlers. A handler is
// called from many goroutines at once. Events are shared: an event, its envelope
// and its payload must not be edited after it was fired. A handler that needs a copy to
// edit makes one with [Clone].
//
// # Testing
//
// Package hooktest has a recorder, a strict engine that finds handlers which edit
// events, and the tests that every handler should pass. [Point.New] makes an event
// for a handler's own test:
//
//	ev := hook.PreToolUse.New(hook.Envelope{}, hook.ToolUse{ToolName: "Bash"})
//	d, err := handler.Handle(t.Context(), ev)
//
// Time is the standard library's, so testing/synctest works for timeouts and retries.
//
// # Watching
//
// [Engine.Watch] calls a function with every [Notice]: hooks added and removed,
// started, completed and failed, also in a firing that was cancelled. The audit
// log, metrics and the dashboard are built on it. A hook can subscribe to the
// same as an event ("HookError"); its payload is a [HookChange].
package hook
