package api

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/hookway/hookway/handler/rpc"
	"github.com/hookway/hookway/hook"
	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
	"github.com/hookway/hookway/wire"
)

const (
	maxAsked  = 256     // events that wait for an answer on one stream; the next wait for their turn
	maxAnswer = 2 << 20 // bytes

	// usualEvent is the largest event that is asked about unless the other side says
	// otherwise: clients take messages of 4 MiB, and a larger one would end the
	// stream, so that an agent could rid itself of a guard by one large call.
	usualEvent = 4<<20 - 64<<10
)

// errDetached is why a hook fails whose program has gone.
var errDetached = errors.New("the program that answers for it is not attached any more")

// asker is the handler of an attached hook.
type asker struct {
	stream  *attached
	hook    string
	profile hook.Profile
	most    int           // bytes of an event's JSON
	known   chan struct{} // closed when the other side knows that the hook is attached
}

// Handle asks the other side of the stream.
func (h *asker) Handle(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
	if err := ctx.Err(); err != nil {
		return hook.Decision{}, err
	}
	event, err := eventOf(ev)
	if err != nil {
		return hook.Decision{}, err
	}
	if n := len(event.GetJson()); n > h.most {
		return hook.Decision{}, fmt.Errorf("the event has %d bytes; the program that answers takes %d, and says so with max_event", n, h.most)
	}
	over, out := h.stream.over, h.stream.out
	select {
	case <-h.known:
	case <-over:
		return hook.Decision{}, errDetached
	case <-ctx.Done():
		return hook.Decision{}, ctx.Err()
	}
	select {
	case out.slots <- struct{}{}:
	case <-over:
		return hook.Decision{}, errDetached
	case <-ctx.Done():
		return hook.Decision{}, fmt.Errorf("%d events wait for answers on its stream: %w", maxAsked, ctx.Err())
	}
	request := &hookwayv1.StreamRequest{Kind: &hookwayv1.StreamRequest_Handle{Handle: &hookwayv1.HandleRequest{Hook: h.hook, Event: event}}}
	if deadline, ok := ctx.Deadline(); ok {
		request.Timeout = durationpb.New(max(time.Until(deadline), 0))
	}
	q := out.ask(request)
	select {
	case answer := <-q.answer:
		return h.decide(ev, answer)
	case <-over:
		select {
		case answer := <-q.answer: // it answered, and went
			return h.decide(ev, answer)
		default:
		}
		out.drop(q)
		return hook.Decision{}, errDetached
	case <-ctx.Done():
		out.drop(q)
		return hook.Decision{}, ctx.Err()
	}
}

// decide reads what the other side answered.
func (h *asker) decide(ev hook.AnyEvent, answer *hookwayv1.StreamResponse) (hook.Decision, error) {
	if n := proto.Size(answer); n > maxAnswer {
		return hook.Decision{}, fmt.Errorf("the answer has %d bytes; the limit is %d", n, maxAnswer)
	}
	switch k := answer.GetKind().(type) {
	case *hookwayv1.StreamResponse_Decision:
		return rpc.Decision(ev, k.Decision, h.profile, nil)
	case *hookwayv1.StreamResponse_Failure:
		if why := hook.LogLine(k.Failure.GetMessage()); why != "" {
			return hook.Decision{}, errors.New(why)
		}
		return hook.Decision{}, errors.New("it failed without saying why")
	}
	return hook.Decision{}, errors.New("the answer is neither a decision nor a failure")
}

// eventOf gives an event as hooks outside the process get it.
func eventOf(ev hook.AnyEvent) (*hookwayv1.Event, error) {
	text, err := wire.Encode(ev)
	if err != nil {
		return nil, err
	}
	head := ev.Head()
	return &hookwayv1.Event{
		Name: ev.Info().Name, Id: ev.ID().String(), SessionId: clean(head.Session), Agent: clean(head.Agent),
		Source: clean(head.Source), Cwd: clean(head.CWD),
		Time: timestamppb.New(ev.Time()), Json: text.Bytes(),
	}, nil
}

