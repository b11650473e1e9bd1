package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"modernc.org/quickjs"
	"modernc.org/quickjs/intl"
)

// machine is a virtual machine and the goroutine that runs it. Everything that
// touches the script is a task of that goroutine.
type machine struct {
	p *Program

	mu     sync.Mutex
	more   *sync.Cond
	tasks  []task
	closed bool  // no task is taken any more
	works  bool  // a slice runs
	now    *call // the one it belongs to; nil: none
	shift  int   // how often that has changed

	since     atomic.Int64    // when the slice that runs began, in UnixNano; 0: none runs
	finishing atomic.Bool     // finished, for others to see
	pending   atomic.Int64    // calls that are not answered
	ending    sync.WaitGroup  // work of the host, and who stops calls
	gone      sync.WaitGroup  // the goroutine, and who stops it
	over      chan struct{}   // closed when the goroutine has ended
	life      context.Context // ends when the machine is closed
	die       context.CancelFunc

	// What follows belongs to the goroutine.
	js       *quickjs.VM
	pre      *prelude      // in place of the one that is built in
	prog     *running      // a program that runs; nil: the hooks of a file are asked
	runs     *call         // it
	behind   time.Duration // how long ago the event was, of a script that is asked about the past
	files    map[int]*os.File
	links    map[int]*link
	engines  map[int]*ownEngine // that the script fires itself
	loadErr  error
	fns      [5]quickjs.Value // call, settle, abort, describe, close
	aparts   aparts
	quiet    time.Time // since when what no event prints is counted
	ofNone   call      // whose lines these are
	cur      *call     // whose code runs
	after    *call     // whose work goes on, when cur is over
	calls    map[int]*call
	ops      map[int]*op
	timers   map[int]time.Time // when each is due
	until    time.Time         // when work is given up that is begun now; zero: with its call
	last     int               // number of the last call or op
	finished bool              // it takes no more calls: one was stopped, or it is spoiled
	spoiled  bool              // it is full, or its engine failed: nothing may run in it
	began    time.Time         // when reading the script did
	loading  bool              // its top level runs: what that begins is of no call
	reading  *time.Timer       // while the script's top level awaits something: when that is given up
	held     []task            // that wait for its end
}

// task is something for the goroutine to do. Its slice counts as the call's.
type task struct {
	c     *call
	do    func()
	waits bool // until the script has been read to its end
}

// newMachine makes a machine. The program's lock is held.
func newMachine(p *Program) *machine {
	m := newIdle(p)
	for other := range p.all {
		if other.finishing.Load() {
			m.aparts.before = append(m.aparts.before, other)
		}
	}
	m.gone.Go(m.run)
	return m
}

// newIdle makes a machine whose goroutine has not begun.
func newIdle(p *Program) *machine {
	m := &machine{p: p, over: make(chan struct{}), calls: map[int]*call{}, ops: map[int]*op{}, timers: map[int]time.Time{}, links: map[int]*link{}, engines: map[int]*ownEngine{}, aparts: aparts{left: make(chan struct{})}}
	m.more = sync.NewCond(&m.mu)
	m.life, m.die = context.WithCancel(context.Background())
	return m
}

// run does one task after the other until the machine is closed.
func (m *machine) run() {
	defer m.end()
	for {
		m.mu.Lock()
		for len(m.tasks) == 0 && !m.closed {
			m.more.Wait()
		}
		if m.closed {
			m.mu.Unlock()
			return
		}
		t := m.tasks[0]
		m.tasks[0] = task{}
		if m.tasks = m.tasks[1:]; len(m.tasks) == 0 {
			m.tasks = nil
		}
		m.works, m.cur = true, t.c
		m.nowRuns(t.c)
		m.mu.Unlock()
		m.slice(t)
		m.cur = nil
		m.mu.Lock()
		m.works = false
		m.nowRuns(nil)
		m.mu.Unlock()
		m.retires()
	}
}

