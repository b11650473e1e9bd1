package terminal

import (
	"context"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// play feeds output with its timing to a reader and returns the lines.
func play(t *testing.T, cols, rows int, steps ...any) (lines []Line) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := newReader(newTap(1<<20), newTyped())
		r.tap.resize(cols, rows)
		go func() {
			for _, s := range steps {
				switch s := s.(type) {
				case string:
					r.tap.write([]byte(s))
				case time.Duration:
					time.Sleep(s)
				case [2]int:
					r.tap.resize(s[0], s[1])
				}
			}
			r.tap.end()
		}()
		for {
			got, err := r.next(context.Background(), 250*time.Millisecond)
			lines = append(lines, got...)
			if errors.Is(err, io.EOF) {
				break
			}
		}
		r.finish()
	})
	return lines
}

// whole leaves out what stood unfinished, echoes and blank lines.
func whole(lines []Line) (texts []string) {
	for _, l := range lines {
		if !l.Partial && !l.Echo && strings.TrimSpace(l.Text[l.Seen:]) != "" {
			texts = append(texts, l.Text[l.Seen:])
		}
	}
	return texts
}

// recorded reads a recording made by script(1).
func recorded(t *testing.T, file string) (steps []any) {
	t.Helper()
	data, err := os.ReadFile(file + ".bin")
	if err != nil {
		t.Skip(err)
	}
	timing, err := os.ReadFile(file + ".timing")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(timing)) {
		delay, count, _ := strings.Cut(strings.TrimSpace(line), " ")
		d, _ := strconv.ParseFloat(delay, 64)
		n, _ := strconv.Atoi(count)
		n = min(n, len(data))
		steps = append(steps, time.Duration(d*float64(time.Second)), string(data[:n]))
		data = data[n:]
	}
	return steps
}

func TestX(t *testing.T) {
	for _, f := range []string{"claude-pty", "codex-pty", "claude-perm-pty", "codex-perm-pty", "codex-int-pty", "claude-int-pty"} {
		t.Log("=====", f)
		steps := recorded(t, "/work/shared/pty/"+f)
		if strings.HasSuffix(f, "e-pty") || f == "codex-pty" {
			for i := range steps {
				if b, ok := steps[i].(string); ok && i > 80 && (strings.HasPrefix(b, "\x1b[?1000h\x1b[?1002h") || b == "\x1b[6n") {
					steps = append(steps[:i], append([]any{[2]int{80, 24}}, steps[i:]...)...)
					break
				}
			}
		}
		for _, s := range whole(play(t, 120, 40, steps...)) {
			t.Log(s)
		}
	}
}
