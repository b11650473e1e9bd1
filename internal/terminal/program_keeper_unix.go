//go:build linux || darwin

package terminal

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// keeperScript gives the user's terminal back when this process dies without a
// word, as from kill -9 or for want of memory. It gets, one line each, what
// puts the screen back, and knows that we have died when no process can tell it
// anything any more. A shell above us that sees our end sets the terminal
// itself, and at once: then nothing is left to do, and doing it would spoil its
// line editing. So it waits a moment and looks whether the terminal is still as
// we have left it; if we have died before it could look how that is, whether its
// output is still raw, which no line editing has. It is only a shell that waits, and costs next to
// nothing.
const keeperScript = `trap '' HUP INT QUIT TERM TSTP TTIN TTOU PIPE
raw=$(stty -g <&3 2>/dev/null)
kill -0 "$1" 2>/dev/null || raw=late
shift
screen=
while read -r line; do screen=$line; done
[ -z "$screen" ] || printf '%s' "$screen"
sleep 0.2 2>/dev/null || sleep 1
if [ "$raw" = late ]; then
	case " $(stty -a <&3 2>/dev/null | tr '\n;' '  ') " in *' -opost '*) ;; *) exit ;; esac
elif [ "$(stty -g <&3 2>/dev/null)" != "$raw" ]; then
	exit
fi
stty "$@" <&3 2>/dev/null
`

const (
	keeperPause = 100 * time.Millisecond // between two lines to the keeper
	keeperWrite = 100 * time.Millisecond // it may take that long to hear one
)

// keep runs the keeper until the program has ended and the terminal is given
// back. Without a shell there is no keeper.
func (r *run) keep() {
	operands := r.console.operands()
	if operands == nil {
		return
	}
	theirs, ours, err := os.Pipe()
	if err != nil {
		return
	}
	defer ours.Close()
	keeper, err := r.startKeeper(theirs, operands)
	theirs.Close()
	if err != nil {
		return
	}
	defer func() {
		_ = keeper.Kill()
		_, _ = keeper.Wait()
	}()
	r.informKeeper(ours)
}

// startKeeper leaves the mode of the terminal's files alone, which package exec
// would not: the program's input is perhaps read without blocking.
func (r *run) startKeeper(reader *os.File, operands []string) (keeper *os.Process, err error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	screen := null
	if r.user != nil {
		screen = r.user
	}
	var pid int
	err = withFd(r.console.file, func(keys int) error {
		return withFd(screen, func(screen int) (err error) {
			pid, err = syscall.ForkExec("/bin/sh", append([]string{"sh", "-c", keeperScript, "sh", strconv.Itoa(os.Getpid())}, operands...), &syscall.ProcAttr{
				Dir: "/", Env: []string{"PATH=/usr/bin:/bin"}, Files: []uintptr{reader.Fd(), uintptr(screen), null.Fd(), uintptr(keys)},
				Sys: &syscall.SysProcAttr{Setsid: true}, // who kills our group does not kill it
			})
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return os.FindProcess(pid)
}

// informKeeper tells the keeper what it should know, seldom.
func (r *run) informKeeper(reader *os.File) {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-r.given:
			return
		case <-r.modes.changed:
		}
		select {
		case <-r.given:
			return
		case <-pause.C:
		}
		_ = reader.SetWriteDeadline(time.Now().Add(keeperWrite))
		if _, err := reader.WriteString(strings.ReplaceAll(r.modes.lasting(), "\n", "") + "\n"); err != nil {
			<-r.given
			return
		}
		pause.Reset(keeperPause)
	}
}
