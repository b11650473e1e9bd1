package hook

import (
	"context"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"time"
	"unsafe"
)

// Fire runs the hooks of one event and gives their outcome. The error is not
// for refusals: it means that the chain could not be finished, because the
// context ended or events nest too deep. The outcome is then a block, so that a
// caller who overlooks the error stays on the safe side.
func Fire[P any](ctx context.Context, e *Engine, point Point[P], env Envelope, payload P) (Outcome[P], error) {
	c := e.table.Load().find(point.info)
	if c == nil {
		return Outcome[P]{Verdict{Event: point.info.Name, Metadata: env.Metadata}, payload}, nil
	}
	f := firing[P]{ev: Event[P]{Envelope: env, Payload: payload, info: point.info}}
	return fire(ctx, e, c, &f)
}

// Fire runs the hooks of one event of any kind. See the function Fire.
func (e *Engine) Fire(ctx context.Context, ev AnyEvent) (Outcome[any], error) {
	verdict, last, err := ev.fire(ctx, e)
	return Outcome[any]{verdict, last.Body()}, err
}

func (ev *Event[P]) fire(ctx context.Context, e *Engine) (Verdict, AnyEvent, error) {
	if ev.info.slot < 0 { // known by name: it may be this engine's own
		if own := e.find(ev.info.Name); own != nil && own.slot < 0 {
			ev = &Event[P]{Envelope: ev.Envelope, Payload: ev.Payload, info: own, memo: ev.memo}
		}
	}
	c := e.table.Load().find(ev.info)
	if c == nil {
		return Verdict{Event: ev.info.Name, Metadata: ev.Metadata}, ev, nil
	}
	f := &firing[P]{ev: *ev}
	return f.start(ctx, e, c, &f.ev, &f.memo, &f.idText)
}

// firing is everything that one firing keeps, in one allocation.
type firing[P any] struct {
	run
	ev     Event[P]
	memo   memo
	idText [32]byte
}

func fire[P any](ctx context.Context, e *Engine, c *chain, local *firing[P]) (Outcome[P], error) {
	f := new(firing[P])
	f.ev = local.ev
	verdict, last, err := f.start(ctx, e, c, &f.ev, &f.memo, &f.idText)
	return Outcome[P]{verdict, last.(*Event[P]).Payload}, err
}

// start fills in the envelope and runs the chain.
func (r *run) start(ctx context.Context, e *Engine, c *chain, ev AnyEvent, m *memo, idText *[32]byte) (Verdict, AnyEvent, error) {
	r.e, r.ctx, r.chain, r.info = e, ctx, c, ev.Info()
	r.began = time.Now()
	head := ev.Head()
	if head.Time.IsZero() {
		head.Time = r.began
	}
	if head.ID == "" {
		head.ID = newID(r.began, idText)
	}
	ev.remember(m)
	r.ev, r.fired = ev, ev
	if err := r.enter(); err != nil {
		return r.verdict, ev, err
	}
	err := r.lanes()
	return r.verdict, r.ev, err
}

// newID makes an id that sorts by time: 48 bits of milliseconds, 80 of chance.
// The text lives in the firing, which every holder of the event keeps alive.
func newID(now time.Time, text *[32]byte) string {
	var raw [16]byte
	ms, chance, more := uint64(now.UnixMilli()), rand.Uint64(), rand.Uint64()
	for i := range 6 {
		raw[i] = byte(ms >> (40 - 8*i))
	}
	for i := range 8 {
		raw[6+i] = byte(chance >> (8 * i))
	}
	raw[14], raw[15] = byte(more), byte(more>>8)
	hex.Encode(text[:], raw[:])
	return unsafe.String(&text[0], len(text))
}

// MaxDepth is how deep handlers may fire the event that they are handling.
const MaxDepth = 8

// enter counts how often this event is being fired by its own handlers.
func (r *run) enter() error {
	up, _ := r.ctx.Value(frameKey{}).(*callContext)
	depth := 1
	for f := up; f != nil; f, _ = f.Context.Value(frameKey{}).(*callContext) {
		if f.info == r.info {
			depth++
		}
	}
	if depth > MaxDepth {
		err := fmt.Errorf("%s is fired by its own handlers %d deep; the limit is %d", r.info.Name, depth, MaxDepth)
		r.verdict = Verdict{Event: r.info.Name, Action: ActionBlock, Reason: err.Error(), Metadata: r.ev.Head().Metadata}
		return err
	}
	return nil
}
