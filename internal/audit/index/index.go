package index

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/logline"
)

// Index answers questions about one log. It may be used by several goroutines at once.
type Index struct {
	dir   string
	plain plain
	log   *slog.Logger

	life context.Context // of what goes on after an answer
	end  context.CancelFunc
	all  sync.WaitGroup

	work    chan struct{} // held by who follows the log; of it is:
	kept    *kept         // nil: it is not open
	logs    []*followed   // the files of the log, oldest first
	idle    *time.Timer   // closes what is open
	changed bool          // what is known, since it was published

	mu     sync.Mutex // of what follows
	now    *snapshot
	behind bool      // somebody follows the log beside the answers
	closed bool      //
	failed error     // why there is no index for now
	until  time.Time // until when it is not tried again
	why    string    // why it was built anew, until it is closed
	counts counts
}

// Bounds of the time that an answer takes. The tests, which ask what and not how fast,
// have longer ones.
var (
	patience   = 2 * time.Second       // in all
	followTime = time.Second           // to read what is new of the last file
	olderTime  = 20 * time.Millisecond // to read what is not indexed of others
)

// Bounds of what is done besides.
const (
	countTime  = 25 * time.Millisecond  // to count what is wanted, after the page
	turnTime   = 200 * time.Millisecond // of a turn beside the answers
	idleTime   = 2 * time.Minute        // after the last question, what is open is closed
	failedTime = 30 * time.Second       // until what failed is tried again
)

// Open gives the index of a log's folder. Nothing is read or made before something is
// asked. Close ends what goes on.
func Open(dir string, log *slog.Logger) *Index {
	x := &Index{dir: dir, plain: plain{dir}, log: logline.Or(log), work: make(chan struct{}, 1), now: &snapshot{}}
	x.life, x.end = context.WithCancel(context.Background())
	return x
}

// Close ends what goes on, and closes the file.
func (x *Index) Close() error {
	x.mu.Lock()
	x.closed = true
	x.mu.Unlock()
	x.end()
	x.all.Wait()
	x.work <- struct{}{}
	defer func() { <-x.work }()
	return x.release()
}

// release closes the file and forgets what is in memory. The caller holds work.
func (x *Index) release() error {
	if x.idle != nil {
		x.idle.Stop()
	}
	x.mu.Lock()
	x.now, x.counts = &snapshot{}, counts{}
	x.mu.Unlock()
	k := x.kept
	x.kept, x.logs, x.idle = nil, nil, nil
	if k == nil {
		return nil
	}
	return k.Close()
}

// enter takes the right to follow the log.
func (x *Index) enter(ctx context.Context) error {
	select {
	case x.work <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the index is busy: %w", ctx.Err())
	}
}

// errClosed is of an index that was closed.
var errClosed = errors.New("the index is closed")

// current gives what is indexed, after what is new was read as far as there is time. An
// error says why there is no index now.
func (x *Index) current(ctx context.Context) (*snapshot, error) {
	x.mu.Lock()
	failed, closed := x.failed, x.closed
	if time.Now().After(x.until) {
		failed = nil
	}
	x.mu.Unlock()
	if closed {
		failed = errClosed
	}
	if failed != nil {
		return nil, failed
	}
	if err := x.enter(ctx); err != nil {
		return nil, err
	}
	defer func() { <-x.work }()
	more, err := x.turn(ctx, followTime, olderTime)
	if err != nil {
		if ctx.Err() == nil {
			x.fail(err)
		}
		return nil, err
	}
	if more {
		x.goOn()
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.now, nil
}

// turn follows the log for some time; more says that it did not come to the end.
func (x *Index) turn(ctx context.Context, newest, older time.Duration) (more bool, err error) {
	if x.kept == nil {
		if err := x.open(ctx); err != nil {
			return false, err
		}
	}
	if x.idle == nil {
		x.idle = time.AfterFunc(idleTime, x.rest)
	} else {
		x.idle.Reset(idleTime)
	}
	return x.follow(ctx, newest, older)
}

// open opens the file.
func (x *Index) open(ctx context.Context) error {
	k, why, err := openKept(ctx, filepath.Join(x.dir, FileName))
	if err != nil {
		return err
	}
	all, err := k.load(ctx)
	if err != nil {
		err = errors.Join(k.Explain("read", err), k.Close())
		if !useless(err) {
			return err
		}
		why = builtAnew(err)
		if err := removeKept(ctx, k.Path()); err != nil {
			return err
		}
		if k, _, err = openKept(ctx, k.Path()); err != nil {
			return err
		}
		all = map[int64]*known{}
	}
	x.kept = k
	x.remember(all)
	if why != "" {
		x.log.Warn(why)
		x.mu.Lock()
		x.why = why
		x.mu.Unlock()
	}
	return nil
}

// rest closes what nobody has asked for in a while.
func (x *Index) rest() {
	select {
	case x.work <- struct{}{}:
		defer func() { <-x.work }()
		if err := x.release(); err != nil {
			x.log.Warn(err.Error())
		}
		x.mu.Lock()
		x.why = ""
		x.mu.Unlock()
	default: // somebody asks
	}
}

// fail notes why there is no index for now. The caller holds work.
func (x *Index) fail(err error) {
	x.log.Warn("the audit log is read without its index", logline.Err, err)
	if closed := x.release(); closed != nil {
		x.log.Warn(closed.Error())
	}
	x.mu.Lock()
	x.failed, x.until = err, time.Now().Add(failedTime)
	x.mu.Unlock()
}

// goOn follows the log beside the answers, until its end.
func (x *Index) goOn() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.behind || x.closed {
		return
	}
	x.behind = true
	x.all.Go(func() {
		defer func() {
			x.mu.Lock()
			x.behind = false
			x.mu.Unlock()
		}()
		for more := true; more && x.life.Err() == nil; {
			if x.enter(x.life) != nil {
				return
			}
			var err error
			if more, err = x.turn(x.life, turnTime, turnTime); err != nil && x.life.Err() == nil {
				x.fail(err)
				more = false
			}
			<-x.work
		}
	})
}

// spoilt has the index made anew, since it is not as it was written.
func (x *Index) spoilt(ctx context.Context, why error) {
	if x.enter(ctx) != nil {
		return
	}
	defer func() { <-x.work }()
	path := filepath.Join(x.dir, FileName)
	err := x.release()
	if err = errors.Join(err, removeKept(ctx, path)); err != nil {
		x.fail(err)
		return
	}
	x.mu.Lock()
	x.why = builtAnew(why)
	x.log.Warn(x.why)
	x.mu.Unlock()
}
