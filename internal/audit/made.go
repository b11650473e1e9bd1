package audit

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/keep"
)

// MadeAgain names what hooks make of an event that is fired again, as [keep.Event] has it
// of then: secrets of the hooks' own become the placeholders that they became then, while
// those of the event are placeholders already. "" is nothing; ok is false of what has no
// JSON form.
func MadeAgain(event []byte, out *hook.Outcome[any], key *keep.Placeholders) (name string, ok bool) {
	text, ok := keep.MadeOf(out)
	if text == nil || key == nil {
		return "", ok
	}
	return key.Made(hiddenAgain(event, text, key)), true
}

// HiddenAgain is a text that a hook gives again, with what stands for secrets of its own.
func HiddenAgain(event []byte, text string, key *keep.Placeholders) string {
	doc := hiddenAgain(event, keep.AppendText(nil, text), key)
	return string(appendUnquoted(nil, doc[1:len(doc)-1]))
}

func hiddenAgain(event, doc []byte, key *keep.Placeholders) []byte {
	if key == nil {
		return doc
	}
	s := &scrubber{redact: openRedactor, holds: key, known: event}
	return s.clean(doc, s.loose)
}

// openRedactor hides what every log does.
var openRedactor = newRedactor(nil)

// Differ compares what a record says that hooks changed, and answered, with what they do
// now. path is the first place that differs; whole is false where too little is on record
// to say so.
func (r *Record) Differ(ev hook.AnyEvent, out *hook.Outcome[any]) (path string, whole bool) {
	now := FromOutcome(ev, out, 0)
	openRedactor.finish(&now)
	whole = !slices.Contains(r.Cut, "changes") && !slices.ContainsFunc(r.Cut, func(c string) bool { return strings.HasPrefix(c, "result") })
	for i := range max(len(r.Changes), len(now.Changes)) {
		var was, is Change
		if i < len(r.Changes) {
			was = r.Changes[i]
		}
		if i < len(now.Changes) {
			is = now.Changes[i]
		}
		a, b := textOf(was), textOf(is)
		switch {
		case masked(a):
			whole = false
		case a != b:
			return cmp.Or(is.Path, was.Path), true
		}
	}
	a, b := textOf(r.Result), textOf(now.Result)
	if a != b && !masked(a) {
		return "result", true
	}
	return "", whole && !masked(a)
}

// masked reports whether something was taken out of a text of a record.
func masked(text string) bool {
	return strings.Contains(text, facts.Redacted) || strings.Contains(text, "[secret: ")
}

// textOf is a value as JSON, to be compared.
func textOf(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(text)
}
