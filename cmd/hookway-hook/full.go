package main

import (
	"errors"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/wire/call"
)

// Bounds of the full binary.
const (
	shortest   = 50 * time.Millisecond // less time is not worth a start
	aftermath  = 50 * time.Millisecond // how long its pipes are waited for once it has ended
	lastChance = 30 * time.Millisecond // between asking it to end and ending it
)

// full finds the full binary: beside this one, else in PATH.
func full() (string, error) {
	if self, err := os.Executable(); err == nil {
		dir := self[:lastSeparator(self)+1]
		if program := dir + "hookway" + suffix; executable(program) {
			return program, nil
		}
	}
	for path := os.Getenv("PATH"); path != ""; {
		var dir string
		dir, path = cutPath(path)
		if program := dir + string(os.PathSeparator) + "hookway" + suffix; absolute(dir) && executable(program) {
			return program, nil
		}
	}
	return "", errors.New("the program hookway is neither beside hookway-hook nor in PATH; install it there")
}

func lastSeparator(path string) int {
	i := len(path) - 1
	for i >= 0 && !os.IsPathSeparator(path[i]) {
		i--
	}
	return i
}

func cutPath(list string) (first, rest string) {
	for i := range len(list) {
		if list[i] == os.PathListSeparator {
			return list[:i], list[i+1:]
		}
	}
	return list, ""
}

// executable reports whether a file can be run. On Windows its name says so.
func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (suffix != "" || info.Mode().Perm()&0o111 != 0)
}

// judge has the full binary judge the event in its own process. It gets pipes,
// not our stdout: whatever it leaves behind, the agent does not wait for it.
func (s *shim) judge(stdin []byte) (*call.Reply, error) {
	s.heed()
	left := time.Until(s.deadline)
	if left < shortest {
		return nil, errors.New("there was no time left")
	}
	program, err := full()
	if err != nil {
		return nil, err
	}
	args := []string{program, "hook", s.agent}
	if s.options.event != "" {
		args = append(args, "--event", s.options.event)
	}
	args = append(args, "--timeout", left.String())
	if s.policy != "" {
		args = append(args, "--on-failure", s.policy)
	}
	var pipes pipes
	in, out, notes := pipes.open(), pipes.open(), pipes.open()
	if pipes.err != nil {
		pipes.close()
		return nil, pipes.err
	}
	p, err := s.child.start(program, append(args, "--local"), &os.ProcAttr{
		Files: []*os.File{in.r, out.w, notes.w}, Sys: ownGroup(),
	})
	_, _, _ = in.r.Close(), out.w.Close(), notes.w.Close()
	if err != nil {
		pipes.close()
		return nil, err
	}
	go s.guarded(func() {
		_, _ = in.w.Write(stdin) // a child that reads not all may answer all the same
		_ = in.w.Close()
	})
	said, complained := s.collect(out.r, call.MaxOutput), s.collect(notes.r, call.MaxText)
	state, err := p.Wait()
	s.child.ended()
	if err != nil {
		return nil, err
	}
	reply := &call.Reply{Stdout: said(), Stderr: complained(), ExitCode: state.ExitCode()}
	if code := reply.ExitCode; code != 0 && code != 2 || !call.Complete(reply.Stdout) {
		return nil, errors.New("hookway hook gave no answer: " + state.String() + lastWords(reply.Stderr))
	}
	return reply, nil
}

// lastWords is the end of what a program said. One that panicked says why first:
// what follows is its stack, which is of no use in an agent.
func lastWords(stderr []byte) string {
	said := string(stderr)
	for _, why := range []string{"panic: ", "fatal error: "} {
		if i := strings.Index(said, why); i >= 0 {
			said, _, _ = strings.Cut(said[i:], "\n")
		}
	}
	if len(said) > 500 {
		said = said[len(said)-500:]
	}
	if said == "" {
		return ""
	}
	return ": " + said
}

// collect reads a pipe in the background. The function that it returns is called
// when the child has ended. It gives all that the child wrote, and waits only a
// little for more: a grandchild may hold the pipe for ever.
func (s *shim) collect(r *os.File, most int64) func() []byte {
	all := make(chan []byte, 1)
	var mu sync.Mutex
	var b []byte
	go s.guarded(func() {
		chunk := make([]byte, 32<<10)
		read, rest := r.Read, 64 // pieces, which is more than a pipe holds
		for rest > 0 {
			n, err := read(chunk)
			if errors.Is(err, os.ErrDeadlineExceeded) && r.SetReadDeadline(time.Time{}) == nil {
				read = func(b []byte) (int, error) { rest--; return readNow(r, b) }
				continue // a busy machine may not have let us read before
			}
			mu.Lock()
			if int64(len(b)+n) <= most { // beyond that it is not an answer
				b = append(b, chunk[:n]...)
			}
			mu.Unlock()
			if err != nil {
				break
			}
		}
		all <- nil
	})
	return func() []byte {
		select {
		case <-all:
		case <-time.After(aftermath):
			if r.SetReadDeadline(time.Now()) == nil { // from now on, what is there already
				select {
				case <-all:
				case <-time.After(time.Until(s.deadline)):
				}
			}
		}
		mu.Lock()
		defer mu.Unlock()
		return b[:len(b):len(b)]
	}
}

// pipes are pipes that are opened one after the other, and closed together.
type pipes struct {
	all []*os.File
	err error
}

type pipe struct{ r, w *os.File }

func (p *pipes) open() pipe {
	if p.err != nil {
		return pipe{}
	}
	r, w, err := os.Pipe()
	if p.err = err; err == nil {
		p.all = append(p.all, r, w)
	}
	return pipe{r, w}
}

func (p *pipes) close() {
	for _, f := range p.all {
		_ = f.Close()
	}
}

// child is the full binary while it runs.
type child struct {
	mu      sync.Mutex
	process *os.Process
	done    chan struct{}
	closed  bool
}

func (c *child) start(program string, args []string, attr *os.ProcAttr) (*os.Process, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errors.New("the answer was given meanwhile")
	}
	p, err := os.StartProcess(program, args, attr)
	if err == nil {
		c.process, c.done = p, make(chan struct{})
	}
	return p, err
}

func (c *child) ended() { close(c.done) }

// end ends a child that still runs, with all that it started in its group: it is
// asked to, so that it ends its own hooks, and then it must.
func (c *child) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.process == nil {
		return
	}
	select {
	case <-c.done:
		return
	default:
	}
	askToEnd(c.process)
	select {
	case <-c.done:
	case <-time.After(lastChance):
	}
	kill(c.process)
}
