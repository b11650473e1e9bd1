package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"
)

// leave lets what a program left behind when it ended live on. It reports false if
// there is nothing, or too much: then the caller ends it.
func (p *process) leave() bool {
	if p.group.gone() || !p.group.leave() {
		return false
	}
	p.stdin.Close()
	for _, o := range []*outPipe{p.stdout, p.stderr} {
		go o.drain()
	}
	return true
}

// drain reads and drops the rest, so that its writer is not held up.
func (o *outPipe) drain() {
	defer o.Close()
	<-o.done
	if o.SetReadDeadline(time.Time{}) == nil {
		_, _ = io.Copy(io.Discard, o.File) // until all writers are gone
	}
}

// background is a first line by which a program says that it goes on by itself.
func background(out []byte) (limit time.Duration, ok bool) {
	line, _, whole := bytes.Cut(bytes.TrimLeft(out, " \t\r\n"), []byte("\n"))
	line = bytes.TrimSpace(line)
	if !whole && !bytes.HasSuffix(line, []byte("}")) || !bytes.HasPrefix(line, []byte("{")) {
		return 0, false
	}
	var said struct {
		Async   bool    `json:"async"`
		Timeout float64 `json:"asyncTimeout"` // milliseconds
	}
	if json.Unmarshal(line, &said) != nil || !said.Async {
		return 0, false
	}
	if said.Timeout > 0 && said.Timeout < float64(24*time.Hour/time.Millisecond) {
		limit = time.Duration(said.Timeout * float64(time.Millisecond))
	}
	return limit, true
}

// errTooMany is the cause when too many programs run in the background.
var errTooMany = errors.New("too many programs that hooks left behind still run; hookway status counts them")

// goesOn lets a program run on in the background until its time is over.
func (r *runner) goesOn(ctx context.Context, p *process, limit time.Duration) error {
	if !p.group.leave() {
		r.endLater(p, r.grace)
		return errTooMany
	}
	if deadline, ok := ctx.Deadline(); limit == 0 && ok {
		limit = time.Until(deadline)
	}
	r.under.end()
	go func() {
		var over <-chan time.Time
		if limit > 0 {
			t := time.NewTimer(limit)
			defer t.Stop()
			over = t.C
		}
		select {
		case <-p.exited:
			if p.settle(); !p.leave() {
				p.release()
			}
		case <-over:
			p.end(r.grace)
		}
	}()
	return nil
}
