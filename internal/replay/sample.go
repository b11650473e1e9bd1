package replay

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/visible"
)

// Bounds of a sample, in bytes.
const (
	mostShown    = 240
	mostSearched = 32 << 10 // of a text that is searched for secrets
	before       = 80       // of a long command before what it is about
)

// sampleOf is a call as people are shown it.
func sampleOf(about call, j guards.Judged) Sample {
	s := Sample{Verdict: j.Verdict, Agent: about.agent, Project: hide(about.project, about.home), Time: about.time.UTC(), Times: 1}
	for _, text := range []*string{&j.Fact.Path, &j.Fact.Link, &j.Fact.Host, &j.Fact.Object, &j.Fact.Ref, &j.Fact.Remote, &j.Fact.Name, &j.Fact.Because, &j.Fact.By, &j.Fact.Program} {
		*text = hide(*text, about.home)
	}
	s.Says = visible.ClipBytes(j.Says(), mostShown)
	if command := guards.CommandOf(about.input); command != "" {
		s.Call = window(command, j.Fact.At, about.home)
		return s
	}
	text, err := json.Marshal(about.input)
	if err != nil {
		text = nil
	}
	s.Call = about.tool + " " + window(string(text), hook.Span{}, about.home)
	return s
}

// window is a text without its secrets, on one line; of a long one the part that a fact
// is about.
func window(text string, at hook.Span, home string) string {
	text = strings.ToValidUTF8(text[:min(len(text), mostSearched)], "\uFFFD")
	from := 0
	if len(text) > mostShown && at.To <= len(text) && at.To > mostShown && at.From >= 0 {
		from = max(at.From-before, 0)
	}
	shown := hide(cut(text, from), home)
	if from > 0 {
		shown = "…" + shown
	}
	return visible.ClipBytes(strings.Join(strings.Fields(shown), " "), mostShown)
}

// cut gives a text from a place on, without the credentials that are anywhere in it.
func cut(text string, from int) string {
	var b strings.Builder
	at := from
	found := facts.Credentials(text)
	slices.SortFunc(found, func(a, b facts.Credential) int { return a.At.From - b.At.From })
	for _, c := range found {
		if c.At.To <= at {
			continue
		}
		b.WriteString(text[at:max(c.At.From, at)] + "[" + c.Kind + "]")
		at = c.At.To
	}
	b.WriteString(text[min(at, len(text)):])
	return strings.ToValidUTF8(b.String(), "")
}

var redact = sync.OnceValue(func() func(string) string { return audit.Hide(nil) })

// hide takes secrets and the name of the home out of a text.
func hide(text, home string) string {
	text = redact()(cut(text, 0))
	if len(home) > 1 {
		text = tilde(text, home)
	}
	return text
}

// tilde writes ~ for the home, where it is a whole path or its beginning.
func tilde(text, home string) string {
	var b strings.Builder
	for {
		i := strings.Index(text, home)
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		end := i + len(home)
		if end < len(text) && isName(text[end]) || i > 0 && isName(text[i-1]) {
			b.WriteString(text[:end])
		} else {
			b.WriteString(text[:i] + "~")
		}
		text = text[end:]
	}
}

func isName(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c == '-' || c == '_' || c == '.'
}

// asText is an input as one line of JSON.
func asText(input map[string]any) string {
	text, err := json.Marshal(input)
	if err != nil {
		return ""
	}
	return string(text)
}

// short is a text in one line without secrets, of a bounded length.
func short(text, home string) string { return window(text, hook.Span{}, home) }
