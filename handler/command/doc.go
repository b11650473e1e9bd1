// Package command runs hooks that are programs: one process for each event, or
// one worker that stays.
//
//	guard, err := command.New(command.Config{Argv: []string{"./guard"}})
//	...
//	err = engine.Add(hook.New("guard", guard, hook.For("PreToolUse"), hook.As(hook.Guard)))
//
// # One process for each event
//
// The program gets the event as JSON on stdin and answers with JSON on stdout;
// see package wire for both. Exit status 0 means that stdout is the answer (empty
// is no opinion), 2 is a block whose reason is on stderr, anything else is a
// failure. Its environment is ours, or that of WithEnviron, and, besides Config.Env,
//
//	HOOK_ACTION=execute     or describe, see Describe
//	HOOKWAY_EVENT           the event's canonical name
//	HOOKWAY_SESSION_ID      the agent's session, possibly empty
//	HOOKWAY_PROJECT_DIR     the project's folder; CLAUDE_PROJECT_DIR is the same
//
// # What is left running
//
// Each program is the leader of a process group of its own. When the call's
// context ends, the whole group gets SIGTERM, and after Config.Grace SIGKILL;
// the call itself returns at once. When the program ends by itself, its pipes are
// read for at most a tenth of a second more, and then everything that is left of
// its group is killed: a job put into the background of a hook ends with the
// hook. A daemon that is meant to outlive the hook starts a session of its own
// (setsid) and redirects its output; that is the one way to leave something behind.
//
// In a process that called procgroup.Keep, as the daemon does, no group outlives
// the process, whatever it dies of.
//
// On Windows a job object stands in for the group: a console break for SIGTERM,
// the end of the whole job for SIGKILL.
//
// # Workers
//
// A worker is one process that answers many events, which saves the start of an
// interpreter for each. It speaks JSON-RPC 2.0, one object a line:
//
//	→ {"jsonrpc":"2.0","id":7,"method":"hook","params":{event}}
//	← {"jsonrpc":"2.0","id":7,"result":{decision}}
//	← {"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"why it could not decide"}}
//	→ {"jsonrpc":"2.0","method":"cancel","params":{"id":7}}
//
// Many requests may be open at once; answers come in any order. A request is
// cancelled when no call waits for its answer any more; the worker should answer
// it all the same. One that says nothing at all for Config.Grace after a cancel
// counts as hung: it gets no more events and a new one takes its place. stdout is
// for answers only: any other line there fails the requests that are open. What
// the worker prints on stderr goes to Config.Log. Its environment has
// HOOKWAY_WORKER=1; it should end when its stdin does.
//
// A worker starts at its first event. One that dies is started again for the
// next event, after a pause of 100 ms that doubles up to 2 s until an event is
// answered; an event waits for the pause if its deadline allows it.
//
// With WithEnviron there is one process for each environment, as far as the
// worker gets it, and at most eight of them: the idle one that was not used for
// the longest time ends for a new one.
package command
