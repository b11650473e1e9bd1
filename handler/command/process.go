package command

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/backoff"
)

// settleTime is how long the pipes of a program that has ended may stay open in
// the hands of its children before they are taken away. What is in them by then
// counts, however late it is read.
const settleTime = 100 * time.Millisecond

// endTime is how long a program that closed its stdin or stdout may take to end:
// most do at once, and how they ended says more than that they closed it.
const endTime = time.Second

// pollTime is how often a group that was asked to end is looked at.
const pollTime = 10 * time.Millisecond

// process is one running program with its group and our ends of its pipes.
type process struct {
	cmd    *exec.Cmd
	group  group
	stdin  *os.File
	stdout *outPipe
	stderr *outPipe

	exited chan struct{}    // closed when the program itself has ended
	state  *os.ProcessState // how it ended; read after exited
}

// spec is what to start.
type spec struct {
	argv []string
	dir  string
	env  []string
	left bool         // what it leaves behind lives on, and it may go on in the background
	base *environment // of env: whose PATH the program is looked up on
}

// busyTries bounds how often a program is tried that somebody is still writing.
const busyTries = 10

// start runs a program. A file that is being written at the moment ("text file
// busy", as when an editor saves it) is tried again for a short while.
func start(ctx context.Context, s spec) (*process, error) {
	pause := backoff.Backoff{First: 2 * time.Millisecond, Most: 20 * time.Millisecond}
	for try := 1; ; try++ {
		p, err := startOnce(s)
		if err == nil || !busy(err) || try == busyTries {
			return p, hook.Unreachable(explain(s, err))
		}
		if err := pause.Wait(ctx, nil); err != nil {
			return nil, err
		}
	}
}

func startOnce(s spec) (*process, error) {
	path, err := program(s)
	if err != nil {
		return nil, err
	}
	var theirs [3]*os.File
	p := &process{exited: make(chan struct{})}
	defer func() { closeAll(theirs[:]...) }()
	var ours [3]*os.File
	for i := range ours {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(ours[:]...)
			return nil, err
		}
		if theirs[i], ours[i] = w, r; i == 0 {
			theirs[i], ours[i] = r, w
		}
	}
	p.stdin, p.stdout, p.stderr = ours[0], newOutPipe(ours[1]), newOutPipe(ours[2])
	p.cmd = &exec.Cmd{
		Path: path, Args: s.argv, Dir: s.dir, Env: s.env,
		Stdin: theirs[0], Stdout: theirs[1], Stderr: theirs[2],
		SysProcAttr: groupAttr(),
	}
	if err := p.cmd.Start(); err != nil {
		p.closePipes()
		return nil, err
	}
	p.group = newGroup(p.cmd.Process)
	go func() {
		_ = p.cmd.Wait() // the state says it all
		p.state = p.cmd.ProcessState
		close(p.exited)
	}()
	return p, nil
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

// closePipes takes our ends away; pending reads and writes return.
func (p *process) closePipes() { closeAll(p.stdin, p.stdout.File, p.stderr.File) }

// release kills what is left of the group and lets everything go. The program
// itself must have ended, or be past saving.
func (p *process) release() {
	p.group.kill()
	p.closePipes()
	<-p.exited
	p.group.close()
}

// end asks the group to end, and after the grace makes it. It returns when the
// program is reaped and nothing of its group is left.
func (p *process) end(grace time.Duration) {
	p.group.terminate()
	deadline := time.NewTimer(grace)
	defer deadline.Stop()
	select {
	case <-p.exited:
		p.awaitGroup(deadline.C)
	case <-deadline.C:
	}
	p.release()
}

// awaitGroup waits until no process of the group is left.
func (p *process) awaitGroup(deadline <-chan time.Time) {
	tick := time.NewTicker(pollTime)
	defer tick.Stop()
	for !p.group.gone() {
		select {
		case <-tick.C:
		case <-deadline:
			return
		}
	}
}

// syncWrite is what fits into any empty pipe, so that writing it cannot block.
const syncWrite = 4096

// feed writes the input and closes stdin. It returns at once: what might block
// is written by a goroutine that ends when the pipe is closed or has no reader.
func (p *process) feed(input [][]byte) {
	size := 0
	for _, part := range input {
		size += len(part)
	}
	write := func() {
		for _, part := range input {
			if _, err := p.stdin.Write(part); err != nil {
				break // a program need not read its input
			}
		}
		p.stdin.Close()
	}
	if size <= syncWrite {
		write()
		return
	}
	go write()
}

func busy(err error) bool { return errors.Is(err, syscall.ETXTBSY) }
