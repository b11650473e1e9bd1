package guards

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// Explanation is what a call would do, and what the rules say of it.
type Explanation struct {
	Tool    string      `json:"tool,omitempty"`
	Command string      `json:"command,omitempty"`
	Verdict Verdict     `json:"verdict"` // of all rules: "", ask or block
	Facts   []hook.Fact `json:"facts"`
	Rules   []Said      `json:"rules"`
	Here    *Here       `json:"here,omitempty"` // nil: it is not known what is on
	Then    *Then       `json:"then,omitempty"` // of a call in the record
}

// Then is what came of a call when it was made. Rules over sessions show only here: what
// they held for is gone.
type Then struct {
	Action    string `json:"action"`
	Rule      string `json:"rule,omitempty"`
	By        string `json:"by,omitempty"`
	Reason    string `json:"reason,omitempty"`
	Would     string `json:"would,omitempty"` // of rules and hooks that did not count
	WouldRule string `json:"would_rule,omitempty"`
}

// text is one line for people.
func (t *Then) text() string {
	text := cmp.Or(t.Action, "nothing")
	if by := cmp.Or(t.Rule, t.By); by != "" {
		text += " by " + by
	}
	if t.Reason != "" {
		text += ": " + t.Reason
	}
	if t.Would != "" {
		text += fmt.Sprintf("; would %s, by %s", t.Would, t.WouldRule)
	}
	return hook.LogLine(text)
}

// Blocks reports whether a rule blocks the call, here or anywhere, or did so then.
func (e *Explanation) Blocks() bool {
	return e.Verdict == Block || e.Then != nil && e.Then.Rule != "" && e.Then.Action == hook.ActionBlock.String()
}

// Here is what comes of a call where it is made.
type Here struct {
	On      bool    `json:"on"` // some rules are
	Mode    Mode    `json:"mode,omitempty"`
	Verdict Verdict `json:"verdict"` // "": it passes
	Would   Verdict `json:"would"`   // of the rules that do not count
	Rules   []Said  `json:"rules"`
	Mistake string  `json:"mistake,omitempty"` // in the configuration: what is in force is not known
}

// Under adds what comes of the call under the policy in force, of which from tells the
// layer of each rule. Where that is stricter than the rules as they come, or names hosts
// and branches of its own, it counts among all rules too.
func (e *Explanation) Under(ctx context.Context, p *Policy, dir string, from map[string]string) {
	in := p.Explain(ctx, e.Tool, e.Command, dir, e.Facts)
	for _, rules := range [][]Said{in.Rules, e.Rules} {
		for i := range rules {
			rules[i].From = cmp.Or(from[rules[i].Rule], fromPack)
		}
	}
	e.Here = &Here{On: len(p.Packs) > 0, Verdict: in.Verdict, Rules: in.Rules}
	if e.Here.On {
		e.Here.Mode = cmp.Or(p.Mode, Auto)
	}
	for _, r := range in.Rules {
		at := slices.IndexFunc(e.Rules, func(o Said) bool { return o.Rule == r.Rule && o.At == r.At })
		if at < 0 {
			e.Rules = append(e.Rules, r)
		} else if r.Verdict.worse(e.Rules[at].Verdict) {
			e.Rules[at].Verdict = r.Verdict
		}
		if r.Verdict.worse(e.Verdict) {
			e.Verdict = r.Verdict
		}
		if !r.Counts && r.Verdict.worse(e.Here.Would) {
			e.Here.Would = r.Verdict
		}
	}
}

// text is one line for people.
func (h *Here) text() string {
	switch {
	case h.Mistake != "":
		return "not known, for the configuration has a mistake: " + hook.LogLine(h.Mistake)
	case !h.On && h.Verdict == "":
		return "nothing; hookway's own rules are off (hookway guards use default)"
	case h.Verdict != "":
		return fmt.Sprintf("%s, by %s, mode %s", h.Verdict, h.Rules[0].Rule, h.Mode)
	case h.Would != "":
		i := slices.IndexFunc(h.Rules, func(r Said) bool { return r.Verdict == h.Would })
		return fmt.Sprintf("it passes, and the record says would %s, by %s, mode %s", h.Would, h.Rules[i].Rule, h.Mode)
	}
	return "nothing, mode " + string(h.Mode)
}

// Said is a rule that holds for one of the facts.
type Said struct {
	Rule    string    `json:"rule"`
	From    string    `json:"from,omitempty"`   // the layer that makes it what it is: managed, user or workspace; pack: no layer has it on
	Script  string    `json:"script,omitempty"` // where it stands in a script that the call runs
	Verdict Verdict   `json:"verdict"`
	Counts  bool      `json:"counts"` // false: it is monitored, and the call passes
	Says    string    `json:"says"`
	Instead string    `json:"instead,omitempty"`
	At      hook.Span `json:"at,omitzero"`
}

// fromPack is the layer of a rule that no configuration has on.
const fromPack = "pack"

// layerWords say for people which layer it is.
var layerWords = map[string]string{fromPack: "its pack alone; it is off here", "managed": "the managed configuration", "user": "your own configuration", "workspace": "the project's configuration"}

