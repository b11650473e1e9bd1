package audit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/visible"
)

// Describe is a record for people to read: a line, and below it the hooks that failed,
// or with explain everything that led to the outcome.
func (r *Record) Describe(explain bool) string {
	var b strings.Builder
	r.line(&b)
	if explain {
		r.explain(&b)
	} else {
		r.describeFailures(&b)
	}
	return b.String()
}

// line writes one line: time, agent, event, outcome, what, by whom, why, how long.
func (r *Record) line(w io.Writer) {
	fmt.Fprintf(w, "%s  %-11s  %-18s  %-8s  %s", r.Time.Local().Format("2006-01-02 15:04:05.000"),
		or(r.Agent, r.Source), field(r.Event, 40), or(r.Action, "-"), r.subject())
	by, reason := ruled(r.By, r.Rule, r.Reason)
	switch {
	case by != "" && reason != "":
		fmt.Fprintf(w, "  by %s: %s", field(by, 80), field(reason, 160))
	case by != "":
		fmt.Fprintf(w, "  by %s", field(by, 80))
	case reason != "":
		fmt.Fprintf(w, "  %s", field(reason, 160))
	}
	for _, s := range r.Steps {
		if s.Would != nil {
			by, reason := ruled(cmp.Or(s.Would.Rule, s.Hook), s.Would.Rule, s.Would.Reason)
			fmt.Fprintf(w, "  would %s by %s%s", s.Would.Did(), field(by, 80), after(": ", reason))
		}
	}
	fmt.Fprintf(w, "  (%s)\n", inMS(r.DurationMS))
	if r.Failure != "" {
		fmt.Fprintf(w, "    hookway failed: %s\n", field(r.Failure, 300))
	}
	if r.Lost > 0 {
		fmt.Fprintf(w, "    %d records before this one could not be written\n", r.Lost)
	}
}

// ruled takes out of what one of hookway's own rules told an agent who speaks, which the
// agent has to know: in a line of the log the rule stands in front, and the rest has more
// room. Other reasons stay as they are, with the hook.
func ruled(hook, rule, reason string) (by, says string) {
	if rule, _, _ = strings.Cut(rule, "@"); rule != "" {
		if _, says, ok := strings.Cut(reason, "(rule "+rule+"): "); ok {
			return rule, says
		}
	}
	return hook, reason
}

// describeFailures says which handlers failed, a line each, unless the reason of the
// outcome does.
func (r *Record) describeFailures(w io.Writer) {
	for _, s := range r.Steps {
		if s.Failed && s.Error != "" && !strings.Contains(r.Reason, s.Error) {
			fmt.Fprintf(w, "    %s failed: %s\n", field(s.Hook, 80), field(s.Error, 300))
		}
	}
}

// subject is the tool and what it did, and if that was not what it was asked to do,
// that as well.
func (r *Record) subject() string {
	tool, what := field(r.Tool, 60), field(r.What, 100)
	if r.Ran != "" {
		what = field(r.Ran, 100) + " (asked for: " + what + ")"
	}
	switch {
	case tool != "" && what != "":
		return tool + ": " + what
	case tool+what == "":
		return "-"
	}
	return tool + what
}

// explain writes everything that led to the outcome, a line each.
func (r *Record) explain(w io.Writer) {
	for _, s := range r.Steps {
		did := s.Action
		if s.Changed {
			did += ", changed"
		}
		if s.Injected {
			did += ", injected"
		}
		if s.Failed {
			did += ", failed"
		}
		if s.Would != nil {
			did += ", would " + s.Would.Did()
		}
		fmt.Fprintf(w, "    %-9s  %s: %s (%s)%s%s\n", s.Lane, field(s.Hook, 80), did, inMS(s.DurationMS), after("  ", s.Reason), after("  error: ", s.Error)+after("  note: ", s.Note))
	}
	for _, f := range r.Facts {
		fmt.Fprintf(w, "    fact       %s\n", side(f))
	}
	for _, c := range r.Changes {
		fmt.Fprintf(w, "    changed    %s: %s → %s\n", field(c.Path, 120), side(c.From), side(c.To))
	}
	if len(r.Metadata) > 0 {
		fmt.Fprintf(w, "    metadata   %s\n", side(r.Metadata))
	}
	for _, part := range []struct {
		name  string
		lines []string
	}{
		{"injected", []string{r.Inject}}, {"user told", []string{r.UserMessage}}, {"degraded", r.Degraded}, {"warning", r.Warnings},
		{"shortened", []string{strings.Join(r.Cut, ", ")}}, {"session", []string{r.Session}}, {"native", []string{r.Native}}, {"folder", []string{or(r.Workspace, r.CWD)}}, {"not kept", []string{r.Unkept}},
	} {
		for _, line := range part.lines {
			if line != "" {
				fmt.Fprintf(w, "    %-9s  %s\n", part.name, field(line, 300))
			}
		}
	}
}

