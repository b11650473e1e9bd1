//go:build linux || darwin

package terminal

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/eventually"
	"golang.org/x/sys/unix"
)

func TestAProgramThatStopsItselfGivesTheShellBack(t *testing.T) {
	d := sit(t, nil, interactive(t)...)
	d.see("prompt> ")
	d.keys(`"$SELF" sh -c 'printf "\033[?1049h\033[?1000hstar"; echo ted; kill -STOP $$; echo we""nt on; exit 7'; echo code $?` + "\r")
	d.see("\r\n")
	d.see("started")
	if between := d.see("Stopped"); !strings.Contains(between, "\x1b[?1000l\x1b[?1049l") {
		t.Errorf("the screen was not put back: %q", between)
	}
	d.see("prompt> ")
	eventually.True(t, "the shell edits its line", func() bool { return termios(t, d.tty).Lflag&unix.ISIG != 0 })
	d.keys("fg\r")
	if between := d.see("went on"); !strings.Contains(between, "\x1b[?1000h\x1b[?1049h") {
		t.Errorf("the screen was not the program's again: %q", between)
	}
	d.see("prompt> ")
	d.keys("echo code $?\r")
	d.see("code 7")
}

// slowScreen takes what it is given when it may, and says so.
type slowScreen struct {
	entered, may chan struct{}
	order        chan string
}

func (s slowScreen) Write(p []byte) (int, error) {
	s.entered <- struct{}{}
	<-s.may
	time.Sleep(100 * time.Millisecond) // who does not wait comes first
	s.order <- "shown " + string(p)
	return len(p), nil
}

// What the program had printed is shown before the wrapper stops: what lies in the
// terminal, and what was just taken out of it.
func TestTheLastOutputIsAwaitedBeforeAStop(t *testing.T) {
	screen := slowScreen{make(chan struct{}, 10), make(chan struct{}), make(chan string, 10)}
	r := newRun(Config{Stdout: screen})
	r.settle = patience
	var err error
	if r.pty, r.tty, err = openPTY(unix.Winsize{Col: 80, Row: 24}); err != nil {
		t.Fatal(err)
	}
	if r.news, r.drain, err = os.Pipe(); err != nil {
		t.Fatal(err)
	}
	r.cmd = exec.Command("true") // it is not run
	go func() {
		defer close(r.copied)
		r.copyOutput()
	}()
	print := func(text string) {
		if _, err := r.tty.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	print("one")
	<-screen.entered // it has been taken out
	print("two")
	go func() {
		r.awaitShown()
		screen.order <- "stopped"
	}()
	close(screen.may)
	for _, want := range []string{"shown one", "shown two", "stopped"} {
		if got := <-screen.order; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	close(r.reaped)
	r.tty.Close()
	r.drain.Close()
	<-r.copied
	r.pty.Close()
	r.news.Close()
}

func TestStoppingTheWrapperStopsBoth(t *testing.T) {
	d := sit(t, []string{"TERMINAL_TEST_INNER=size"}, interactive(t)...)
	d.see("prompt> ")
	d.keys(`"$SELF" "$SELF"` + "\r")
	d.see("\r\n")
	wrapper := d.number("wrapper")
	d.see("111 33")
	childOf(t, wrapper, "trap ''") // until it is the keeper's shell, it looks like a program
	inner := childOf(t, wrapper, "")
	if err := syscall.Kill(wrapper, unix.SIGTSTP); err != nil {
		t.Fatal(err)
	}
	d.see("Stopped")
	d.see("prompt> ")
	if !stopped(inner) {
		t.Error("the program runs on")
	}
	d.resize(90, 30)
	d.keys("fg\r")
	d.see("90 30")
	eventually.True(t, "the terminal is raw again", func() bool { return isRaw(termios(t, d.tty)) })
	if err := syscall.Kill(inner, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	d.see("prompt> ")
	d.keys("echo code $?\r")
	d.see("code 137")
}

// childOf finds the process that another has started with such a command line.
func childOf(t *testing.T, parent int, args string) (pid int) {
	t.Helper()
	eventually.True(t, "the process has a child", func() bool {
		for id, args2 := range children(parent) {
			if args == "" && strings.Contains(args2, "trap ''") || !strings.Contains(args2, args) {
				continue
			}
			pid = id
		}
		return pid != 0
	})
	return pid
}

func TestCtrlZInAShellWithinStopsItsProgram(t *testing.T) {
	vim, err := exec.LookPath("vim")
	if err != nil {
		t.Skip("there is no vim")
	}
	d := sit(t, nil, append([]string{"sh", "-c", `"$SELF" "$@"; echo code $?; sleep 1000`, "sh"}, interactive(t)...)...)
	d.see("prompt> ")
	for range 2 {
		d.keys(vim + " -u NONE -i NONE\r")
		d.see("\x1b[?1049h")
		d.see("~")
		d.keys("\x1a")
		d.see("Stopped")
		d.see("prompt> ")
		d.keys("fg\r")
		d.see("\x1b[?1049h")
		d.see("~")
		d.keys(":q!\r")
		d.see("prompt> ")
	}
	d.keys("exit 5\r")
	d.see("code 5")
	if isRaw(termios(t, d.tty)) {
		t.Error("the terminal is still raw")
	}
}

func TestAnEditorWithoutAShellBelowGoesOnAfterCtrlZ(t *testing.T) {
	vim, err := exec.LookPath("vim")
	if err != nil {
		t.Skip("there is no vim")
	}
	d := sit(t, nil, "sh", "-c", `"$SELF" "$0" -u NONE -i NONE; echo code $?; sleep 1000`, vim)
	d.see("\x1b[?1049h")
	d.see("~")
	d.keys("\x1a")
	d.keys("\x1b\x1b:cquit 6\r")
	d.see("code 6")
}

func TestAProgramInTheBackgroundIsLeftToRun(t *testing.T) {
	d := sit(t, nil, interactive(t)...)
	d.see("prompt> ")
	file := t.TempDir() + "/done"
	d.keys(`"$SELF" sh -c 'read line; echo "[$line]"' & "$SELF" sh -c 'echo written >` + file + `; exit 4' & wait $!; echo code $?` + "\r")
	d.see("code 4")
	d.keys("cat " + file + "\r")
	d.see("written")
	d.see("prompt> ")
	d.keys("fg %1\r")
	d.see("\r\n")
	eventually.True(t, "the program has the terminal", func() bool { return isRaw(termios(t, d.tty)) })
	d.keys("keys\r")
	d.see("[keys]")
	d.see("prompt> ")
}

func TestAResizeStormEndsWithTheLastSize(t *testing.T) {
	d := sit(t, []string{"TERMINAL_TEST_INNER=size"}, "sh", "-c", `"$SELF" "$SELF"; sleep 1000`)
	wrapper := d.number("wrapper")
	d.see("111 33")
	for i := range 2000 {
		d.resize(20+i%200, 10+i%50)
	}
	if err := syscall.Kill(wrapper, unix.SIGTERM); err != nil { // it is not lost among them, and ends the program
		t.Fatal(err)
	}
	eventually.True(t, "the program has ended", func() bool { return !alive(wrapper) })

	d = sit(t, []string{"TERMINAL_TEST_INNER=size"}, "sh", "-c", `"$SELF" "$SELF"; sleep 1000`)
	d.see("111 33")
	for i := range 2000 {
		d.resize(20+i%200, 10+i%50)
	}
	d.resize(77, 7)
	d.see("\n77 7 ")
}
