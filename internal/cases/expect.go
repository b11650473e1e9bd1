package cases

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/strict"
	"go.yaml.in/yaml/v4"
)

// expectKeys are the keys under expect: each reads its value and gives what to
// compare, or nil after a mistake. The payload of the case's event is checked
// against its kind, which is nil if that is unknown.
func expectKeys(r *reader, info *hook.EventInfo) map[string]func(entry) check {
	return map[string]func(entry) check{
		"action":         r.expectAction,
		"reason":         r.expectText(func(o *hook.Outcome[any]) string { return o.Reason }),
		"reason_matches": r.expectPattern(func(o *hook.Outcome[any]) string { return o.Reason }),
		"by":             r.expectText(func(o *hook.Outcome[any]) string { return o.By }),
		"user_message":   r.expectText(func(o *hook.Outcome[any]) string { return o.UserMessage }),
		"inject":         r.expectText(func(o *hook.Outcome[any]) string { return o.Inject }),
		"inject_matches": r.expectPattern(func(o *hook.Outcome[any]) string { return o.Inject }),
		"modified":       func(e entry) check { return r.expectModified(e, info) },
		"payload":        func(e entry) check { return r.expectPayload(e, info) },
		"result":         r.expectResult,
		"retry_delay_ms": r.expectDelay,
		"steps":          r.expectSteps,
		"error":          r.expectError,
	}
}

// expectations reads the map under expect.
func (r *reader) expectations(at *yaml.Node, info *hook.EventInfo) []expectation {
	var list []expectation
	known := map[string]func(entry){}
	for name, read := range expectKeys(r, info) {
		known[name] = func(e entry) {
			if c := read(e); c != nil {
				list = append(list, expectation{name, e.Key.Line, e.Key.Column, c})
			}
		}
	}
	before := len(r.Problems)
	if found := keys(r, at, "expect", known); found != nil && len(found) == 0 && len(r.Problems) == before {
		r.Fail(at, "say what the hooks must do, as in expect: {action: block}", "the case expects nothing")
	}
	slices.SortStableFunc(list, func(a, b expectation) int { // merged keys stand elsewhere
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column))
	})
	return list
}

func (r *reader) expectAction(e entry) check {
	word, ok := r.text(e.Value, "action", false)
	if !ok {
		return nil
	}
	want, err := hook.ParseAction(word)
	if err != nil {
		var names []string
		for a := hook.ActionContinue; a <= hook.ActionAnswer; a++ {
			names = append(names, a.String())
		}
		r.Fail(e.Value, suggest(word, names), "unknown action %q", strict.Clip(word))
		return nil
	}
	return func(s *seen) *mismatch {
		if s.out.Action == want {
			return nil
		}
		return &mismatch{want: []string{want.String()}, got: []string{s.out.Action.String()}}
	}
}

// expectText compares one of the outcome's texts. false is an empty one.
func (r *reader) expectText(of func(*hook.Outcome[any]) string) func(entry) check {
	return func(e entry) check {
		want := ""
		if n, ok := r.Enter(e.Value); !ok {
			return nil
		} else if !isFalse(n) {
			if want, ok = r.text(e.Value, e.Key.Value, true); !ok {
				return nil
			}
		}
		return func(s *seen) *mismatch {
			if of(&s.out) == want {
				return nil
			}
			return &mismatch{want: lines(want), got: lines(of(&s.out))}
		}
	}
}

func (r *reader) expectPattern(of func(*hook.Outcome[any]) string) func(entry) check {
	return func(e entry) check {
		re, ok := r.pattern(e.Value, e.Key.Value)
		if !ok {
			return nil
		}
		return func(s *seen) *mismatch {
			if re.MatchString(of(&s.out)) {
				return nil
			}
			return &mismatch{want: []string{matching(re)}, got: lines(of(&s.out))}
		}
	}
}

func matching(re *regexp.Regexp) string { return "text that matches " + re.String() }

// lines splits a text for comparison. No text is a line that says so.
func lines(text string) []string {
	if text == "" {
		return []string{"(none)"}
	}
	return strings.Split(text, "\n")
}

