package delivery

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hookway/hookway/internal/backoff"
	"github.com/hookway/hookway/internal/relay"
)

// Edge is the terminal in which an agent runs, as far as its channel needs it: it types,
// and says what it saw. Its methods may be called from many goroutines.
type Edge interface {
	// Bring brings a text to the program: it is typed when that is safe, or an event of
	// the agent takes it. Texts reach the program in the order of the calls.
	Bring(Input) Typing

	// Read waits until the program has read what was typed. It reports false if the
	// program ended without that, or ctx has.
	Read(ctx context.Context) bool

	// Busy says that a text for the agent is being prepared, until done is called.
	Busy() (done func())

	// Ended is closed when the program has ended.
	Ended() <-chan struct{}

	// Activity says what the agent's own hooks have reported; ok is false if there are none.
	Activity() (a Activity, ok bool)

	// Typed reports whether a prompt is one of the texts that were typed last.
	Typed(prompt string) bool

	// UserLines is how many lines the user has ended.
	UserLines() int64
}

// Input is a text that is to reach the program.
type Input struct {
	Text   string
	Repeat bool // the text says that it may be a repeat

	// Claim is called just before the program may get the text, and again when it is to
	// get it in another way. An error means that it must not.
	Claim func(ctx context.Context, text, how string) error

	// Failed is called if the program does not get the text, before it gets any text
	// behind it.
	Failed func(error)
}

// Typing is an input on its way.
type Typing interface {
	Withdraw()    // keeps the text from being typed, unless that has begun
	Wait() Result // waits for the end, which comes with that of the session at the latest
}

// Result is what the edge saw of an input.
type Result struct {
	Given  bool // it was typed, or an event took it
	Unread bool // it was typed, and the program may not have read it yet
	Partly bool // it was not given, but the program may have a part of it
	Repeat bool // the text said that it may be a repeat
	At     time.Time
	Err    error // why it was not given
}

// TerminalConfig is what a [Terminal] is made of.
type TerminalConfig struct {
	Edge     Edge
	Hooks    Hooks
	Presence relay.Presence
	Warn     func(format string, args ...any)

	// Open opens the store. It is called in the background, and after an error again now
	// and then. The channel closes the store.
	Open func(context.Context) (*relay.Store, error)

	// OnSend is called when a message of the agent is in the store. It must not wait. Nil:
	// there is no need to tell anything.
	OnSend func()

	// Step is called at each step of a message, so that tests can end the process there.
	Step func(step, id string)
}

// Terminal is the channel of an agent that hookway run wraps: its messages are typed, or
// its own hooks take them while it works. It claims a message just before the program
// may get it, notes that it was shown when the program was seen to have it, and proves
// it by what the agent does next. [NewTerminal] makes it.
//
// The store is opened in the background as soon as that is possible; only those who send
// wait for it. The methods may be called from many goroutines. Run, Notify and Close do
// nothing on nil.
type Terminal struct {
	TerminalConfig
	ctx      context.Context // ends with Close
	cancel   context.CancelFunc
	opening  sync.Once
	opened   chan struct{}         // closed when store and inbox are there
	broken   atomic.Pointer[error] // why they are not yet, if that is known
	working  sync.WaitGroup
	store    *relay.Store
	consumer *persistent
	inbox    Inbox // of consumer
	inFlight inFlight
	proofs   proofs
}

var _ Channel = (*Terminal)(nil)

const (
	storeAgain     = time.Second      // after the first time that the store could not be opened
	storeAgainMost = 30 * time.Second // after many

	takeAgain = time.Second // after messages that could not be had, or had to be returned

	sendMost  = 30 * time.Second // for the store to take a message, before its sender gets the error
	sendAgain = 2 * time.Second  // the longest pause between two tries
)

// NewTerminal makes a channel. It opens nothing yet.
func NewTerminal(c TerminalConfig) *Terminal {
	t := &Terminal{TerminalConfig: c, opened: make(chan struct{})}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	t.inFlight = inFlight{freed: make(chan struct{}, 1), typing: map[Typing]bool{}, texts: map[string]string{}}
	return t
}

