package spool

import (
	"context"
	"database/sql"
	"os"
	"time"

	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/sqlite"
)

// Times of carrying.
const (
	lookEvery  = 2 * time.Second // whether another process has written
	restLooks  = 30              // between two looks at what is there in any case, or cannot be sent
	sweepEvery = time.Hour
	lostTime   = 24 * time.Hour // that the messages of a webhook wait which is in no configuration
)

// rests is how long a webhook is not looked at that cannot be sent to here.
func (s *Spool) rests() time.Duration { return restLooks * s.every }

// Loaded is the configuration as it is now.
type Loaded struct {
	Place   string
	Targets map[string]Target // by the webhook's id
	Broken  bool              // it could not be read whole: what is not there may be there again
}

// Carry sends what the processes of the user leave, until the context ends or the
// spool is closed. One
// process of all does; the others wait to take its place. load reads the
// configuration, and is called when something is to be sent.
func (s *Spool) Carry(ctx context.Context, load func(context.Context) (Loaded, error)) {
	c := &carrying{Spool: s, load: load, fresh: !s.exists()}
	for {
		if s.exists() && c.lead() {
			c.look(ctx)
		}
		wait := s.every
		if due := time.Until(c.next); due > 0 && due < wait {
			wait = due
		}
		again := time.NewTimer(wait)
		select {
		case <-again.C:
		case <-s.woken:
		case <-ctx.Done():
		case <-s.ctx.Done():
		}
		again.Stop()
		if ctx.Err() != nil || s.ctx.Err() != nil {
			return
		}
	}
}

// carrying is what Carry knows.
type carrying struct {
	*Spool
	load  func(context.Context) (Loaded, error)
	fresh bool // there was no file, so no process has carried
	began bool // the leases of the sender before are free
	wrote os.FileInfo
	next  time.Time // when something is due
	swept time.Time
}

// lead reports whether this process is the one that carries.
func (c *carrying) lead() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lock != nil || c.closed {
		return !c.closed
	}
	lock, err := os.OpenFile(c.path()+".carrier", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return false // what looks at the file says why
	}
	if got, err := disk.TryLock(lock); !got || err != nil {
		lock.Close()
		return false
	}
	c.lock = lock
	return true
}

// look sends what is due, if the file has changed or it is time.
func (c *carrying) look(ctx context.Context) {
	wrote, _ := os.Stat(c.path() + "-wal")
	now := time.Now()
	same := wrote == nil && c.wrote == nil || wrote != nil && c.wrote != nil && wrote.Size() == c.wrote.Size() && wrote.ModTime().Equal(c.wrote.ModTime())
	if c.began && same && now.Before(c.next) {
		return
	}
	err := c.work(ctx, now)
	if err != nil && ctx.Err() == nil && c.ctx.Err() == nil {
		c.logOnce("carry", "messages for webhooks wait: %v", err)
		c.next = time.Time{}
		return
	}
	c.wrote = wrote
}

func (c *carrying) work(ctx context.Context, now time.Time) error {
	if !c.began {
		if !c.fresh {
			if err := c.takeOver(ctx); err != nil {
				return err
			}
		}
		c.began = true
		c.mu.Lock()
		c.carries = true
		c.mu.Unlock()
	}
	if now.Sub(c.swept) >= sweepEvery {
		if err := c.sweep(ctx, now); err != nil {
			return err
		}
		c.swept = now
	}
	due, err := c.due(ctx, now)
	if err != nil || len(due) == 0 {
		return err
	}
	all, err := c.load(ctx)
	if err != nil {
		return err
	}
	if err := c.lose(ctx, all, now); err != nil {
		return err
	}
	for _, w := range due {
		c.start(w, all)
	}
	if again := now.Add(c.rests()); again.Before(c.next) { // for those that could not be sent to
		c.next = again
	}
	return nil
}

// start has a webhook sent to, as its configuration is now.
func (c *carrying) start(w Webhook, all Loaded) {
	c.mu.Lock()
	r := c.latest[w]
	c.mu.Unlock()
	one := &sender{Spool: c.Spool, env: c.Spool.ctx, from: r, carried: true}
	if r != nil {
		r.mu.Lock()
		one.target, one.env = r.Target, r.env
		r.mu.Unlock()
	}
	target, there := all.Targets[w.ID]
	switch {
	case w.Place == all.Place && there:
		one.target, one.from = target, nil
	case w.Place == all.Place || r == nil: // it waits for its configuration
		c.mu.Lock()
		c.rest[w] = time.Now().Add(c.rests())
		c.mu.Unlock()
		return
	}
	c.begin(one)
}

// takeOver frees the leases of the sender before, and has each webhook tried at
// once: much may have changed since.
func (c *carrying) takeOver(ctx context.Context) error {
	return c.do(ctx, "sent", func(file *sqlite.File) error {
		return file.Write(ctx, func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, "UPDATE message SET owner = '', until = 0 WHERE owner = ?", carrier)
			if err == nil {
				_, err = tx.ExecContext(ctx, "UPDATE webhook SET next = 0 WHERE failures > 0")
			}
			if err == nil {
				_, err = tx.ExecContext(ctx, `UPDATE message SET next = ? WHERE next > ? AND until = 0`, micros(time.Now()), micros(time.Now()))
			}
			return err
		})
	})
}

// due gives the webhooks that may be sent to now, and notes when to look again.
func (c *carrying) due(ctx context.Context, now time.Time) (due []Webhook, err error) {
	left := 0
	next := now.Add(c.rests())
	err = c.do(ctx, "read", func(file *sqlite.File) error {
		due, left, next = nil, 0, now.Add(c.rests())
		rows, err := file.QueryContext(ctx, `SELECT place, id, waiting, lost, CASE WHEN failures > 0 THEN next ELSE 0 END,
			(SELECT min(next) FROM message WHERE place = w.place AND webhook = w.id AND until <= ?1),
			(SELECT min(until) FROM message WHERE place = w.place AND webhook = w.id AND until > ?1)
			FROM webhook w WHERE waiting > 0`, micros(now))
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var w Webhook
			var waiting int
			var lost, after int64
			var free, taken sql.NullInt64
			if err := rows.Scan(&w.Place, &w.ID, &waiting, &lost, &after, &free, &taken); err != nil {
				return err
			}
			if lost == 0 {
				left += waiting
			}
			at := c.dueAt(w, after, free, taken)
			if !at.After(now) {
				due = append(due, w)
			} else if at.Before(next) {
				next = at
			}
		}
		return rows.Err()
	})
	c.mu.Lock()
	c.left = left
	c.mu.Unlock()
	c.next = next
	return due, err
}

// dueAt is when a webhook may be sent to.
func (c *carrying) dueAt(w Webhook, after int64, free, taken sql.NullInt64) time.Time {
	at := taken.Int64
	if free.Valid && (!taken.Valid || free.Int64 < at) {
		at = free.Int64
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	rest := c.rest[w]
	if c.senders[w] != nil { // it says when it has ended
		rest = time.Now().Add(c.every)
	}
	if due := time.UnixMicro(max(at, after)); due.After(rest) {
		return due
	}
	return rest
}

// Waiting is how much waits, as far as this process can tell, for webhooks that there are.
func (s *Spool) Waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.left
}
