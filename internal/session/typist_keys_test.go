//go:build linux || darwin

package session_test

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/session"
)

// atBash runs an interactive shell that is at its prompt, and the user's keys.
func atBash(t *testing.T) (reached, io.Writer) {
	t.Helper()
	in, keys := keyboard(t)
	r := typing(t, session.Config{Stdin: in, Dir: t.TempDir(), Env: plainly(),
		Command: []string{program(t, "bash"), "--norc", "--noprofile", "-i"}})
	r.submits("echo ready")
	r.prompts("ready\r\n", "$ ")
	return r, keys
}

// prompts waits for a prompt after what was printed: until then the terminal
// collects lines, and takes some keys for its own.
func (r reached) prompts(after, prompt string) {
	r.t.Helper()
	r.screen.writes.await(r.t, fmt.Sprintf("a prompt after %q", after), func(w []string) bool {
		_, rest, printed := strings.Cut(strings.Join(w, ""), after)
		return printed && strings.Contains(rest, prompt)
	})
}

// press has the user type keys, and waits until they were taken from the keyboard:
// a text comes before what is still in it.
func (r reached) press(keyboard io.Writer, keys string) {
	r.t.Helper()
	before := r.LastKey()
	write(r.t, keyboard, keys)
	for end := time.Now().Add(patience); r.LastKey().Equal(before); {
		if time.Now().After(end) {
			r.t.Fatalf("nothing takes %q", keys)
		}
		<-time.After(time.Millisecond)
	}
}

// kept injects a text that must not be typed while all stays as it is, for longer
// than any pause that keys are given.
func (r reached) kept(text, reason string) {
	r.t.Helper()
	r.WaitMost(4 * time.Second)
	if state, why := r.types(text); state != "failed" || !strings.Contains(why, reason) {
		r.t.Fatalf("%q ended as %s (%s), want it kept: %s; the screen is %q", text, state, why, reason, r.screen.String())
	}
	r.WaitMost(patience)
}

func TestASearchInTheHistoryIsNotTypedInto(t *testing.T) {
	t.Parallel()
	r, keys := atBash(t)
	r.press(keys, "echo DAN\"\"GER\r")
	r.prompts("\rDANGER", "$ ")
	r.press(keys, "\x12")
	r.screen.await(t, "(reverse-i-search)")
	r.press(keys, "DAN")
	r.screen.await(t, "N': echo")
	r.kept("echo INJ", "searching the history")
	r.press(keys, "nothing of that kind")
	r.screen.await(t, "failed")
	p := r.put("echo inj\"\"ected", "searching the history")
	r.press(keys, "\x07")
	if state, reason := r.ended(p); state != "submitted" {
		t.Errorf("it ended as %s (%s)", state, reason)
	}
	r.screen.await(t, "injected\r\n")
	r.submits("exit")
	r.clean()
	if got := r.screen.String(); strings.Count(got, "\rDANGER") != 1 || strings.Contains(got, "INJ") {
		t.Errorf("the user's command ran again: %q", got)
	}
}

func TestAKeyThatWaitsForAnotherKeepsItsMeaning(t *testing.T) {
	for name, keysOf := range map[string][2]string{
		"escape": {"\x1b", "x\x03"}, "quote": {"\x16", "\x7f\x7f\r"}, "prefix": {"\x18", "\x07"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, keys := atBash(t)
			r.press(keys, keysOf[0])
			r.kept("echo INJ", "a key of the user waits")
			p := r.put("echo inj\"\"ected", "a key of the user waits")
			r.press(keys, keysOf[1])
			if state, reason := r.ended(p); state != "submitted" {
				t.Errorf("it ended as %s (%s)", state, reason)
			}
			r.screen.await(t, "injected\r\n")
			r.submits("exit")
			r.end()
			if got := r.screen.String(); strings.Contains(got, "200~") || strings.Contains(got, "INJ") {
				t.Errorf("the screen is %q", got)
			}
		})
	}
}

