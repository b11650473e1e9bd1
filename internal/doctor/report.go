package doctor

import (
	"fmt"
	"strings"
)

// Level says how bad a finding is.
type Level string

// The levels. Only a Failure makes the exit code 1.
const (
	OK      Level = "ok"
	Note    Level = "note" // nothing is wrong, but it is good to know
	Warning Level = "warning"
	Failure Level = "failure"
)

// Finding is one thing that was looked at.
type Finding struct {
	Level Level  `json:"level"`
	Text  string `json:"text"`
	Mend  string `json:"mend,omitempty"` // what to do about it
}

// Command is what mends it, if that is a command of hookway's; otherwise "".
func (f Finding) Command() string {
	command := f.Mend
	if !strings.HasPrefix(command, "hookway ") {
		return ""
	}
	for _, end := range []string{" (", "; ", ", "} {
		command, _, _ = strings.Cut(command, end)
	}
	return command
}

// Section is findings about one thing.
type Section struct {
	Name     string    `json:"name"` // for machines: "programs", "agent:claude"
	Title    string    `json:"title"`
	Findings []Finding `json:"findings"`
}

// Report is a whole checkup.
type Report struct {
	Sections []Section `json:"sections"`
}

// Count is how many findings are of a level.
func (r *Report) Count(level Level) int {
	n := 0
	for _, s := range r.Sections {
		for _, f := range s.Findings {
			if f.Level == level {
				n++
			}
		}
	}
	return n
}

// Add adds a section, unless it is empty.
func (r *Report) Add(s Section) {
	if len(s.Findings) > 0 {
		r.Sections = append(r.Sections, s)
	}
}

func (s *Section) ok(format string, args ...any) { s.add(OK, "", format, args...) }

func (s *Section) note(format string, args ...any) { s.add(Note, "", format, args...) }

func (s *Section) warn(mend, format string, args ...any) { s.add(Warning, mend, format, args...) }

func (s *Section) fail(mend, format string, args ...any) { s.add(Failure, mend, format, args...) }

func (s *Section) add(level Level, mend, format string, args ...any) {
	s.Findings = append(s.Findings, Finding{Level: level, Text: fmt.Sprintf(format, args...), Mend: mend})
}