// clean makes text such as protobuf takes it.
func clean(text string) string { return strings.ToValidUTF8(text, "\ufffd") }

// question is one event that the other side is asked about.
type question struct {
	id     uint64
	answer chan *hookwayv1.StreamResponse // holds one
	sent   bool                           // guarded by outbox.mu
	moot   bool                           // the caller has gone; guarded by outbox.mu
}

// outgoing is a message on its way.
type outgoing struct {
	message  *hookwayv1.AttachResponse
	question *question // that it asks; nil if it is something else
	sent     func()    // called when it was sent
}

// outbox holds what is to be sent on one stream, and the questions that are not
// answered. A slot is taken for each question, and given back when it is answered,
// or the other side learns that the caller has gone: so what waits here is
// bounded, however slowly the other side reads.
type outbox struct {
	slots  chan struct{}
	filled chan struct{} // holds one if there may be something to send

	mu    sync.Mutex
	queue []*outgoing
	last  uint64
	asked map[uint64]*question
}

func newOutbox() *outbox {
	return &outbox{slots: make(chan struct{}, maxAsked), filled: make(chan struct{}, 1), asked: map[uint64]*question{}}
}

// push queues a message, without waiting.
func (b *outbox) push(o *outgoing) {
	b.mu.Lock()
	b.queue = append(b.queue, o)
	b.mu.Unlock()
	b.wake()
}

// wake has the sender look.
func (b *outbox) wake() {
	select {
	case b.filled <- struct{}{}:
	default:
	}
}

// idle reports whether nothing is asked and nothing is to be sent.
func (b *outbox) idle() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.queue) == 0 && len(b.asked) == 0
}

// ask queues a question, for which there is a slot.
func (b *outbox) ask(r *hookwayv1.StreamRequest) *question {
	b.mu.Lock()
	b.last++
	q := &question{id: b.last, answer: make(chan *hookwayv1.StreamResponse, 1)}
	b.asked[q.id] = q
	b.mu.Unlock()
	r.Id = q.id
	b.push(&outgoing{message: &hookwayv1.AttachResponse{Kind: &hookwayv1.AttachResponse_Ask{Ask: r}}, question: q})
	return q
}

// next takes the message that is to be sent now; nil if there is none. Questions
// without a caller are not asked.
func (b *outbox) next() *outgoing {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.queue) > 0 {
		o := b.queue[0]
		b.queue[0] = nil
		b.queue = b.queue[1:]
		if o.question == nil {
			return o
		}
		if !o.question.moot {
			o.question.sent = true
			return o
		}
		<-b.slots
	}
	b.queue = nil
	return nil
}

// answered gives an answer to who waits for it. One that comes too late, or that
// was not asked for, goes nowhere.
func (b *outbox) answered(r *hookwayv1.StreamResponse) {
	b.mu.Lock()
	q := b.asked[r.GetId()]
	if q != nil && !q.sent {
		q = nil // the id is a guess
	}
	if q != nil {
		delete(b.asked, q.id)
	}
	b.mu.Unlock()
	if q != nil {
		q.answer <- r
		<-b.slots
		b.wake()
	}
}

// drop says that the caller of an answer has gone.
func (b *outbox) drop(q *question) {
	b.mu.Lock()
	waits := b.asked[q.id] == q // else it was answered just now
	delete(b.asked, q.id)
	q.moot = waits
	sent := q.sent
	b.mu.Unlock()
	if !waits || !sent { // next gives the slot back of what was not sent
		b.wake()
		return
	}
	cancel := &hookwayv1.StreamRequest{Id: q.id, Kind: &hookwayv1.StreamRequest_Cancel{Cancel: &hookwayv1.Cancel{Reason: "the caller has gone"}}}
	b.push(&outgoing{message: &hookwayv1.AttachResponse{Kind: &hookwayv1.AttachResponse_Ask{Ask: cancel}}, sent: func() { <-b.slots }})
}