// nowRuns says whose code runs. The lock is held.
func (m *machine) nowRuns(c *call) {
	m.now = c
	m.shift++
}

// slice does a task, and then what became ready by it.
func (m *machine) slice(t task) {
	defer m.since.Store(0)
	defer func() {
		if r := recover(); r != nil { // the engine is lost, not the process
			err := fmt.Errorf("%s: the script engine failed: %v", m.p.label(), r)
			m.failAll(err)
			m.finishAs(true)
			if m.prog != nil {
				m.ended(err)
			}
		}
	}()
	if m.js == nil && m.loadErr == nil {
		m.loading, m.runs, m.began = m.prog == nil, t.c, time.Now()
		if err := m.load(); err != nil {
			m.unread(err)
		}
		m.loading = false
	}
	if m.reading == nil { // reading the file is not a reason to read it once more
		m.since.Store(time.Now().UnixNano())
	}
	if t.waits && m.reading != nil {
		m.held = append(m.held, t)
	} else {
		t.do()
	}
	if m.prog != nil {
		m.progress()
		return
	}
	m.stuck()
}

// stuck fails the calls that nothing can answer any more.
func (m *machine) stuck() {
	if m.spoiled {
		m.failAll(fmt.Errorf("%s: %w", m.p.label(), errLostWith))
	}
	if len(m.calls) == 0 && m.reading == nil || len(m.ops) > 0 {
		return
	}
	m.mu.Lock()
	idle := len(m.tasks) == 0
	m.mu.Unlock()
	if !idle {
		return
	}
	if m.reading != nil {
		m.read(fmt.Errorf("%s: %w", m.p.label(), errNeverRead))
	}
	for _, c := range m.calls { // the engine does not say so when it stops an async function at its beginning
		if !c.until.IsZero() && !time.Now().Before(c.until) {
			m.answer(c, "", m.p.stopped(m.p.label(), c))
			m.finish()
		}
	}
	m.failAll(fmt.Errorf("%s: %w", m.p.label(), errNeverSettles))
}

// read ends the wait for a script whose top level awaits something: what was
// held begins now.
func (m *machine) read(err error) {
	if m.reading == nil {
		return
	}
	m.reading.Stop()
	m.reading = nil
	m.unread(err)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tasks = append(m.held, m.tasks...)
	m.held = nil
}

// unread keeps why the script could not be read; nil: it was.
func (m *machine) unread(err error) {
	m.loadErr = err
	if err != nil && m.prog == nil {
		m.p.cannotBeRead(err, time.Since(m.began))
	}
}

func (m *machine) failAll(err error) {
	for _, c := range m.calls {
		m.answer(c, "", err)
	}
}

// finish has the machine end after its last call; the next call gets another.
func (m *machine) finish() {
	m.finished = true
	m.finishing.Store(true)
	m.p.retire(m)
}

// finishAs is finish for a machine that was stopped, or is full: then nothing may run
// in it any more.
func (m *machine) finishAs(full bool) {
	m.spoiled = m.spoiled || full
	m.finish()
}

// post queues a task. It reports false if the machine takes none any more.
func (m *machine) post(t task) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return false
	}
	m.tasks = append(m.tasks, t)
	m.more.Signal()
	return true
}

// busy reports whether a handler has been computing for so long that others
// should not wait for it.
func (m *machine) busy() bool {
	since := m.since.Load()
	return since != 0 && time.Now().UnixNano()-since > int64(busyTime)
}

func (m *machine) waiting() int64 { return m.pending.Load() }

// close has the goroutine end, stopping what runs.
func (m *machine) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return
	}
	m.closed = true
	m.die()
	m.more.Signal()
	if m.works {
		m.gone.Go(m.hurry)
	}
}

// hurry stops what runs until the goroutine has ended.
func (m *machine) hurry() {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		m.mu.Lock()
		js := m.js
		m.mu.Unlock()
		if js != nil {
			js.Interrupt()
		}
		select {
		case <-m.over:
			return
		case <-tick.C:
		}
	}
}

