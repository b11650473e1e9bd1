// Package hook is the engine of hookway: events of an AI agent, the hooks that
// watch them, and the one chain in which every decision is made.
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
// every name that other hook systems use for the same thing is an alias.
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
// # Failure
//
// A handler fails when it returns an error, panics, runs out of time or gives
// an answer that means nothing. Each failure is a recorded [Step]; then the
// hook's policy speaks: [FailOpen] goes on, [FailClosed] blocks. Guards are closed
// by default, all others open. A refusal is a [Decision], never an error.
//
// # Time
//
// Every call has a deadline, 30 s by default, carried by its context. A guard,
// an observer, and any hook with a [Timeout] of its own, runs on a goroutine of
// its own, and is abandoned at the deadline even if it ignores its context; its
// late answer changes nothing. A transform hook without a timeout of its own runs on the
// caller's goroutine, which is what makes it cost nanoseconds: it must obey its
// context, as any Go function that is given one.
package hook
