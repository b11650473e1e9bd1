package memory

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/backoff"
	"github.com/hookway/hookway/internal/disk"
)

// meaning is the embedder of a store, and how it is doing.
type meaning struct {
	embedder Embedder
	space    Space
	wake     chan struct{} // something was saved

	mu    sync.Mutex
	pause backoff.Backoff // after a failure
	until time.Time       // it is not asked before
	said  bool            // that it fails
	only  []string        // whose memories it may have; nil: all

	working sync.Mutex // held by who embeds
	at      progress   // of who embeds
}

// progress is how far a store is embedded.
type progress struct {
	sp                    Space
	space, after, changes int64
	only                  int // of how many workspaces; 0: of all
	probed                time.Time
}

// How long an embedder that failed is left alone, and how often a process looks
// for what others have saved.
const (
	firstPause = time.Second
	mostPause  = time.Minute
	lookEvery  = 30 * time.Second
	askedMost  = 30 * time.Second // of a question, whatever the embedder itself allows
	probeEvery = 10 * time.Minute // the model may be replaced under its name
)

// newPause gives the pauses after failures of an embedder.
func newPause() backoff.Backoff { return backoff.Backoff{First: firstPause, Most: mostPause} }

// Use gives the store an embedder: a search then goes by meaning besides words.
// It must be called before anything else is. Vectors are made by [Store.Embed] or
// [Store.Follow]; saving never waits for them.
func (s *Store) Use(e Embedder, space Space) {
	s.meaning.embedder, s.meaning.space = e, space
	s.meaning.wake = make(chan struct{}, 1)
	s.meaning.pause = newPause()
}

// Only lets the embedder have the memories of a workspace, besides those that the
// user's agents see everywhere; said again, of one more. Without it the embedder
// gets all: for whom a workspace names an embedder, others do not want theirs sent.
func (s *Store) Only(workspace string) {
	m := &s.meaning
	m.mu.Lock()
	known := slices.Contains(m.only, workspace)
	if !known {
		m.only = append(m.only, workspace)
	}
	m.mu.Unlock()
	if !known {
		m.nudge()
	}
}

// may is the condition of memories that the embedder may have, and of how many
// workspaces they are; 0 is of all.
func (m *meaning) may() (where string, args []any, only int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.only) == 0 {
		return "TRUE", nil, 0
	}
	for _, w := range m.only {
		args = append(args, w)
	}
	return "(scope = 'user' OR workspace IN (?" + strings.Repeat(",?", len(m.only)-1) + "))", args, len(m.only)
}

// Embeds reports whether the store has an embedder that may be asked now.
func (s *Store) Embeds() bool { return s.meaning.ready(time.Now()) }

// ready reports whether the embedder may be asked now.
func (m *meaning) ready(now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.embedder != nil && !now.Before(m.until)
}

// done notes how a question went, and gives a warning if that is news.
func (m *meaning) done(err error) (warning string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err == nil {
		m.pause.Reset()
		m.until, m.said = time.Time{}, false
		return ""
	}
	m.until = time.Now().Add(m.pause.Next())
	if m.said {
		return ""
	}
	m.said = true
	return "searched by words alone: " + err.Error()
}

// question gives the vector of a query; nil if there is none to be had now, with
// a warning the first time.
func (s *Store) question(ctx context.Context, query string) (v []float32, warning string) {
	m := &s.meaning
	if !m.ready(time.Now()) || strings.TrimSpace(query) == "" {
		return nil, ""
	}
	within, cancel := context.WithTimeout(ctx, askedMost)
	defer cancel()
	vectors, err := m.embed(within, []string{query}, true)
	if ctx.Err() != nil { // the caller has gone
		return nil, ""
	}
	if warning = m.done(err); err != nil {
		return nil, warning
	}
	return vectors[0], ""
}

// embed asks the embedder and looks at what it gives: it may be anybody's.
func (m *meaning) embed(ctx context.Context, texts []string, query bool) ([][]float32, error) {
	vectors, err := m.embedder.Embed(ctx, texts, query)
	if err != nil {
		return nil, err
	}
	return checked(vectors, len(texts), 0)
}

