package judge

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/agenterr"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/trust"
	"github.com/hookway/hookway/internal/visible"
)

// Caution puts into an outcome what the user must know of hooks that do not run.
// Every caller that fires at the hooks of a folder uses it.
func Caution(set *config.Set, ev hook.AnyEvent, out *hook.Outcome[any]) {
	confirm(set, ev, out)
	tell(set, ev, out)
}

// confirm makes the user confirm what hooks would have judged that do not run,
// though the user once said that they should: files with mistakes, and files
// that changed since they were trusted. An agent can cause either.
func confirm(set *config.Set, ev hook.AnyEvent, out *hook.Outcome[any]) {
	if !ev.Info().May.Ask || out.Action != hook.ActionContinue && out.Action != hook.ActionAllow {
		return
	}
	if why := disarmed(set); why != "" {
		out.Action, out.Reason, out.By = hook.ActionAsk, why, "hookway"
	}
}

// disarmed says why trusted hooks do not run; "" if all do.
func disarmed(set *config.Set) string {
	if set.Trust.State == trust.Changed {
		return Advice(set)
	}
	for _, p := range slices.Concat(set.Problems, set.Skipped) {
		inside := set.Workspace != "" && strings.HasPrefix(p.File, set.Workspace+string(filepath.Separator))
		if !runsOn(set, p) && !slices.Contains(set.PassedOver, p) && (!inside || set.Trust.State != trust.Missing) {
			return "hooks do not run because of a mistake in the configuration: " + p.String()
		}
	}
	return ""
}

// runsOn reports whether what has a mistake runs as it was before: it was read
// without one already. That other hooks of the file run is not enough.
func runsOn(set *config.Set, p config.Problem) bool {
	return slices.ContainsFunc(set.Hooks, func(h config.Hook) bool { return set.StandsFor(&h, p) })
}

// tell puts what the user should know about hooks that do not run where an
// agent shows it: at the begin of a session and of each turn. Agents hide stderr.
func tell(set *config.Set, ev hook.AnyEvent, out *hook.Outcome[any]) {
	if ev.Info() != hook.SessionStart.Info() && ev.Info() != hook.AgentStart.Info() {
		return
	}
	var lines []string
	if out.UserMessage != "" {
		lines = append(lines, out.UserMessage)
	}
	var old, none config.Problems
	for _, p := range set.Problems {
		if runsOn(set, p) {
			old = append(old, p)
		} else {
			none = append(none, p)
		}
	}
	if n := len(none); n > 0 {
		lines = append(lines, fmt.Sprintf("hookway: %s in its configuration; what has one does not run, and each tool call is asked about:\n%s", visible.Count(n, "mistake"), none))
	}
	if n := len(old); n > 0 {
		lines = append(lines, fmt.Sprintf("hookway: %s in its configuration; what has one runs as it was before:\n%s", visible.Count(n, "mistake"), old))
	}
	if n := len(set.Skipped); n > 0 {
		lines = append(lines, fmt.Sprintf("hookway: %s left out; what cannot be asked what it is does not run:\n%s", visible.Count(n, "hook"), set.Skipped))
	}
	if neverTrusted(set) {
		lines = append(lines, untrustedWords)
	} else if waits(set) {
		lines = append(lines, "hookway: "+Advice(set))
	}
	out.UserMessage = strings.Join(lines, "\n")
}

// Complaints are the mistakes in a configuration, the hooks that are left out
// because of them, and what the user must know. Other warnings are for those who look at the hooks: list and trust show them.
func Complaints(set *config.Set) []string {
	var lines []string
	for _, p := range slices.Concat(set.Problems, set.Skipped) {
		lines = append(lines, p.String())
	}
	if waits(set) {
		lines = append(lines, "hookway: "+Advice(set))
	}
	return lines
}

// Untrusted is how many hooks do not run because they are not trusted.
func Untrusted(set *config.Set) int {
	n := 0
	for _, h := range set.Hooks {
		if h.State == config.Untrusted {
			n++
		}
	}
	return n
}

// waits reports whether there are hooks that wait for the user's trust.
func waits(set *config.Set) bool { return set.Unread || Untrusted(set) > 0 }

// Advice says what to do about hooks that do not run for want of trust. How many
// they are is not known of files that were not read.
func Advice(set *config.Set) string {
	what := "hooks do"
	if n := Untrusted(set); n > 0 {
		what = visible.Count(n, "hook does", "hooks do")
	}
	if why := set.Trust.Lost; why != "" {
		return fmt.Sprintf("%s: the hooks of %s run as they were. If they shall go on, run: hookway trust; if not, hookway untrust after it", why, set.Workspace)
	}
	if set.Trust.State == trust.Changed && slices.ContainsFunc(set.Hooks, func(h config.Hook) bool { return h.Layer == config.LayerWorkspace && h.State == config.Active }) {
		return fmt.Sprintf("the files of %s changed since it was trusted (%s); its hooks run as they were. Look at the changes, then run: hookway trust", set.Workspace, set.Trust.Changed())
	}
	if set.Trust.State == trust.Changed {
		return fmt.Sprintf("%s not run in %s: its files changed since it was trusted (%s); look at them, then run: hookway trust; or hookway untrust, if they shall not run any more", what, set.Workspace, set.Trust.Changed())
	}
	return fmt.Sprintf("%s not run in %s: the workspace is not trusted; look at them with hookway list, then run: hookway trust", what, set.Workspace)
}

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
