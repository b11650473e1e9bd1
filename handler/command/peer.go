package command

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// peer is one process of a worker and the requests that it has open.
//
// Three goroutines serve it: one writes frames, one reads answers, one watches
// the process and takes everything down when it ends.
type peer struct {
	w       *worker
	proc    *process
	frames  chan request  // to the writer: unbuffered, so that an unsent request can be taken back
	cancels chan int64    // to the writer: what no call waits for
	broken  chan struct{} // closed when it reads its stdin no more
	asked   chan struct{} // closed by stop: the process is to end
	over    chan struct{} // closed when it can answer no more

	writing sync.Mutex // held while a frame is written
	line    []byte     // guarded by writing

	mu       sync.Mutex
	nextID   int64
	open     map[int64]*pending
	dropped  map[int64]struct{} // given up, not answered yet
	order    []int64            // of dropped, oldest first; bounds it
	lastRead time.Time          // of the last line from it
	retired  bool               // it gets no more requests
	stopped  bool               // stop was called
	failed   bool               // it can answer no more
	noise    error              // a protocol mistake that ends it
	cut      string             // the beginning of an answer that it ended in
	last     string             // its last line on stderr
}

// request is an event on its way to the process.
type request struct {
	id    int64
	event [][]byte
}

// pending is a request that waits for its answer.
type pending struct {
	answers chan<- answer
	state   sending
	failure error // of what came while it was being sent: the sender settles it
}

// sending is how far a request has come. While it is being sent, it is not known yet
// whether the process got it: it may have ended because it did.
type sending int

const (
	unsent sending = iota
	underWay
	sent // the process got all of it
)

// answer is what comes of one request.
type answer struct {
	result []byte
	err    error
}

// maxDropped bounds how many unanswered cancelled requests are remembered.
const maxDropped = 4 * maxOpen

func newPeer(w *worker, proc *process) *peer {
	return &peer{
		w: w, proc: proc, frames: make(chan request), cancels: make(chan int64, maxOpen),
		broken: make(chan struct{}), asked: make(chan struct{}), over: make(chan struct{}),
		open: map[int64]*pending{}, dropped: map[int64]struct{}{},
	}
}

// errUnsent means that the process never got the whole request, so that another
// one may be given it.
var errUnsent = errors.New("the worker ended before it was given the event")

// ask sends an event and waits for its answer. errUnsent means that nothing
// happened yet.
func (p *peer) ask(ctx context.Context, event [][]byte) ([]byte, error) {
	answers := make(chan answer, 1)
	id, ok := p.register(answers)
	if !ok {
		return nil, errUnsent
	}
	p.sends(id)
	now := p.sendNow(requestFrame(id, event))
	p.isSent(id, now)
	if !now {
		select {
		case p.frames <- request{id, event}:
		case <-p.over:
			p.unregister(id)
			return nil, errUnsent
		case <-ctx.Done():
			p.unregister(id)
			return nil, ctx.Err()
		case <-p.w.abort:
			p.unregister(id)
			return nil, ErrClosed
		}
	}
	select {
	case a := <-answers:
		return a.result, a.err
	case <-ctx.Done():
		p.cancel(id)
		return nil, ctx.Err()
	case <-p.w.abort:
		p.cancel(id)
		return nil, ErrClosed
	}
}

// register opens a request, unless the process gets no more.
func (p *peer) register(answers chan<- answer) (id int64, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.retired || p.stopped || p.failed {
		return 0, false
	}
	p.nextID++
	p.open[p.nextID] = &pending{answers: answers}
	return p.nextID, true
}

// sends notes that a request is about to be written.
func (p *peer) sends(id int64) {
	p.mu.Lock()
	if request := p.open[id]; request != nil {
		request.state = underWay
	}
	p.mu.Unlock()
}

// isSent notes whether the process got a whole request, and settles one that
// failed meanwhile.
func (p *peer) isSent(id int64, all bool) {
	p.mu.Lock()
	request := p.open[id]
	if request == nil {
		p.mu.Unlock()
		return
	}
	failure := request.failure
	if request.state, request.failure = unsent, nil; all {
		request.state = sent
	}
	if failure != nil && (all || p.failed) {
		p.fail(id, request, failure)
	}
	p.mu.Unlock()
	p.stopIfIdle()
}

// fail returns an open request an error, or errUnsent where the process never got
// it. A late answer to it is ignored. The caller holds mu.
func (p *peer) fail(id int64, request *pending, err error) {
	a := answer{err: err}
	if p.failed && request.state == unsent {
		a.err = errUnsent
	}
	delete(p.open, id)
	p.drop(id)
	request.answers <- a // buffered, with one sender
}

