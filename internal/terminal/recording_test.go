package terminal

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/faketui"
)

var update = flag.Bool("update", false, "make the recordings in testdata anew")

// mostRecording bounds a recording, so that the folder stays small.
const mostRecording = 64 << 10

// scene is a small play that is recorded in every style, and what its reader must
// report.
type scene struct {
	name   string
	script []faketui.Reply
	steps  []faketui.Step
	// lines are lines of the program that must be reported by themselves, that
	// often; texts may be broken into lines in any way.
	lines, texts map[string]int
	// typed lines must never be reported as the program's.
	typed []string
}

const (
	releases = "@deploy:staging Release v1.2.3"
	wrapped  = "@deploy:staging Release v1.2.3 with a body that is so long that it has to be broken somewhere, at a blank or not"
	long     = "A long paragraph of an answer goes on and on, with many words in it, so that no terminal of this size can show it in one row, and the program has to break it at blanks as it likes."
)

func after(pause time.Duration, text string) faketui.Step {
	return faketui.Step{After: pause + 3*time.Millisecond, Type: text}
}

func size(pause time.Duration, cols, rows int) faketui.Step {
	return faketui.Step{After: pause + 3*time.Millisecond, Cols: cols, Rows: rows}
}

const second = time.Second

var exit = after(4*second, "/exit\r")

var scenes = []scene{
	{
		name:   "turn",
		script: []faketui.Reply{{Think: second, Tool: []string{"$ make release", "built v1.2.3"}, Text: "First answer.\n\n" + releases + "\n\n" + long, Redraw: 3}},
		steps:  []faketui.Step{after(second, "go"), after(second, "\r"), exit},
		lines:  map[string]int{releases: 1}, texts: map[string]int{"First answer.": 1, "$ make release": 1, "built v1.2.3": 1, long: 1},
	},
	{
		name:   "twice",
		script: []faketui.Reply{{Text: "Now.\n\n" + releases}, {Text: "And again.\n\n" + releases}},
		steps:  []faketui.Step{after(second, "one\r"), after(4*second, "two\r"), exit},
		lines:  map[string]int{releases: 2}, texts: map[string]int{"Now.": 1, "And again.": 1},
	},
	{
		name:   "resize",
		script: []faketui.Reply{{Text: "Before.\n\n" + releases + "\n\n" + long}, {Text: "After it.", Redraw: 2}},
		steps:  []faketui.Step{after(second, "one\r"), size(4*second, 44, 12), size(2*second, 70, 20), after(2*second, "two\r"), exit},
		lines:  map[string]int{releases: 1}, texts: map[string]int{"Before.": 1, "After it.": 1},
	},
	{
		name:   "rewrap", // the line is wrapped in another way after the resize
		script: []faketui.Reply{{Text: "Before.\n\n" + wrapped}, {Text: "After it."}},
		steps:  []faketui.Step{after(second, "one\r"), size(4*second, 44, 12), size(2*second, 70, 20), after(2*second, "two\r"), exit},
		lines:  map[string]int{wrapped: 1}, texts: map[string]int{"Before.": 1, "After it.": 1},
	},
	{
		name:   "scroll", // at 20 ms a word, faster than anything stands still
		script: []faketui.Reply{{Text: strings.Join(manyRows, "\n"), Word: 20 * time.Millisecond}},
		steps:  []faketui.Step{after(second, "one\r"), exit},
		lines:  map[string]int{releases: 1}, texts: once(manyRows),
	},
	{
		name: "dialog",
		script: []faketui.Reply{
			{Ask: &faketui.Question{Text: "Deploy to staging?", Choices: []string{"Yes", "No"}}, Text: "It is done.\n\n" + releases},
		},
		steps: []faketui.Step{after(second, "deploy\r"), after(2*second, "1"), exit},
		lines: map[string]int{releases: 1}, texts: map[string]int{"It is done.": 1},
	},
	{
		name:   "clear",
		script: []faketui.Reply{{Text: "Before.\n\n" + releases}, {To: "/clear", Clear: true, Text: "Clean.\n\n@deploy:staging Release v1.2.4"}},
		steps:  []faketui.Step{after(second, "one\r"), after(4*second, "/clear\r"), exit},
		lines:  map[string]int{releases: 1, "@deploy:staging Release v1.2.4": 1}, texts: map[string]int{"Before.": 1, "Clean.": 1},
	},
	{
		name:   "typed",
		script: []faketui.Reply{{Think: second, Text: "I see what you wrote."}, {Text: "Pasted."}},
		steps: []faketui.Step{
			after(second, "@deploy:staging "), after(second, "typed"), after(second, "\r"),
			after(3*second, "\x1b[200~@deploy:staging pasted\n@deploy:staging more\x1b[201~\r"), exit,
		},
		texts: map[string]int{"I see what you wrote.": 1, "Pasted.": 1},
		typed: []string{"@deploy:staging typed", "@deploy:staging pasted", "@deploy:staging more"},
	},
	{
		name:   "wide",
		script: []faketui.Reply{{Text: "日本語の答えです。\n\n" + releases + " 🚀\n\ncafe\u0301 ok."}},
		steps:  []faketui.Step{after(second, "go\r"), exit},
		lines:  map[string]int{releases + " 🚀": 1}, texts: map[string]int{"日本語の答えです。": 1},
	},
}

