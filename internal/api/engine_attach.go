package api

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
	"github.com/hookway/hookway/wire"
)

// maxAttached bounds the hooks of one stream.
const maxAttached = 256

// attached is one stream of hooks that its caller answers. Two goroutines work on
// it: the handler's, which sends, and one that reads. Neither waits for the other.
type attached struct {
	s    *Service
	grpc hookwayv1.Engine_AttachServer
	out  *outbox
	over chan struct{} // closed when nothing is asked any more
	turn chan struct{} // holds one while what was said to the last request is not sent

	mu    sync.Mutex
	why   error // of the end; nil is a good one
	ended bool
	hooks map[string]*registration // by id
}

// Attach registers hooks that the caller answers itself, on this stream.
func (s *Service) Attach(g hookwayv1.Engine_AttachServer) error {
	if err := g.SendHeader(nil); err != nil { // who waits for it knows that somebody listens
		return err
	}
	a := &attached{
		s: s, grpc: g, out: newOutbox(), over: make(chan struct{}), turn: make(chan struct{}, 1), hooks: map[string]*registration{},
	}
	go a.read()
	defer a.end(nil)
	return a.send()
}

// end takes the stream's hooks out, and fails what is asked. The first reason counts.
func (a *attached) end(why error) {
	a.mu.Lock()
	if !a.ended {
		a.ended, a.why = true, why
		close(a.over)
	}
	hooks := slices.Collect(maps.Values(a.hooks))
	clear(a.hooks)
	a.mu.Unlock()
	for _, reg := range hooks {
		a.s.hooks.take(reg)
	}
}

// send sends what is queued until the stream ends.
func (a *attached) send() error {
	ctx := a.grpc.Context()
	stopping := a.s.stopping
	for {
		for o := a.out.next(); o != nil; o = a.out.next() {
			if err := a.grpc.Send(o.message); err != nil {
				return err
			}
			if o.sent != nil {
				o.sent()
			}
		}
		select {
		case <-a.out.filled:
		case <-a.over:
			a.mu.Lock()
			defer a.mu.Unlock()
			return a.why
		case <-ctx.Done():
			return status.FromContextError(ctx.Err()).Err()
		case <-stopping:
			stopping = nil
		}
		if stopping == nil && a.out.idle() { // what is asked may still be answered
			return errEnding
		}
	}
}

// read takes what the other side sends, until it ends.
func (a *attached) read() {
	var why error
	defer func() {
		if p := recover(); p != nil {
			a.s.options.Log.Warn(fmt.Sprintf("panic on a stream of attached hooks: %v\n%s", p, debug.Stack()))
			why = status.Error(codes.Internal, "hookway panicked; its log says more")
		}
		a.end(why)
	}()
	for why == nil {
		m, err := a.grpc.Recv()
		if errors.Is(err, io.EOF) { // it will answer no more
			return
		}
		if why = err; err == nil {
			why = a.receive(m)
		}
	}
}

// receive does what a message says.
func (a *attached) receive(m *hookwayv1.AttachRequest) error {
	if answer := m.GetAnswer(); answer != nil {
		a.out.answered(answer)
		return nil
	}
	select { // requests are answered one after the other, or they would pile up
	case a.turn <- struct{}{}:
	case <-a.over:
		return nil
	case <-a.grpc.Context().Done():
		return a.grpc.Context().Err()
	}
	switch k := m.GetKind().(type) {
	case *hookwayv1.AttachRequest_Attach:
		a.attach(k.Attach)
	case *hookwayv1.AttachRequest_Detach:
		a.detach(k.Detach)
	default:
		return status.Error(codes.InvalidArgument, "a message of Attach is an attach, a detach or an answer; this one is none of them")
	}
	return nil
}

// say answers a request.
func (a *attached) say(m *hookwayv1.AttachResponse) {
	a.out.push(&outgoing{message: m, sent: func() { <-a.turn }})
}

// detach takes one hook out.
func (a *attached) detach(id string) {
	if reg := a.forget(plainID(id)); reg != nil {
		a.s.hooks.take(reg)
	}
	a.say(gone(id))
}

func gone(id string) *hookwayv1.AttachResponse {
	return &hookwayv1.AttachResponse{Kind: &hookwayv1.AttachResponse_Detached{Detached: id}}
}

// forget takes a hook off the stream's list.
func (a *attached) forget(id string) *registration {
	a.mu.Lock()
	defer a.mu.Unlock()
	reg := a.hooks[id]
	delete(a.hooks, id)
	return reg
}

// attach registers one hook, or says why not.
func (a *attached) attach(at *hookwayv1.Attachment) {
	id := at.GetHook().GetId()
	if err := a.register(at); err != nil {
		a.say(&hookwayv1.AttachResponse{Kind: &hookwayv1.AttachResponse_Refused{Refused: &hookwayv1.Refusal{Id: id, Reason: err.Error()}}})
	}
}

func (a *attached) register(at *hookwayv1.Attachment) error {
	h, err := hookOf(at.GetHook())
	cwd, wrong := folder(at.GetCwd())
	if err = errors.Join(err, wrong); err != nil {
		return err
	}
	h.Origin = "attached"
	asker := &asker{stream: a, hook: h.ID, profile: h.Profile, most: usualEvent, known: make(chan struct{})}
	if n := at.GetMaxEvent(); n > 0 {
		asker.most = int(min(n, wire.MaxSize))
	}
	h.Handler = asker
	before := a.forget(h.ID) // it is replaced without a word
	a.mu.Lock()
	full := len(a.hooks) >= maxAttached
	a.mu.Unlock()
	if full {
		return fmt.Errorf("%d hooks are attached to this stream, and no more are taken", maxAttached)
	}
	own, _, err := a.s.hooks.put(a.grpc.Context(), cwd, h, 0, func(reg *registration) { a.lost(h.ID, reg) })
	if err != nil {
		a.keep(h.ID, before)
		return err
	}
	if before != nil && before.at != own.at {
		a.s.hooks.take(before)
	}
	a.say(&hookwayv1.AttachResponse{Kind: &hookwayv1.AttachResponse_Attached{Attached: at.GetHook().GetId()}})
	close(asker.known)
	a.s.options.Log.Warn(fmt.Sprintf("hook %s is attached for %s%s", h.ID, strings.Join(h.Events, ", "), in(cwd)))
	if !a.keep(h.ID, own) { // the stream ended meanwhile
		a.s.hooks.take(own)
	} else if !a.s.hooks.has(own) {
		a.lost(h.ID, own)
	}
	return nil
}

// keep puts a hook on the stream's list, unless the stream has ended.
func (a *attached) keep(id string, reg *registration) bool {
	if reg == nil {
		return true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ended {
		return false
	}
	a.hooks[id] = reg
	return true
}

// lost tells the other side that somebody else took a hook of its away.
func (a *attached) lost(id string, reg *registration) {
	a.mu.Lock()
	mine := a.hooks[id] == reg
	if mine {
		delete(a.hooks, id)
	}
	a.mu.Unlock()
	if mine {
		a.out.push(&outgoing{message: gone(id)})
	}
}
