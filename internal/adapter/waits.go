package adapter

import (
	"time"

	"github.com/hookway/hookway/hook"
)

// Waits is what an agent does with a hook that takes its time, because a person is
// asked elsewhere: as its program was seen to behave.
type Waits struct {
	// Version is that of the program that was watched; "" if none was, and then no
	// call is held.
	Version string

	// Hold is the longest that a call may be held for a person: the agent waits so
	// long if its settings say so, as hookway install writes them. 0: it waits too
	// short a time for a person, whatever they say.
	Hold time.Duration

	// Beside: the agent shows its own question while the hook of its permission
	// request runs, and whoever answers first counts. Otherwise the question comes
	// after the hook, so that a hook that waits hides it.
	Beside bool

	// What the page about agents says: the largest time that its settings take, what
	// happens when it is over, what other calls of the same turn do meanwhile, and what
	// becomes of its own question.
	Most, Late, Calls, Question string
}

// mostHold bounds a hold where the agent bounds none: a person who has not come after a
// day does not come.
const mostHold = 24 * time.Hour

// Holds is the longest that a call may be held for a person at an event; 0 means that it
// is not held there.
func (a *About) Holds(native string) time.Duration {
	e := a.Event(native)
	if e.Can&Block == 0 || e.Kind == nil || e.Kind != hook.PreToolUse.Info() && e.Kind != hook.PermissionRequest.Info() {
		return 0
	}
	return a.Waits.Hold
}

const (
	latePasses = "the hook is ended and the call runs, without a word to the user"
	lateAsks   = "; a permission request's then asks the user"
)

var claudeWaits = Waits{
	Version: "2.1.329", Hold: mostHold, Beside: true,
	Most: "30 days taken", Late: latePasses + "; a permission request's question stays",
	Calls:    "what only reads goes on; other calls wait for it",
	Question: "beside the hook: the first answer counts; `claude -p` waits for the hook in its place",
}

var codexWaits = Waits{
	Version: "0.169.0", Hold: mostHold,
	Most: "30 days taken", Late: latePasses + lateAsks,
	Calls: "go on", Question: "after the hooks; nothing ends it from elsewhere",
}

var geminiWaits = Waits{
	Version: "0.61.0", Hold: mostHold,
	Most:  "24 days; more than 2,147,483,647 ms is 1 ms",
	Late:  "the hook is ended and the call runs; a warning is shown",
	Calls: "their hooks run beside it; the calls wait for all", Question: "there is no event for it",
}

var copilotWaits = Waits{
	Version: "1.0.102", Hold: mostHold,
	Most: "30 days taken", Late: latePasses + lateAsks,
	Calls: "wait for it", Question: "after the hooks; nothing ends it from elsewhere",
}

var openCodeWaits = Waits{
	Version: "1.18.33", Hold: mostHold,
	Most: "no bound; hookway's plugin has its own", Late: "hookway's plugin refuses the call",
	Calls: "go on", Question: "no hook can answer it",
}

var qwenWaits = Waits{
	Version: "0.24.4",
	Most:    "1 min, whatever its settings say; from 1,000 on they count milliseconds",
	Late:    latePasses + lateAsks,
	Calls:   "what only reads goes on; other calls wait for it", Question: "after the hooks; nothing ends it from elsewhere",
}
