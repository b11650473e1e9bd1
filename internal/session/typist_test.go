//go:build linux || darwin

package session_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/session"
)

// reached is a session whose Control a test has.
type reached struct {
	*wrapped
	*session.Control
}

// typing runs a session and waits until it can be reached. What becomes of a text
// is waited for as long as a busy machine may need.
func typing(t *testing.T, cfg session.Config) reached {
	t.Helper()
	w := newWrapped(t)
	control := make(chan *session.Control, 1)
	cfg.Reach = func(c *session.Control) func() {
		control <- c
		return func() {}
	}
	w.run(cfg)
	r := reached{w, <-control}
	r.WatchMost(patience)
	return r
}

// put injects a text and waits until it is kept waiting for the reason.
func (r reached) put(text, reason string) session.Pending {
	r.t.Helper()
	p := r.Put(text)
	deadline := time.After(patience)
	for {
		state, why := p.State()
		if state == "waiting" && strings.Contains(why, reason) {
			return p
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-p.Done():
			r.t.Fatalf("%.40q ended as %s (%s); the screen is %.2000q", text, state, why, r.screen.String())
		case <-deadline:
			r.t.Fatalf("%.40q is %s (%s), want it to wait: %s; the screen is %.2000q", text, state, why, reason, r.screen.String())
		}
	}
}

// ended waits for the last state of a text.
func (r reached) ended(p session.Pending) (state, reason string) {
	r.t.Helper()
	select {
	case <-p.Done():
	case <-time.After(patience):
		state, reason = p.State()
		r.t.Fatalf("a text is %s (%s) for ever; the screen is %.2000q", state, reason, r.screen.String())
	}
	return p.State()
}

// types injects a text and waits for its last state.
func (r reached) types(text string) (state, reason string) {
	r.t.Helper()
	return r.ended(r.Put(text))
}

// submits wants a text to be taken by the program.
func (r reached) submits(text string) {
	r.t.Helper()
	if state, reason := r.types(text); state != "submitted" {
		r.t.Errorf("%.40q ended as %s (%s); the screen is %.2000q", text, state, reason, r.screen.String())
	}
}

func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	return path
}

// plainly is an environment in which shells and others show what tests expect.
func plainly(more ...string) []string {
	var env []string
	for _, pair := range os.Environ() {
		if name, _, _ := strings.Cut(pair, "="); name != "TERM" && name != "PS1" && !strings.HasPrefix(name, "PYTHON") {
			env = append(env, pair)
		}
	}
	return append(append(env, "TERM=xterm-256color", "PS1=\\w$ ", "LC_ALL=C.UTF-8", "HISTFILE=", "INPUTRC=/dev/null"), more...)
}

func TestBashIsTypedTo(t *testing.T) {
	t.Parallel()
	in, _ := keyboard(t)
	r := typing(t, session.Config{Stdin: in, Dir: t.TempDir(), Env: plainly(),
		Command: []string{program(t, "bash"), "--norc", "--noprofile", "-i"}})
	r.submits("echo one $((40+2))")
	r.screen.await(t, "one 42")
	r.submits("for i in 1 2; do\necho \"two $i\"\ndone")
	r.screen.await(t, "\ntwo 2")
	r.submits("exit")
	r.clean()
}

func TestASecondLineOfTheShellIsNoPrompt(t *testing.T) {
	t.Parallel()
	in, keys := keyboard(t)
	r := typing(t, session.Config{Stdin: in, Dir: t.TempDir(), Env: plainly(),
		Command: []string{program(t, "bash"), "--norc", "--noprofile", "-i"}})
	r.submits("echo ready")
	write(t, keys, "for i in a b; do\r")
	r.screen.await(t, "2004h> ")
	p := r.put("echo injected", "half-written line")
	write(t, keys, "echo mine $i\rdone\r")
	if state, reason := r.ended(p); state != "submitted" {
		t.Errorf("the text ended as %s (%s)", state, reason)
	}
	r.screen.await(t, "injected\r\n")
	if got := r.screen.String(); !strings.Contains(got, "mine a\r\nmine b") {
		t.Errorf("the text came into the user's command: %q", got)
	}
	r.submits("exit")
	r.clean()
}

func TestPythonIsTypedTo(t *testing.T) {
	t.Parallel()
	in, _ := keyboard(t)
	r := typing(t, session.Config{Stdin: in, Env: plainly(), Command: []string{program(t, "python3"), "-q", "-i"}})
	r.submits("print('sum', 40+2)")
	r.screen.await(t, "sum 42")
	r.submits("exit()")
	r.clean()
}

