package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
)

// DecodeDecision reads a handler's answer in any dialect; see the package
// comment. Modified is a whole payload of the event's type. The error names the
// field, shows a piece of the answer and says what is expected. An answer that
// clearly says no is a block, whatever else is wrong with it. An empty answer is
// an error: only the caller knows whether it means anything.
func DecodeDecision(ev hook.AnyEvent, data []byte, profile hook.Profile) (hook.Decision, error) {
	return decodeDecision(ev, data, profile, nil)
}

func decodeDecision(ev hook.AnyEvent, data []byte, profile hook.Profile, warn func(string)) (hook.Decision, error) {
	text, err := check(data)
	if err != nil {
		return hook.Decision{}, notDecision(data, err)
	}
	if text[0] != '{' {
		return hook.Decision{}, notDecision(data, fmt.Errorf("it must be an object such as {\"action\":\"continue\"}, not %s", kind(text)))
	}
	d, err := readDecision(ev, text, profile, warn)
	if err == nil && profile.PlainText {
		return imported(ev, text, d, profile, warn)
	}
	if err == nil {
		return d, nil
	}
	if d, no := refusal(ev.Info(), text, err); no {
		if warn != nil {
			warn("the answer says no, and that holds; the rest could not be read: " + hook.LogLine(err.Error()))
		}
		return d, nil
	}
	return hook.Decision{}, notDecision(data, err)
}

// readDecision reads a valid object strictly.
func readDecision(ev hook.AnyEvent, text []byte, profile hook.Profile, warn func(string)) (hook.Decision, error) {
	list := members(text)
	r, err := newReply(ev, list, profile)
	if err == nil {
		err = r.slips(list)
	}
	if err == nil {
		err = r.unheard(list)
	}
	if err != nil {
		return hook.Decision{}, err
	}
	if r.warn = warn; r.note != "" {
		r.warning(r.note)
	}
	for _, dialect := range []func(*reply) error{ours, openclaw, compilr, relay, claude} {
		if err := dialect(r); err != nil {
			return hook.Decision{}, err
		}
	}
	d := r.decision()
	d.Note = cmp.Or(d.Note, r.slip)
	return d, nil
}

// notDecision says that an answer means nothing, and shows how it begins.
func notDecision(data []byte, err error) error {
	text := trim(data)
	if len(text) == 0 {
		return errors.New("the answer is empty; for no opinion answer {}")
	}
	line := text
	if text[0] != '{' && text[0] != '[' {
		line, _, _ = bytes.Cut(text, []byte("\n"))
	}
	return fmt.Errorf("the answer is not a decision: %w; it begins with: %s", err, excerpt(line))
}

// reply is an answer that is being read: what it has, and what was made of it.
type reply struct {
	ev      hook.AnyEvent
	info    *hook.EventInfo
	profile hook.Profile
	have    map[string]json.RawMessage // known names that are there and not null
	editor  *editor
	warn    func(string)
	note    string // to warn of
	slip    string // a name that is nearly one that is known

	opinions []hook.Decision // with action, reason, result and delay
	user     []string
	inject   []string
	metadata map[string]any

	// otherInput: the input that is allowed is not the event's, which cannot change.
	otherInput bool
}

// newReply checks names and types of an answer before anything is made of it, so
// that a wrong type is an error whatever else it says.
func newReply(ev hook.AnyEvent, list []member, profile hook.Profile) (*reply, error) {
	r := &reply{ev: ev, info: ev.Info(), profile: profile, editor: newEditor(ev)}
	keys := r.keys()
	var err error
	r.have, err = pick(list, keys, "")
	return r, err
}

// pick takes the known members out of an object, and checks their types.
func pick(list []member, keys map[string]string, path string) (map[string]json.RawMessage, error) {
	known := func(name string) bool { return keys[name] != "" }
	if err := once(list, known); err != nil {
		return nil, fmt.Errorf("%s%w", path, err)
	}
	have := make(map[string]json.RawMessage, len(list))
	for _, m := range list {
		want := keys[m.name]
		switch {
		case want == "":
			if near := misspelt(m.name, keys); near != "" {
				return nil, fmt.Errorf("%s%s: there is no such field; did you mean %s?", path, excerpt([]byte(m.name)), near)
			}
			if place := placeOf(m.name); place != "" && path != "" {
				return nil, fmt.Errorf("%s%s: it does not belong here and would have no effect; write it %s", path, excerpt([]byte(m.name)), place)
			}
			continue
		case isNull(m.value) && want != anyValue && !slices.Contains(deciding, m.name):
			continue // a null is not an answer to a question that may be left open
		case want != anyValue && kind(m.value) != want:
			return nil, mustBe(path+m.name, want, m.value)
		}
		have[m.name] = m.value
	}
	return have, nil
}

