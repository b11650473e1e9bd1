package owner_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/internal/owner"
	"github.com/hookway/hookway/internal/process"
)

// The test binary is also the command that asks the owner, and an agent.
const (
	asking = "owner-asks" // owner-asks FILE UNTIL: what came of the question is in the file
	acting = "owner-acts" // owner-acts COMMAND: runs a line of a shell as an agent would
	seen   = "owner-seen" // owner-seen COMMAND: the same, once hookway has seen the agent
	makes  = "owner-term" // owner-term COMMAND...: runs it in a terminal and answers with yes
)

func TestMain(m *testing.M) {
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case asking:
			until, err := strconv.Atoi(os.Args[3])
			said := "yes"
			if err == nil {
				said, err = ask(owner.Rule{Until: until})
			}
			if err != nil {
				said = "error: " + err.Error()
			}
			// In one step: the test reads the file when it is there.
			if err := errors.Join(os.WriteFile(os.Args[2]+".new", []byte(said), 0o600), os.Rename(os.Args[2]+".new", os.Args[2])); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
			return
		case makes:
			answerYes(exec.Command(os.Args[2], os.Args[3:]...))
			return
		case seen, acting:
			if os.Args[1] == seen {
				new(owner.Marker).Mark(owner.Rule{Until: os.Getppid()}, os.Getpid())
			}
			cmd := exec.Command("/bin/sh", "-c", os.Args[2])
			cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
			if err := cmd.Run(); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
			return
		}
	}
	os.Exit(m.Run())
}

// answerYes makes a terminal for a command, as any compiled program can.
func answerYes(cmd *exec.Cmd) {
	tty, err := pty.Start(cmd)
	if err != nil {
		return
	}
	defer tty.Close()
	var shown bytes.Buffer
	buf := make([]byte, 4096)
	for !strings.Contains(shown.String(), "Sure? [y/N] ") {
		n, err := tty.Read(buf)
		if err != nil {
			return
		}
		shown.Write(buf[:n])
	}
	if _, err := tty.WriteString("y\n"); err != nil {
		return
	}
	_ = cmd.Wait() // what it said is in a file
}

func ask(r owner.Rule) (string, error) {
	t, err := r.Open(os.Stdin, os.Stdout)
	if err != nil {
		return "", err
	}
	defer t.Close()
	if _, err := os.Stat(os.Args[2] + ".early"); err == nil { // wait until something was typed
		fmt.Print("type now")
		for n := 0; n == 0; {
			if n, err = unix.IoctlGetInt(0, unix.TIOCINQ); err != nil {
				return "", err
			}
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	yes, err := t.Confirm(ctx, "Sure?")
	if err != nil {
		return "", err
	}
	return map[bool]string{true: "yes", false: "no"}[yes], nil
}

// stage is where attacks happen: the test process counts as the first of the machine,
// and what is left behind comes to it.
type stage struct {
	*testing.T
	self, dir, file string
}

func newStage(t *testing.T) *stage {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		t.Skip(err)
	}
	dir, err := os.MkdirTemp("", "o") // a socket's path has little room
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return &stage{t, self, dir, filepath.Join(dir, "said")}
}

// needs skips where a program is missing, or is another one of that name.
func (s *stage) needs(programs ...string) {
	s.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			s.Skip(err)
		}
		probe := map[string]string{"script": "script -qec true /dev/null", "unshare": "unshare -Urpf --mount-proc true"}[p] // busybox's takes no -e
		if probe == "" {
			continue
		}
		if out, err := s.command(probe).CombinedOutput(); err != nil {
			s.Skipf("%s does not work here: %v: %s", probe, err, out)
		}
	}
}

// asks is the line that asks.
func (s *stage) asks() string {
	return fmt.Sprintf("%s %s %s %d", s.self, asking, s.file, os.Getpid())
}

func (s *stage) environ() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir, "TERM=xterm", "SHELL=/bin/sh", "GORACE=atexit_sleep_ms=0", "GOCOVERDIR=" + s.dir}
}

// said waits for what came of the question.
func (s *stage) said() string {
	s.Helper()
	var text []byte
	eventually.True(s.T, "the question came to an end", func() (ok bool) {
		var err error
		text, err = os.ReadFile(s.file)
		return err == nil
	})
	return string(text)
}