// open opens the store, and joins.
func (t *Terminal) open() {
	pause := backoff.Backoff{First: storeAgain, Most: storeAgainMost}
	for told := false; ; told = true {
		err := t.join()
		if err == nil {
			close(t.opened)
			return
		}
		if t.ctx.Err() != nil {
			return
		}
		t.broken.Store(&err)
		if relay.Refused(err) { // its name cannot be that of an agent
			t.Warn("%s gets no messages: %v", t.Presence.Name, err)
			t.cancel()
			return
		}
		if !told {
			t.Warn("messages to and from %s wait: %v", t.Presence.Name, err)
		}
		if pause.Wait(t.ctx, nil) != nil {
			return
		}
	}
}

func (t *Terminal) join() error {
	store, err := t.Open(t.ctx)
	if err != nil {
		return err
	}
	consumer, err := store.Join(t.ctx, t.Presence)
	if err != nil {
		_ = store.Close()
		return err
	}
	t.store, t.consumer = store, &persistent{Consumer: consumer, ctx: t.ctx, warn: t.Warn}
	t.inbox = Inbox{Consumer: t.consumer}
	if leads, err := consumer.Leads(t.ctx); err == nil && !leads {
		t.warnOfOther()
	}
	return nil
}

// warnOfOther tells the user of another session of the same name, which has the inbox.
// If it is not known any more, it has ended, or only looked into the inbox.
func (t *Terminal) warnOfOther() {
	own := t.Presence
	all, _ := t.store.Agents(t.ctx)
	for _, a := range all {
		if a.Machine == t.store.Machine() && strings.EqualFold(a.Name, own.Name) && a.Session != "" && a.Session != own.Session && a.Kind != relay.KindPerson {
			t.Warn("another session of %s (%s in %s) was there first and has its inbox: this one got only what was sent to its own id, %s, until that one ended; "+
				"hookway run -n NAME gives a session a name of its own", a.Name, a.Program, a.CWD, own.Session)
		}
	}
}

// wait waits until the store is open.
func (t *Terminal) wait(ctx context.Context) bool {
	t.opening.Do(func() { t.working.Go(t.open) })
	if t.isOpen() {
		return true
	}
	select {
	case <-t.opened:
		return true
	case <-ctx.Done():
	case <-t.ctx.Done():
	}
	return false
}

func (t *Terminal) isOpen() bool {
	select {
	case <-t.opened:
		return true
	default:
		return false
	}
}

// Notify says that there may be messages.
func (t *Terminal) Notify() {
	if t != nil && t.isOpen() { // else it looks when it is open
		t.consumer.Notify()
	}
}

// Close gives the inbox back. What was claimed and not shown is given to the agent's next
// session, which finds out what became of it.
func (t *Terminal) Close() {
	if t == nil {
		return
	}
	t.cancel()
	t.opening.Do(func() {}) // from now on it is not opened
	t.working.Wait()
	if !t.isOpen() {
		return
	}
	if err := t.consumer.Close(); err != nil {
		t.Warn("the place of %s in the store of messages was not given back: %v", t.Presence.Name, err)
	}
	if err := t.store.Close(); err != nil {
		t.Warn("the store of messages was not closed: %v", err)
	}
}

// Send keeps a message for those it is for, and has it carried. A store that does not
// take it is asked again for a while: it is the same message each time.
func (t *Terminal) Send(ctx context.Context, m relay.Message) (sent relay.Sent, err error) {
	ctx, cancel := context.WithTimeout(ctx, sendMost)
	defer cancel()
	if !t.wait(ctx) {
		if err := t.broken.Load(); err != nil {
			return sent, *err
		}
		return sent, errors.New("the store of messages is not open")
	}
	for pause := (backoff.Backoff{First: 10 * time.Millisecond, Most: sendAgain}); ; {
		if sent, err = t.store.Send(ctx, m); err == nil {
			if t.OnSend != nil {
				t.OnSend()
			}
			return sent, nil
		}
		if relay.Refused(err) || pause.Wait(ctx, nil) != nil {
			return sent, err
		}
	}
}

