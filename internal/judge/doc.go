// Package judge answers agents: it takes one call of an agent's hook from its
// bytes to its answer. The event is decoded, fired once at the hooks of the
// agent's workspace, fitted to what the agent can enforce, encoded, and put on
// record. The daemon and a process that works alone do the same here.
//
// An agent goes on as if there were no hook when a hook of it fails. So whatever
// happens, a panic of ours included, the agent gets an answer in its own words
// and in time; if there is no outcome, it is a refusal of what gates an
// operation, unless the command line says otherwise.
package judge