func (p *peer) unregister(id int64) {
	p.mu.Lock()
	delete(p.open, id)
	p.mu.Unlock()
	p.stopIfIdle()
}

// cancel returns a request up and tells the process, which then has a grace to
// show that it is alive.
func (p *peer) cancel(id int64) {
	p.mu.Lock()
	_, open := p.open[id]
	if open {
		delete(p.open, id)
		p.drop(id)
	}
	p.mu.Unlock()
	p.stopIfIdle()
	if !open { // answered, or failed, in this very moment
		return
	}
	select {
	case p.cancels <- id:
	default: // it has not read hundreds of cancels: one more is no use
	}
	since := time.Now()
	time.AfterFunc(p.w.c.Grace, func() { p.checkAlive(id, since) })
}

// drop remembers a request whose answer will be late. The caller holds mu.
func (p *peer) drop(id int64) {
	p.dropped[id] = struct{}{}
	if p.order = append(p.order, id); len(p.order) > maxDropped {
		delete(p.dropped, p.order[0])
		p.order = p.order[1:]
	}
}

// checkAlive retires a process that has said nothing since a cancel.
func (p *peer) checkAlive(id int64, since time.Time) {
	select {
	case <-p.over:
		return
	default:
	}
	p.mu.Lock()
	_, unanswered := p.dropped[id]
	hung := unanswered && p.lastRead.Before(since) && !p.retired && !p.stopped
	p.retired = p.retired || hung
	p.mu.Unlock()
	if hung {
		p.w.retire(p)
		p.stopIfIdle()
	}
}

// stopIfIdle ends a retired process once no call waits for it any more.
func (p *peer) stopIfIdle() {
	p.mu.Lock()
	idle := p.retired && len(p.open) == 0
	p.mu.Unlock()
	if idle {
		p.stop()
	}
}

// stop makes the process end: its stdin is closed, then come SIGTERM and SIGKILL.
func (p *peer) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.stopped {
		p.stopped = true
		close(p.asked)
	}
}

// run starts the goroutines that serve the process.
func (p *peer) run() {
	go p.write()
	go func() {
		defer p.proc.stdout.ended()
		p.read()
	}()
	go func() {
		defer p.proc.stderr.ended()
		p.readStderr()
	}()
	go p.watch()
}

// watch waits for the end of the process, by whichever way it comes, and takes
// everything down.
func (p *peer) watch() {
	defer p.w.procs.end()
	select {
	case <-p.proc.exited:
	case <-p.proc.stdout.done: // it closed its stdout, or broke the protocol: no answer can come
		p.mu.Lock()
		broke := p.noise != nil
		p.mu.Unlock()
		if !broke {
			waitFor(p.proc.exited, endTime)
		}
	case <-p.broken: // most likely it is ending
		waitFor(p.proc.exited, endTime)
	case <-p.asked:
		p.proc.stdin.Close()
		waitFor(p.proc.exited, p.w.c.Grace)
	}
	p.proc.settle() // the last answers, and why it ended, may still be in the pipes
	p.mu.Lock()
	asked := p.stopped
	p.failed = true
	p.mu.Unlock()
	err := p.reason()
	if !asked {
		p.w.died(p, err)
	}
	close(p.over)
	p.proc.stdin.Close() // who is still writing to it need not wait
	p.failAll(err)
	select {
	case <-p.proc.exited:
		p.proc.release()
	default:
		p.proc.end(p.w.c.Grace)
	}
}

// reason says why the process can answer no more.
func (p *peer) reason() error {
	p.mu.Lock()
	noise, last, cut := p.noise, p.last, p.cut
	p.mu.Unlock()
	if noise != nil {
		return noise
	}
	how := "closed its stdin or stdout"
	select {
	case <-p.proc.exited:
		how = "ended (" + describeEnd(p.proc.state) + ")"
	default:
	}
	if cut != "" {
		how += fmt.Sprintf(" in the middle of the answer %q", cut)
	}
	if last != "" {
		return fmt.Errorf("the worker %s; its last line on stderr: %s", how, last)
	}
	return fmt.Errorf("the worker %s without an answer", how)
}

// failAll returns every open request an error.
func (p *peer) failAll(err error) {
	p.mu.Lock()
	for id, request := range p.open {
		if request.state == underWay {
			request.failure = err
			continue
		}
		p.fail(id, request, err)
	}
	p.mu.Unlock()
	p.stopIfIdle()
}