// terminal runs a command in a terminal of a person and types what they type when it asks.
func (s *stage) terminal(cmd *exec.Cmd, typed func(shown string) string) (end func()) {
	s.Helper()
	tty, err := pty.Start(cmd)
	if err != nil {
		s.Fatal(err)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		var shown bytes.Buffer
		buf := make([]byte, 4096)
		for {
			n, err := tty.Read(buf)
			shown.Write(buf[:n])
			if keys := typed(shown.String()); keys != "" {
				_, _ = tty.WriteString(keys)
				shown.Reset()
			}
			if err != nil {
				return
			}
		}
	}()
	return func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
		tty.Close()
		<-over
	}
}

// whenAsked types an answer when there is a question.
func whenAsked(answer string) func(string) string {
	return func(shown string) string {
		if strings.Contains(shown, "Sure? [y/N] ") {
			return answer
		}
		return ""
	}
}

func (s *stage) command(line string) *exec.Cmd {
	cmd := exec.Command("/bin/sh", "-c", line)
	cmd.Env, cmd.Dir = s.environ(), s.dir
	return cmd
}

func TestAPersonIsAsked(t *testing.T) {
	for answer, want := range map[string]string{"y\n": "yes", " YES \n": "yes", "n\n": "no", "\n": "no", "maybe\n": "no", "\x04": "no", "\x03": "error: interrupted"} {
		s := newStage(t)
		end := s.terminal(s.command(s.asks()), whenAsked(answer))
		if got := s.said(); got != want {
			t.Errorf("%q: %s, want %s", answer, got, want)
		}
		end()
	}
}

