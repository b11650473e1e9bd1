//go:build linux || darwin

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"
)

// echoes answers every line, until it is told an exit code.
const echoes = `#!/bin/sh
echo "ready $HOOKWAY_AGENT"
while read -r line; do
	case $line in
	exit*) exit ${line#exit } ;;
	*) echo "heard: $line" ;;
	esac
done
`

func TestDetachAndComeBack(t *testing.T) {
	t.Parallel()
	s := newTmuxHome(t)
	s.write("echoes", echoes)
	u := s.sit("hookway", "run", "--tmux", "-n", "Al.ice:1", "--", "./echoes")
	u.see("ready Al.ice:1")
	u.press("before\r")
	u.see("heard: before")
	u.press(detach)
	u.see("Al_ice_1 goes on; come back with: hookway attach Al_ice_1")
	u.leaves(0)

	u = s.sit("hookway", "attach", "Al.ice:1")
	u.see("heard: before")
	u.press("after\r")
	u.see("heard: after")
	u.press("exit 5\r")
	u.see("[exited]")
	u.see("heard: after") // tmux has wiped it away; hookway shows it again
	u.leaves(5)
	if left, err := s.tmux("list-sessions"); err == nil && left != "" {
		t.Errorf("left: %s", left)
	}
}

// plainScreen is what a client of tmux prints when it gives the terminal back.
const plainScreen = "\x1b[?1049l"

func TestASessionOutlivesItsTerminal(t *testing.T) {
	for name, leave := range map[string]func(*seat){
		"closed": func(u *seat) { u.pty.Close() },
		"killed": func(u *seat) { _ = u.cmd.Process.Kill(); u.see(plainScreen) },
		"terminated": func(u *seat) {
			_ = u.cmd.Process.Signal(syscall.SIGTERM)
			u.see("come back with: hookway attach echoes")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "killed" && runtime.GOOS != "linux" {
				t.Skip("the client of a killed hookway ends at once only on Linux")
			}
			s := newTmuxHome(t)
			s.write("echoes", echoes)
			u := s.sit("hookway", "run", "--tmux", "--", "./echoes")
			u.see("ready")
			leave(u)
			u.exited.Do(func() { _ = u.cmd.Wait() })
			u = s.sit("hookway", "attach")
			u.see("ready")
			u.press("exit 0\r")
			u.leaves(0)
		})
	}
}

// ends has a hook that writes why a session has ended.
const ends = `hooks:
  - {id: end, on: SessionEnd, command: "cat >>ended"}
`

func TestTheEndOfTmuxIsTheEndOfTheSession(t *testing.T) {
	for name, c := range map[string]struct {
		program string
		code    int
	}{
		"heeds hang-ups": {"echo ready; read x", 129},
		"ignores them":   {"trap '' HUP; echo ready; while :; do sleep 0.1; done", 143},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTmuxHome(t)
			s.write("hookway.yaml", ends)
			u := s.sit("hookway", "run", "--tmux", "--", "sh", "-c", c.program)
			u.see("ready")
			if said, err := s.tmux("kill-server"); err != nil {
				t.Fatal(said, err)
			}
			u.leaves(c.code)
			s.await("ended", `"reason":"hangup"`)
		})
	}
}

func TestCtrlCTwice(t *testing.T) {
	t.Parallel()
	s := newTmuxHome(t)
	s.write("hookway.yaml", ends)
	// One trap that counts: a busy machine stops a shell also after it has said
	// that the first key came, and before it has set another trap for the second.
	u := s.sit("hookway", "run", "--tmux", "--", "sh", "-c", `n=0; trap 'n=$((n+1)); echo "key $n"; [ $n = 1 ] || exit 130' INT; echo ready; while :; do sleep 0.02; done`)
	u.see("ready")
	u.press(ctrlC)
	u.see("key 1")
	u.press(ctrlC)
	u.leaves(130)
	s.await("ended", `"exit_code":130`)
}

