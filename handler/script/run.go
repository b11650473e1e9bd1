package script

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"sync"

	"modernc.org/quickjs"
)

// Run is how a script is run as a program: once, from its first line to its end.
type Run struct {
	Args    []string // behind the file's name
	Dir     string   // where it runs; empty is where the agent works
	Environ []string // KEY=VALUE each; nil is that of the event
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer

	// Alone says that the program has this process for itself: what it starts
	// belongs to the same group, and has the process's own streams where it
	// inherits them.
	Alone bool

	// TTY says which of the three streams are terminals.
	TTY [3]bool

	// Memory bounds the machine, in bytes; 0 is what a hook may have.
	Memory uintptr
}

// running is a program that runs.
type running struct {
	Run
	ctx    context.Context
	mu     sync.Mutex // for Stdin
	dir    string     // where it has gone
	exited bool
	code   int
	err    error // why it did not come to an end of its own
	idled  bool  // nothing was under way once already
	fns    [3]quickjs.Value
	whole  bool // its part was read
}

type runKey struct{}

func runOf(ctx context.Context) *running {
	r, _ := ctx.Value(runKey{}).(*running)
	return r
}

// errUnfinished is the error of a program that was ended from outside.
var errUnfinished = errors.New("the program was stopped before its end")

// Run runs the script as a program, and gives its exit code. The error says why it
// did not come to its own end: its time was over, or its machine was full.
func (p *Program) Run(ctx context.Context, how Run) (int, error) {
	r := &running{Run: how, code: 1, err: errUnfinished}
	if r.Stdin == nil {
		r.Stdin = bytes.NewReader(nil)
	}
	ctx = context.WithValue(ctx, runKey{}, r)
	r.ctx = ctx
	m := newIdle(p)
	m.prog = r
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return 1, ErrClosed
	}
	p.all[m] = struct{}{}
	p.mu.Unlock()
	m.post(task{c: &call{ctx: ctx, until: untilOf(ctx), replies: make(chan reply, 1)}, do: func() {}})
	m.gone.Go(m.run)
	defer context.AfterFunc(ctx, m.close)()
	if r.Alone {
		select {
		case <-m.over:
		case <-ctx.Done(): // what waits for a terminal cannot be stopped; the process ends anyway
			return 1, ctx.Err()
		}
	}
	<-m.over
	if r.err != nil && ctx.Err() != nil {
		return 1, fmt.Errorf("%s: %w", p.label(), ctx.Err())
	}
	return r.code, r.err
}

// stdin is what the program reads.
func (r *running) stdin() io.Reader { return lockedReader{r} }

type lockedReader struct{ r *running }

func (l lockedReader) Read(p []byte) (int, error) {
	l.r.mu.Lock()
	defer l.r.mu.Unlock()
	return l.r.Stdin.Read(p)
}

// print writes to the program's stdout, or its stderr.
func (r *running) print(fd int, data []byte) error {
	to := r.Stdout
	if fd == 2 {
		to = r.Stderr
	}
	if to == nil {
		return nil
	}
	_, err := to.Write(data)
	return err
}

// hostPrint is print for the script: a number, how the data is written, the data.
func (m *machine) hostPrint(args []any) (any, error) {
	data := []byte(text(args, 2))
	if number(args, 1) == 1 {
		var err error
		if data, err = base64.StdEncoding.DecodeString(text(args, 2)); err != nil {
			return nil, err
		}
	}
	if m.prog == nil {
		return m.hostLog([]any{"log", string(data)})
	}
	return nil, m.prog.print(number(args, 0), data)
}

// enter reads what a program has, before its own code is read.
func (r *running) enter(m *machine) error {
	if _, err := m.hostPart([]any{"program"}); err != nil {
		return m.p.explain(err, nil)
	}
	global := m.js.GlobalObject()
	defer global.Free()
	ours, err := property(m.js, global, "__hookway")
	if err != nil {
		return err
	}
	defer ours.Free()
	of, err := property(m.js, ours, "program")
	if err != nil {
		return err
	}
	defer of.Free()
	for i, name := range []string{"drained", "idle", "end"} {
		if r.fns[i], err = property(m.js, of, name); err != nil {
			return err
		}
	}
	r.whole = true
	return nil
}

// progress looks, after each piece of work, whether the program is at its end.
func (m *machine) progress() {
	r := m.prog
	if r.exited || m.loadErr != nil || !r.whole {
		m.ended(m.loadErr)
		return
	}
	if !m.programAsk(0) || m.atWork() {
		return
	}
	if !r.idled {
		r.idled = true
		if !m.programAsk(1) || m.atWork() {
			return
		}
	}
	if m.programAsk(2) {
		r.exited = true
		m.ended(nil)
	}
}

// programAsk calls one of the program's own functions, and what follows it. It reports
// whether the program goes on.
func (m *machine) programAsk(i int) bool {
	if !m.limit(m.runs) {
		m.ended(m.tooLate(m.runs))
		return false
	}
	v, err := m.prog.fns[i].Call(quickjs.UndefinedValue)
	if err == nil {
		err = m.drain(m.runs)
	}
	if err != nil {
		m.ended(m.p.explain(err, m.runs))
		return false
	}
	if code, ok := v.(int); ok && i == 2 {
		m.prog.code = code
	} else if n, ok := v.(float64); ok && i == 2 {
		m.prog.code = int(n)
	}
	if m.prog.exited {
		m.ended(nil)
	}
	return !m.prog.exited
}

// atWork reports whether something is under way for which the program waits.
func (m *machine) atWork() bool {
	for _, o := range m.ops {
		if !o.unheld {
			return true
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.tasks) > 0
}

// ended lets the machine go, once.
func (m *machine) ended(err error) {
	r := m.prog
	if r.err == errUnfinished {
		r.err = err
		if r.exited {
			r.err = nil
		}
	}
	m.close()
}

// letGo frees what the program's functions are.
func (r *running) letGo() {
	if r == nil {
		return
	}
	for i := range r.fns {
		if r.fns[i].VM() != nil {
			r.fns[i].Free()
		}
	}
}
