// Package agenterr writes a line to the error output of the agent that called a hook.
// Agents without a terminal show their users nothing of what a hook says; what they
// were started with for errors reaches the user who started them.
package agenterr

import "errors"

// ErrNone says that there is no error output that may be written to.
var ErrNone = errors.New("the agent has no error output of its own that can be written to")

// maxLine bounds what is written, so that a pipe takes it whole or not at all.
const maxLine = 512

// Tell writes a line to the error output of the process that a hook was called by:
// pid, or the nearest above it that is neither a shell nor hookway. It never waits.
// Only a pipe or a file of the same user is written to, never a terminal, whose
// screen is the agent's.
func Tell(pid int, line string) error {
	if len(line) > maxLine-1 {
		line = line[:maxLine-1]
	}
	return tell(pid, line+"\n")
}
