package explain

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/guards"
)

// Decision is a decision on record, with what is known of how it came about.
type Decision struct {
	Seq     int64        `json:"seq"`
	Text    string       `json:"text"`  // the command, or what else it is about
	Spans   []Span       `json:"spans"` // of the text, where it says what the facts tell
	Facts   []hook.Fact  `json:"facts"`
	Steps   []audit.Step `json:"steps"`
	Changes []Change     `json:"changes"`
	Verdict Verdict      `json:"verdict"`

	// Call is what hookway explain tells of it: the rules of today over the facts of then.
	// It is nil of what is not a call of a tool.
	Call *guards.Explanation `json:"call"`
}

// Span is a part of a text: the bytes of its UTF-8 from From up to, but not including, To.
type Span struct {
	From    int            `json:"from"`
	To      int            `json:"to"`
	Fact    int            `json:"fact"`              // which of the facts
	Says    string         `json:"says"`              // the fact in words
	Kind    string         `json:"kind"`              // what it does: delete, connect
	Rule    string         `json:"rule,omitempty"`    // that holds for it, the strictest
	Verdict guards.Verdict `json:"verdict,omitempty"` // of that rule
}

// Change is a place of the payload that hooks changed.
type Change struct {
	Path string `json:"path"`
	From any    `json:"from"`
	To   any    `json:"to"`
	Diff string `json:"diff"` // unified, without its head
}

// Verdict is what came of it.
type Verdict struct {
	Action      string `json:"action"`
	By          string `json:"by"`
	Rule        string `json:"rule"`
	Reason      string `json:"reason"`
	Would       string `json:"would"`
	UserMessage string `json:"user_message"`
	Inject      string `json:"inject"`
	Failure     string `json:"failure"` // of hookway itself
}

// Of explains a record. call is what is known of its call; nil if it is none.
func Of(r *audit.Record, call *guards.Explanation) Decision {
	d := Decision{
		Seq: r.Seq, Text: r.What, Spans: []Span{}, Facts: r.Facts, Steps: r.Steps, Changes: []Change{}, Call: call,
		Verdict: Verdict{r.Action, r.By, r.Rule, r.Reason, r.Would, r.UserMessage, r.Inject, r.Failure},
	}
	if call != nil {
		d.Text, d.Facts = cmp.Or(call.Command, d.Text), call.Facts
		d.Spans = spansOf(call)
	}
	if d.Facts == nil {
		d.Facts = []hook.Fact{}
	}
	if d.Steps == nil {
		d.Steps = []audit.Step{}
	}
	for _, c := range r.Changes {
		d.Changes = append(d.Changes, Change{c.Path, c.From, c.To, unified(c.From, c.To)})
	}
	return d
}

// spansOf are the parts of a command that its facts tell of. A command in which something
// was hidden is not the one that was read, so nothing is underlined in it.
func spansOf(call *guards.Explanation) []Span {
	spans := []Span{}
	if strings.Contains(call.Command, facts.Redacted) {
		return spans
	}
	for i, f := range call.Facts {
		if f.At.IsZero() || f.At.From < 0 || f.At.To <= f.At.From || f.At.To > len(call.Command) {
			continue
		}
		s := Span{From: f.At.From, To: f.At.To, Fact: i, Says: guards.DescribeFact(f), Kind: f.Does}
		for _, r := range call.Rules {
			if r.At == f.At && (s.Rule == "" || r.Verdict == guards.Block && s.Verdict != guards.Block) {
				s.Rule, s.Verdict = r.Rule, r.Verdict
			}
		}
		spans = append(spans, s)
	}
	slices.SortStableFunc(spans, func(a, b Span) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(b.To, a.To)) })
	return spans
}

// unified is a diff of two sides of a change, without its head.
func unified(from, to any) string {
	text := string(diff.Diff("before", asText(from), "after", asText(to)))
	if _, body, ok := strings.Cut(text, "+++ after\n"); ok {
		return body
	}
	return text
}

// asText is a side of a change with lines that can be compared.
func asText(v any) []byte {
	switch v := v.(type) {
	case nil:
		return nil
	case string:
		return []byte(strings.TrimSuffix(v, "\n") + "\n")
	}
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil { // what is on record came from JSON
		return nil
	}
	return append(text, '\n')
}
