package replay

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/hookway/hookway/internal/visible"
)

// mostLines bounds how many projects and problems are written for people.
const mostLines = 10

// WriteText writes a report for people.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	r.head(&b)
	if r.Calls > 0 {
		r.table(&b)
		r.samples(&b)
		r.results(&b)
		r.suggestions(&b)
		r.projectTable(&b)
	}
	r.unread(&b)
	if r.Calls > 0 {
		b.WriteString("\nhookway guards use default switches the rules on in every project, hookway init in one.\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Report) head(b *strings.Builder) {
	if r.Calls == 0 {
		fmt.Fprintf(b, "No agent's record on this machine has a tool call%s. Looked for: %s.\n", r.since(), strings.Join(r.looked, ", "))
		if !r.Since.IsZero() {
			b.WriteString("--since all looks at older ones, too.\n")
		}
		return
	}
	var agents []string
	for _, a := range r.Agents {
		agents = append(agents, fmt.Sprintf("%s %s", a.Name, visible.Number(a.Calls)))
	}
	fmt.Fprintf(b, "%s in %s%s: %s. Nothing was run.\n", calls(r.Calls), visible.Count(r.Sessions, "session"), r.since(), strings.Join(agents, ", "))
	for _, text := range r.unjudged() {
		fmt.Fprintln(b, text)
	}
	fmt.Fprintf(b, "\nUnder use: %s the rules would have\n", strings.Join(r.Use, ", "))
	fmt.Fprintf(b, "  mode auto      blocked %s, asked about %s\n", r.share(r.Auto.Block), r.share(r.Auto.Ask))
	fmt.Fprintf(b, "  mode enforce   blocked %s, asked about %s\n", r.share(r.Enforce.Block), r.share(r.Enforce.Ask))
}

// unjudged says which calls were not judged, and why.
func (r *Report) unjudged() (out []string) {
	if r.NoFolder > 0 {
		out = append(out, visible.Count(r.NoFolder, "call was not judged: its record does not say in which folder it ran.", "calls were not judged: their record does not say in which folder they ran."))
	}
	if r.Programs > 0 {
		out = append(out, visible.Count(r.Programs, "call was", "calls were")+" not judged: programs of Codex that call tools.")
	}
	return out
}

func (r *Report) since() string {
	if r.Since.IsZero() {
		return ""
	}
	return " since " + r.Since.UTC().Format("2006-01-02 15:04 UTC")
}

// share is a number with its part of the calls that were judged.
func (r *Report) share(n int) string { return visible.Number(n) + " (" + percent(n, r.Judged()) + ")" }

func percent(n, of int) string {
	if of == 0 {
		return "0 %"
	}
	p := float64(n) * 100 / float64(of)
	switch {
	case n == 0:
		return "0 %"
	case p < 0.01:
		return "< 0.01 %"
	case p < 10:
		return fmt.Sprintf("%.2f %%", p)
	}
	return fmt.Sprintf("%.0f %%", p)
}

func calls(n int) string { return visible.Count(n, "tool call") }

func (r *Report) table(b *strings.Builder) {
	if len(r.Rules) == 0 {
		b.WriteString("\nNo rule holds for any of them.\n")
		return
	}
	b.WriteString("\n")
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "blocks\tasks\tin auto\tof calls\tran fine\tfailed\trefused\t  rule\n")
	for _, rule := range r.Rules {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t  %s\n", visible.Number(rule.Enforce.Block), visible.Number(rule.Enforce.Ask), visible.Number(rule.Auto.All()),
			percent(rule.Calls(), r.Judged()), visible.Number(rule.Fine), visible.Number(rule.Failed), visible.Number(rule.Refused), rule.ID)
	}
	_ = t.Flush() // to a text
}

func (r *Report) samples(b *strings.Builder) {
	for _, rule := range r.Rules {
		fmt.Fprintf(b, "\n%s\n", rule.ID)
		for _, s := range rule.Samples {
			fmt.Fprintf(b, "  %s×  %s\n", visible.Number(s.Times), s.Call)
			fmt.Fprintf(b, "      %ss: %s (%s, %s, %s)\n", s.Verdict, s.Says, s.Agent, s.Project, day(s.Time))
		}
	}
}

// results tells what would have been done with what came back.
func (r *Report) results(b *strings.Builder) {
	f := &r.Results
	if f.Searched == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s searched: %s would have been fenced or masked in mode enforce, %s in mode auto.\n",
		visible.Count(f.Searched, "result was", "results were"), visible.Number(f.Enforce), visible.Number(f.Auto))
	for _, rule := range f.Rules {
		fmt.Fprintf(b, "\n%s\n", rule.ID)
		for _, s := range rule.Samples {
			fmt.Fprintf(b, "  %s×  what came of %s\n", visible.Number(s.Times), s.Call)
			fmt.Fprintf(b, "      %s (%s, %s, %s)\n", s.Says, s.Agent, s.Project, day(s.Time))
		}
	}
}

func day(t time.Time) string {
	if t.IsZero() {
		return "no time"
	}
	return t.UTC().Format(time.DateOnly)
}

func (r *Report) suggestions(b *strings.Builder) {
	if len(r.Suggestions) == 0 {
		return
	}
	b.WriteString("\nWhat would quiet calls that were fine, below guards: in hookway.yaml. Look at the samples first.\n")
	for _, s := range r.Suggestions {
		fmt.Fprintf(b, "  %s\n      %s; %s\n", s.YAML, s.Why, s.Saves())
	}
}

func (r *Report) projectTable(b *strings.Builder) {
	if len(r.Projects) < 2 {
		return
	}
	b.WriteString("\n")
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "calls\tblocks\tasks\tin auto\t  project\n")
	for _, p := range r.Projects[:min(len(r.Projects), mostLines)] {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t  %s\n", visible.Number(p.Calls), visible.Number(p.Enforce.Block), visible.Number(p.Enforce.Ask), visible.Number(p.Auto.All()), p.Name)
	}
	_ = t.Flush() // to a text
	if more := len(r.Projects) - mostLines; more > 0 {
		fmt.Fprintf(b, "and %s\n", visible.Count(more, "more project"))
	}
}

// unread tells what could not be read.
func (r *Report) unread(b *strings.Builder) {
	all := len(r.Problems) + r.MoreProblems
	if all == 0 {
		return
	}
	b.WriteString("\nNot read:\n")
	for _, p := range r.Problems[:min(len(r.Problems), mostLines)] {
		fmt.Fprintf(b, "  %s\n", p)
	}
	if more := all - mostLines; more > 0 {
		fmt.Fprintf(b, "  and %s; --json has more of them\n", visible.Count(more, "more problem"))
	}
}
