//go:build linux || darwin

package terminal

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// reads is a program in raw mode that hands on n bytes of what is typed.
func reads(n int, file string) []string {
	return sh(fmt.Sprintf(`stty raw -echo; echo ready; head -c %d >'%s'; echo over`, n, file))
}

func TestPutIsPastedWhereItIsAskedFor(t *testing.T) {
	long := strings.Repeat("häkchen\n", 8<<10)[:64<<10]
	tests := []struct {
		text Text
		want string
	}{
		{Text{Body: "two\nlines\tand a tab", Paste: true}, "\x1b[200~two\nlines\tand a tab\x1b[201~\r"},
		{Text{Body: "two\nlines\tand a tab"}, "two lines and a tab\r"},
		{Text{Body: "two\nlines", Newline: "\\\r"}, "two\\\rlines\r"},
		{Text{Body: "x\x1b[201~\x1b[200~y\x03", Paste: true, Pause: time.Millisecond}, "\x1b[200~xy\x1b[201~\r"},
		{Text{Body: "keys", Before: "\x15", Submit: "\x1b[13u"}, "\x15keys\x1b[13u"},
		{Text{Submit: "\r"}, "\r"},
		{Text{Body: long, Paste: true}, "\x1b[200~" + long + "\x1b[201~\r"},
	}
	for i, test := range tests {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "read")
			p := start(t, Config{Command: reads(len(test.want), file)})
			await(t, p, "ready")
			if err := p.Put(t.Context(), test.text); err != nil {
				t.Fatal(err)
			}
			await(t, p, "over")
			if got, err := os.ReadFile(file); err != nil || string(got) != test.want {
				t.Errorf("the program read %.80q, %v", got, err)
			}
		})
	}
}

func TestPutAsksWhetherItIsSafe(t *testing.T) {
	p := start(t, Config{Command: sh(`echo ready; while read -r line; do echo "[$line]"; done`)})
	await(t, p, "ready")
	no := errors.New("not now")
	if err := p.Put(t.Context(), Text{Body: "first", Safe: func() error { return no }}); !errors.Is(err, no) {
		t.Errorf("got %v", err)
	}
	if err := p.Put(t.Context(), Text{Body: "second", Safe: func() error { return nil }}); err != nil {
		t.Errorf("got %v", err)
	}
	if line := await(t, p, "["); line.Text != "[second]" {
		t.Errorf("it read %q", line.Text)
	}
}

func TestNoKeyComesBetweenTheQuestionAndTheText(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	file := filepath.Join(t.TempDir(), "read")
	p := start(t, Config{Command: reads(8, file), Stdin: r})
	await(t, p, "ready")
	err := p.Put(t.Context(), Text{Body: "text", Safe: func() error {
		_, err := io.WriteString(w, "key") // it is read, and waits for its turn
		return err
	}})
	if err != nil {
		t.Fatal(err)
	}
	await(t, p, "over")
	if got, err := os.ReadFile(file); err != nil || string(got) != "text\rkey" {
		t.Errorf("the program read %q, %v", got, err)
	}
}

func TestPutGivesUpWhenNobodyReads(t *testing.T) {
	p := start(t, Config{Command: sh("stty raw -echo; echo ready; sleep 1000")})
	await(t, p, "ready")
	if err := p.Put(t.Context(), Text{Body: strings.Repeat("x", 1<<20), Paste: true}); !errors.Is(err, ErrStalled) {
		t.Errorf("got %v", err)
	}
}

func TestPutTakesWhatIsReadSlowly(t *testing.T) {
	file := filepath.Join(t.TempDir(), "read")
	text := strings.Repeat("0123456789abcde\n", 8<<10)
	p := start(t, Config{Command: sh(fmt.Sprintf(`stty raw -echo; echo ready
		for i in 1 2 3 4 5 6 7 8; do head -c 16384; sleep 0.02; done >'%s'; echo over`, file))})
	await(t, p, "ready")
	if err := p.Put(t.Context(), Text{Body: text, Newline: "\n", Submit: "\r"}); err != nil {
		t.Fatal(err)
	}
	await(t, p, "over")
	if got, err := os.ReadFile(file); err != nil || sha256.Sum256(got) != sha256.Sum256([]byte(text)) {
		t.Errorf("the program read %d bytes, want %d, %v", len(got), len(text), err)
	}
}

func TestInputTellsHowTheTerminalIsRead(t *testing.T) {
	p := start(t, Config{Command: sh(`stty -echo; echo mute; read -r a; stty raw; echo raw; sleep 1000`)})
	await(t, p, "mute")
	switch in := p.Input(); {
	case !in.Lines || in.Echo:
		t.Errorf("a program that reads lines: %+v", in)
	case in.Unread != 0:
		t.Errorf("in.Unread: got %v, want %v", in.Unread, 0)
	case in.Front != nil:
		t.Errorf("a program that reads lines: %+v", in)
	}
	if err := p.Type(t.Context(), "line"); err != nil {
		t.Fatal(err)
	}
	await(t, p, "raw")
	if err := p.Put(t.Context(), Text{Body: "unread"}); err != nil {
		t.Fatal(err)
	}
	if in := inputOnce(t, p, func(in Input) bool { return in.Unread > 0 }); in.Lines || in.Unread != len("unread\r") {
		t.Errorf("a program that does not read: %+v", in)
	}
	p.Close()
	if in := p.Input(); !in.Gone || in.Unread != 0 || in.Front != nil {
		t.Errorf("after the end: %+v", in)
	}
}

func TestInputTellsWhoIsInTheForeground(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	p := start(t, Config{Command: sh("trap : INT; set -m; sleep 1000; echo over; read -r a"), Stdin: r})
	inputOnce(t, p, func(in Input) bool { return in.Front != nil })
	if runtime.GOOS == "linux" {
		inputOnce(t, p, func(in Input) bool { return slices.Equal(in.Front, []string{"sleep", "1000"}) })
	}
	io.WriteString(w, "\x03")
	await(t, p, "over")
	if in := inputOnce(t, p, func(in Input) bool { return in.Front == nil }); !in.Lines {
		t.Errorf("the shell again: %+v", in)
	}
}

func TestInputTellsWhatTheProgramHasBecome(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the system does not tell")
	}
	p := start(t, Config{Command: sh("exec sleep 1000")})
	inputOnce(t, p, func(in Input) bool { return slices.Equal(in.Leader, []string{"sleep", "1000"}) && in.Front == nil })
}

// inputOnce waits until something holds for the program's input.
func inputOnce(t *testing.T, p *watched, holds func(Input) bool) Input {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		in := p.Input()
		if holds(in) {
			return in
		}
		select {
		case <-time.After(time.Millisecond):
		case <-ctx.Done():
			t.Fatalf("the input stays %+v", in)
		}
	}
}