func TestWhatWasTypedBeforeDoesNotCount(t *testing.T) {
	s := newStage(t)
	if err := os.WriteFile(s.file+".early", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	early := false
	end := s.terminal(s.command(s.asks()), func(shown string) string {
		switch {
		case !early && strings.Contains(shown, "type now"):
			early = true
			return "y\n"
		case strings.Contains(shown, "Sure? [y/N] "):
			return "n\n"
		}
		return ""
	})
	defer end()
	if got := s.said(); got != "no" {
		t.Errorf("%s, want no", got)
	}
}

// maker makes a terminal, runs a command in it and answers its question with yes. Its first
// argument says how it hides that it does.
const maker = `import ctypes, os, pty, socket, struct, sys, time
how, line = sys.argv[1], sys.argv[2:]
if how == "undumped":
    ctypes.CDLL(None).prctl(4, 0)
pid, master = pty.fork()
if pid == 0:
    time.sleep(0.3)
    os.execvp(line[0], line)
shown = b""
if how == "flight": # the end of the terminal is in a socket while it is looked for
    a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    socket.send_fds(a, [b"x"], [master])
    os.close(master)
    time.sleep(1.5)
    _, fds, _, _ = socket.recv_fds(b, 1, 1)
    master = fds[0]
if how == "decoy": # something else holds it meanwhile
    keep = os.fork()
    if keep == 0:
        os.set_inheritable(master, True)
        os.execvp("sleep", ["sleep", "20"])
    a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    socket.send_fds(a, [b"x"], [master])
    os.close(master)
    time.sleep(1.5)
    _, fds, _, _ = socket.recv_fds(b, 1, 1)
    master = fds[0]
while b"[y/N]" not in shown:
    try:
        shown += os.read(master, 4096)
    except OSError:
        sys.exit()
os.write(master, b"y\n")
os.waitpid(pid, 0)
`

// behind and unseen have a command outlive the agent, and its environment with it.
// limitSays is what is said of what descends from an agent that hookway has seen.
const limitSays = "has the limit of file locks that hookway sets for agents"

const behind, unseen = "(env -i PATH=$PATH HOME=$HOME SHELL=/bin/sh TERM=xterm setsid ", " </dev/null >/dev/null 2>&1 &)"

// An agent tries to answer by itself. Each line is run by a process that is an agent,
// or by one that it left behind.
func TestAnAgentCannotAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		line  string
		needs []string
		why   string
		seen  bool // hookway has seen the agent before
	}{
		"answer through a pipe":                              {line: "echo y | ASKS", why: "the agent claude"},
		"answer without a terminal and without a parent":     {line: "(setsid env -i ASKS </dev/null >/dev/null 2>&1 &)", needs: []string{"setsid"}, why: "no terminal here"},
		"give it another terminal's file":                    {line: "(env -i setsid ASKS </dev/ptmx >/dev/ptmx 2>/dev/null &)", needs: []string{"setsid"}, why: "belongs to no terminal"},
		"run it in a terminal made by `script`":              {line: "script -qec 'ASKS' /dev/null", needs: []string{"script"}, why: "the agent claude"},
		"and with an empty environment":                      {line: "env -i PATH=$PATH SHELL=/bin/sh script -qec 'ASKS' /dev/null", needs: []string{"script"}, why: "the agent claude"},
		"leave that behind with `setsid`":                    {line: "(env -i PATH=$PATH SHELL=/bin/sh setsid script -qec 'ASKS' /dev/null </dev/null >/dev/null 2>&1 &)", needs: []string{"script", "setsid"}, why: "this terminal was made by script"},
		"leave that behind with `nohup`, in a shell":         {line: "(env -i PATH=$PATH SHELL=/bin/sh nohup setsid script -qec 'sh -c \"ASKS; :\"' /dev/null </dev/null >/dev/null 2>&1 &)", needs: []string{"script", "setsid", "nohup"}, why: "this terminal was made by script"},
		"hide below more shells than are looked at":          {line: "env -i PATH=$PATH SHELL=/bin/sh n=1 sh DEEP script -qec 'ASKS' /dev/null", needs: []string{"script"}, why: "more than 64 processes"},
		"hide what made the terminal below many shells":      {line: "(env -i PATH=$PATH SHELL=/bin/sh n=1 setsid sh DEEP script -qec 'env -i ASKS' /dev/null </dev/null >/dev/null 2>&1 &)", needs: []string{"script", "setsid"}, why: "more than 64 processes"},
		"empty the environment in the terminal alone":        {line: "(CLAUDECODE=1 setsid script -qec 'env -i ASKS' /dev/null </dev/null >/dev/null 2>&1 &)", needs: []string{"script", "setsid"}, why: "CLAUDECODE is set there"},
		"leave Python's `pty.spawn` behind":                  {line: "(env -i PATH=$PATH setsid python3 -c 'import pty; pty.spawn([\"/bin/sh\", \"-c\", \"ASKS; :\"])' </dev/null >/dev/null 2>&1 &)", needs: []string{"setsid", "python3"}, why: "this terminal was made by python3"},
		"run it below a shell with another name":             {line: "cp $(command -v sh) bash5; env -i PATH=$PATH SHELL=/bin/sh ./bash5 -c 'script -qec \"ASKS\" /dev/null; :'", needs: []string{"script"}, why: "the agent claude"},
		"run it in a process namespace of its own":           {line: "env -i PATH=$PATH SHELL=/bin/sh unshare -Urpf --mount-proc script -qec 'ASKS' /dev/null", needs: []string{"script", "unshare"}, why: "namespace of its own"},
		"fork twice from Python, and make a terminal":        {line: "env -i PATH=$PATH python3 -c 'import os,pty\nif os.fork(): os._exit(0)\nos.setsid()\nif os.fork(): os._exit(0)\npty.spawn([\"/bin/sh\", \"-c\", \"ASKS; :\"])' </dev/null >/dev/null 2>&1", needs: []string{"python3"}, why: "this terminal was made by python3"},
		"open a window of tmux":                              {line: "env -i PATH=$PATH SHELL=/bin/sh tmux -S SOCKET -f /dev/null new-session -d 'ASKS'", needs: []string{"tmux"}, why: "no person sees this window of tmux"},
		"hide that it is one of tmux":                        {line: "env -i PATH=$PATH SHELL=/bin/sh tmux -S SOCKET -f /dev/null new-session -d 'env -u TMUX ASKS'", needs: []string{"tmux"}, why: "of tmux"},
		"open a tmux of its own":                             {line: "AI_AGENT=x tmux -S SOCKET -f /dev/null new-session -d 'env -i ASKS'", needs: []string{"tmux"}, why: "AI_AGENT is set there"},
		"attach a client of its own to it":                   {line: "env -i PATH=$PATH SHELL=/bin/sh TERM=xterm script -qec \"tmux -S SOCKET -f /dev/null new-session 'ASKS'\" /dev/null", needs: []string{"tmux", "script"}, why: "no person sees this window of tmux"},
		"leave it behind below `timeout`":                    {line: behind + "timeout 60 python3 MAKER plainly ASKS" + unseen, needs: []string{"setsid", "python3", "timeout"}, why: "this terminal was made by python3"},
		"leave it behind below `awk`":                        {line: behind + "awk 'BEGIN{system(\"python3 MAKER plainly ASKS\")}'" + unseen, needs: []string{"setsid", "python3", "awk"}, why: "this terminal was made by python3"},
		"leave it behind below an alias of git":              {line: behind + "git -c alias.x='!python3 MAKER plainly ASKS' x" + unseen, needs: []string{"setsid", "python3", "git"}, why: "this terminal was made by python3"},
		"pass the terminal's end through a socket meanwhile": {line: behind + "python3 MAKER flight ASKS" + unseen, needs: []string{"setsid", "python3"}, why: "cannot be seen what made this terminal"},
		"have `sleep` hold the terminal's end meanwhile":     {line: behind + "python3 MAKER decoy ASKS" + unseen, needs: []string{"setsid", "python3"}, why: "was started by none of those that hold it"},
		"forbid that its files are looked at":                {line: behind + "python3 MAKER undumped ASKS" + unseen, needs: []string{"setsid", "python3"}, why: "this terminal"},
		"use an interpreter whose name has a version":        {line: "ln -s $(python3 -c 'import sys; print(sys.executable)') python3.99-dbg; " + behind + "./python3.99-dbg MAKER plainly ASKS" + unseen, needs: []string{"setsid", "python3"}, why: "this terminal was made by python3.99-dbg"},
		"have it made in a window of GNU screen":             {line: behind + "screen -dmS x sh -c 'ASKS; :'" + unseen, needs: []string{"setsid", "screen"}, why: "does not tell whether a person"},
		"have `socat` make it, left behind":                  {line: behind + "socat EXEC:'ASKS',pty,setsid,ctty SYSTEM:'sleep 2; echo y; sleep 2'" + unseen, needs: []string{"setsid", "socat"}, why: "this terminal was made by socat"},
		"have it made in a window of `dtach`":                {line: behind + "dtach -n SOCKET.d sh -c 'ASKS; :'" + unseen, needs: []string{"setsid", "dtach"}, why: "does not tell whether a person"},
		"have `expect` make it, left behind":                 {line: behind + "expect -c 'spawn ASKS; expect N; send y\r; expect eof'" + unseen, needs: []string{"setsid", "expect"}, why: "this terminal was made by expect"},
		"have tmux run it by `if-shell`":                     {line: "env -i PATH=$PATH SHELL=/bin/sh TERM=xterm tmux -S SOCKET -f /dev/null new-session -d 'sleep 20' ';' if-shell true 'run-shell \"ASKS\"'", needs: []string{"tmux"}, why: "no terminal here"},
		"have tmux pipe a window's keys to it":               {line: "env -i PATH=$PATH SHELL=/bin/sh TERM=xterm tmux -S SOCKET -f /dev/null new-session -d 'echo y; sleep 20' ';' pipe-pane -IO 'ASKS'", needs: []string{"tmux"}, why: "no terminal here"},
		"have git's pager run it in a terminal":              {line: behind + "script -qec 'GIT_PAGER=\"ASKS;:\" git -p --version' /dev/null" + unseen, needs: []string{"setsid", "script", "git"}, why: "terminal"},
		"have `perl` fork and make it":                       {line: behind + "perl -e 'use POSIX; exit if fork; POSIX::setsid(); exec \"python3\", \"MAKER\", \"plainly\", split / /, \"ASKS\"'" + unseen, needs: []string{"setsid", "perl", "python3"}, why: "this terminal was made by python3"},
		"have `busybox script` make it":                      {line: behind + "busybox script -c 'ASKS' /dev/null" + unseen, needs: []string{"setsid", "busybox"}, why: "this terminal was made by busybox"},
		"leave a compiled program behind that makes one":     {line: behind + "SELF owner-term ASKS" + unseen, needs: []string{"setsid"}, seen: true, why: limitSays},
		"leave a copy of Python behind, under another name":  {line: "cp $(python3 -c 'import sys; print(sys.executable)') konsole; " + behind + "./konsole MAKER plainly ASKS" + unseen, needs: []string{"setsid", "python3"}, seen: true, why: limitSays},
		"name a script of its own `terminator`":              {line: "cp MAKER terminator; " + behind + "python3 terminator plainly ASKS" + unseen, needs: []string{"setsid", "python3"}, seen: true, why: limitSays},
		"leave it behind below a program that nobody knows":  {line: "cp SELF anything; " + behind + "./anything owner-acts 'python3 MAKER plainly ASKS'" + unseen, needs: []string{"setsid", "python3"}, seen: true, why: limitSays},
		"leave a copy of tmux behind, under another name":    {line: "cp $(command -v tmux) wezterm; " + behind + "./wezterm -S SOCKET -f /dev/null new-session -d ASKS" + unseen, needs: []string{"setsid", "tmux"}, seen: true, why: limitSays},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.needs(c.needs...)
			as := acting
			if c.seen {
				if as = seen; process.Marked(os.Getpid()) {
					t.Skip("an agent runs this test: a mark tells nothing below it")
				}
			}
			made := filepath.Join(s.dir, "maker.py")
			if err := os.WriteFile(made, []byte(maker), 0o600); err != nil {
				t.Fatal(err)
			}
			socket := filepath.Join(s.dir, "tmux")
			deep := filepath.Join(s.dir, "deep") // a shell in a shell, 70 times, before the command runs
			if err := os.WriteFile(deep, []byte("if [ $n -lt 70 ]; then n=$((n+1)) sh $0 \"$@\"; else \"$@\"; fi; :\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			line := strings.NewReplacer("MAKER", made, "ASKS", s.asks(), "SOCKET", socket, "DEEP", deep, "SELF", s.self).Replace(c.line)
			// What comes out of it to the agent is not waited for: a server may hold it open.
			cmd := &exec.Cmd{Path: s.self, Args: []string{"claude", as, line}, Env: s.environ(), Dir: s.dir}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() {
				if _, err := os.Stat(socket); err == nil {
					_ = exec.Command("tmux", "-S", socket, "kill-server").Run() // it ends with its last window, too
				}
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
			}()
			if got := s.said(); !strings.HasPrefix(got, "error: ") || !strings.Contains(got, c.why) && !strings.Contains(got, "the agent claude") {
				t.Errorf("%s; want %q, or who the agent is if it has not ended yet", got, c.why)
			}
		})
	}
}

