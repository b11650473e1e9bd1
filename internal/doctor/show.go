package doctor

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/visible"
)

// How a finding is marked.
var (
	marks   = map[Level]string{OK: "ok", Note: "note", Warning: "warning", Failure: "FAILURE"}
	colours = map[Level]string{OK: "32", Warning: "33", Failure: "31"}
)

// Write writes a report for people to read. seen are the events under the title of
// the section that is named so.
func (r *Report) Write(w io.Writer, seen []Seen, colour bool) {
	out := visible.Writer{To: w}
	for i, s := range r.Sections {
		if i > 0 {
			fmt.Fprintln(out)
		}
		fmt.Fprintln(out, s.Title)
		for _, f := range s.Findings {
			fmt.Fprintf(w, "  %s  ", mark(f.Level, colour))
			fmt.Fprintln(out, oneLine(f.Text))
			if f.Mend != "" {
				fmt.Fprintf(out, "           mend: %s\n", oneLine(f.Mend))
			}
		}
		if s.Name == "seen" {
			writeSeen(out, seen)
		}
	}
}

// writeSeen lists events, those that never came together.
func writeSeen(out io.Writer, seen []Seen) {
	var order []string
	never := map[string][]string{}
	for _, s := range seen {
		if !slices.Contains(order, s.Agent) {
			order = append(order, s.Agent)
		}
	}
	for _, agent := range order {
		for _, s := range seen {
			switch {
			case s.Agent != agent:
			case s.Last == nil:
				never[agent] = append(never[agent], s.Event)
			default:
				fmt.Fprintf(out, "  %-12s %-28s %s\n", agent, s.Event, s.Last.Local().Format("2006-01-02 15:04:05"))
			}
		}
		if len(never[agent]) > 0 {
			fmt.Fprintf(out, "  %-12s never: %s\n", agent, strings.Join(never[agent], ", "))
		}
	}
}

// oneLine keeps a finding on its line.
func oneLine(text string) string { return visible.Clip(hook.LogLine(text), 1000) }

// mark is what stands before a finding, in colour where that is seen.
func mark(level Level, colour bool) string {
	text := fmt.Sprintf("%-7s", marks[level])
	if code := colours[level]; code != "" && colour {
		return "\x1b[" + code + "m" + text + "\x1b[0m"
	}
	return text
}

// WriteCapabilities writes a table of what agents can do.
func WriteCapabilities(w io.Writer, table []Capability) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "AGENT\tEVENT\tHERE\tCAN\tWAITS\tNOTE")
	for _, c := range table {
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\n", c.Agent, c.Event, cmp.Or(c.Ours, "as it is"), c.Can, c.Waits, c.Note)
	}
	return out.Flush()
}
