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
	marked map[string]func(context.Context) error
}

// afterTime bounds what is done after an answer.
const afterTime = 10 * time.Second

// await notes what is to be done, and gives the mark.
func (a *answers) await(written func(context.Context) error) sdk.Meta {
	mark := rand.Text()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.marked == nil {
		a.marked = map[string]func(context.Context) error{}
	}
	a.marked[mark] = written
	return sdk.Meta{"hookway/answer": mark}
}

// written does what is to be done after an answer. What goes wrong there is mended
// by time: the messages are given out again, marked as repeats.
func (a *answers) written(ctx context.Context, result []byte) {
	do := a.find(result)
	if do == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), afterTime)
	defer cancel()
	_ = do(ctx)
}

func (a *answers) find(result []byte) func(context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for mark, do := range a.marked {
		if bytes.Contains(result, []byte(mark)) {
			delete(a.marked, mark)
			return do
		}
	}
	return nil
}