func TestAnAgentInTheSameTerminal(t *testing.T) {
	s := newStage(t)
	// A shell with an agent in the background, as ^Z leaves it, and then the question: the
	// agent runs, and is not a shell any more, when it has made the file.
	if err := os.Symlink(s.self, filepath.Join(s.dir, "codex")); err != nil {
		t.Fatal(err)
	}
	there := filepath.Join(s.dir, "there")
	agent := fmt.Sprintf("%s %s ': >%s; while ! [ -e %s ]; do sleep 0.1; done'", filepath.Join(s.dir, "codex"), acting, there, s.file)
	wait := fmt.Sprintf("while ! [ -e %s ]; do sleep 0.1; done", there)
	end := s.terminal(s.command(agent+" & "+wait+"; "+s.asks()+"; wait"), whenAsked("y\n"))
	defer end()
	if got := s.said(); !strings.Contains(got, "the agent codex") || !strings.Contains(got, "runs in this terminal, too") {
		t.Errorf(`got %s, want strings.Contains(got, "the agent codex") and strings.Contains(got, "runs in this terminal, too")`, got)
	}
}

// leftBehind is an attack of its own: with TIOCSTI, a process types into its terminal.
const leftBehind = "leave behind what types into its own terminal"

// An agent has ended, and left something behind in the person's terminal, which could type
// there: nothing is asked while it runs.
func TestWhatAnAgentLeftInATerminal(t *testing.T) {
	s := newStage(t)
	if said, err := os.ReadFile("/proc/sys/dev/tty/legacy_tiocsti"); err == nil && strings.TrimSpace(string(said)) == "0" && os.Geteuid() != 0 {
		t.Skip("no process can type into its terminal here")
	}
	if err := os.Symlink(s.self, filepath.Join(s.dir, "codex")); err != nil {
		t.Fatal(err)
	}
	there := filepath.Join(s.dir, "there")
	left := fmt.Sprintf(`(env -i PATH=$PATH sh -c ": >%s; while ! [ -e %s ]; do sleep 0.1; done" &)`, there, s.file)
	agent := fmt.Sprintf("%s %s '%s'", filepath.Join(s.dir, "codex"), acting, left)
	wait := fmt.Sprintf("while ! [ -e %s ]; do sleep 0.1; done", there)
	end := s.terminal(s.command(agent+"; "+wait+"; "+s.asks()+"; :"), whenAsked("y\n"))
	defer end()
	if got := s.said(); !strings.Contains(got, "runs in this terminal, too, and could type into it") {
		t.Errorf(`%s: got %s, want strings.Contains(got, "runs in this terminal, too, and could type into it")`, leftBehind, got)
	}
}

