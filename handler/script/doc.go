// Package script runs hooks that are written in TypeScript or JavaScript, inside
// this process: esbuild bundles the file, QuickJS runs it. Node is not needed.
//
//	guard, err := script.New("guard.ts", script.Config{Allow: []script.Grant{script.Net}}, script.Options{})
//	...
//	err = engine.Add(hook.New("guard", guard, hook.For("PreToolUse"), hook.As(hook.Guard)))
//
// A file with several hooks is bundled with [Build] and run with [Open]; then
// [Program.Describe] lists its hooks, and [Program.Handler] makes a handler of each.
//
// # What a file may be
//
//   - A default function: export default (event, ctx) => decision. The event is
//     the JSON of package wire, and so is the answer, in any of its dialects; no
//     answer is no opinion. The configuration names its events, or the file does
//     (export const on = ["PreToolUse"]).
//   - Hooks that are registered with the module "hookway", or a default export of
//     them.
//   - A file for another hook system: relay.config.ts of agent-relay, a HookEngine
//     of @a3s-lab/box, an OpenClaw plugin, compilr's HooksConfig.
//   - A program that reads the event on stdin and prints its answer.
//
// # Where it runs
//
// All hooks of a file share one virtual machine, so that what the file keeps in
// its variables is there for the next event. As in other JavaScript programs, one
// piece of code runs at a time, and a handler that awaits something lets others
// run. A handler that computes for long does not delay the others: they get a
// machine of their own, where the file's variables start afresh.
//
// A machine has at most 64 MiB. A handler whose time is over is stopped wherever it
// is, even in a loop or a regular expression, and the next event gets a new machine. ctx.signal tells a handler that its time is over.
//
// # What it may do
//
// A script may compute, log, and talk to the session whose event it handles. To
// run programs, read and write files or use the network, it needs a Grant.
package script
