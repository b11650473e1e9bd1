package server

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/hookway/hookway/internal/backoff"
	"github.com/hookway/hookway/internal/logline"
)

// presence has the owner count as somebody who is there, and would answer, while a browser
// of theirs watches. Then calls are held which cannot be asked about in place.
type presence struct {
	home *Home
	ctx  context.Context // ends with the daemon
	end  context.CancelFunc

	mu       sync.Mutex
	watching int                // browsers
	leave    context.CancelFunc // has nobody count any more
	saying   sync.WaitGroup     // that somebody is there
}

func newPresence(h *Home) *presence {
	p := &presence{home: h}
	p.ctx, p.end = context.WithCancel(context.Background())
	return p
}

// serve answers a request, and counts it if it is for the stream of what happens.
func (p *presence) serve(r *http.Request, answer func()) {
	if r.Method == http.MethodGet && r.URL.Path == "/v1/watch" {
		p.add(1)
		defer p.add(-1)
	}
	answer()
}

// add counts one browser more, or less.
func (p *presence) add(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.watching
	p.watching += n
	switch {
	case p.watching == 0:
		p.leave()
	case before == 0:
		var ctx context.Context
		ctx, p.leave = context.WithCancel(p.ctx)
		if ctx.Err() == nil {
			p.saying.Go(func() { p.say(ctx) })
		}
	}
}

// say says until the context ends that somebody is there. What keeps it from that is logged
// once, and tried again.
func (p *presence) say(ctx context.Context) {
	pause := backoff.Backoff{First: sendFirst, Most: sendMost}
	for logged := false; ctx.Err() == nil; logged = true {
		s, err := p.home.asked(ctx, true)
		if err == nil {
			err = errors.Join(s.Present(ctx, "the page"), s.Close())
		}
		if ctx.Err() != nil {
			return
		}
		if !logged {
			p.home.Log.Warn("calls are not held for who looks at the page", logline.Err, err)
		}
		_ = pause.Wait(ctx, nil)
	}
}

// close has nobody count any more.
func (p *presence) close() {
	p.mu.Lock()
	p.end() // nobody is added from now on
	p.mu.Unlock()
	p.saying.Wait()
}