// side is one side of a change as JSON.
func side(v any) string {
	if v == nil {
		return "(nothing)"
	}
	text, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	return field(string(text), 200)
}

// field makes text of an agent fit for a line: no control characters, no line breaks,
// and not too long.
func field(text string, most int) string { return visible.Clip(hook.LogLine(text), most) }

func or(text, otherwise string) string { return field(cmp.Or(text, otherwise), 80) }

func after(before, text string) string {
	if text == "" {
		return ""
	}
	return before + field(text, 200)
}

// inMS writes a time; a hook that is a rule takes less than a hundredth of a millisecond.
func inMS(ms float64) string {
	if ms > 0 && ms < 0.01 {
		return fmt.Sprintf("%.3f ms", ms)
	}
	return fmt.Sprintf("%.2f ms", ms)
}

// WriteStats writes a table of what hooks did.
func WriteStats(w io.Writer, hooks []HookStats) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "HOOK\tRUNS\tBLOCKS\tWOULD\tFAILURES\tP50\tP95\tP99")
	for _, h := range hooks {
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%s\t%s\t%s\n", field(h.Hook, 80), h.Runs, h.Blocks, h.Would, h.Failures, inMS(h.P50), inMS(h.P95), inMS(h.P99))
	}
	return table.Flush()
}

// Bounds of how far an event that nobody waited for may stand behind later ones.
const (
	mostBehind  = 64 // records
	longestLate = time.Minute
)

// ByTime puts the records of a session in the order of their times: agents go on
// while they tell of some events, so these may be recorded after later ones.
func ByTime(records iter.Seq2[Record, error]) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		var held []Record
		for r, err := range records {
			if err != nil {
				if !yield(r, err) {
					return
				}
				continue
			}
			at := slices.IndexFunc(held, func(h Record) bool {
				late := h.Time.Sub(r.Time)
				return h.Session == r.Session && late > 0 && late < longestLate
			})
			if at < 0 {
				at = len(held)
			}
			held = slices.Insert(held, at, r)
			if len(held) > mostBehind {
				if !yield(held[0], nil) {
					return
				}
				held = slices.Delete(held, 0, 1)
			}
		}
		for _, r := range held {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// toldBounds are those of an event that others are told of.
var toldBounds = bounds{text: 64 << 10, total: 512 << 10, items: 1000, depth: 32}

// toldOutcome is what a record has of an outcome.
type toldOutcome struct {
	Action      string         `json:"action"`
	Reason      string         `json:"reason,omitempty"`
	By          string         `json:"by,omitempty"`
	UserMessage string         `json:"user_message,omitempty"`
	Inject      string         `json:"inject,omitempty"`
	Result      any            `json:"result,omitempty"`
	Ran         string         `json:"ran,omitempty"`
	Steps       []Step         `json:"steps,omitempty"`
	Changes     []Change       `json:"changes,omitempty"`
	Metadata    map[string]any `json:"metadata,omitempty"`
	Cut         []string       `json:"cut,omitempty"`
}

// Told is an event as services outside are told of it: body, which is its JSON, with
// its secrets hidden as in a record, and with the outcome as a record has it. A field
// of its own by that name is own_outcome. hide are names as in Record.Hide.
func Told(body []byte, ev hook.AnyEvent, came *hook.Settled, hide []string) ([]byte, error) {
	var event map[string]any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&event); err != nil {
		return nil, fmt.Errorf("the event is not a JSON object: %w", err)
	}
	redact := newRedactor(hide)
	var cut []string
	f := finisher{redactor: redact, rec: new(Record)}
	told := f.object(newCopier(toldBounds, redact, func(path string) {
		if len(cut) < maxNotes {
			cut = append(cut, path)
		}
	}).copy(event, "", 0))
	for _, name := range foundBy { // what records are found by, and the event's name and time
		if value, ok := event[name].(string); ok {
			told[name] = redact.text(value)
		}
	}
	if own, has := told["outcome"]; has {
		told["own_outcome"] = own
	}
	if came != nil {
		out := hook.Outcome[any]{Verdict: came.Verdict, Payload: ev.Body()}
		r := FromOutcome(came.Fired, &out, 0)
		r.Hide = hide
		redact.finish(&r)
		told["outcome"] = toldOutcome{Action: r.Action, Reason: r.Reason, By: r.By, UserMessage: r.UserMessage, Inject: r.Inject, Result: r.Result,
			Ran: r.Ran, Steps: r.Steps, Changes: r.Changes, Metadata: r.Metadata, Cut: append(cut, r.Cut...)}
	} else {
		delete(told, "outcome")
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(told); err != nil {
		return nil, fmt.Errorf("the event cannot be told: %w", err)
	}
	return bytes.TrimSpace(text.Bytes()), nil
}