// misspelt finds the known name that a name differs from by case, '_' or '-'
// only, or the deciding name that it is a typing error away from.
func misspelt(name string, keys map[string]string) string {
	for _, known := range slices.Sorted(maps.Keys(keys)) {
		if hook.Normal(known) == hook.Normal(name) {
			return known
		}
	}
	for _, known := range loud {
		edits := 1
		if len(known) > 7 {
			edits = 2
		}
		if keys[known] != "" && len(name) > 4 && hook.NearestWithin(edits, name, []string{known}) != "" {
			return known
		}
	}
	return ""
}

// slips finds a name that is nearly a known one, with a value that such a one may have.
// An answer that says nothing else means nothing; else the rest holds, with a note.
// Claude Code passes over names that it does not know.
func (r *reply) slips(list []member) error {
	if r.profile.PlainText {
		return nil
	}
	keys := r.keys()
	names := slices.Sorted(maps.Keys(keys))
	for _, m := range list[:min(len(list), 100)] {
		near := ""
		if keys[m.name] == "" && len(m.name) <= 50 {
			near = hook.Misspelt(m.name, names)
		}
		if near == "" || kind(m.value) != keys[near] && (keys[near] != anyValue || kind(m.value) == anArray) {
			continue
		}
		r.slip = fmt.Sprintf("%s: there is no such field; did you mean %s?", excerpt([]byte(m.name)), near)
		if len(r.have) == 0 {
			return errors.New(r.slip)
		}
	}
	return nil
}

// think adds an opinion.
func (r *reply) think(action hook.Action, reason string) {
	r.opinions = append(r.opinions, hook.Decision{Action: action, Reason: reason})
}

func (r *reply) text(name string) string {
	if r.have[name] == nil {
		return ""
	}
	return unquote(r.have[name])
}

// has reports whether a name is there with a value other than null.
func (r *reply) has(name string) bool { return r.have[name] != nil && !isNull(r.have[name]) }

// is reports whether a boolean is there and true.
func (r *reply) is(name string) bool { return string(r.have[name]) == "true" }

func (r *reply) say(list *[]string, text string) {
	if text != "" {
		*list = append(*list, text)
	}
}

func (r *reply) keep(name string, value any) {
	if r.metadata == nil {
		r.metadata = map[string]any{}
	}
	r.metadata[name] = value
}

func (r *reply) warning(line string) {
	if r.warn != nil {
		r.warn(line)
	}
}

// strength orders the actions of one answer; see the package comment.
var strength = map[hook.Action]int{
	hook.ActionContinue: 0, hook.ActionSkip: 1, hook.ActionAllow: 2, hook.ActionAsk: 3,
	hook.ActionAnswer: 4, hook.ActionRetry: 5, hook.ActionBlock: 6,
}

// decision puts the opinions together: the strongest, and of equals the first.
// If it has no reason, a reason that stands in the answer elsewhere is its own.
func (r *reply) decision() hook.Decision {
	var d hook.Decision
	for i, o := range r.opinions {
		if i == 0 || strength[o.Action] > strength[d.Action] {
			d = o
		} else if o.Action == d.Action && d.Reason == "" {
			d.Reason = o.Reason
		}
	}
	for _, name := range []string{"reason", "blockReason", "cancelReason", "permissionDecisionReason", "agent_message", "stopReason"} {
		if d.Reason == "" {
			d.Reason = r.text(name)
		}
	}
	if r.otherInput && d.Action == hook.ActionAllow {
		d = hook.Decision{Action: hook.ActionAsk, Reason: "a hook allows this with another input only"}
	}
	if r.editor.changed {
		d.Modified = r.editor.payload()
	}
	d.UserMessage = strings.Join(r.user, "\n")
	d.Inject = strings.Join(r.inject, "\n\n")
	d.Metadata = r.metadata
	return d
}

// maxRetryDelay is the longest delay that is taken for meant.
const maxRetryDelay = 24 * time.Hour
