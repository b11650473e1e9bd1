package judge

import (
	"context"
	"sync"
)

// mostReady is how many records are ready for one who is slow to take them.
const mostReady = 32

// Follow gives what is put on record, as Watch does, and with f.Hooks what happens to
// hooks, too, until the context ends or the log cannot be read any more: then the
// channel is closed.
func (j *Judge) Follow(ctx context.Context, f WatchFilter) (<-chan Watched, error) {
	records, err := j.Watch(ctx, f)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	to := make(chan Watched, mostReady)
	send := func(one Watched) bool {
		select {
		case to <- one:
			return true
		case <-ctx.Done():
			return false
		}
	}
	var both sync.WaitGroup
	if f.Hooks {
		notices := j.WatchHooks(ctx, f)
		both.Go(func() {
			for {
				select {
				case n := <-notices:
					send(Watched{Hook: &n, Missed: n.Missed})
				case <-ctx.Done():
					return
				}
			}
		})
	}
	both.Go(func() {
		defer cancel()
		for one, err := range records {
			if err != nil {
				j.log("the log cannot be watched any more: " + err.Error())
				return
			}
			if !send(one) {
				return
			}
		}
	})
	go func() {
		both.Wait()
		close(to)
	}()
	return to, nil
}
