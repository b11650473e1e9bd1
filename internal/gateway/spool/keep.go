package spool

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/hookway/hookway/internal/sqlite"
	"github.com/hookway/hookway/internal/webhook"
)

// Bounds of what is kept for one webhook.
const (
	maxWaiting = 10_000
	maxBytes   = 64 << 20
)

// Bounds of what is on its way into the file. Who tells more waits.
const (
	maxArriving = 256
	maxBatch    = 256                  // messages that are written together
	gatherTime  = 5 * time.Millisecond // for more of them: each write waits for the disk
	writeTime   = 20 * time.Second     // for one write
)

// arrival is a message that is not in the file yet.
type arrival struct {
	to *Receiver
	webhook.Message
	made time.Time
	env  context.Context
}

// take has a message written into the file, in the background.
func (s *Spool) take(ctx context.Context, to *Receiver, m webhook.Message) error {
	select {
	case s.room <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		<-s.room
		return webhook.ErrClosed
	}
	s.arriving = append(s.arriving, &arrival{to: to, Message: m, made: time.Now(), env: context.WithoutCancel(ctx)})
	if !s.writing {
		s.writing = true
		s.working.Go(s.write)
	}
	return nil
}

// write writes what has come, until there is nothing left.
func (s *Spool) write() {
	for first := true; ; first = false {
		if !first { // one that comes alone is written at once
			gather := time.NewTimer(gatherTime)
			select {
			case <-gather.C:
			case <-s.ctx.Done(): // what has come is written all the same
				gather.Stop()
			}
		}
		s.mu.Lock()
		n := min(len(s.arriving), maxBatch)
		batch := s.arriving[:n:n]
		s.arriving = s.arriving[n:]
		if n == 0 {
			s.arriving, s.writing = nil, false
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
		s.settleIn(batch)
	}
}

// settleIn writes a batch, and has it sent: from memory, if it cannot be written.
func (s *Spool) settleIn(batch []*arrival) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), writeTime)
	defer cancel()
	err := s.keep(ctx, batch)
	if err != nil {
		s.logOnce("keep", "messages for webhooks cannot be written to the disk, and are tried for a minute only: %v", err)
	}
	sending := map[*Receiver]bool{}
	for _, a := range batch {
		if err != nil {
			s.remember(a)
		} else if !sending[a.to] {
			sending[a.to] = true
			s.send(a.to)
		}
		<-s.room
	}
	for _, a := range batch {
		a.to.arriving.Done()
	}
}

// keep writes messages into the file. Those for which there is no room are counted.
func (s *Spool) keep(ctx context.Context, batch []*arrival) error {
	refused := map[Webhook]int{}
	err := s.do(ctx, "kept", func(file *sqlite.File) error {
		clear(refused)
		return file.Write(ctx, func(tx *sql.Tx) error {
			insert, err := tx.PrepareContext(ctx, `INSERT OR IGNORE INTO message (place, webhook, id, event, body, made, next)
				SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?6 FROM webhook WHERE place = ?1 AND id = ?2 AND waiting < ?7 AND bytes + length(?5) <= ?8`)
			if err != nil {
				return err
			}
			defer insert.Close()
			known := map[Webhook]bool{}
			for _, a := range batch {
				if w := a.to.Webhook; !known[w] {
					known[w] = true
					if _, err := tx.ExecContext(ctx, "INSERT OR IGNORE INTO webhook (place, id) VALUES (?, ?)", w.Place, w.ID); err != nil {
						return err
					}
				}
				if err := s.insertOne(ctx, tx, insert, a, refused); err != nil {
					return err
				}
			}
			return nil
		})
	})
	for w, n := range refused {
		if err == nil {
			s.sayRefused(w, n)
		}
	}
	return err
}

// insertOne writes one message, or counts it among those that were refused.
func (s *Spool) insertOne(ctx context.Context, tx *sql.Tx, insert *sql.Stmt, a *arrival, refused map[Webhook]int) error {
	w := a.to.Webhook
	done, err := insert.ExecContext(ctx, w.Place, w.ID, a.ID, a.Event, a.Body, micros(a.made), s.most, s.bytes)
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); err != nil || n == 1 {
		seq, _ := done.LastInsertId()
		a.to.mu.Lock()
		if a.to.first == 0 {
			a.to.first = seq
		}
		a.to.mu.Unlock()
		return err
	}
	var there int
	err = tx.QueryRowContext(ctx, "SELECT 1 FROM message WHERE place = ? AND webhook = ? AND id = ?", w.Place, w.ID, a.ID).Scan(&there)
	if !errors.Is(err, sql.ErrNoRows) {
		return err // it has this message already
	}
	refused[w]++
	_, err = tx.ExecContext(ctx, "UPDATE webhook SET refused = refused + 1 WHERE place = ? AND id = ?", w.Place, w.ID)
	return err
}

// sayRefused logs, now and then, that there is no room.
func (s *Spool) sayRefused(w Webhook, n int) {
	s.mu.Lock()
	s.missed[w] += n
	n = s.missed[w]
	kind := "full\x00" + w.Place + "\x00" + w.ID
	last, before := s.said[kind]
	if before && time.Since(last) < quiet {
		s.mu.Unlock()
		return
	}
	s.said[kind] = time.Now()
	delete(s.missed, w)
	s.mu.Unlock()
	s.log("webhook %s: too much waits for it (%d messages or %d MiB at most), so %d more were refused", w.ID, s.most, s.bytes>>20, n)
}