func TestAScriptOfPythonIsTypedTo(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"input":    "while (line := input('> ')) != 'end': print('got', line.upper())",
		"readline": "import readline\nwhile (line := input('you> ')) != 'end': print('got', line.upper())",
		"select": "import select, sys\nline = ''\nwhile line != 'end':\n" +
			"  if select.select([sys.stdin], [], [], 0.05)[0]:\n    line = sys.stdin.readline().strip(); print('got', line.upper(), flush=True)",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "agent.py"), []byte(script), 0o600); err != nil {
				t.Fatal(err)
			}
			in, _ := keyboard(t)
			r := typing(t, session.Config{Stdin: in, Dir: dir, Env: plainly(), Command: []string{program(t, "python3"), "agent.py"}})
			for _, word := range []string{"first", "second"} {
				r.submits(word)
				r.screen.await(t, "got "+strings.ToUpper(word))
			}
			r.submits("end")
			r.clean()
		})
	}
}

func TestCatReadsALineOf64KiB(t *testing.T) {
	t.Parallel()
	in, _ := keyboard(t)
	text := strings.Repeat("häkchen ", 8<<10)
	r := typing(t, session.Config{Stdin: in, Command: sh(`IFS= read -r line; printf %s "$line" | wc -c; exec cat >/dev/null`)})
	r.submits(text[:64<<10])
	r.screen.await(t, fmt.Sprint(64<<10))
}

func TestWhatIsTypedWithoutEchoIsSubmittedWhenItIsRead(t *testing.T) {
	t.Parallel()
	in, _ := keyboard(t)
	r := typing(t, session.Config{Stdin: in, Command: sh(`stty -echo; echo ready; read -r line; echo "[$line]"; read -r line`)})
	r.screen.await(t, "ready")
	r.submits("unseen")
	r.screen.await(t, "[unseen]")
}

func TestWhatNobodyReadsIsEchoedAtMost(t *testing.T) {
	t.Parallel()
	in, _ := keyboard(t)
	r := typing(t, session.Config{Stdin: in, Command: sh(`echo ready; exec sleep 1000`)})
	r.screen.await(t, "ready")
	r.WatchMost(3 * time.Second)
	if state, reason := r.types("into the void"); state != "echoed" {
		t.Errorf("it ended as %s (%s)", state, reason)
	}
}

func TestAHalfWrittenLineIsWaitedFor(t *testing.T) {
	t.Parallel()
	in, keys := keyboard(t)
	r := typing(t, session.Config{Stdin: in, Command: sh(`echo ready; while read -r line; do echo "[$line]"; done`)})
	r.screen.await(t, "ready")
	write(t, keys, "hal")
	r.screen.await(t, "hal")
	p := r.put("injected", "half-written line")
	write(t, keys, "lo\r")
	r.screen.await(t, "[injected]")
	if state, reason := r.ended(p); state != "submitted" || !strings.Contains(r.screen.String(), "[hallo]") {
		t.Errorf("it ended as %s (%s); the screen is %q", state, reason, r.screen.String())
	}
}

func TestAHalfWrittenLineIsNotWaitedForForEver(t *testing.T) {
	t.Parallel()
	in, keys := keyboard(t)
	r := typing(t, session.Config{Stdin: in, Command: sh(`echo ready; read -r line; echo "[$line]"`)})
	r.screen.await(t, "ready")
	write(t, keys, "hal")
	r.screen.await(t, "hal")
	r.WaitMost(time.Second)
	const why = "a half-written line of the user is at the prompt for 1s"
	if state, reason := r.types("injected"); state != "failed" || reason != why {
		t.Errorf("it ended as %s (%s)", state, reason)
	}
	write(t, keys, "lo\r")
	r.clean()
	if got := r.screen.String(); !strings.Contains(got, "[hallo]") {
		t.Errorf("the screen is %q", got)
	}
	if got := r.warnings.list(); len(got) != 1 || got[0] != "a text was not typed ("+why+"): injected" {
		t.Errorf("the user was shown %q", got)
	}
}

