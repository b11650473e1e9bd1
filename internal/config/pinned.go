package config

import (
	"context"
	"fmt"
	"os"
	"sync"

	"github.com/hookway/hookway/hook"
)

// pinned runs a command only while its files are as they were trusted. Between
// the check and the start of the program there is a moment that this cannot
// cover; who can write there at the right microsecond has won already.
type pinned struct {
	next hook.Handler
	away *away // nil if the command means the same wherever the agent works

	mu   sync.Mutex
	pins []pin
}

// Handle runs the command, or fails when a file changed since it was trusted.
func (p *pinned) Handle(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
	if err := p.check(); err != nil {
		return hook.Decision{}, err
	}
	if err := p.away.check(ev.Head().CWD); err != nil {
		if ev.Info().Gates && p.away.lane != hook.Observe { // whoever made that folder must not switch a hook off
			return hook.Block(err.Error()), nil
		}
		return hook.Decision{}, err
	}
	return p.next.Handle(ctx, ev)
}

// check looks at each file's size, times and identity, and at its content only
// if those differ.
func (p *pinned) check() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, known := range p.pins {
		info, err := os.Stat(known.path)
		if err == nil && known.info != nil && sameFile(known, info) {
			continue
		}
		now, err := hashFile(known.path)
		if err != nil {
			return fmt.Errorf("%w; it was there when the workspace was trusted", err)
		}
		if now.value != known.value {
			return fmt.Errorf("%s changed since the workspace was trusted; look at it, then run hookway trust", known.path)
		}
		p.pins[i] = now
	}
	return nil
}

// sameFile reports whether a file cannot have changed. The time of modification
// can be set back; where the system does not tell when the file really changed,
// only the content can.
func sameFile(known pin, info os.FileInfo) bool {
	return os.SameFile(known.info, info) && known.info.Size() == info.Size() && known.info.Mode() == info.Mode() &&
		known.info.ModTime().Equal(info.ModTime()) && changeTime(info) != 0 && changeTime(known.info) == changeTime(info)
}