// end lets everything go.
func (m *machine) end() {
	defer m.p.ended(m)
	defer close(m.over)
	m.mu.Lock()
	m.closed = true
	left := append(m.held, m.tasks...)
	m.tasks = nil
	m.mu.Unlock()
	for _, t := range left {
		if t.c != nil {
			m.answer(t.c, "", m.lost())
		}
	}
	m.failAll(ErrClosed)
	for _, o := range m.ops {
		o.cancel()
	}
	if m.reading != nil {
		m.reading.Stop()
	}
	m.die()
	for _, l := range m.links {
		if l.in != nil {
			_ = l.in.Close()
		}
	}
	m.rest()
	m.closeFiles()
	if m.js != nil {
		m.prog.letGo()
		for i := range m.fns {
			if m.fns[i].VM() != nil { // it was loaded that far
				m.fns[i].Free()
			}
		}
		m.mu.Lock()
		js := m.js
		m.js = nil
		m.mu.Unlock()
		_ = js.Close() // what cannot be freed is gone with the process
	}
}

// rest waits for the host's work to end. A program that has the process for
// itself does not: what it leaves reading its stdin ends with the process.
func (m *machine) rest() {
	if m.prog == nil || !m.prog.Alone {
		m.ending.Wait()
	}
}

// limit sets how long the code that is called next may run, and reports false if
// there is no time left.
func (m *machine) limit(c *call) bool {
	left := m.p.loadTime
	if c != nil {
		if c.ctx.Err() != nil {
			return false
		}
		if !c.until.IsZero() {
			if left = time.Until(c.until); left <= 0 {
				return false
			}
		} else {
			left = 0
		}
	}
	_ = m.js.SetEvalTimeout(left)
	return true
}

// drain runs what became ready: the code behind awaits.
func (m *machine) drain(c *call) error {
	if !m.limit(c) {
		return nil
	}
	_, err := m.js.ExecutePendingJobs()
	if m.prog != nil && m.prog.exited {
		return nil
	}
	if stopped, _ := interrupted(err); stopped { // what was stopped may say where
		_ = m.js.SetEvalTimeout(abortTime)
		_, _ = m.js.ExecutePendingJobs()
	}
	return err
}

