package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func readerOf(limit int) *reader { return newReader(newTap(limit), newTyped()) }

func TestNextReportsStillnessAfterTheTimeAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := readerOf(1 << 10)
		start := time.Now()
		go func() {
			time.Sleep(time.Second) // in the bubble: virtual
			r.tap.write([]byte("Name"))
			time.Sleep(time.Second)
			r.tap.write([]byte("? "))
		}()
		lines, err := r.next(t.Context(), 3*time.Second)
		if !errors.Is(err, ErrStill) || !reflect.DeepEqual(lines, []Line{{Text: "Name? ", Partial: true}}) {
			t.Fatalf("got %+v, %v", lines, err)
		}
		if got := time.Since(start); got != 5*time.Second {
			t.Errorf("still after %v, want 3s after the last output at 2s", got)
		}
		if got := r.tap.lastWrite().Sub(start); got != 2*time.Second {
			t.Errorf("last output at %v, want 2s", got)
		}
		if lines, err := r.next(t.Context(), time.Minute); lines != nil || !errors.Is(err, ErrStill) {
			t.Errorf("the second time: %+v, %v", lines, err)
		}
	})
}

func TestNextEndsWithItsContextAndLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := readerOf(1 << 10)
		r.tap.write([]byte("half"))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if lines, err := r.next(ctx, 0); lines != nil || !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("got %+v, %v", lines, err)
		}
		r.tap.write([]byte(" a line\nrest"))
		if lines, err := r.next(t.Context(), 0); err != nil || lines[0].Text != "half a line" {
			t.Fatalf("got %+v, %v", lines, err)
		}
		r.tap.end()
		if lines, err := r.next(t.Context(), 0); err != nil || !reflect.DeepEqual(lines, []Line{{Text: "rest"}}) {
			t.Fatalf("at the end: %+v, %v", lines, err)
		}
		if _, err := r.next(t.Context(), 0); err != io.EOF {
			t.Fatalf("after the end: %v", err)
		}
	})
}

func TestASlowReaderLosesWholeLinesAndTheyAreCounted(t *testing.T) {
	r := readerOf(20)
	r.tap.write([]byte("one\ntwo\nth"))
	r.tap.write([]byte("ree\nfour\nfi"))
	lines, err := r.next(t.Context(), 0)
	if err != nil || !reflect.DeepEqual(lines, []Line{{Text: "four", Lost: true}}) {
		t.Fatalf("got %+v, %v", lines, err)
	}
	r.tap.write([]byte("ve\nsix\n"))
	lines, err = r.next(t.Context(), 0)
	if err != nil || !reflect.DeepEqual(texts(lines), []string{"five", "six"}) {
		t.Fatalf("got %+v, %v", lines, err)
	}
	if got := r.tap.droppedBytes(); got != int64(len("one\ntwo\nth")) {
		t.Errorf("dropped %d bytes", got)
	}
}