func TestWhatIsLeftRightOfTheCursorIsTheUsers(t *testing.T) {
	for name, typed := range map[string]string{
		"a word": "rm foo\x1b[D\x1b[D\x1b[D\x1b[D\x15", "set in": " a\x01",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, keys := atBash(t)
			r.press(keys, typed)
			r.kept("echo INJ", "a half-written line")
			r.press(keys, "\x0b")
			r.screen.await(t, "\x1b[K") // Ctrl-C throws away what bash has not read yet
			r.press(keys, "\x03")
			r.submits("echo inj\"\"ected")
			r.screen.await(t, "injected\r\n")
			r.submits("exit")
			r.end()
			if got := r.screen.String(); strings.Contains(got, "INJ") {
				t.Errorf("the screen is %q", got)
			}
		})
	}
}

func TestARedirectionIsNoPrompt(t *testing.T) {
	t.Parallel()
	r, keys := atBash(t)
	r.press(keys, "echo a > ")
	r.kept("injected", "a half-written line")
}

func TestPythonsRestRightOfTheCursorIsTheUsers(t *testing.T) {
	t.Parallel()
	in, keys := keyboard(t)
	r := typing(t, session.Config{Stdin: in, Env: plainly(), Command: []string{program(t, "python3"), "-q", "-i"}})
	r.submits("print('ready')")
	r.prompts("ready\r\n", ">>> ")
	r.press(keys, "0 1\x1b[D\x1b[D\x15")
	r.kept("print('INJ')", "a half-written line")
}

func TestAShellThatRunsSomethingIsWaitedFor(t *testing.T) {
	t.Parallel()
	r, keys := atBash(t)
	r.press(keys, "cat; echo ov\"\"er\r")
	r.screen.await(t, "cat; echo")
	was := "cat was running"
	if runtime.GOOS != "linux" { // it is not known which program it is
		was = "another program was running"
	}
	p := r.put("echo inj\"\"ected", was)
	r.press(keys, "of the cat\r")
	r.screen.await(t, "of the cat\r\nof the cat")
	r.press(keys, "\x04")
	if state, reason := r.ended(p); state != "submitted" {
		t.Errorf("it ended as %s (%s)", state, reason)
	}
	r.prompts("injected\r\n", "$ ")
	r.press(keys, "read k; echo \"[$k]\"\r")
	r.screen.await(t, "[$k]")
	p = r.put("echo an\"\"other", "a command was running")
	r.press(keys, "mine\r")
	if state, reason := r.ended(p); state != "submitted" {
		t.Errorf("it ended as %s (%s)", state, reason)
	}
	r.screen.await(t, "another\r\n")
	if got := r.screen.String(); !strings.Contains(got, "[mine]") {
		t.Errorf("the screen is %q", got)
	}
}

func TestAMenuOfTheShellIsTheUsers(t *testing.T) {
	t.Parallel()
	in, keys := keyboard(t)
	r := typing(t, session.Config{Stdin: in, Command: []string{program(t, "bash"), "-c",
		`select x in a b; do echo "chosen $x"; break; done; read -r line; echo "text $line"`}})
	r.screen.await(t, "#? ")
	p := r.put("1", "asking the user")
	r.press(keys, "2\r")
	r.clean()
	r.ended(p)
	if got := r.screen.String(); !strings.Contains(got, "chosen b") || !strings.Contains(got, "text 1") {
		t.Errorf("the screen is %q", got)
	}
}

func TestAProgramThatReadsKeysAfterATextIsNotTypedTo(t *testing.T) {
	t.Parallel()
	in, _ := keyboard(t)
	r := typing(t, session.Config{Stdin: in,
		Command: sh(`stty raw -echo; printf '\033[?2004h\033[2J\033[5;1Hthis is not an input'; exec cat`)})
	r.screen.await(t, "an input")
	r.kept("INJ", "reads single keys, and shows no prompt")
	if got := r.screen.String(); strings.Contains(got, "INJ") {
		t.Errorf("the screen is %q", got)
	}
}