func TestKeysReachTheProgram(t *testing.T) {
	t.Parallel()
	s := newTmuxHome(t)
	u := s.sit("hookway", "run", "--tmux", "--", "sh", "-c", `stty raw -echo; printf '\033[?2004hready'; exec cat -v`)
	u.see("ready")
	for _, c := range []struct{ keys, want string }{
		{"\x1b[200~two\nlines\x1b[201~", "^[[200~two"},
		{"", "lines^[[201~"},
		{"\x02\x02", "^B"},
		{"\x1a\x1c\x1b", "^Z^\\^["},
		{"ä世", "M-CM-$M-dM-8M-^V"},
	} {
		u.press(c.keys)
		u.see(c.want)
	}
	u.press(detach)
	u.leaves(0)
	if said, err := s.tmux("kill-session"); err != nil {
		t.Error(said)
	}
}

func TestAnInnerHookwayThatIsKilled(t *testing.T) {
	t.Parallel()
	s := newTmuxHome(t)
	u := s.sit("hookway", "run", "--tmux", "--", "sh", "-c", "echo ready; read x")
	u.see("ready")
	pid, err := s.tmux("list-panes", "-a", "-F", "#{pane_pid}")
	if err != nil {
		t.Fatal(pid)
	}
	inner, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(inner, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	u.see("hookway: sh: the session is gone without a word; its process was killed")
	u.leaves(1)
}

func TestTheSizeFollowsTheTerminal(t *testing.T) {
	t.Parallel()
	s := newTmuxHome(t)
	u := s.sit("hookway", "run", "--tmux", "--", "sh", "-c",
		`show() { echo "size $(stty size)"; }; trap show WINCH; show; while :; do sleep 0.02; done`)
	u.see("size 30 100")
	if err := pty.Setsize(u.pty, &pty.Winsize{Cols: 77, Rows: 22}); err != nil {
		t.Fatal(err)
	}
	u.see("size 22 77")
	u.press(ctrlC)
	u.leaves(130)
}

func TestTheProgramHasItsCallersEnvironment(t *testing.T) {
	t.Parallel()
	s := newTmuxHome(t)
	shows := []string{"sh", "-c", `echo "one=$ONE two=$TWO term=$TERM lines=$LINES pwd=$(pwd)"; read x`}
	bare := s.env
	s.env = append(bare, "ONE=secret;\n#{pid} 'x'", "LINES=7")
	first := s.sit(append([]string{"hookway", "run", "--tmux", "-n", "first", "--"}, shows...)...)
	first.see("one=secret;")
	first.see("two= term=tmux-256color lines= pwd=" + s.dir)
	s.env = append(bare, "TWO=other")
	second := s.sit(append([]string{"hookway", "run", "--tmux", "-n", "second", "--"}, shows...)...)
	second.see("one= two=other")
	for _, args := range [][]string{{"show-environment", "-g"}, {"show-environment", "-t", "first"}, {"list-panes", "-a", "-F", "#{pane_start_command}"}} {
		if said, err := s.tmux(args...); err != nil || strings.Contains(said, "secret") {
			t.Errorf("tmux %s: %s, %v", args[0], said, err)
		}
	}
	links, _ := filepath.Glob(filepath.Join(s.dir, "home", "run", "tmux-*"))
	for _, link := range links {
		if info, err := os.Stat(link); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: got %v, %v, want err == nil and info.Mode().Perm() == 0o600", link, info.Mode(), err)
		}
	}
	if len(links) != 2 {
		t.Errorf("the links are %v", links)
	}
	for _, u := range []*seat{first, second} {
		u.press("\r")
		u.leaves(0)
	}
	if links, _ = filepath.Glob(filepath.Join(s.dir, "home", "run", "tmux-*")); len(links) > 0 {
		t.Errorf("these links are left: %v", links)
	}
}

