package mcp

import (
	"bytes"
	"context"
	"crypto/rand"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// answers knows what is to be done when certain answers have reached the agent: a
// message is only handed out then. The answer carries a mark by which it is known
// again where it is written.
type answers struct {
	mu     sync.Mutex
	marked map[string]*pending
}

// pending is what is to be done after an answer.
type pending struct {
	do   func(context.Context) error
	over chan struct{} // closed when it is done
}

// Bounds of what is done after an answer, and of how long another call waits for it.
const (
	afterTime  = 10 * time.Second
	settleTime = 2 * time.Second
)

// await notes what is to be done, and gives the mark.
func (a *answers) await(written func(context.Context) error) sdk.Meta {
	mark := rand.Text()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.marked == nil {
		a.marked = map[string]*pending{}
	}
	a.marked[mark] = &pending{do: written, over: make(chan struct{})}
	return sdk.Meta{"hookway/answer": mark}
}

// written does what is to be done after an answer. What goes wrong there is mended
// by time: the messages are given out again, marked as repeats.
func (a *answers) written(ctx context.Context, result []byte) {
	mark, p := a.find(result)
	if p == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), afterTime)
	defer cancel()
	_ = p.do(ctx)
	close(p.over)
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.marked, mark)
}

func (a *answers) find(result []byte) (string, *pending) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for mark, p := range a.marked {
		if bytes.Contains(result, []byte(mark)) {
			return mark, p
		}
	}
	return "", nil
}

// settled waits, for a bounded time, until all is done that belongs to earlier
// answers: an agent may ask again before its server has taken a breath.
func (a *answers) settled(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	a.mu.Lock()
	var all []*pending
	for _, p := range a.marked {
		all = append(all, p)
	}
	a.mu.Unlock()
	for _, p := range all {
		select {
		case <-p.over:
		case <-ctx.Done():
			return
		}
	}
}