func TestTheSizeAtTheEndOfAFloodIsKept(t *testing.T) {
	tap := newTap(20)
	tap.resize(10, 1)
	tap.write([]byte("0123456789"))
	tap.resize(20, 2)
	tap.write([]byte("01234"))
	tap.resize(30, 3)
	tap.write([]byte("0123456789"))
	want := piece{bytes: []byte("0123456789"), resized: []resized{{0, 30, 3}}, lost: true}
	if got := tap.take(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// However slow the reader is, it gets the end: a program says there what it wants.
func TestTheLastLineOfAFloodIsRead(t *testing.T) {
	const last = "@agent:task the last line"
	for _, painted := range []string{"", "\x1b[2J\x1b[H"} {
		r := readerOf(defaultBuffer)
		done := make(chan error)
		var read []string
		go func() {
			for {
				lines, err := r.next(t.Context(), 0)
				read = append(read, texts(lines)...)
				if err != nil {
					done <- err
					return
				}
				if len(read) > 1000 {
					read = read[len(read)-10:]
				}
			}
		}()
		piece := []byte(painted + strings.Repeat("0123456789 lines as a flood has them\r\n", 200))
		for n := 0; n < 3*defaultBuffer; n += len(piece) {
			r.tap.write(piece)
		}
		r.tap.write([]byte(last + "\r\n"))
		r.tap.end()
		if err := <-done; err != io.EOF {
			t.Fatalf("got %v, want %v", err, io.EOF)
		}
		if r.tap.droppedBytes() == 0 {
			t.Log("the reader was not too slow") // then it is not a flood; nothing is wrong
		}
		if !slices.Contains(read, last) {
			t.Errorf("the last lines are %q", read[max(0, len(read)-5):])
		}
	}
}

func TestEcho(t *testing.T) {
	type step struct {
		user, line, output string // what is typed by the user or by Type, then printed
		after              time.Duration
		ended              bool // the user types no more
	}
	const echo, said = true, false
	tests := []struct {
		name  string
		steps []step
		want  map[string]bool
	}{
		{"a typed line after a prompt", []step{{line: "@a:b c", output: "$ @a:b c\n"}}, map[string]bool{"$ @a:b c": echo}},
		{"a typed line alone", []step{{line: "@a:b c", output: "@a:b c\n"}}, map[string]bool{"@a:b c": echo}},
		{"after a prompt with a name", []step{{line: "ls", output: "me@host:~$ ls\n"}}, map[string]bool{"me@host:~$ ls": echo}},
		{"after a glyph", []step{{line: "@a:b", output: "│ ❯ @a:b\n"}}, map[string]bool{"│ ❯ @a:b": echo}},
		{"after a prompt in words", []step{{output: "Name? "}, {line: "Ada", output: "Ada\n"}}, map[string]bool{"Name? ": said, "Name? Ada": echo}},
		{"not after text", []step{{line: "ok", output: "@a:b ok\n"}}, map[string]bool{"@a:b ok": said}},
		{"not something else", []step{{line: "@a:b", output: "@a:b c\n"}}, map[string]bool{"@a:b c": said}},
		{"nothing was typed", []step{{output: "@a:b\n"}}, map[string]bool{"@a:b": said}},
		{"the user's line", []step{{user: "@a:b", output: "x\n"}, {user: " c\r", output: "> @a:b c\n"}}, map[string]bool{"x": said, "> @a:b c": echo}},
		{"the user's line with mistakes", []step{{user: "wrong\x15@a:x\x7fb\x1b[D\x7f:\x1b[C c\r", output: "@a:b c\n"}}, map[string]bool{"@a:b c": echo}},
		{"the last one without Enter", []step{{user: "@a:b", ended: true, output: "@a:b\n"}}, map[string]bool{"@a:b": echo}},
		{"given up with ^C", []step{{user: "@a:b\x03\r", output: "@a:b\n"}}, map[string]bool{"@a:b": said}},
		{"while it is being typed", []step{{user: "@a:b", output: "> @a:b"}}, map[string]bool{"> @a:b": echo}},
		{"stale", []step{{line: "@a:b"}, {after: freshFor, output: "@a:b\n"}}, map[string]bool{"@a:b": said}},
		{"fresh", []step{{line: "@a:b"}, {after: freshFor - 2*time.Millisecond, output: "@a:b\n"}}, map[string]bool{"@a:b": echo}},
		{"forgotten behind many others", []step{{line: "@a:b"}, {line: strings.Repeat("x", 3)}, {user: strings.Repeat("y\r", freshMax-1), output: "@a:b\n"}}, map[string]bool{"@a:b": said}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := readerOf(1 << 10)
				got := map[string]bool{}
				for _, s := range tt.steps {
					time.Sleep(s.after)
					if s.line != "" {
						r.typed.line(s.line)
					}
					r.typed.key([]byte(s.user))
					if s.ended {
						r.typed.close()
					}
					r.tap.write([]byte(s.output))
					lines, err := r.next(t.Context(), time.Millisecond)
					if err != nil && !errors.Is(err, ErrStill) {
						t.Fatal(err)
					}
					for _, l := range lines {
						got[l.Text] = l.Echo
					}
				}
				if !reflect.DeepEqual(got, tt.want) {
					t.Errorf("echo: got %v, want %v", got, tt.want)
				}
			})
		})
	}
}

func TestATypedLineIsEchoOnce(t *testing.T) {
	r := readerOf(1 << 10)
	r.typed.line("@a:b c")
	r.tap.write([]byte("@a:b c\n@a:b c\n"))
	lines, err := r.next(t.Context(), 0)
	switch {
	case err != nil:
		t.Errorf("got %+v, %v; want the first to be echo and the second not", lines, err)
	case len(lines) != 2:
		t.Errorf("len(lines): got %v, want %v", len(lines), 2)
	case !lines[0].Echo || lines[1].Echo:
		t.Errorf("got %+v, %v; want the first to be echo and the second not", lines, err)
	}
}

func TestALineReportedWhileTypedUsesUpItsEcho(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := readerOf(1 << 10)
		r.typed.key([]byte("@a:b"))
		r.tap.write([]byte("> @a:b"))
		if lines, err := r.next(t.Context(), time.Second); !errors.Is(err, ErrStill) || len(lines) != 1 || !lines[0].Echo {
			t.Fatalf("while typed: %+v, %v", lines, err)
		}
		r.typed.key([]byte("\r"))
		r.tap.write([]byte("\r\n@a:b\r\n"))
		lines, err := r.next(t.Context(), time.Second)
		if err != nil || !reflect.DeepEqual(lines, []Line{{Text: "> @a:b", Seen: 6, Echo: true, Slow: true}, {Text: "@a:b"}}) {
			t.Errorf("its end and the answer: %+v, %v", lines, err)
		}
	})
}

func TestTheEndOfAReportedLineIsWhatTheLineWas(t *testing.T) {
	for _, echo := range []bool{true, false} {
		for name, end := range map[string]func(*reader){
			"line end":   func(r *reader) { r.tap.write([]byte("\r\n")) },
			"end of all": func(r *reader) { r.tap.end() },
		} {
			t.Run(fmt.Sprintf("echo %t, %s", echo, name), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					r := readerOf(1 << 10)
					if echo {
						r.typed.line("@a:b c") // its echo comes without its line end
					}
					r.tap.write([]byte("@a:b c"))
					want := Line{Text: "@a:b c", Partial: true, Echo: echo}
					if got, err := r.next(t.Context(), time.Second); !errors.Is(err, ErrStill) || !reflect.DeepEqual(got, []Line{want}) {
						t.Fatalf("the line: %+v, %v", got, err)
					}
					end(r)
					want = Line{Text: "@a:b c", Seen: 6, Echo: echo, Slow: name == "line end"}
					if got, err := r.next(t.Context(), time.Second); err != nil || !reflect.DeepEqual(got, []Line{want}) {
						t.Fatalf("its end: %+v, %v", got, err)
					}
				})
			})
		}
	}
}
