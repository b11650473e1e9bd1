package hook

import "time"

// follows reports whether a hook is asked when the one before it has answered.
func (e *entry) follows() bool { return e.hook.Lane == Transform && !e.hook.Profile.Together }

// group lists the hooks that are asked together with the first of them, of those
// that the payload concerns: rest goes on behind it.
func (r *run) group(first *entry, rest walk) []guardCall {
	var asked []guardCall
	same := map[string]bool{}
	for e := first; e != nil; e = rest.next() {
		if !e.hook.Profile.Together || e.hook.order() != first.hook.order() || same[e.hook.Same] || !r.matches(e) {
			continue
		}
		if e.hook.Same != "" {
			same[e.hook.Same] = true
		}
		asked = append(asked, guardCall{entry: e})
	}
	return asked
}

// together asks a group of transform hooks side by side, and takes their answers in
// order. It reports whether one skips the hooks behind the group.
func (r *run) together(asked []guardCall, v *Verdict) (skip bool, err error) {
	if len(asked) == 0 {
		return false, nil
	}
	answers := r.askAll(asked)
	r.last = time.Since(processStart)
	for i := range asked {
		v.Steps = append(v.Steps, answers[i].steps...)
		if answers[i].err != nil {
			return false, answers[i].err
		}
		skip = skip || answers[i].decision.Action == ActionSkip
		r.take(asked[i].entry, &answers[i].decision, v)
	}
	return skip, nil
}
