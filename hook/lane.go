package hook

import (
	"fmt"
	"strings"
)

// Lane says when a hook runs and what it may do; see the package comment. A rule
// that protects something belongs into Guard: no change can slip past it.
type Lane uint8

// The lanes, in the order in which they run.
const (
	Transform Lane = iota // one after the other; may change the payload
	Guard                 // side by side on the final payload; may not change it
	Observe               // called afterwards, never waited for; its answer is ignored
)

// String returns the lane's name in configs and steps.
func (l Lane) String() string { return [...]string{"transform", "guard", "observe"}[l] }

// ParseLane reads a lane's name, in any case. The error lists the names.
func ParseLane(name string) (Lane, error) {
	for _, l := range []Lane{Transform, Guard, Observe} {
		if strings.EqualFold(name, l.String()) {
			return l, nil
		}
	}
	return 0, fmt.Errorf("unknown lane %q; use transform, guard or observe", name)
}

// Failure is what happens when a handler fails: an error, a panic, a timeout or an
// invalid answer.
type Failure uint8

// The failure policies. FailDefault is FailClosed for guards, FailOpen for all others.
const (
	FailDefault Failure = iota
	FailOpen            // the event goes on as if the hook were not there
	FailClosed          // the event is blocked; the reason names the hook
)

// String returns the policy's name in configs.
func (f Failure) String() string { return [...]string{"default", "continue", "block"}[f] }

// ParseFailure reads a policy's name: continue or block.
func ParseFailure(name string) (Failure, error) {
	switch strings.ToLower(name) {
	case "continue":
		return FailOpen, nil
	case "block":
		return FailClosed, nil
	}
	return 0, fmt.Errorf("unknown failure policy %q; use continue or block", name)
}

// Profile keeps the habits of another hook system for a hook that was written for
// it. It is data that the chain reads, one field per habit; the zero value is
// hookway's own behaviour.
type Profile struct {
	// Name is the system's, as configurations write it.
	Name string

	// SeesOriginal gives the hook the payload as it was fired, whatever earlier
	// hooks changed; the fields it changes itself are laid over the current ones.
	SeesOriginal bool

	// SkipDropsChanges makes a skip undo the changes made so far.
	SkipDropsChanges bool

	// UnknownContinues reads an unknown action as continue instead of a failure.
	UnknownContinues bool

	// HigherFirst orders by priority descending: the hook's priority is negated.
	HigherFirst bool

	// PlainText takes output that does not begin with { for text, as Claude Code
	// does: no opinion, or text for the agent.
	PlainText bool

	// ExitTwoFails makes exit code 2 a failure, like any other but 0.
	ExitTwoFails bool

	// BlockEnds makes a block end the operation at every event: a turn of the loop
	// is not run, an agent that stops stays stopped. Each is followed by Error.
	BlockEnds bool

	// Together asks all hooks of the transform lane that have it, and the same priority,
	// side by side, at the place of the first: each sees the payload as it was before
	// them, and all are asked even if one blocks. The strongest answer wins, of several
	// changes the last in order.
	Together bool

	// FailOpen never blocks because of a failure, unless on_failure says so.
	FailOpen bool

	// Iterations counts the turns of an agent's loop and puts the number into the
	// metadata of events as "iteration", from 1.
	Iterations bool

	// Priority is the default priority.
	Priority int
}

// ProfileClaude is the profile of hooks from Claude Code's own settings. A hook of
// hookway's configuration cannot have it: its output is checked more closely.
var ProfileClaude = Profile{Name: "claude", PlainText: true, Together: true, Priority: DefaultPriority}

// The profiles of the systems that hookway takes hooks from.
var (
	ProfileAcai     = Profile{Name: "acai", UnknownContinues: true, ExitTwoFails: true, BlockEnds: true, FailOpen: true, Priority: DefaultPriority}
	ProfileOpenClaw = Profile{Name: "openclaw", SeesOriginal: true, HigherFirst: true}
	ProfileCompilr  = Profile{Name: "compilr", Iterations: true}
	ProfileA3S      = Profile{Name: "a3s", SeesOriginal: true, SkipDropsChanges: true, Priority: DefaultPriority}
)

// Profiles lists the profiles that a configuration can name.
func Profiles() []Profile {
	return []Profile{ProfileAcai, ProfileOpenClaw, ProfileCompilr, ProfileA3S}
}

// ParseProfile finds a profile by name, in any case. The error lists the names.
// ProfileClaude is not among them.
func ParseProfile(name string) (Profile, error) {
	var known []string
	for _, p := range Profiles() {
		if strings.EqualFold(name, p.Name) {
			return p, nil
		}
		known = append(known, p.Name)
	}
	return Profile{}, fmt.Errorf("unknown profile %q; use one of %s", name, strings.Join(known, ", "))
}
