package replay

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/hook"
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
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	shown := atHome(redact.TextFrom(text, from), home)
	if from > 0 {
		shown = "…" + shown
	}
	return visible.ClipBytes(strings.Join(strings.Fields(shown), " "), mostShown)
}

var redact = facts.NewRedactor(nil)

// hide takes secrets and the name of the home out of a text.
func hide(text, home string) string {
	return atHome(redact.Text(text), home)
}

// atHome takes the name of the home out of a text.
func atHome(text, home string) string {
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