// expectModified compares some values of the payload, or wants it unchanged.
func (r *reader) expectModified(e entry, info *hook.EventInfo) check {
	n, ok := r.Enter(e.Value)
	if !ok {
		return nil
	}
	if isFalse(n) {
		return func(s *seen) *mismatch {
			if !s.changed() {
				return nil
			}
			return differs(s.before, s.after)
		}
	}
	if n.Kind != yaml.MappingNode {
		r.Fail(e.Value, "write the changed values, or false", "modified must be a map or false, not %s", strict.Describe(n))
		return nil
	}
	want, ok := r.object(e.Value, "modified")
	if !ok || !r.fits(n, "modified", info) {
		return nil
	}
	if len(want) == 0 {
		r.Fail(e.Value, "write the changed values, or false", "modified is an empty map")
		return nil
	}
	return func(s *seen) *mismatch {
		with := laid(s.after, want)
		switch {
		case !equal(with, s.after):
			return differs(with, s.after)
		case !s.changed():
			return &mismatch{note: "the payload has these values, but it had them before: no hook changed it"}
		}
		return nil
	}
}

// expectPayload compares the whole payload.
func (r *reader) expectPayload(e entry, info *hook.EventInfo) check {
	want, ok := r.object(e.Value, "payload")
	if !ok {
		return nil
	}
	if n, ok := r.Enter(e.Value); !ok || !r.fits(n, "payload", info) {
		return nil
	}
	return func(s *seen) *mismatch {
		if equal(want, s.after) {
			return nil
		}
		return differs(want, s.after)
	}
}

// differs is a mismatch of two JSON values.
func differs(want, got any) *mismatch {
	return &mismatch{want: pretty(aligned(want, got)), got: pretty(got)}
}

func (r *reader) expectResult(e entry) check {
	want, ok := r.Value(e.Value, "result")
	if !ok {
		return nil
	}
	return func(s *seen) *mismatch {
		if equal(want, s.result) {
			return nil
		}
		return differs(want, s.result)
	}
}

// longestDelay is the longest delay that can be meant, in milliseconds.
const longestDelay = 24 * 60 * 60 * 1000

func (r *reader) expectDelay(e entry) check {
	n, ok := r.Enter(e.Value)
	if !ok {
		return nil
	}
	var want float64
	tag := n.ShortTag()
	if n.Kind != yaml.ScalarNode || tag != "!!int" && tag != "!!float" || n.Decode(&want) != nil {
		r.Fail(e.Value, "write milliseconds, as in 1000", "retry_delay_ms must be a number, not %s", strict.Describe(n))
		return nil
	}
	if !(want >= 0 && want <= longestDelay) {
		r.Fail(e.Value, "write milliseconds, as in 1000", "retry_delay_ms must be between 0 and %d, not %s", longestDelay, strict.Clip(n.Value))
		return nil
	}
	return func(s *seen) *mismatch {
		got := float64(s.out.RetryDelay) / float64(time.Millisecond)
		if got == want {
			return nil
		}
		return &mismatch{want: []string{number(want)}, got: []string{number(got)}}
	}
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func (r *reader) expectSteps(e entry) check {
	want, ok := r.texts(e.Value, "steps")
	if !ok {
		return nil
	}
	return func(s *seen) *mismatch {
		got := []string{}
		for _, step := range s.out.Steps {
			got = append(got, step.Hook)
		}
		if slices.Equal(want, got) {
			return nil
		}
		return &mismatch{want: orNone(want), got: orNone(got)}
	}
}

func orNone(list []string) []string {
	if len(list) == 0 {
		return []string{"(none)"}
	}
	return list
}

// expectError looks at the failures of the steps. What a hook decided and its
// event refused is one of them.
func (r *reader) expectError(e entry) check {
	n, ok := r.Enter(e.Value)
	if !ok {
		return nil
	}
	if isFalse(n) {
		return func(s *seen) *mismatch {
			if got := failures(s.out.Steps); len(got) > 0 {
				return &mismatch{want: []string{"(none)"}, got: got}
			}
			return nil
		}
	}
	re, ok := r.pattern(e.Value, "error")
	if !ok {
		return nil
	}
	return func(s *seen) *mismatch {
		got := failures(s.out.Steps)
		if slices.ContainsFunc(s.out.Steps, func(step hook.Step) bool { return step.Err != nil && re.MatchString(step.Err.Error()) }) {
			return nil
		}
		return &mismatch{want: []string{matching(re)}, got: orNone(got)}
	}
}

// failures says which steps failed and why.
func failures(steps []hook.Step) []string {
	var list []string
	for _, s := range steps {
		if s.Err != nil {
			list = append(list, s.Hook+": "+hook.LogLine(s.Err.Error()))
		}
	}
	return list
}
