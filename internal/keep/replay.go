package keep

import (
	"bytes"
	"encoding/json"
	"slices"
	"sync"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/hook"
)

// Replaying is an event that is fired again: it is decided by what was known when it was
// kept, its facts and what its session said of it.
type Replaying struct {
	*Event

	// Anew has every call analysed, in the world of that time, though its facts are known.
	// Without it that is done where another version of the analyser has found them.
	Anew bool

	// ReadFile reads today's files, see [Observations.World]. Nil reads none.
	ReadFile func(path string, n int) ([]byte, error)

	// Key is what files are known again by; nil is none.
	Key *Placeholders

	// Fired is the event as it is fired again.
	Fired hook.AnyEvent

	mu    sync.Mutex
	lacks []string
	aged  bool
	moved bool
}

// Lacks says what an analysis was to look at that is not known.
func (r *Replaying) Lacks() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lacks
}

// Aged reports whether a call was analysed anew because another version of the analyser
// had found its facts.
func (r *Replaying) Aged() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.aged
}

// Moved reports whether a call was analysed anew because other places may be emptied now
// than when its facts were found.
func (r *Replaying) Moved() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.moved
}

// Earlier is what the earlier events of its session said of the call, under which budget;
// known is false if nobody asked then.
func (r *Replaying) Earlier() (before []hook.Fact, budget string, known bool) {
	return r.Before, r.Budget, r.Judged
}

// Facts are those of a payload of the event: as they were found, or what the analysis of
// today finds in the world of that time. scratch are the places that may be emptied, as of
// [facts.World]: the rules say so, which may be others than then.
func (r *Replaying) Facts(ev hook.AnyEvent, scratch []string) []hook.Fact {
	a, known := r.analysis(ev, scratch)
	aged := known && r.Analyser != facts.Version()
	moved := known && !slices.Equal(a.Seen.Scratch, scratch) && slices.ContainsFunc(a.Facts, func(f hook.Fact) bool { return f.Scope != "" })
	if known && !r.Anew && !aged && !moved {
		return a.Facts
	}
	var seen Observations
	if a != nil {
		seen = a.Seen
	}
	if seen.Dir == "" {
		seen.Dir = ev.Head().CWD
	}
	w := seen.World(r.ReadFile, r.Key)
	w.Scratch = scratch
	found := facts.Of(ev, w.World)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.aged, r.moved = r.aged || aged, r.moved || moved
	if a == nil {
		r.lacks = append(r.lacks, "nobody asked then what the call would do")
	}
	r.lacks = append(r.lacks, w.Lacks()...)
	return found
}

// analysis gives what was found of a payload then, best where these places might be
// emptied; known is false if it is of another payload, whose world is the nearest that
// there is.
func (r *Replaying) analysis(ev hook.AnyEvent, scratch []string) (a *Analysis, known bool) {
	call, _ := hook.CallOf(ev)
	own, _ := hook.CallOf(r.Fired)
	unchanged := same(call.Input, own.Input)
	var text []byte
	of := func(a *Analysis) bool { // the payload
		if a.Input == nil {
			return unchanged
		}
		if text == nil {
			text, _ = json.Marshal(call.Input) // what cannot be written equals nothing
		}
		return string(compact(a.Input)) == string(text)
	}
	for i := range r.Analyses {
		if one := &r.Analyses[i]; of(one) {
			if a, known = one, true; slices.Equal(one.Seen.Scratch, scratch) {
				return a, true
			}
		} else if !known {
			a = one
		}
	}
	return a, known
}

// compact is an input as it is written today.
func compact(raw json.RawMessage) []byte {
	var v map[string]any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber() // digit for digit, as events have them
	if d.Decode(&v) != nil {
		return raw
	}
	text, err := json.Marshal(v)
	if err != nil {
		return raw
	}
	return text
}
