package approve

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/sqlite"
)

// How those that wait look at the file, which other processes write.
const (
	lookTime   = 50 * time.Millisecond // of those that wait for one answer
	changeTime = 200 * time.Millisecond
	beatTime   = 10 * time.Second        // between signs that somebody is there
	aliveTime  = 3*beatTime + beatTime/2 // after the last one
	leaveTime  = time.Second
)

// bell wakes those in this process that wait for a file.
type bell struct {
	mu   sync.Mutex
	next chan struct{}
}

var bells sync.Map // by path

func bellOf(path string) *bell {
	b, _ := bells.LoadOrStore(path, &bell{next: make(chan struct{})})
	return b.(*bell)
}

// rings is closed at the next change.
func (b *bell) rings() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.next
}

func (b *bell) ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	close(b.next)
	b.next = make(chan struct{})
}

// Wait waits until a request is no longer open, also because nobody answered in time, or
// the context ends.
func (s *Store) Wait(ctx context.Context, code string) (Request, error) {
	for {
		rings := s.bell.rings()
		r, err := s.Get(ctx, code)
		if err != nil || r.State != Waiting {
			return r, err
		}
		select {
		case <-ctx.Done():
			return r, ctx.Err()
		case <-rings:
		case <-time.After(min(lookTime, max(r.Until.Sub(s.now()), time.Millisecond))):
		}
	}
}

// Hold waits for the answer to a request, as a call that waits in its hook. The request is
// open for as long as that: also when the machine slept, or its clock was set. If nobody
// answers within wait, it has timed out.
//
// A request that is gone is a *RefusedError: the call can be asked about anew.
func (s *Store) Hold(ctx context.Context, code, report string, wait time.Duration) (Request, error) {
	ends := time.Now().Add(wait) // with the monotonic clock, as hosts count
	defer s.leave(ctx, code, report)
	beat := time.Now()
	for {
		rings := s.bell.rings()
		r, err := s.Get(ctx, code)
		left := time.Until(ends)
		switch {
		case err != nil || r.stored != isWaiting:
			return r, err
		case left <= 0:
			return s.timeOut(ctx, code)
		case r.State != Waiting || time.Since(beat) >= beatTime:
			if err := s.beat(ctx, code, report, left); err != nil {
				return r, err
			}
			beat = time.Now()
		}
		select {
		case <-ctx.Done():
			return r, ctx.Err()
		case <-rings:
		case <-time.After(min(lookTime, left)):
		}
	}
}

// Beside waits for the answer to a request while the agent asks its user, as Wait does.
func (s *Store) Beside(ctx context.Context, code, report string) (Request, error) {
	err := s.write(ctx, func(tx *sql.Tx) error { return attend(ctx, tx, code, report, s.now()) })
	if err != nil {
		return Request{}, s.explain("changed", err)
	}
	defer s.leave(ctx, code, report)
	return s.Wait(ctx, code)
}

// leave ends what attend began; else it ends with its last beat.
func (s *Store) leave(ctx context.Context, code, report string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTime)
	defer cancel()
	_, _ = s.file.ExecContext(ctx, "DELETE FROM waiter WHERE code = ? AND report = ?", code, report)
}

// beat says that a call still waits, and how much longer.
func (s *Store) beat(ctx context.Context, code, report string, left time.Duration) error {
	return s.explain("changed", s.file.Write(ctx, func(tx *sql.Tx) error {
		now := s.now()
		if err := attend(ctx, tx, code, report, now); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "UPDATE request SET stopped = ?, until = ? WHERE code = ? AND state = ?", sqlite.Micros(now), sqlite.Micros(now.Add(left)), code, isWaiting)
		return err
	}))
}

// timeOut ends a request that nobody answered, unless an equal call waits longer for it.
func (s *Store) timeOut(ctx context.Context, code string) (r Request, err error) {
	err = s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE request SET state = ? WHERE code = ? AND state = ? AND until <= ?", isTimedOut, code, isWaiting, sqlite.Micros(s.now().Add(time.Second)))
		if err == nil {
			r, err = s.get(ctx, tx, code)
		}
		if r.State == Waiting {
			r.State = TimedOut // for this call
		}
		return err
	})
	return r, s.explain("changed", err)
}

// Joined gives the open request about a call, if there is one; nil if not.
func (s *Store) Joined(ctx context.Context, c Call) (*Request, error) {
	key, err := c.key()
	if err != nil {
		return nil, err
	}
	r, err := s.read(s.file.QueryRowContext(ctx, "SELECT "+columns+" FROM request WHERE call = ? AND state = ? ORDER BY stopped DESC LIMIT 1", s.alive(), key, isWaiting))
	if errors.Is(err, sql.ErrNoRows) || err == nil && r.State != Waiting {
		return nil, nil
	}
	return &r, s.explain("read", err)
}

// Changes tells that something has changed, whoever did it: look at [Store.List]. Several
// changes are told once. The channel is closed when the context ends, or when the file
// cannot be read any more.
func (s *Store) Changes(ctx context.Context) (<-chan struct{}, error) {
	conn, err := s.file.Conn(ctx)
	if err != nil {
		return nil, s.explain("read", err)
	}
	version := func() (v int64, err error) {
		return v, conn.QueryRowContext(ctx, "PRAGMA data_version").Scan(&v)
	}
	last, err := version()
	if err != nil {
		return nil, errors.Join(s.explain("read", err), conn.Close())
	}
	changes := make(chan struct{}, 1)
	go func() {
		defer close(changes)
		defer conn.Close()
		tick := time.NewTicker(changeTime)
		defer tick.Stop()
		for {
			rings := s.bell.rings()
			now, err := version()
			if err != nil {
				return
			}
			if now != last {
				last = now
				select {
				case changes <- struct{}{}:
				default:
				}
			}
			select {
			case <-ctx.Done():
				return
			case <-rings:
			case <-tick.C:
			}
		}
	}()
	return changes, nil
}

// Present says, until the context ends, that somebody is there who would answer: a
// terminal that shows what is asked, or a channel. what is for people.
func (s *Store) Present(ctx context.Context, what string) error {
	id := rand.Text()
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTime)
		defer cancel()
		_, _ = s.file.ExecContext(ctx, "DELETE FROM present WHERE id = ?", id) // else it ends with its last beat
	}()
	tick := time.NewTicker(beatTime)
	defer tick.Stop()
	for {
		err := s.file.Write(ctx, func(tx *sql.Tx) error {
			if _, err := tx.ExecContext(ctx, "DELETE FROM present WHERE beat < ?", s.alive()); err != nil {
				return err
			}
			_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO present (id, what, beat) VALUES (?, ?, ?)", id, what, sqlite.Micros(s.now()))
			return err
		})
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return s.explain("changed", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// Attended reports whether somebody is there who would answer.
func (s *Store) Attended(ctx context.Context) (yes bool, err error) {
	err = s.file.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM present WHERE beat > ? AND beat <= ?)", s.alive(), sqlite.Micros(s.now().Add(clockSlack))).Scan(&yes)
	return yes, s.explain("read", err)
}