// nudge tells who embeds that there is something to do.
func (m *meaning) nudge() {
	if m.embedder == nil {
		return
	}
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// Follow embeds what is saved, by whatever process, until the context ends. An
// embedder that fails is tried again; what went wrong goes to report, once for
// each outage, if it is not nil.
func (s *Store) Follow(ctx context.Context, report func(error)) {
	m := &s.meaning
	if m.embedder == nil {
		return
	}
	pause := newPause()
	failing := false
	for ctx.Err() == nil {
		err := s.Embed(ctx, nil)
		wait, wake := lookEvery, m.wake
		switch {
		case err == nil || errors.Is(err, ErrEmbedding):
			pause.Reset()
			failing = false
		case ctx.Err() != nil:
			return
		default:
			wait, wake = pause.Next(), nil
			if !failing && report != nil {
				report(err)
			}
			failing = true
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-wake:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// ErrEmbedding is the error of a store whose vectors another process makes.
var ErrEmbedding = errors.New("another process is making the vectors of these memories")

// Embed makes all vectors that are missing, in bounded batches, and returns when
// none is. It says after each batch how many it made and how many are left.
func (s *Store) Embed(ctx context.Context, progress func(done, left int)) error {
	return s.embedMost(ctx, -1, progress)
}

// EmbedSome makes at most so many of the missing vectors: for a process that
// shall end soon. If none is missing, the embedder is not asked.
func (s *Store) EmbedSome(ctx context.Context, most int) error {
	var space int64
	err := s.db.QueryRowContext(ctx, "SELECT n FROM space WHERE model = ? AND prefix = ? ORDER BY n DESC LIMIT 1", s.meaning.space.Model, s.meaning.space.Prefix).Scan(&space)
	if err == nil {
		if left, err := s.left(ctx, space); err == nil && left <= 0 {
			return nil
		}
	}
	return s.embedMost(ctx, most, nil)
}

func (s *Store) embedMost(ctx context.Context, most int, progress func(done, left int)) error {
	m := &s.meaning
	if m.embedder == nil {
		return errors.New("no embedder is configured; set memory.embedder in hookway.yaml")
	}
	m.working.Lock()
	defer m.working.Unlock()
	lock, err := os.OpenFile(s.path+".embed", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("vectors cannot be made: %w", err)
	}
	defer lock.Close() // gives the lock back
	if got, err := disk.TryLock(lock); err != nil {
		return fmt.Errorf("vectors cannot be made: %w", err)
	} else if !got {
		return ErrEmbedding
	}
	err = s.embedMissing(ctx, most, progress)
	var asked *embedderError
	if err == nil || errors.As(err, &asked) || ctx.Err() != nil {
		return err
	}
	return s.explain("embedded", err)
}

// embedderError is a failure of the embedder, not of the store.
type embedderError struct{ error }

func (e *embedderError) Unwrap() error { return e.error }

// probeText is embedded to see whether a model is still what it was.
const probeText = "The quick brown fox jumps over the lazy dog, and hookway remembers it."

// sameModel is how alike the probe must be. Other hardware and batches move it by
// less than a thousandth.
const sameModel = 0.98

// settle finds the space that vectors go to now, by what the model says today.
func (s *Store) settle(ctx context.Context) (Space, int64, error) {
	m := &s.meaning
	if m.at.space != 0 && time.Since(m.at.probed) < probeEvery {
		return m.at.sp, m.at.space, nil
	}
	vectors, err := m.embed(ctx, []string{probeText}, false)
	if err != nil {
		return Space{}, 0, &embedderError{err}
	}
	sp := m.space
	sp.Dims = len(vectors[0])
	today := time.Now().Unix() / 86400
	var n int64
	err = s.change(ctx, func(tx *sql.Tx) error {
		at, probe, used, err := spaceFor(ctx, tx, sp)
		if err != nil {
			return err
		}
		if at != 0 && len(probe.data) == sp.Dims {
			known, err := unit(floats(probe))
			if err == nil && pack(known).dot(vectors[0]) >= sameModel {
				n = at
				if used < today {
					_, err = tx.ExecContext(ctx, "UPDATE space SET used = ? WHERE n = ?", today, n)
				}
				return err
			}
		}
		made, err := tx.ExecContext(ctx, `INSERT INTO space (model, dims, prefix, era, probe, used)
			VALUES (?1, ?2, ?3, 1 + coalesce((SELECT max(era) FROM space WHERE model = ?1 AND dims = ?2 AND prefix = ?3), 0), ?4, ?5)`,
			sp.Model, sp.Dims, sp.Prefix, pack(vectors[0]).blob(), today)
		if err != nil {
			return err
		}
		n, err = made.LastInsertId()
		return err
	})
	m.at.probed = time.Now()
	return sp, n, err
}

func floats(p packed) []float32 {
	out := make([]float32, len(p.data))
	for i, b := range p.data {
		out[i] = float32(b)
	}
	return out
}