// describe asks the script about its hooks.
func (m *machine) describe(ctx context.Context) (string, error) {
	type said struct {
		text string
		err  error
	}
	answers := make(chan said, 1)
	ok := m.post(task{waits: true, do: func() {
		if m.loadErr != nil {
			answers <- said{err: m.loadErr}
			return
		}
		m.limit(nil)
		v, err := m.fns[3].Call(quickjs.UndefinedValue)
		text, _ := v.(string)
		var hooks struct{ Slots int }
		if err == nil && json.Unmarshal([]byte(text), &hooks) == nil {
			m.p.knows(hooks.Slots)
		}
		answers <- said{text, m.p.explain(err, nil)}
	}})
	if !ok {
		return "", errGone
	}
	select {
	case a := <-answers:
		return a.text, a.err
	case <-m.over:
		select {
		case a := <-answers: // it came just before the end
			return a.text, a.err
		default:
			return "", m.lost()
		}
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// lost is why a machine ended before it did what was asked: another one may do
// it, unless the script itself cannot be read.
func (m *machine) lost() error {
	if m.loadErr != nil {
		return m.loadErr
	}
	return errGone
}

// interrupted reports whether an error says that the code was stopped, or that
// its machine is full: then the machine cannot be relied on any more.
func interrupted(err error) (stopped, full bool) {
	var e *quickjs.Error
	if !errors.As(err, &e) {
		return false, false
	}
	if e.Error() == "null" {
		return false, true // as far as is known
	}
	return e.Name == "InternalError" && e.Message == "interrupted", e.Name == "InternalError" && e.Message == "out of memory"
}

// load makes the virtual machine and runs the script's top level.
func (m *machine) load() (err error) {
	if m.prog == nil {
		if err := m.p.failedBefore(); err != nil {
			return err
		}
	}
	ours, err := preludeCode()
	if err != nil {
		return err
	}
	code, err := m.p.compiled()
	if err != nil {
		return err
	}
	if err := m.engine(ours); err != nil {
		return err
	}
	js := m.js
	if m.p.b.Intl {
		if err := intl.Register(js); err != nil {
			return fmt.Errorf("%s: Intl cannot be set up: %w", m.p.label(), err)
		}
	}
	if m.prog != nil {
		return m.loadProgram(code)
	}
	if m.p.b.Later {
		m.reading = time.AfterFunc(m.p.loadTime, func() {
			m.post(task{do: func() {
				m.read(fmt.Errorf("%s: %w in %v", m.p.label(), errLate, m.p.loadTime))
			}})
		})
	}
	if err = m.eval(code); err == nil {
		err = m.p.explain(m.drain(nil), nil)
	}
	if err != nil && m.loadErr == nil { // else the script itself said more
		m.read(err)
		return err
	}
	return m.loadErr
}

// loadProgram runs a program's first lines to their end.
func (m *machine) loadProgram(code []byte) error {
	if err := m.prog.enter(m); err != nil {
		return err
	}
	m.limit(m.runs)
	err := m.eval(code)
	if err == nil {
		err = m.p.explain(m.drain(m.runs), m.runs)
	}
	if m.prog.exited {
		return nil
	}
	return err
}

// engine makes the virtual machine, with what is ours.
func (m *machine) engine(ours []byte) error {
	js, err := quickjs.NewVM()
	if err != nil {
		return fmt.Errorf("the script engine cannot start: %w", err)
	}
	limit := uintptr(memoryLimit)
	if m.prog != nil && m.prog.Memory != 0 {
		limit = m.prog.Memory
	}
	js.SetMemoryLimit(limit)
	m.mu.Lock()
	m.js = js
	m.mu.Unlock()
	if err := m.host(); err != nil {
		return err
	}
	if err := m.past(); err != nil {
		return err
	}
	if err := m.lots(); err != nil {
		return err
	}
	_ = js.SetEvalTimeout(m.reads())
	if err := m.eval(ours); err != nil {
		return err
	}
	return m.entrances()
}

// reads is how long reading the file may take: no longer than the event that
// waits for it, so that its failure says where the file was.
func (m *machine) reads() time.Duration {
	if m.cur == nil || m.cur.until.IsZero() {
		return m.p.loadTime
	}
	return max(min(m.p.loadTime, time.Until(m.cur.until)), time.Millisecond)
}

// eval runs bytecode.
func (m *machine) eval(code []byte) error {
	v, err := m.js.EvalBytecodeValue(code)
	if err != nil {
		return m.p.explain(err, nil)
	}
	v.Free()
	return nil
}

// entrances finds the functions of the prelude through which hookway calls.
func (m *machine) entrances() error {
	global := m.js.GlobalObject()
	defer global.Free()
	ours, err := property(m.js, global, "__hookway")
	if err != nil {
		return err
	}
	defer ours.Free()
	for i, name := range []string{"call", "settle", "abort", "describe", "close"} {
		if m.fns[i], err = property(m.js, ours, name); err != nil {
			return err
		}
	}
	return nil
}

func property(js *quickjs.VM, of quickjs.Value, name string) (quickjs.Value, error) {
	atom, err := js.NewAtom(name)
	if err != nil {
		return quickjs.Value{}, fmt.Errorf("the script engine: %w", err)
	}
	v, err := of.GetPropertyValue(atom)
	if err != nil {
		return v, fmt.Errorf("the script engine: %w", err)
	}
	return v, nil
}

// compiled returns the program's bytecode, made once.
func (p *Program) compiled() ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bytecode == nil {
		code, err := compile(p.b, p.c.Cache)
		if err != nil {
			return nil, p.explain(err, nil)
		}
		p.bytecode = code
	}
	return p.bytecode, nil
}
