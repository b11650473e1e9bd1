//go:build linux || darwin

package terminal

import (
	"io"
	"os"
	"reflect"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/eventually"
	"golang.org/x/sys/unix"
)

// stays runs the wrapper under a shell that has no line editing and no hand in
// the terminal's settings, and that outlives it.
func stays(script string) []string {
	return []string{"sh", "-c", script + `; echo code $?; sleep 1000`}
}

const messy = `printf "\033[?1049h\033[?1003h\033[?1006h\033[?2004h\033[>1u\033[?25l"; echo ready; `

func TestAKilledProgramLeavesAUsableScreen(t *testing.T) {
	for _, tt := range []struct {
		name, end, code string
		tidied          bool
	}{
		{"kill -9", "kill -9 $$", "code 137", true},
		{"kill -9 below a shell", "sh -c 'kill -9 $$'; exit $?", "code 137", true},
		{"well", "exit 3", "code 3", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := sit(t, nil, stays(`"$SELF" sh -c '`+strings.ReplaceAll(messy+tt.end, "'", `'\''`)+`'`)...)
			d.see("ready")
			between := d.see(tt.code)
			const want = "\x18\x1b\\\x1b[<1u\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[?25h\x1b[?1049l"
			if got := strings.Contains(between, want); got != tt.tidied {
				t.Errorf("put back: %t, want %t; %q", got, tt.tidied, between)
			}
			if isRaw(termios(t, d.tty)) {
				t.Error("the terminal is still raw")
			}
		})
	}
}