// manyRows are rows that say which they are, more than the screen has.
var manyRows = func() (rows []string) {
	for i := range 20 {
		rows = append(rows, fmt.Sprintf("Row %02d.", i))
	}
	return append(rows, releases, "The end.")
}()

func once(texts []string) map[string]int {
	all := map[string]int{}
	for _, text := range texts {
		all[text] = 1
	}
	return all
}

func (s scene) record(t *testing.T, style faketui.Style) faketui.Recording {
	t.Helper()
	tui := faketui.TUI{Style: style, Script: s.script, Ghost: "Try @deploy:ghost now"}
	rec, code := tui.Rehearse(t, 60, 16, s.steps...)
	if code != 0 {
		t.Fatalf("the program ended with %d", code)
	}
	return rec
}

// TestRecordings replays the recordings in testdata: programs that draw as agents
// do. With -update it makes them anew first.
func TestRecordings(t *testing.T) {
	for _, s := range scenes {
		for _, style := range faketui.Styles {
			t.Run(s.name+"/"+string(style), func(t *testing.T) {
				file := filepath.Join("testdata", "recordings", s.name+"-"+string(style)+".cast")
				if *update {
					if err := s.record(t, style).WriteFile(file); err != nil {
						t.Fatal(err)
					}
				}
				if info, err := os.Stat(file); err != nil || info.Size() > mostRecording {
					t.Fatalf("%v, %v; it must be there, and small; -update makes it", info, err)
				}
				rec, err := faketui.ReadRecording(file)
				if err != nil {
					t.Fatal(err)
				}
				s.check(t, replay(t, rec))
			})
		}
	}
}

func (s scene) check(t *testing.T, got replayed) {
	t.Helper()
	said := got.said()
	own := func(text string) (n int) { // lines that are this one, whatever mark is before it
		for _, line := range said {
			if strings.TrimLeft(line, "● ") == text {
				n++
			}
		}
		return n
	}
	for text, want := range s.lines {
		if n := own(text); n != want {
			t.Errorf("the line was reported %d times, want %d: %q", n, want, text)
		}
	}
	for _, line := range said {
		if line = strings.TrimLeft(line, "● "); strings.HasPrefix(line, "@") && s.lines[line] == 0 {
			t.Errorf("no such line was said: %q", line)
		}
	}
	for text, want := range s.texts {
		if n := got.count(text); n != want {
			t.Errorf("reported %d times, want %d: %q", n, want, text)
		}
	}
	for _, text := range append(slices.Clone(s.typed), "@deploy:ghost") {
		for _, line := range said {
			if strings.HasPrefix(strings.TrimLeft(line, "●❯> "), text) {
				t.Errorf("what was typed or suggested was reported as said: %q", line)
			}
		}
	}
	if t.Failed() {
		t.Logf("said:\n%s", strings.Join(said, "\n"))
	}
}

// TestRecordingsAreWhatTheProgramsDraw: they can be made anew at any time.
func TestRecordingsAreWhatTheProgramsDraw(t *testing.T) {
	for _, style := range faketui.Styles {
		s := scenes[0]
		file := filepath.Join("testdata", "recordings", s.name+"-"+string(style)+".cast")
		kept, err := faketui.ReadRecording(file)
		if err != nil {
			t.Fatal(err)
		}
		if now := s.record(t, style); now.Output() != kept.Output() {
			t.Errorf("%s is not what the program draws; make it anew with -update", file)
		}
	}
}
