// Package script runs hooks that are written in TypeScript or JavaScript, inside
// this process: esbuild bundles the file, QuickJS runs it. There is no Node.
//
// # What a file may be
//
//   - A default function: export default (event, ctx) => decision. The event is
//     the JSON of package wire, and so is the answer, in any of its dialects; no
//     answer is no opinion. Which events it wants says the configuration, or the
//     file itself (export const on = ["PreToolUse"]).
//   - Hooks that are registered with the module "hookway", or a default export of
//     them.
//   - A program of one of the systems whose hooks hookway runs: relay.config.ts of
//     agent-relay, a HookEngine of @a3s-lab/box, an OpenClaw plugin, compilr's
//     HooksConfig.
//
// # Where it runs
//
// All hooks of a file share one virtual machine, so that what the file keeps in
// its variables is there for the next event. As in other JavaScript programs, one
// piece of code runs at a time, and a handler that awaits something lets others
// run. A handler that computes for long does not hold up the others: they get a
// machine of their own, where the file's variables begin anew.
//
// A machine has at most 64 MiB. When a handler's time is over, it is stopped
// wherever it is, in a loop or in a regular expression too, and the next event
// gets a new machine. ctx.signal tells a handler that its time is over.
//
// # What it may do
//
// A script may compute, log, and talk to the session whose event it handles. To
// run programs, read and write files or use the network, it needs a Grant.
package script
