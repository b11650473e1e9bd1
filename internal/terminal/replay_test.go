package terminal

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hookway/hookway/internal/faketui"
)

// replayed is what a reader makes of a recording.
type replayed struct {
	lines   []Line
	screens []Screen // before each change of the size, and at the end
}

// replay feeds a recording, with its input and its timing, to a reader, as a
// Program would. The clock is the test's own, so it takes no time.
func replay(t *testing.T, rec faketui.Recording) (got replayed) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := newReader(newTap(1<<20), newTyped())
		r.tap.resize(rec.Cols, rec.Rows)
		fed := make(chan struct{})
		go func() {
			defer close(fed)
			start := time.Now()
			for _, f := range rec.Frames {
				time.Sleep(f.At - time.Since(start))
				switch {
				case f.Cols > 0:
					got.screens = append(got.screens, r.screen())
					r.tap.resize(f.Cols, f.Rows)
				case f.Typed != "":
					r.typed.key([]byte(f.Typed))
				default:
					r.tap.write([]byte(f.Out))
				}
			}
			time.Sleep(5 * time.Second) // what is on the screen now is there to stay
			got.screens = append(got.screens, r.screen())
			r.tap.end()
		}()
		for {
			lines, err := r.next(t.Context(), time.Second)
			got.lines = append(got.lines, lines...)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil && !errors.Is(err, ErrStill) {
				t.Fatal(err)
			}
		}
		<-fed
		r.finish()
	})
	return got
}

// said are the finished lines that the program said, without what is only the
// end of a line that was reported before.
func (r replayed) said() []string {
	var texts []string
	for _, l := range r.lines {
		if text := strings.TrimSpace(l.Text[l.Seen:]); !l.Echo && !l.Partial && text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// count is how often the program said a text, wherever its lines were broken.
func (r replayed) count(text string) int {
	return strings.Count(flat(strings.Join(r.said(), " ")), flat(text))
}

// flat is a text with single blanks, and without the bars that dialogs have at
// the sides.
func flat(text string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("│", " ", "┃", " ").Replace(text)), " ")
}

// scripted reads a recording of script(1): a file with the bytes, and one with
// "delay count" lines.
func scripted(t *testing.T, name string, cols, rows int) faketui.Recording {
	t.Helper()
	data, err := os.ReadFile(name + ".bin")
	if err != nil {
		t.Fatal(err)
	}
	timing, err := os.ReadFile(name + ".timing")
	if err != nil {
		t.Fatal(err)
	}
	rec := faketui.Recording{Cols: cols, Rows: rows}
	at := time.Duration(0)
	for line := range strings.Lines(string(timing)) {
		delay, count, _ := strings.Cut(strings.TrimSpace(line), " ")
		seconds, err := strconv.ParseFloat(delay, 64)
		if err != nil {
			t.Fatal(err)
		}
		n, err := strconv.Atoi(count)
		if err != nil || n > len(data) {
			t.Fatalf("%s: %d bytes are left for the line %q", name, len(data), line)
		}
		at += time.Duration(seconds * float64(time.Second))
		rec.Frames = append(rec.Frames, faketui.Frame{At: at, Out: string(data[:n])})
		data = data[n:]
	}
	return rec
}

// resizedAfter puts a change of the size into a recording, after that many bytes
// of output.
func resizedAfter(rec faketui.Recording, bytes, cols, rows int) faketui.Recording {
	for i, f := range rec.Frames {
		if bytes <= 0 {
			size := faketui.Frame{At: f.At - time.Millisecond, Cols: cols, Rows: rows}
			rec.Frames = append(rec.Frames[:i:i], append([]faketui.Frame{size}, rec.Frames[i:]...)...)
			break
		}
		bytes -= len(f.Out)
	}
	return rec
}

// TestRecordingsOfPublishedAgents replays what real agents drew in a terminal,
// where there is such a folder: HOOKWAY_RECORDINGS names it, else it is
// shared/pty beside the checkout.
func TestRecordingsOfPublishedAgents(t *testing.T) {
	dir := os.Getenv("HOOKWAY_RECORDINGS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "pty")
	}
	if _, err := os.Stat(filepath.Join(dir, "claude-pty.bin")); err != nil {
		t.Skipf("there are no recordings: %v", err)
	}
	tests := []struct {
		name    string
		resized int // after how many bytes; 0: never
		once    []string
		never   []string
	}{
		{"claude", 4256, []string{
			"● I will run the command.", "⎿ $ rm -rf ./victim", "⎿ Not run · permission denied",
			"PreToolUse:Bash hook error: HARNESS-DENY: rm -rf is not allowed here",
			"● All done: scripted final answer.", "Auto mode is now Claude Code's default permission mode.",
		}, []string{"Please run the command. Please"}},
		{"codex", 8335, []string{
			"• I will run the command.", "Blocked by hook", "HARNESS-DENY: rm -rf is not allowed here", "• All done: scripted final answer.",
		}, []string{"Ask Codex to do anything Ask Codex"}},
		{"claude-perm", 0, []string{"● I will make a file.", "● First answer is ready.", "● I will make another."}, nil},
		{"codex-perm", 0, []string{"• I will make a file.", "• First answer is ready."}, nil},
		{"codex-trust", 0, []string{"scripted final answer."}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rec := scripted(t, filepath.Join(dir, tt.name+"-pty"), 120, 40)
			if tt.resized > 0 {
				rec = resizedAfter(rec, tt.resized, 80, 24)
			}
			got := replay(t, rec)
			for _, text := range tt.once {
				if n := got.count(text); n != 1 {
					t.Errorf("reported %d times: %q", n, text)
				}
			}
			for _, text := range tt.never {
				if n := got.count(text); n != 0 {
					t.Errorf("reported %d times: %q", n, text)
				}
			}
			if tt.resized > 0 {
				sameScreen(t, got.screens[0], filepath.Join(dir, tt.name+"-screen-turn.txt"))
			}
			if t.Failed() {
				t.Logf("said:\n%s", strings.Join(got.said(), "\n"))
			}
		})
	}
}

// sameScreen compares a screen with what another terminal has shown.
func sameScreen(t *testing.T, got Screen, name string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	for i := range want {
		row := ""
		if i < len(got.Rows) {
			row = got.Rows[i].Text
		}
		// A blank at the end is shown by some terminals as text.
		if strings.TrimRight(row, " \u00a0") != strings.TrimRight(want[i], " \u00a0") {
			t.Errorf("row %d shows %q, want %q", i, row, want[i])
		}
	}
}
