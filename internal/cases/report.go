package cases

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/visible"
)

// Style is how a report is written.
type Style struct {
	Colour  bool   // with ANSI colours
	Verbose bool   // with the steps of cases that passed
	Here    string // the reader's folder, for which file names are shortened; "" leaves them
	Root    string // the folder that the hooks belong to, in which the commands are to be run
}

func (s *Style) place(file string) string { return below(s.Here, file) }

// ANSI colours.
const (
	red, green, yellow, faint = "31", "32", "33", "2"
)

func (s *Style) paint(colour, text string) string {
	if !s.Colour || colour == "" || text == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// Write writes the report for people: a line for each case; what is wrong with
// those that did not pass; a summary. Text of hooks cannot do anything to a
// terminal.
func (r *Report) Write(w io.Writer, style Style) error {
	p := printer{style: style}
	for i := range r.Results {
		p.result(&r.Results[i])
	}
	p.summary(r)
	_, err := w.Write(p.out.Bytes())
	return err
}

type printer struct {
	style Style
	out   bytes.Buffer
}

func (p *printer) line(indent int, colour, text string) {
	p.out.WriteString(strings.Repeat(" ", indent))
	p.out.WriteString(p.style.paint(colour, visible.Line(text)))
	p.out.WriteByte('\n')
}

// Indents of a report's parts.
const (
	inCase = 7
	inPart = 9
)

func (p *printer) result(r *Result) {
	word, colour := "ok", green
	switch r.Status {
	case Failed:
		word, colour = "FAIL", red
	case Errored:
		word, colour = "error", red
	}
	fmt.Fprintf(&p.out, "%s  %s  %s\n", p.style.paint(colour, fmt.Sprintf("%-5s", word)), visible.Line(r.Case.Name), p.style.paint(faint, "("+brief(r.Duration)+")"))
	if r.Status == Passed {
		p.passed(r)
		return
	}
	p.line(inCase, faint, fmt.Sprintf("%s:%d", p.style.place(r.Case.File), r.Case.Line))
	if r.Err != nil {
		p.line(inCase, red, hook.LogLine(r.Err.Error()))
	}
	explained := false
	for _, f := range r.Failures {
		explained = p.failure(r, f, explained)
	}
	if r.Outcome != nil {
		p.steps(r.Outcome.Steps)
	}
	p.line(inCase, "", "reproduce:")
	p.line(inPart, "", r.Case.Reproduce(p.style))
	p.out.WriteByte('\n')
}

// passed warns of hooks that failed although everything expected holds.
func (p *printer) passed(r *Result) {
	if p.style.Verbose {
		p.steps(r.Outcome.Steps)
		p.out.WriteByte('\n')
		return
	}
	for _, f := range failures(r.Outcome.Steps) {
		p.line(inCase, yellow, "note: hook "+f)
	}
}

// failure shows one. The first difference of a case explains the marks.
func (p *printer) failure(r *Result, f Failure, explained bool) bool {
	title := fmt.Sprintf("%s (%s:%d)", f.Key, p.style.place(r.Case.File), f.Line)
	if !explained && len(f.Want)+len(f.Got) > 0 {
		title += ": - expected, + got"
		explained = true
	}
	p.line(inCase, "", title)
	p.difference(f.Want, f.Got)
	if f.Note != "" {
		p.line(inPart, "", f.Note)
	}
	return explained
}

// difference shows two texts, given by their lines, as a unified diff has them. That
// it begins at the first line need not be said.
func (p *printer) difference(want, got []string) {
	text := func(lines []string) []byte {
		var b bytes.Buffer
		for _, l := range lines {
			b.WriteString(l + "\n")
		}
		return b.Bytes()
	}
	_, body, _ := strings.Cut(string(diff.Diff("", text(want), "", text(got))), "+++ \n")
	for line := range strings.Lines(body) {
		mark, line := line[:1], strings.TrimSuffix(line[1:], "\n")
		if mark == "@" {
			if !fromTheTop().MatchString(line) {
				p.line(inPart, faint, mark+line)
			}
			continue
		}
		p.line(inPart, map[string]string{"-": red, "+": green}[mark], strings.TrimRight(mark+" "+line, " "))
	}
}

// fromTheTop is the header of a hunk that begins with the first line of both texts.
var fromTheTop = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^@ -[01],\d+ \+[01],\d+ @@$`) })

// steps lists what each hook did.
func (p *printer) steps(steps []hook.Step) {
	if len(steps) == 0 {
		p.line(inCase, "", "no hook ran")
		return
	}
	p.line(inCase, "", "what the hooks did:")
	var table bytes.Buffer
	columns := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	for _, s := range steps {
		fmt.Fprintf(columns, "%s\t%s\t%s\t%s\t%s\n", visible.Line(s.Hook), s.Lane, s.Action, brief(s.Duration), remark(s))
	}
	_ = columns.Flush() // into memory
	for row := range strings.Lines(table.String()) {
		p.line(inPart, "", strings.TrimRight(row, " \n"))
	}
}

// remark says what a step did beside its action.
func remark(s hook.Step) string {
	var parts []string
	if s.Changed {
		parts = append(parts, "changed the payload")
	}
	if s.Injected {
		parts = append(parts, "injected text")
	}
	if s.Reason != "" {
		parts = append(parts, fmt.Sprintf("%q", cut(s.Reason)))
	}
	if s.Note != "" {
		parts = append(parts, hook.LogLine(s.Note))
	}
	if s.Err != nil {
		parts = append(parts, "failed: "+hook.LogLine(s.Err.Error()))
	}
	return strings.ReplaceAll(strings.Join(parts, ", "), "\t", " ")
}

// cut shortens a reason for the table; its expectation shows it whole.
func cut(s string) string { return visible.Clip(s, 119) }

// brief writes a time span as people read it.
func brief(d time.Duration) string {
	switch {
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d >= 10*time.Millisecond:
		return d.Round(time.Millisecond).String()
	}
	return fmt.Sprintf("%.1fms", float64(d)/float64(time.Millisecond))
}

func (p *printer) summary(r *Report) {
	var parts []string
	for _, c := range []struct {
		n            int
		word, colour string
		always       bool
	}{
		{r.Count(Passed), "passed", green, true}, {r.Count(Failed), "failed", red, false},
		{r.Count(Errored), "could not be run", red, false}, {r.NotRun, "left out", "", false},
	} {
		if c.n > 0 || c.always {
			parts = append(parts, p.style.paint(c.colour, fmt.Sprintf("%d %s", c.n, c.word)))
		}
	}
	p.out.WriteString(strings.Join(parts, ", ") + "\n")
}
