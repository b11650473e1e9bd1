package keep

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/hookway/hookway/hook"
)

// Events are written while an agent waits, so the common parts are written by hand: it
// takes a fifth of the time of package encoding/json, and gives what that gives.

// AppendText adds a text as JSON.
func AppendText(b []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			return appendOdd(b, s)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

// appendOdd adds a text that has to be escaped.
func appendOdd(b []byte, s string) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always can be written
	return append(b, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}

func appendTexts(b []byte, list []string) []byte {
	b = append(b, '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = AppendText(b, s)
	}
	return append(b, ']')
}

// member begins a member of an object.
func member(b []byte, name string) []byte {
	if c := b[len(b)-1]; c != '{' {
		b = append(b, ',')
	}
	b = append(b, '"')
	b = append(b, name...)
	return append(b, '"', ':')
}

func appendMember(b []byte, name, value string) []byte {
	if value == "" {
		return b
	}
	return AppendText(member(b, name), value)
}

func appendList(b []byte, name string, list []string) []byte {
	if len(list) == 0 {
		return b
	}
	return appendTexts(member(b, name), list)
}

func appendFlag(b []byte, name string, set bool) []byte {
	if !set {
		return b
	}
	return append(member(b, name), "true"...)
}

// Rest is all of the event but its payload, verdict and number of secrets, as an object.
func (e *Event) Rest() []byte {
	b := append(make([]byte, 0, 1024), '{')
	b = appendMember(b, "workspace", e.Workspace)
	b = appendList(b, "others", e.Others)
	if len(e.Analyses) > 0 {
		b = append(member(b, "analyses"), '[')
		for i := range e.Analyses {
			if i > 0 {
				b = append(b, ',')
			}
			b = e.Analyses[i].append(b)
		}
		b = append(b, ']')
	}
	b = appendMember(b, "analyser", e.Analyser)
	b = appendFlag(b, "judged", e.Judged)
	b = appendFacts(b, "before", e.Before)
	b = appendMember(b, "budget", e.Budget)
	b = appendMember(b, "granted", e.Granted)
	b = appendMember(b, "chance", e.Chance)
	return append(b, '}')
}

// Text is the verdict as an object.
func (v *Verdict) Text() []byte {
	b := append(make([]byte, 0, 256), '{')
	b = appendMember(b, "action", v.Action)
	b = appendMember(b, "by", v.By)
	b = appendMember(b, "rule", v.Rule)
	b = appendMember(b, "reason", v.Reason)
	b = appendMember(b, "user_message", v.UserMessage)
	b = appendMember(b, "inject", v.Inject)
	b = appendFlag(b, "changed", v.Changed)
	return append(b, '}')
}

// Begin is the first part of an entry: its version and payload. It has room for more.
func Begin(payload []byte, more int) []byte {
	b := make([]byte, 0, len(payload)+more+64)
	b = append(b, `{"v":`...)
	b = strconv.AppendInt(b, version, 10)
	return append(member(b, "event"), payload...)
}

// End adds what else an entry has: what Rest and Text give, the name of what the hooks
// made of the event, and how many values placeholders stand for.
func End(b, rest, verdict []byte, made string, secrets int) []byte {
	if inner := rest[1 : len(rest)-1]; len(inner) > 0 {
		b = append(append(b, ','), inner...)
	}
	if len(verdict) > len("{}") {
		b = append(member(b, "verdict"), verdict...)
	}
	b = appendMember(b, "made", made)
	if secrets > 0 {
		b = strconv.AppendInt(member(b, "secrets"), int64(secrets), 10)
	}
	return append(b, '}')
}

func (a *Analysis) append(b []byte) []byte {
	b = append(b, '{')
	if a.Input != nil {
		b = append(member(b, "input"), a.Input...)
	}
	b = appendFacts(b, "facts", a.Facts)
	b = append(member(b, "seen"), '{')
	o := &a.Seen
	b = appendMember(b, "dir", o.Dir)
	b = appendMember(b, "home", o.Home)
	b = appendMember(b, "project", o.Project)
	b = appendList(b, "temp", o.Temp)
	b = appendList(b, "scratch", o.Scratch)
	b = appendList(b, "trees", o.Trees)
	if len(o.Env) > 0 {
		b = append(member(b, "env"), '{')
		for i, name := range slices.Sorted(maps.Keys(o.Env)) {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(AppendText(b, name), ':')
			b = AppendText(b, o.Env[name])
		}
		b = append(b, '}')
	}
	b = appendList(b, "unkept", o.Unkept)
	if len(o.Looks) > 0 {
		b = append(member(b, "looks"), '[')
		for i, l := range o.Looks {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendTexts(b, l)
		}
		b = append(b, ']')
	}
	b = appendFlag(b, "more", o.More)
	return append(b, '}', '}')
}

// factField is a field of a fact.
type factField struct {
	name  string
	at    int
	kind  reflect.Kind
	empty bool // it is written though it is empty
}

var factFields = sync.OnceValue(func() (out []factField) {
	t := reflect.TypeFor[hook.Fact]()
	for i := range t.NumField() {
		name, how, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		out = append(out, factField{name, i, t.Field(i).Type.Kind(), how == ""})
	}
	return out
})

func appendFacts(b []byte, name string, list []hook.Fact) []byte {
	if len(list) == 0 {
		return b
	}
	b = append(member(b, name), '[')
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendFact(b, reflect.ValueOf(&list[i]).Elem())
	}
	return append(b, ']')
}

func appendFact(b []byte, v reflect.Value) []byte {
	b = append(b, '{')
	for _, f := range factFields() {
		field := v.Field(f.at)
		switch f.kind {
		case reflect.String:
			if s := field.String(); s != "" || f.empty {
				b = AppendText(member(b, f.name), s)
			}
		case reflect.Bool:
			if set := field.Bool(); set || f.empty {
				b = strconv.AppendBool(member(b, f.name), set)
			}
		case reflect.Int:
			if n := field.Int(); n != 0 {
				b = strconv.AppendInt(member(b, f.name), n, 10)
			}
		case reflect.Slice:
			list, _ := field.Interface().([]string)
			b = appendList(b, f.name, list)
		case reflect.Struct:
			if at, _ := field.Interface().(hook.Span); !at.IsZero() {
				b = strconv.AppendInt(append(member(b, f.name), `{"from":`...), int64(at.From), 10)
				b = append(strconv.AppendInt(append(b, `,"to":`...), int64(at.To), 10), '}')
			}
		}
	}
	return append(b, '}')
}
