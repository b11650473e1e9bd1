package relay

// stage is a [State] as it is kept. Those below injected wait, and count in the
// bound of an inbox.
type stage int

const (
	inOutbox   stage = 0 // kept for another machine, which has not got it yet
	queued     stage = 1
	begun      stage = 2 // a consumer is injecting it, or was when it ended
	injected   stage = 3
	seen       stage = 4
	replied    stage = 5
	suppressed stage = 6
	refused    stage = 7
	dead       stage = 8
)

var states = map[stage]State{
	inOutbox: StateAccepted, queued: StateAccepted, begun: StateAccepted,
	injected: StateInjected, seen: StateSeen, replied: StateReplied,
	suppressed: StateSuppressed, refused: StateRefused, dead: StateDead,
}

// stageOf is where a state of another machine leads to. It is for the sender only,
// so that all that waits there is queued.
func stageOf(s State) (stage, bool) {
	if s == StateAccepted {
		return queued, true
	}
	for st, state := range states {
		if state == s {
			return st, true
		}
	}
	return 0, false
}

// after reports whether a receipt with this stage says more than one with the other.
// An answer says more than all, also than that a message was given up.
func (s stage) after(other stage) bool {
	if s == replied || other == replied {
		return other != replied
	}
	return s > other
}

// ranks are the priorities as they are kept.
var ranks = map[Priority]int{PriorityLow: 0, PriorityNormal: 1, PriorityHigh: 2, PriorityUrgent: 3}