func TestAPagerInAShellIsNotTypedInto(t *testing.T) {
	t.Parallel()
	less := program(t, "less")
	in, keys := keyboard(t)
	file := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(file, []byte(strings.Repeat("a line\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	r := typing(t, session.Config{Stdin: in, Dir: t.TempDir(), Env: plainly("LESS="),
		Command: []string{program(t, "bash"), "--norc", "--noprofile", "-i"}})
	r.submits("echo ready")
	write(t, keys, less+" "+file+"\r")
	r.screen.await(t, "a line")
	why := "less takes keys as commands"
	if runtime.GOOS != "linux" { // it is not known which program it is
		why = "another program has the full screen"
	}
	p := r.put("!echo oops", why)
	write(t, keys, "q")
	if state, reason := r.ended(p); state == "failed" {
		t.Errorf("it ended as %s (%s)", state, reason)
	}
	r.screen.await(t, "!echo oops")
	r.submits("exit")
	r.end()
}

func TestTheNameTellsWhichAgentAScriptRuns(t *testing.T) {
	t.Parallel()
	in, _ := keyboard(t)
	r := typing(t, session.Config{Stdin: in, Name: "claude", Command: sh(`printf '\033[?1049hno input'; read -r line`)})
	r.screen.await(t, "no input")
	r.put("text", "its input was not on the screen")
}

func TestHeldTextsWait(t *testing.T) {
	t.Parallel()
	in, _ := keyboard(t)
	r := typing(t, session.Config{Stdin: in, Command: sh(`echo ready; while read -r line; do echo "[$line]"; done`)})
	r.screen.await(t, "ready")
	r.Hold(true)
	if !r.Held() {
		t.Error("it is not held")
	}
	first, second := r.put("first", "held"), r.Put("second")
	r.Hold(false)
	r.submits("third")
	r.screen.await(t, "[third]")
	if got := r.screen.String(); strings.Index(got, "[first]") > strings.Index(got, "[second]") || !strings.Contains(got, "[second]") {
		t.Errorf("the screen is %q", got)
	}
	for _, p := range []session.Pending{first, second} {
		if state, reason := r.ended(p); state != "submitted" {
			t.Errorf("it ended as %s (%s)", state, reason)
		}
	}
}

func TestTextsBeyondTheBoundAreRefused(t *testing.T) {
	t.Parallel()
	in, _ := keyboard(t)
	r := typing(t, session.Config{Stdin: in, Command: sh(`echo ready; exec cat >/dev/null`)})
	r.screen.await(t, "ready")
	r.Hold(true)
	var all []session.Pending
	all = append(all, r.put("first", "held"))
	for range 129 { // one is taken from the queue, 128 wait
		all = append(all, r.Put("x"))
	}
	if state, reason := r.ended(all[129]); state != "failed" || !strings.Contains(reason, "128 others wait") {
		t.Errorf("the last one ended as %s (%s)", state, reason)
	}
	r.cancel()
	r.end()
	for i, p := range append(all[:129], r.Put("too late")) {
		if state, reason := r.ended(p); state != "failed" || reason == "" {
			t.Errorf("number %d ended as %s (%s)", i, state, reason)
		}
	}
	if got := strings.Join(r.warnings.list(), "\n"); !strings.Contains(got, "128 others wait: x") || !strings.Contains(got, "not typed: 129") {
		t.Errorf("the user was shown %q", got)
	}
}

func TestVimIsNotTypedInto(t *testing.T) {
	t.Parallel()
	in, keys := keyboard(t)
	file := filepath.Join(t.TempDir(), "text")
	r := typing(t, session.Config{Stdin: in, Env: plainly(), Command: []string{program(t, "vim"), "-u", "NONE", "-N", file}})
	r.screen.await(t, "~")
	p := r.put(":!touch it", "vim takes keys as commands")
	write(t, keys, "imine\x1b")
	r.screen.await(t, "mine")
	write(t, keys, ":wq\r")
	r.clean()
	if got, err := os.ReadFile(file); err != nil || string(got) != "mine\n" {
		t.Errorf("the file is %q, %v", got, err)
	}
	if state, reason := r.ended(p); state != "failed" || reason == "" {
		t.Errorf("it ended as %s (%s)", state, reason)
	}
}

func TestAQuestionIsNotAnswered(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]string{
		"yes or no": `printf 'Delete everything? [y/N] '`,
		"password":  `stty -echo; printf 'Password for me: '`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, keys := keyboard(t)
			r := typing(t, session.Config{Stdin: in, Command: sh(ask + `; read -r a; stty echo; echo; echo "answer [$a]"; read -r b; echo "text [$b]"`)})
			p := r.put("yes", "asking the user")
			write(t, keys, "no\r")
			r.clean()
			r.ended(p)
			if got := r.screen.String(); !strings.Contains(got, "answer [no]") || !strings.Contains(got, "text [yes]") {
				t.Errorf("the screen is %q", got)
			}
		})
	}
}

func TestNoSequenceMakesUsType(t *testing.T) {
	t.Parallel()
	in, _ := keyboard(t)
	log := filepath.Join(t.TempDir(), "read")
	// Questions that terminals answer, and a clipboard, in what the program prints.
	r := typing(t, session.Config{Stdin: in, Env: append(os.Environ(), "LOG="+log), Command: sh(`stty raw -echo
		printf '\033[c\033[>c\033[6n\033[5n\033]10;?\033\\\033]52;c;?\007\033[?2026$p\033P$qm\033\\\033[21t\033[>0q\033[?u\005'
		printf 'ready> '; dd bs=4096 count=1 2>/dev/null >"$LOG"; stty sane; echo over`)})
	r.screen.await(t, "ready> ")
	r.types("\x1b[201~\x1b]52;c;aGk=\x07safe\x1b[A\x03\x04\x1a text")
	r.screen.await(t, "over")
	if got, err := os.ReadFile(log); err != nil || string(got) != "safe text\r" {
		t.Errorf("the program was typed %q, %v", got, err)
	}
}
