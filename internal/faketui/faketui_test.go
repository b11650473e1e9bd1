package faketui

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

const ms = time.Millisecond

func typing(texts ...string) []Step {
	steps := make([]Step, len(texts))
	for i, text := range texts {
		steps[i] = Step{After: 503 * ms, Type: text}
	}
	return steps
}

func prompts(t *testing.T, record string) []string {
	t.Helper()
	all, err := Submitted(record)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, s := range all {
		texts = append(texts, s.Prompt)
	}
	return texts
}

func TestTUIReadsWhatIsTyped(t *testing.T) {
	tests := []struct {
		name  string
		tui   TUI
		steps []Step
		want  []string
	}{
		{"text and Enter", TUI{}, typing("hello", "\r"), []string{"hello"}},
		{"in one write", TUI{}, typing("hello\r"), []string{"hello"}},
		{"in one write, where that is a line break", TUI{BurstEnter: true}, typing("hello\r", "\r"), []string{"hello"}},
		{"two writes, where one would be a line break", TUI{BurstEnter: true}, typing("a\rb", "\r"), []string{"a\nb"}},
		{"a paste with Enter", TUI{BurstEnter: true}, typing(pasteOn + "a\r\nb\rc\nd" + pasteOff + "\r"), []string{"a\nb\nc\nd"}},
		{"a paste with an Enter that comes too soon", TUI{PasteEnter: 40 * ms}, typing(pasteOn+"a"+pasteOff+"\r", "\r"), []string{"a"}},
		{"a paste in pieces", TUI{}, typing(pasteOn+"a\r\x1b[2", "01~\r"), []string{"a"}},
		{"two pastes", TUI{}, typing(pasteOn + "a" + pasteOff + pasteOn + "b" + pasteOff + "\r"), []string{"ab"}},
		{"a character in pieces", TUI{}, typing("\xc3", "\xa9\r"), []string{"é"}},
		{"backspace and kill", TUI{}, typing("wrong\x15ab\x7fc\r"), []string{"ac"}},
		{"answers of the terminal are not text", TUI{}, typing("\x1b[?62;c\x1b]11;rgb:0/0/0\x07\x1b[I\x1bOAa\r"), []string{"a"}},
		{"Ctrl-C clears", TUI{}, typing("a", "\x03", "b\r"), []string{"b"}},
		{"nothing is not a prompt", TUI{Ghost: "try this"}, typing("\r", " \r"), nil},
		{"while it answers", TUI{Script: []Reply{{Text: strings.Repeat("word ", 100)}}}, typing("a\r", "b\r"), []string{"a", "b"}},
	}
	for _, tt := range tests {
		for _, style := range Styles {
			t.Run(tt.name+"/"+string(style), func(t *testing.T) {
				tt.tui.Style, tt.tui.Record = style, filepath.Join(t.TempDir(), "record")
				tt.tui.Rehearse(t, 80, 24, tt.steps...)
				if got := prompts(t, tt.tui.Record); !slices.Equal(got, tt.want) {
					t.Errorf("submitted %q, want %q", got, tt.want)
				}
			})
		}
	}
}

func TestTUIEnds(t *testing.T) {
	seven := 7
	for _, style := range Styles {
		for name, end := range map[string]struct {
			steps []Step
			code  int
		}{
			"Ctrl-C twice":          {typing("\x03", "\x03"), interrupted},
			"Ctrl-C, and later":     {[]Step{{After: ms, Type: "\x03"}, {After: 5 * time.Second, Type: "\x03"}, {After: 3 * ms}}, 0},
			"/exit":                 {typing("/exit\r", "more"), 0},
			"a code":                {typing("die\r", "", "", ""), seven},
			"the terminal hangs up": {typing("half"), 0},
		} {
			t.Run(string(style)+"/"+name, func(t *testing.T) {
				tui := TUI{Style: style, Script: []Reply{{To: "die", Text: "dying", Exit: &seven}}}
				r, code := tui.Rehearse(t, 80, 24, end.steps...)
				if code != end.code {
					t.Errorf("ended with %d, want %d", code, end.code)
				}
				if !strings.HasPrefix(r.Output(), brackets) && style != Alternate || strings.LastIndex(r.Output(), noBrackets) < strings.LastIndex(r.Output(), brackets) {
					t.Error("bracketed paste is not switched on and off")
				}
			})
		}
	}
}

func TestTUIAsksAndPlaysItsScript(t *testing.T) {
	for _, style := range Styles {
		t.Run(string(style), func(t *testing.T) {
			tui := TUI{Style: style, Record: filepath.Join(t.TempDir(), "record"), Script: []Reply{
				{To: "deploy", Ask: &Question{Text: "Deploy now?", Choices: []string{"Yes", "No"}}, Text: "It is deployed."},
				{To: "think", Think: 500 * ms, Tool: []string{"$ ls", "a"}, Text: "Thought.", Redraw: 3},
			}}
			r, _ := tui.Rehearse(t, 80, 24, typing("think\r", "", "", "deploy\r", "lost", "2", "what\r", "", "")...)
			want := []Submission{{Prompt: "think"}, {Prompt: "deploy"}, {Choice: 2}, {Prompt: "what"}}
			if got, err := Submitted(tui.Record); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("recorded %+v, %v", got, err)
			}
			for _, text := range []string{"Thought.", "$ ls", "Deploy now?", "deployed.", "Done."} {
				if !strings.Contains(r.Output(), text) {
					t.Errorf("the screen never shows %q", text)
				}
			}
		})
	}
}

func TestTUIRecordingsAreTheSameEachTime(t *testing.T) {
	for _, style := range Styles {
		tui := TUI{Style: style, Script: []Reply{{Think: 300 * ms, Text: strings.Repeat("Some words. ", 30)}}}
		steps := append(typing("hello\r", ""), Step{After: 101 * ms, Cols: 50, Rows: 20}, Step{After: 201 * ms, Type: "\x03"}, Step{After: 11 * ms, Type: "\x03"})
		first, _ := tui.Rehearse(t, 80, 24, steps...)
		name := filepath.Join(t.TempDir(), "first.cast")
		if err := first.WriteFile(name); err != nil {
			t.Fatal(err)
		}
		read, err := ReadRecording(name)
		if err != nil || !reflect.DeepEqual(read, first) {
			t.Errorf("%s: read back %d frames of %d, %v", style, len(read.Frames), len(first.Frames), err)
		}
		if second, _ := tui.Rehearse(t, 80, 24, steps...); !reflect.DeepEqual(first, second) {
			t.Errorf("%s: two recordings differ", style)
		}
	}
}

func TestTUIWrapsAtWords(t *testing.T) {
	got := wrap("one two three\n\n日本語 looooooong", "● ", "  ", 9)
	want := []string{"● one two", "  three", "", "  日本語", "  loooooo", "  ong"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestTUIWithoutAStyleIsRefused(t *testing.T) {
	if _, err := (TUI{}).Run(t.Context(), Terminal{}); err == nil {
		t.Error("it runs")
	}
	if _, err := ReadRecording(os.DevNull); err == nil {
		t.Error("nothing is a recording")
	}
}
