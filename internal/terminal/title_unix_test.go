//go:build linux || darwin

package terminal

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/eventually"
)

func init() {
	// ask runs its arguments; a line of its program's output that begins with "title:"
	// sets our title, and rings.
	programs["ask"] = func() {
		env := append(os.Environ(), "TERMINAL_TEST_PROGRAM=")
		p, err := Start(context.Background(), Config{Command: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Env: env})
		if err != nil {
			panic(err)
		}
		defer p.Close()
		for err = nil; err != io.EOF; {
			var lines []Line
			lines, err = p.Next(context.Background(), 0)
			for _, l := range lines {
				switch l.Text {
				case "please ask":
					p.Title("K7QX4 asks\x1b[2J", true)
					_ = os.WriteFile(os.Getenv("TERMINAL_TEST_ASKED"), nil, 0o600) // whoever waits for it tells if it is not there
				case "please rest":
					p.Title("", false)
				}
			}
		}
		p.Title("too late", true)
		s, _ := p.Wait()
		p.Title("too late", true)
		os.Exit(s.Code)
	}
}

// A title of ours stands while it is wanted, between two things that the program prints,
// and the program has the last one that it has set back.
func TestATitleInPlaceOfTheProgramsOwn(t *testing.T) {
	asked := filepath.Join(t.TempDir(), "asked")
	d := sit(t, append(self("ask"), "PS1=", "TERMINAL_TEST_ASKED="+asked), os.Args[0], "sh", "-c", `
stty -echo; printf '\033]0;own\033\\'; echo please ask
read x; printf '\033]0;new\033\\'; echo still
read x; echo please rest
read x; printf 'please ask\n\346'
read x; printf '\274\242\033]2;unfin'
read x; printf 'ished\033\\ended\n'; kill -9 $$`)
	wanted := func() {
		t.Helper()
		eventually.True(t, "the title is wanted", func() bool { return os.Remove(asked) == nil })
	}
	const ours = "\x1b]2;K7QX4 asks\\x1b[2J\x1b\\"
	d.see("please ask")
	d.see("\x1b[22;0t" + ours + "\a")
	wanted()
	d.keys("\n")
	d.see("\x1b]0;new\x1b\\")
	d.see(ours)
	d.keys("\n")
	d.see("please rest")
	d.see("\x1b[23;0t\x1b]0;new\x1b\\")
	d.keys("\n")
	d.see("please ask")
	wanted()
	d.keys("\n")
	if shown := d.see("unfin"); !strings.Contains(shown, "漢") {
		t.Errorf("the title comes within a character: %q", shown)
	}
	d.keys("\n")
	d.see("ished\x1b\\")
	d.see(ours)
	d.see("\x1b[23;0t\x1b]2;unfinished\x1b\\")
}
