package guards

import (
	"fmt"
	"time"

	"github.com/hookway/hookway/hook"
)

// When calls that are repeated are told of.
const (
	equalLimit    = 15 // equal calls after which nothing changed
	patientLimit  = 60 // the same, of calls that wait for something
	pairLimit     = 6  // two calls in turn
	failureLimit  = 12 // calls that fail, in a row
	failureRepeat = 4  // more of them, before it is told again
)

// count counts a call, and gives the facts that show only by counting.
func (s *session) count(hash string, facts []hook.Fact, now time.Time) []hook.Fact {
	s.tick(now)
	s.Calls++
	waits := waits(facts)
	patient := waits || len(s.Recent) > 0 && s.Recent[len(s.Recent)-1].Waits
	s.Recent = append(s.Recent, recent{Call: hash, Waits: waits})
	tail(&s.Recent, maxRecent)
	var out []hook.Fact
	limit := equalLimit
	if patient {
		limit = patientLimit
	}
	if n := s.again(hash); n >= limit {
		out = append(out, hook.Fact{Does: "loop", What: "equal", Object: fmt.Sprintf("%d times", n), Sure: true})
	}
	if s.alternate() {
		out = append(out, hook.Fact{Does: "loop", What: "alternating", Object: fmt.Sprintf("%d times", pairLimit), Sure: true})
	}
	if n := s.Failures - failureLimit; n >= 0 && n%failureRepeat == 0 {
		out = append(out, hook.Fact{Does: "loop", What: "failures", Object: fmt.Sprintf("%d calls", s.Failures), Sure: true})
	}
	return out
}

// again counts a call among its equals, from one again when a file became another.
func (s *session) again(hash string) int {
	e := equal{Call: hash}
	for _, old := range s.Equal {
		if old.Call == hash && old.Changes == s.Changes {
			e = old
		}
	}
	e.Count++
	e.Changes = s.Changes
	s.Equal = add(s.Equal, e, maxEqual, func(o equal) bool { return o.Call == hash })
	return e.Count
}

// answered notes the result of a call. Another one than before is progress, and so is
// that somebody let a call go on that rules asked about.
func (s *session) answered(hash, result string, ok, granted bool) {
	switch {
	case ok, granted:
		s.Failures = 0
	case !s.waited(hash): // what is waited for is not there yet
		s.Failures++
	}
	for i := range s.Equal {
		e := &s.Equal[i]
		if e.Call != hash {
			continue
		}
		switch {
		case granted:
			e.Count = 0
		case e.Result != "" && e.Result != result:
			e.Count = 1
		}
		e.Result, e.Changes = result, s.Changes // what the call itself writes is no progress
	}
	if granted {
		s.Recent = nil
	}
	for i := len(s.Recent) - 1; i >= 0; i-- {
		if s.Recent[i].Call == hash {
			s.Recent[i].Result = result
			break
		}
	}
}

// waited reports whether a call was one that waits for something.
func (s *session) waited(hash string) bool {
	for i := len(s.Recent) - 1; i >= 0; i-- {
		if s.Recent[i].Call == hash {
			return s.Recent[i].Waits
		}
	}
	return false
}

// alternate reports whether the last calls are two that take turns, neither waits, and
// each gives the same again.
func (s *session) alternate() bool {
	n := len(s.Recent)
	if n < 2*pairLimit {
		return false
	}
	last := s.Recent[n-2*pairLimit:]
	if last[0].Call == last[1].Call || last[0].Waits || last[1].Waits {
		return false
	}
	for i := range last {
		if last[i].Call != last[i%2].Call || last[i].Result != "" && last[i].Result != last[i%2].Result {
			return false
		}
	}
	return true
}