// Explain judges facts by a policy. Scripts that the call runs in a folder are read for the
// lines in which they do what a rule is about.
func (p *Policy) Explain(ctx context.Context, tool, command, dir string, facts []hook.Fact) Explanation {
	e := Explanation{Tool: tool, Command: command, Facts: facts, Rules: []Said{}}
	if facts == nil {
		e.Facts = []hook.Fact{}
	}
	for _, j := range p.Judge(facts) {
		script := strings.TrimPrefix(standsIn(ctx, &j.Fact, facts, command, dir), inScript)
		s := Said{j.Rule.ID, fromPack, strings.TrimSuffix(script, "."), j.Verdict, j.Counts, j.Says(), j.Rule.Instead, j.Fact.At}
		if !slices.Contains(e.Rules, s) {
			e.Rules = append(e.Rules, s)
		}
	}
	if len(e.Rules) > 0 && e.Rules[0].Counts {
		e.Verdict = e.Rules[0].Verdict
	}
	return e
}

// WriteText writes an explanation for people: the command with what rules hold for
// underlined, the facts, the rules and the verdict.
func (e Explanation) WriteText(w io.Writer) error {
	var b strings.Builder
	e.underlined(&b)
	b.WriteString("facts\n")
	for _, f := range e.Facts {
		b.WriteString("  " + describe(f) + "\n")
	}
	if len(e.Facts) == 0 {
		b.WriteString("  none\n")
	}
	b.WriteString("rules\n")
	for _, r := range e.Rules {
		fmt.Fprintf(&b, "  %-5s  %s: %s\n", r.Verdict, r.Rule, r.Says)
		if r.Instead != "" {
			fmt.Fprintf(&b, "         %s\n", r.Instead)
		}
		if r.Script != "" {
			fmt.Fprintf(&b, "         In %s\n", r.Script)
		}
		if from := layerWords[r.From]; from != "" {
			fmt.Fprintf(&b, "         From %s.\n", from)
		}
	}
	verdict := string(e.Verdict)
	if verdict == "" {
		if len(e.Rules) == 0 {
			b.WriteString("  none\n")
		}
		verdict = "nothing; no rule holds for it"
	}
	b.WriteString("verdict of all rules: " + verdict + "\n")
	if e.Then != nil {
		b.WriteString("decided then: " + e.Then.text() + "\n")
	}
	if e.Here != nil {
		b.WriteString("here: " + e.Here.text() + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// underlined writes the lines of the command, each with a line of marks below it.
func (e Explanation) underlined(b *strings.Builder) {
	if e.Command == "" {
		return
	}
	at := 0
	for line := range strings.Lines(e.Command) {
		text := strings.TrimRight(line, "\r\n")
		b.WriteString("  " + text + "\n")
		marks := []byte(strings.Repeat(" ", len(text)))
		for _, r := range e.Rules {
			for i := max(r.At.From-at, 0); i < min(r.At.To-at, len(marks)); i++ {
				marks[i] = '^'
			}
		}
		if m := strings.TrimRight(columns(text, marks), " "); m != "" {
			b.WriteString("  " + m + "\n")
		}
		at += len(line)
	}
}

// columns gives marks one for each character of a text, from those for its bytes.
func columns(text string, marks []byte) string {
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == '\t' && marks[i] == ' ':
			b.WriteByte('\t')
		default:
			b.WriteByte(marks[i])
		}
	}
	return b.String()
}

// Describe tells of facts, a line each, without those that only say which programs run.
func Describe(facts []hook.Fact) []string {
	var lines []string
	for _, f := range facts {
		if line := describe(f); f.Does != "run" && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// DescribeFact tells of a fact in a line.
func DescribeFact(f hook.Fact) string { return strings.Join(strings.Fields(describe(f)), " ") }

// describe writes a fact in one line: what it does, then its members in the order of
// their definition.
func describe(f hook.Fact) string {
	does, sure := f.Does, f.Sure
	f.Does, f.At, f.Sure = "", hook.Span{}, false
	text, err := json.Marshal(f)
	if err != nil {
		return does
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-8s", does)
	d := json.NewDecoder(strings.NewReader(string(text)))
	_, _ = d.Token() // {
	for d.More() {
		name, _ := d.Token()
		var v any
		if d.Decode(&v) != nil {
			break
		}
		switch v := v.(type) {
		case bool:
			if v {
				fmt.Fprintf(&b, " %s", name)
			}
		case string:
			if v != "" {
				fmt.Fprintf(&b, " %s=%s", name, word(v))
			}
		default:
			j, _ := json.Marshal(v)
			fmt.Fprintf(&b, " %s=%s", name, j)
		}
	}
	if !sure {
		b.WriteString(" (perhaps)")
	}
	return strings.TrimRight(b.String(), " ")
}

// word quotes a text that is not one word.
func word(s string) string {
	if strings.ContainsAny(s, " \t\n\"=") {
		j, _ := json.Marshal(s)
		return string(j)
	}
	return s
}