// Run brings the messages that wait for the agent to its program, until that ends.
func (t *Terminal) Run(ctx context.Context) {
	if t == nil {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	t.working.Go(func() {
		select {
		case <-t.Edge.Ended():
		case <-ctx.Done():
		}
		cancel()
	})
	if !t.wait(ctx) {
		return
	}
	t.working.Go(func() { t.watch(ctx) })
	for warned := false; ; {
		items, err := t.Take(ctx, 1)
		for _, item := range items {
			t.bring(item)
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			if !warned {
				t.Warn("messages to %s wait: %v", t.Presence.Name, err)
			}
			warned = true
			_ = backoff.Sleep(ctx, takeAgain)
		case len(items) == 0:
			_ = t.consumer.Wait(ctx)
		}
	}
}

// Take gives items that the program may get next. It waits as long as many are on
// their way to it. They are claimed when the program gets them.
func (t *Terminal) Take(ctx context.Context, most int) (items []Item, err error) {
	for len(items) < most {
		taken, ok, err := t.next(ctx)
		if !ok || err != nil {
			return items, err
		}
		t.inFlight.add()
		if item, ok := t.prepare(ctx, taken); ok {
			items = append(items, item)
		}
	}
	return items, nil
}

// next gives the next message that was taken from the store, or takes some.
func (t *Terminal) next(ctx context.Context) (next relay.Taken, ok bool, err error) {
	f := &t.inFlight
	if len(f.taken) == 0 {
		most, returned, ok := f.room(ctx)
		if !ok || returned && backoff.Sleep(ctx, takeAgain) != nil {
			return next, false, ctx.Err()
		}
		if f.taken = f.kept(); len(f.taken) == 0 {
			f.taken, err = t.consumer.Take(ctx, most)
		}
	}
	if len(f.taken) == 0 {
		return next, false, err
	}
	next, f.taken = f.taken[0], f.taken[1:]
	return next, true, nil
}

// prepare finds out what the program is to get of a message. It reports false if that is
// nothing, or nothing now; then the message is not in flight any more.
func (t *Terminal) prepare(ctx context.Context, taken relay.Taken) (item Item, ok bool) {
	defer t.Edge.Busy()()
	defer func() {
		if !ok {
			t.inFlight.left(nil)
		}
	}()
	item = Item{Message: Clean(taken.Message), taken: taken}
	if taken.Again != nil {
		finding := lookUntilRecorded(ctx, *taken.Again, item.ID)
		if item.Repeat = finding == Unknown; finding == Found {
			t.inFlight.forget(item.ID)
			_ = t.consumer.Done(ctx, item.ID, false)
			return item, false
		}
	}
	var known bool
	if item.shown, known = t.inFlight.text(item.ID); !known {
		ok, err := item.ask(ctx, t.inbox.Consumer, t.Hooks)
		switch {
		case err != nil && (ctx.Err() != nil || taken.Again != nil):
			_ = t.Return(ctx, []Item{item})
			return item, false
		case err != nil:
			t.inFlight.disorder()
			_ = t.consumer.Fail(ctx, item.ID, err.Error())
			return item, false
		case !ok:
			return item, false
		}
		item.shown = Text(item.Message, t.store.Machine(), item.Inject)
		t.inFlight.keepText(item.ID, item.shown)
	}
	if item.Repeat {
		item.shown = MarkRepeat(item.shown)
	}
	return item, true
}

const (
	recordedIn = 2 * time.Second        // an agent has on record what it was given, after its end too
	lookEach   = 200 * time.Millisecond // until then
)

// lookUntilRecorded finds out what became of a message that a session which has ended
// was about to give. An agent that ends may still be writing down what it got.
func lookUntilRecorded(ctx context.Context, a relay.Attempt, id string) Finding {
	for {
		finding := Look(a, id)
		if finding != Absent || time.Since(a.At) > recordedIn || backoff.Sleep(ctx, lookEach) != nil {
			return finding
		}
	}
}

// bring gives an item to the edge, and notes what becomes of it.
func (t *Terminal) bring(item Item) {
	typing := t.Edge.Bring(Input{
		Text: item.shown, Repeat: item.Repeat,
		Claim: func(ctx context.Context, text, how string) error {
			if t.inFlight.isDisordered() { // one ahead failed while this one was brought
				return errOrder
			}
			ctx, cancel := context.WithTimeout(ctx, tryTime)
			defer cancel()
			t.beforeGiven(ctx)
			err := t.consumer.Begin(ctx, item.ID, text, how)
			if err == nil {
				t.step("claimed", item.ID)
			}
			return err
		},
		Failed: func(err error) {
			if !errors.Is(err, relay.ErrTaken) { // by another session, which has it in order
				t.inFlight.disorder()
			}
		},
	})
	t.inFlight.bring(typing)
	t.working.Go(func() {
		defer t.inFlight.left(typing)
		t.finish(item, typing.Wait())
	})
}

// finish notes what became of an item.
func (t *Terminal) finish(item Item, r Result) {
	ctx := context.Background()
	switch {
	case r.Given:
		if r.Unread && !t.Edge.Read(t.ctx) {
			return // the next session finds out what became of it
		}
		t.step("shown", item.ID)
		item.Repeat = r.Repeat
		_ = t.Shown(ctx, []Item{item})
		t.given(r.At)
		t.step("noted", item.ID)
	case errors.Is(r.Err, relay.ErrTaken): // another session has it
		t.inFlight.forget(item.ID)
	case r.Partly: // the next session decides
	default:
		_ = t.Return(ctx, []Item{item})
	}
}

func (t *Terminal) step(step, id string) {
	if t.Step != nil {
		t.Step(step, id)
	}
}

// Shown notes that the program has items.
func (t *Terminal) Shown(ctx context.Context, items []Item) error {
	for _, i := range items {
		t.inFlight.forget(i.ID)
	}
	return t.inbox.Shown(ctx, items)
}

// Prove notes that the agent has done something since it was given items.
func (t *Terminal) Prove(ctx context.Context) error { return t.inbox.Prove(ctx) }

// Return has items given again that did not reach the program, and those behind them
// too. What another session has begun is not given back to the store: that would forget
// about it.
func (t *Terminal) Return(ctx context.Context, items []Item) error {
	t.inFlight.disorder()
	var errs []error
	for _, i := range items {
		t.step("returned", i.ID)
		if i.taken.Again != nil {
			t.inFlight.keep(i.taken)
			continue
		}
		errs = append(errs, t.consumer.Release(ctx, i.ID))
		t.consumer.Notify()
	}
	return errors.Join(errs...)
}

// persistent is a place at an inbox that notes what becomes of messages even if the
// store cannot be written for a while: as long as the store does not know, it may give a
// message out again.
type persistent struct {
	*relay.Consumer
	ctx  context.Context // once it has ended, nothing is tried again
	warn func(format string, args ...any)
}

const (
	noteMost  = 10               // tries
	noteAgain = time.Second      // the longest pause in between
	tryTime   = 10 * time.Second // for one try
)

func (p *persistent) Done(_ context.Context, id string, repeat bool) error {
	return p.note(func(ctx context.Context) error { return p.Consumer.Done(ctx, id, repeat) })
}

func (p *persistent) Suppress(_ context.Context, id, reason string) error {
	return p.note(func(ctx context.Context) error { return p.Consumer.Suppress(ctx, id, reason) })
}

func (p *persistent) Release(_ context.Context, id string) error {
	return p.note(func(ctx context.Context) error { return p.Consumer.Release(ctx, id) })
}

func (p *persistent) Fail(_ context.Context, id, reason string) error {
	return p.note(func(ctx context.Context) error { return p.Consumer.Fail(ctx, id, reason) })
}

func (p *persistent) note(do func(ctx context.Context) error) error {
	pause := backoff.Backoff{First: 10 * time.Millisecond, Most: noteAgain}
	for try := 1; ; try++ {
		ctx, cancel := context.WithTimeout(context.Background(), tryTime)
		err := do(ctx)
		cancel()
		switch {
		case err == nil || relay.Refused(err):
			return nil
		case try == noteMost || p.ctx.Err() != nil:
			p.warn("what became of a message could not be noted: %v", err)
			return nil
		}
		_ = pause.Wait(p.ctx, nil)
	}
}