// attaches is an attack of its own: a debugger has the person's own shell run the question.
const attaches = "attach a debugger to your shell, and have that answer"

func TestADebuggerOfAnAgent(t *testing.T) {
	s := newStage(t)
	s.needs("gdb")
	if process.Marked(os.Getpid()) {
		t.Skip("an agent runs this test: a mark tells nothing below it")
	}
	shell := s.command("echo $$ >shell; echo ready; read x")
	var agent *exec.Cmd
	end := s.terminal(shell, func(shown string) string {
		if agent == nil && strings.Contains(shown, "ready") {
			line := fmt.Sprintf("gdb -p $(cat shell) -batch -ex 'call (int)system(\"%s\")' >out 2>&1; grep -q 'No symbol\\|not permitted' out && echo none >%s", s.asks(), s.file)
			agent = &exec.Cmd{Path: s.self, Args: []string{"claude", seen, line}, Env: s.environ(), Dir: s.dir}
			if err := agent.Start(); err != nil {
				t.Error(err)
			}
		}
		return whenAsked("y\n")(shown)
	})
	got := s.said()
	end()
	_ = agent.Wait()
	if got == "none\n" {
		t.Skip("gdb cannot call a function here")
	}
	if !strings.Contains(got, "is attached to sh") {
		t.Errorf("%s: got %q, want that it is attached", attaches, got)
	}
}