func TestTheTerminalIsGivenBackWhenTheWrapperIsKilled(t *testing.T) {
	d := sit(t, nil, stays(`"$SELF" sh -c '`+messy+`cat'`)...)
	wrapper := d.number("wrapper")
	d.see("ready")
	keeper := childOf(t, wrapper, "trap ''")
	if err := syscall.Kill(wrapper, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	d.see("code 137")
	eventually.True(t, "the keeper has ended", func() bool { return !alive(keeper) })
	if after := termios(t, d.tty); !reflect.DeepEqual(after, d.before) {
		t.Errorf("not given back: %+v, before %+v", after, d.before)
	}
}

func TestTheKeeperPutsTheScreenBackToo(t *testing.T) {
	user, tty := userTTY(t)
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	r := &run{console: newConsole(tty), user: tty}
	if err := r.console.enter(); err != nil {
		t.Fatal(err)
	}
	keeper, err := r.startKeeper(reader, r.console.operands())
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(writer, "old\n\x1b[?1000l\x1b[?1049l\n")
	writer.Close()
	if _, err := keeper.Wait(); err != nil {
		t.Fatal(err)
	}
	if isRaw(termios(t, tty)) {
		t.Error("the terminal is still raw")
	}
	shown := make([]byte, 100)
	user.SetReadDeadline(time.Now().Add(patience))
	if n, err := user.Read(shown); err != nil || string(shown[:n]) != "\x1b[?1000l\x1b[?1049l" {
		t.Errorf("shown: %q, %v", shown[:n], err)
	}
}

func TestTheKeeperLeavesAShellsLineEditingAlone(t *testing.T) {
	d := sit(t, nil, interactive(t)...)
	d.see("prompt> ")
	d.keys(`"$SELF" sh -c 'echo rea""dy; cat'` + "\r")
	d.see("\r\n")
	wrapper := d.number("wrapper")
	d.see("ready")
	keeper := childOf(t, wrapper, "trap ''")
	for _, kill := range []struct {
		pid    int
		signal syscall.Signal
	}{{keeper, unix.SIGSTOP}, {wrapper, unix.SIGKILL}} {
		if err := syscall.Kill(kill.pid, kill.signal); err != nil {
			t.Fatal(err)
		}
	}
	d.see("prompt> ")
	eventually.True(t, "the shell edits its line", func() bool { // other than the wrapper, it has its output processed
		now := termios(t, d.tty)
		return now.Lflag&(unix.ECHO|unix.ICANON) == 0 && now.Oflag&unix.OPOST != 0
	})
	if err := syscall.Kill(keeper, unix.SIGCONT); err != nil { // now it looks
		t.Fatal(err)
	}
	eventually.True(t, "the keeper has ended", func() bool { return !alive(keeper) })
	if termios(t, d.tty).Lflag&(unix.ECHO|unix.ICANON) != 0 {
		t.Error("the keeper has set the terminal under the shell's hands")
	}
	d.keys("echo fi\x7f\x7fline editing\r")
	d.see("line editing\r\n")
}

func TestNoKeeperIsLeft(t *testing.T) {
	d := sit(t, nil, "sh", "-c", `"$SELF" sh -c 'echo ready; read line'; echo code $?; cat`)
	wrapper := d.number("wrapper")
	d.see("ready")
	keeper := childOf(t, wrapper, "trap ''")
	d.keys("\r")
	d.see("code 0")
	if alive(keeper) {
		t.Error("the keeper lives on")
	}
}

func TestTheTerminalIsGivenBackWhenASignalEndsTheWrapper(t *testing.T) {
	for _, sig := range []syscall.Signal{unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGQUIT, unix.SIGUSR1, unix.SIGUSR2} {
		d := sit(t, nil, stays(`"$SELF" sh -c 'echo ready; ulimit -c 0; exec sleep 1000'`)...)
		wrapper := d.number("wrapper")
		d.see("ready")
		if err := syscall.Kill(wrapper, sig); err != nil {
			t.Fatal(err)
		}
		d.see("code 1")
		if after := termios(t, d.tty); !reflect.DeepEqual(after, d.before) {
			t.Errorf("%v: not given back", sig)
		}
	}
}

func TestNothingIsLeftWhenTheTerminalGoesAway(t *testing.T) {
	for _, how := range []string{"the parent is killed", "the terminal is closed"} {
		t.Run(how, func(t *testing.T) {
			d := sit(t, nil, "sh", "-c", `"$SELF" sh -c 'echo pid $$; while :; do sleep 0.05; done'; :`)
			wrapper := d.number("wrapper")
			program := d.number("pid")
			keeper := childOf(t, wrapper, "trap ''")
			if how == "the parent is killed" {
				_ = syscall.Kill(d.cmd.Process.Pid, unix.SIGKILL)
			} else {
				d.tty.Close()
				d.user.Close()
			}
			for name, pid := range map[string]int{"wrapper": wrapper, "program": program, "keeper": keeper} {
				eventually.True(t, "the "+name+" has ended", func() bool { return !alive(pid) })
			}
		})
	}
}

func TestAnIgnoredHangUpStaysIgnored(t *testing.T) {
	d := sit(t, nil, stays(`trap '' HUP; "$SELF" sh -c 'kill -HUP $$ $PPID; echo alive; exit 4'`)...)
	d.see("alive")
	d.see("code 4")
}

func TestAClosedPipeEndsTheProgramAsUsual(t *testing.T) {
	d := sit(t, []string{"TERMINAL_TEST_PID="}, "sh", "-c", `{ "$SELF" yes; echo code $? >&2; } | head -n 1; sleep 1000`)
	d.see("code 141")
	if after := termios(t, d.tty); !reflect.DeepEqual(after, d.before) {
		t.Error("the terminal was not given back")
	}
}

// full reports whether a pipe takes no more.
func full(w *os.File) bool {
	set := []unix.PollFd{{Events: unix.POLLOUT}}
	_ = withFd(w, func(fd int) (err error) {
		set[0].Fd = int32(fd)
		_, err = unix.Poll(set, 0)
		return err
	})
	return set[0].Revents&unix.POLLOUT == 0
}

func TestAScreenThatTakesNothingBlocksTheProgramAndNothingElse(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	w.Fd() // as a process has its standard output: blocking
	p := start(t, Config{Command: sh("head -c 3000000 /dev/zero; exit 3"), Stdout: w, Buffer: 1 << 16})
	eventually.True(t, "the pipe is full", func() bool { return full(w) })
	select {
	case <-p.exited:
		t.Error("the program has ended before its output was seen")
	default:
	}
	seen := make(chan int64)
	go func() {
		n, _ := io.CopyN(io.Discard, r, 3_000_000)
		seen <- n
	}()
	if n := <-seen; n != 3_000_000 {
		t.Errorf("the user saw %d bytes", n)
	}
	if s := status(t, p); s.Code != 3 {
		t.Errorf("ended with %+v", s)
	}
}

func TestAScreenThatTakesNothingDoesNotKeepFromEnding(t *testing.T) {
	for _, script := range []string{"yes", "head -c 100000 /dev/zero | tr '\\0' x"} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		w.Fd()
		p := start(t, Config{Command: sh(script), Stdout: w, Grace: 50 * time.Millisecond})
		eventually.True(t, "the pipe is full", func() bool { return full(w) })
		closed := make(chan struct{})
		go func() {
			p.Close()
			close(closed)
		}()
		select {
		case <-closed:
		case <-time.After(patience):
			t.Errorf("%s: Close waits for the screen", script)
		}
		r.Close() // the write comes back
		runtime.KeepAlive(w)
		_, _ = p.Wait()
	}
}
