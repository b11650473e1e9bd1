package judge

import (
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
	variables "github.com/hookway/hookway/internal/environ"
	"github.com/hookway/hookway/wire/call"
)

// patience is how long the hooks may take: what the caller waits, less what it
// takes to bring it the answer.
func (h *hearing) patience() time.Duration {
	wait := h.request.Timeout
	if wait <= 0 {
		wait = h.codec.About().Event(h.native()).Wait
	}
	if wait <= 0 {
		wait = time.Minute
	}
	return wait - min(wait/20, 100*time.Millisecond)
}

// native is the event's native name as far as it is known without decoding it.
func (h *hearing) native() string {
	if h.request.Event != "" {
		return h.request.Event
	}
	return call.EventName(h.request.Stdin)
}

// inSession puts an event into the session of the terminal that the agent was
// wrapped in by hookway run, where it has the name that it was given there, and
// where the agent works if it does not say where.
func (h *hearing) inSession(ev hook.AnyEvent) (hook.AnyEvent, error) {
	env := *ev.Head()
	id := h.env.get("HOOKWAY_SESSION")
	env.Mark = h.asideMark(ev)
	if id == "" && env.CWD != "" && env.Mark == nil {
		return ev, nil
	}
	if id != "" {
		env.Session = id
	}
	if h.member != nil && h.member.name != "" {
		env.Agent = h.member.name
	}
	if env.CWD == "" {
		env.CWD = h.request.Dir
	}
	return ev.Info().New(env, ev.Body())
}

// mostAside bounds how late an event that nobody waits for is believed to come.
const mostAside = time.Minute

// asideMark is the time of an event that nobody waits for, and which may so come
// after later ones: what the agent says, if it says it. nil is the time at which it
// comes.
func (h *hearing) asideMark(ev hook.AnyEvent) *hook.Mark {
	told := toldTime(ev)
	if age := time.Since(told); told.IsZero() || age < 0 || age > mostAside || !h.codec.About().Event(adapter.NativeName(ev)).Aside {
		return ev.Head().Mark
	}
	return &hook.Mark{Time: told}
}

// environ is the caller's environment.
type environ []string

func (e environ) get(name string) string {
	for i := len(e) - 1; i >= 0; i-- { // the last one counts
		if kv := e[i]; len(kv) > len(name) && kv[len(name)] == '=' && kv[:len(name)] == name {
			return kv[len(name)+1:]
		}
	}
	return ""
}

// depth is how many hooks stand between the user and this call.
func (e environ) depth() int { return variables.Depth(e.get(variables.DepthVariable)) }
