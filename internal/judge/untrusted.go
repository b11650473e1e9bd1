package judge

import (
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/agenterr"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/trust"
)

// untrustedWords are all that an agent's user is told of an untrusted
// workspace: the same for each, and nothing that stands in it.
const untrustedWords = "hookway: this folder has hooks of its own, which do not run, because you have not trusted it. hookway list shows them; hookway trust lets them run."

// neverTrusted reports whether there are hooks that the user never trusted.
func neverTrusted(set *config.Set) bool {
	return set.Trust.State == trust.Missing && set.Trust.Lost == "" && waits(set)
}

// maxWarned bounds the sessions that are remembered.
const maxWarned = 1024

// warned remembers which sessions were warned that their workspace is not trusted.
type warned struct {
	mu       sync.Mutex
	sessions map[string]bool
}

// first reports whether a session was not warned yet.
func (t *warned) first(session string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sessions[session] {
		return false
	}
	if len(t.sessions) >= maxWarned {
		clear(t.sessions)
	}
	if t.sessions == nil {
		t.sessions = map[string]bool{}
	}
	t.sessions[session] = true
	return true
}

// tellUntrusted tells the user once a session of a workspace that is not trusted: in
// the answer, and where the agent has no terminal to show it, on its error output.
func (r *request) tellUntrusted(out *hook.Outcome[any]) {
	about := r.codec.About()
	begins := r.ev.Info() == hook.SessionStart.Info()
	if !neverTrusted(r.w.set) || !begins && r.ev.Info() != turnOf(about) {
		return
	}
	if !r.warned.first(about.Agent + "\x00" + r.ev.Head().Session) {
		unsaid(out)
		return
	}
	if r.Continues != "" && !begins { // this process has not seen the session's begin
		return
	}
	pid := r.from.PID
	if pid == 0 {
		pid = os.Getpid()
	}
	if agenterr.Tell(pid, untrustedWords) == nil && about.Repeats { // else it is told where it can be
		unsaid(out)
	}
}

// turnOf is the event at which an agent tells of a user's turn, or of its first step
// where it has no event for a prompt.
func turnOf(about *adapter.About) *hook.EventInfo {
	if slices.ContainsFunc(about.Events, func(e adapter.Event) bool { return e.Kind == hook.AgentStart.Info() }) {
		return hook.AgentStart.Info()
	}
	return hook.GenerateStart.Info()
}

// unsaid takes the words out of an answer.
func unsaid(out *hook.Outcome[any]) {
	out.UserMessage = strings.TrimSpace(strings.Replace(out.UserMessage, untrustedWords, "", 1))
}