// In tmux a person answers by the keys of a client, and nothing else answers for them.
func TestOnlyKeysAnswerInTmux(t *testing.T) {
	for name, c := range map[string]struct {
		byKeys bool
		want   string
	}{"keys": {true, "yes"}, "press keys there with `send-keys`": {false, "error: nobody typed that answer"}} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.needs("tmux")
			socket := filepath.Join(s.dir, "tmux")
			tmux := func(args ...string) *exec.Cmd {
				cmd := exec.Command("tmux", append([]string{"-S", socket, "-f", "/dev/null"}, args...)...)
				cmd.Env, cmd.Dir = s.environ(), s.dir
				return cmd
			}
			asked := make(chan struct{})
			var once bool
			end := s.terminal(tmux("new-session", "cat"), func(shown string) string {
				if once || !strings.Contains(shown, "Sure? [y/N]") {
					return ""
				}
				once = true
				close(asked)
				if c.byKeys {
					return "y\r"
				}
				return ""
			})
			defer end()
			defer func() { _ = tmux("kill-server").Run() }() // it ends with its last window, too
			var activity int64
			eventually.True(t, "a client is there", func() bool {
				out, err := tmux("list-clients", "-F", "#{client_activity}").Output()
				if err != nil {
					return false
				}
				activity, err = strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
				return err == nil
			})
			if !c.byKeys { // tmux knows seconds; the client came in one of its own
				eventually.True(t, "a second has passed", func() bool { return time.Now().Unix() > activity })
			}
			if out, err := tmux("new-window", s.asks()).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			select {
			case <-asked:
			case <-time.After(2 * time.Minute):
				t.Fatal("nothing is asked")
			}
			if !c.byKeys {
				if out, err := tmux("send-keys", "y", "Enter").CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
			}
			if got := s.said(); !strings.HasPrefix(got, c.want) {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}