func TestWithoutATerminalSignalsEndTheSession(t *testing.T) {
	for signal, reason := range map[syscall.Signal]string{syscall.SIGTERM: "terminated", syscall.SIGINT: "interrupted"} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			s := newTmuxHome(t)
			s.write("hookway.yaml", ends)
			cmd := s.command("hookway", "run", "--tmux", "--", "sh", "-c", "echo ready; read x")
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ready := make([]byte, 7)
			if _, err := out.Read(ready); err != nil || !bytes.HasPrefix(ready, []byte("ready")) {
				t.Fatalf(`got %q, %v, want err == nil and bytes.HasPrefix(ready, []byte("ready"))`, ready, err)
			}
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != 128+int(signal) {
				t.Errorf("exit code %d", code)
			}
			s.await("ended", `"reason":"`+reason+`"`)
		})
	}
}

func TestInsideItselfSessionsTakeTurns(t *testing.T) {
	t.Parallel()
	s := newTmuxHome(t)
	u := s.sit("hookway", "run", "--tmux", "-n", "one", "--", "sh", "-i")
	u.see("$ ")
	u.press("hookway run --tmux -n two -- sh -c 'echo in\"\"two; read x; exit 4'; echo co\"\"de $?\r")
	u.see("intwo")
	u.press("\r")
	u.see("code 4")
	u.press("hookway attach one\r")
	u.see("this is one already")
	u.press("exit 0\r")
	u.leaves(0)
}

func TestInTheUsersOwnTmux(t *testing.T) {
	t.Parallel()
	s := newTmuxHome(t)
	socket := filepath.Join(s.dir, "own")
	u := s.sit("tmux", "-S", socket, "-f", "home/config/tmux.conf", "new-session", "sh", "-i")
	u.see("$ ")
	s.write("echoes", echoes)
	u.press("hookway run --tmux -- ./echoes; echo co\"\"de $?\r")
	u.see("ready echoes")
	u.press("\x02" + detach) // the first tmux passes its prefix on
	u.see("code 0")
	u.press("clear; hookway attach echoes; echo co\"\"de $?\r")
	u.see("ready echoes")
	u.press("exit 6\r")
	u.see("code 6")
	u.press("exit 0\r")
	u.leaves(0)
}

func TestATerminalThatTmuxCannotUse(t *testing.T) {
	t.Parallel()
	s := newTmuxHome(t)
	s.env = append(s.env, "TERM=dumb")
	u := s.sit("hookway", "run", "--tmux", "--", "touch", "started")
	u.see("tmux cannot use this terminal (TERM=dumb)")
	u.leaves(1)
	if _, err := os.Stat(filepath.Join(s.dir, "started")); err == nil {
		t.Error("the program was started all the same")
	}
}

// TestStoriesInTmux: the stories of hookway run are the same in tmux: events,
// directives, what is typed, exit codes, and what hookway says.
func TestStoriesInTmux(t *testing.T) {
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	program, err := exec.LookPath("hookway")
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, name := range []string{"run", "run_attach", "run_live", "record", "run_unknown"} {
		files = append(files, filepath.Join("testdata", "script", name+".txtar"))
	}
	testscript.Run(t, testscript.Params{
		Files: files,
		Cmds:  map[string]func(*testscript.TestScript, bool, []string){"status": status},
		Setup: func(env *testscript.Env) error {
			if err := setStage(env); err != nil {
				return err
			}
			bin := filepath.Join(env.WorkDir, ".bin")
			env.Setenv("PATH", bin+":"+env.Getenv("PATH"))
			if err := os.Mkdir(bin, 0o700); err != nil {
				return err
			}
			script := "#!/bin/sh\nif [ \"$1\" = run ]; then shift; set -- run --tmux \"$@\"; fi\nexec " + program + " \"$@\"\n"
			return writeProgram(filepath.Join(bin, "hookway"), []byte(script))
		},
	})
}
