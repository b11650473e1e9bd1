package suggest

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/visible"
)

// mostShown bounds a sample, in bytes.
const mostShown = 160

// shown are some calls as people are shown them: the shortest, and without what looks
// like a secret.
func (f *finder) shown(list []call) []string {
	out := []string{}
	for i := range list {
		out = append(out, f.line(&list[i]))
	}
	slices.SortFunc(out, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	out = slices.Compact(out)
	return out[:min(len(out), mostSamples)]
}

// line is a call in one line.
func (f *finder) line(c *call) string {
	text := guards.CommandOf(c.input)
	if text == "" {
		in, err := json.Marshal(c.input)
		if err != nil { // it came from JSON
			in = nil
		}
		text = c.tool + " " + string(in)
	}
	text = strings.Join(strings.Fields(unsafe.Text(text)), " ")
	if f.Root != "/" {
		text = strings.ReplaceAll(text, f.Root+"/", "")
	}
	text = address().ReplaceAllString(text, "$1/…")
	return visible.ClipBytes(text, mostShown)
}

// address is one of the network: of a sample it says where a call goes, and what stands
// behind that says nothing to others.
var address = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(https?://[^\s/"'?#]+)[/?#][^\s"'\\|;&<>)]+`) })

// WriteText writes a report for people.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s on record%s: %s, %s answered by a person, %d stopped by hand.\n", visible.Count(r.Records, "event"), r.since(), visible.Count(r.Calls, "call"), visible.Count(r.Yes, "question"), r.No)
	if r.Blind > 0 {
		fmt.Fprintf(&b, "%s without what was asked for: it was hidden, or too long for the record. Nothing is suggested of these.\n", visible.Count(r.Blind, "call"))
	}
	if r.Held > 0 {
		fmt.Fprintf(&b, "%s allowed although a block rule of hookway's own holds: nothing is suggested of these.\n", visible.Count(r.Held, "call"))
	}
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "%s; hookway log verify tells more\n", p)
	}
	if r.Broken != "" {
		fmt.Fprintf(&b, "The record is not as it was written (%s): nothing is suggested that lets something pass. hookway log verify tells more.\n", r.Broken)
	}
	if len(r.Suggestions) == 0 {
		b.WriteString("There is nothing to suggest.\n")
	}
	for i := range r.Suggestions {
		r.Suggestions[i].write(&b)
	}
	if r.More > 0 {
		fmt.Fprintf(&b, "\nand %s of less weight\n", visible.Count(r.More, "more suggestion"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Report) since() string {
	if r.Since.IsZero() {
		return ""
	}
	return " since " + r.Since.UTC().Format("2006-01-02 15:04 UTC")
}

func (s *Suggestion) write(b *strings.Builder) {
	fmt.Fprintf(b, "\n%d. %s\n", s.N, s.Title)
	var when []string
	if s.Times > 0 {
		when = append(when, timesOf(s.Times))
	}
	if s.Days > 0 {
		when = append(when, "on "+visible.Count(s.Days, "day"))
	}
	if s.Sessions > 0 {
		when = append(when, "in "+visible.Count(s.Sessions, "session"))
	}
	if !s.First.IsZero() {
		when = append(when, fmt.Sprintf("first %s, last %s", s.First.Format(time.DateOnly), s.Last.Format(time.DateOnly)))
	}
	fmt.Fprintf(b, "   %s\n", strings.Join(when, ", "))
	for _, why := range s.Why {
		fmt.Fprintf(b, "   %s\n", why)
	}
	for _, sample := range s.Samples {
		fmt.Fprintf(b, "     %s\n", sample)
	}
	if s.Note != "" {
		fmt.Fprintf(b, "   Note: %s\n", s.Note)
	}
	for line := range strings.Lines(s.YAML) {
		b.WriteString("       " + line)
	}
}
