//go:build unix

package procgroup

import (
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// script is the keeper: it is told which groups there are, one line each, and
// when nobody can tell it anything any more, it ends those that are left. Of a
// process that leads a session it ends all that is in there, twice, because a
// group may have begun, or a process forked, when there was nobody left to say so.
// It heeds no signal but SIGKILL, and is no more than a shell, so that it costs
// next to nothing for as long as it has nothing to do.
const script = `trap '' HUP INT QUIT TERM PIPE
left=' '
session=
while read -r what group; do
	case $what in
	+) left="$left$group " ;;
	-) left="${left%% $group *} ${left#* $group }" ;;
	s) session=$group ;;
	esac
done
for group in $left; do kill -9 "-$group"; done
[ -n "$session" ] || exit 0
for round in 1 2; do
	for stat in /proc/[0-9]*/stat; do
		line=
		{ read -r line <"$stat"; } 2>/dev/null
		[ -n "$line" ] || continue
		set -- ${line##*)}
		[ "$4" != "$session" ] || kill -9 "${line%% *}"
	done
done
`

// tellTime is how long the keeper may take to hear: one that somebody has stopped
// is replaced.
const tellTime = 100 * time.Millisecond

// keeper ends the groups that this process leaves behind when it is killed.
var keeper struct {
	sync.Mutex
	on     bool
	groups map[int]struct{}
	cmd    *exec.Cmd // nil: it does not run
	ears   *os.File
	ended  chan struct{} // closed when it does not run any more
}

// Keep makes this process, until release is called, one that leaves no group
// behind whatever it dies of: a small process beside it waits for its end, and
// kills the groups that it was told about by Note and not by Forget. It is
// started with the first group. Groups that Attr began while Keep held lose
// their first process to the kernel at once, where it can do that; so a process
// in which threads end must not be kept.
func Keep() (release func()) {
	keeper.Lock()
	defer keeper.Unlock()
	keeper.on, keeper.groups = true, map[int]struct{}{}
	return func() {
		keeper.Lock()
		defer keeper.Unlock()
		keeper.on, keeper.groups = false, nil
		stopKeeper()
	}
}

// Attr gives what a process is started with that is to lead a group.
func Attr() *syscall.SysProcAttr {
	keeper.Lock()
	defer keeper.Unlock()
	attr := &syscall.SysProcAttr{Setpgid: true}
	if keeper.on {
		dieWithParent(attr)
		if keeper.cmd == nil {
			startKeeper()
		}
	}
	return attr
}

// Note says that this process has started a group and answers for it. Without
// Keep it does nothing.
func Note(group int) {
	keeper.Lock()
	defer keeper.Unlock()
	if !keeper.on {
		return
	}
	keeper.groups[group] = struct{}{}
	if keeper.cmd == nil || tell("+", group) != nil {
		startKeeper()
	}
}

// Forget says that a group has ended.
func Forget(group int) {
	keeper.Lock()
	defer keeper.Unlock()
	if _, noted := keeper.groups[group]; !noted {
		return
	}
	delete(keeper.groups, group)
	if keeper.cmd != nil && tell("-", group) != nil {
		startKeeper()
	}
}

func tell(what string, group int) error {
	_ = keeper.ears.SetWriteDeadline(time.Now().Add(tellTime))
	_, err := keeper.ears.WriteString(what + " " + strconv.Itoa(group) + "\n")
	return err
}

// startKeeper starts the keeper, in place of one that does not hear any more, and
// tells it about all groups. Where there is no shell there is no keeper.
func startKeeper() {
	stopKeeper()
	theirs, ours, err := os.Pipe()
	if err != nil {
		return
	}
	defer theirs.Close()
	cmd := &exec.Cmd{
		Path: "/bin/sh", Args: []string{"sh", "-c", script}, Dir: "/", Env: []string{}, Stdin: theirs,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true}, // who kills our group does not kill it
	}
	if err := cmd.Start(); err != nil {
		ours.Close()
		return
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	keeper.cmd, keeper.ears, keeper.ended = cmd, ours, ended
	if leads := session(); leads != 0 && tell("s", leads) != nil {
		return
	}
	for group := range keeper.groups {
		if tell("+", group) != nil {
			return
		}
	}
}

// stopKeeper ends the keeper, and what it knows with it.
func stopKeeper() {
	if keeper.cmd != nil {
		_ = keeper.cmd.Process.Kill()
		<-keeper.ended
		keeper.ears.Close()
		keeper.cmd = nil
	}
}
