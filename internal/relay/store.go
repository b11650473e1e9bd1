package relay

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"math"
	"os"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/sqlite"
)

// Limits bound what agents may do to each other. Zero is the default of a field,
// negative means without a limit.
type Limits struct {
	PerMinute  int // messages that one agent sends in a minute; 30
	PingPong   int // messages that two agents send to and fro without a human turn; 20
	Hops       int // how often hooks may pass a message on; 8
	Inbox      int // messages that wait for one agent; 1000
	MaxContent int // bytes of a message's text; 256 KiB
}

// noLimit is more than there can be of anything.
const noLimit = math.MaxInt32

// orDefault fills in the defaults; what has no limit becomes a very high one.
func (l Limits) orDefault() Limits {
	for _, f := range []struct {
		field   *int
		usually int
	}{{&l.PerMinute, 30}, {&l.PingPong, 20}, {&l.Hops, 8}, {&l.Inbox, 1000}, {&l.MaxContent, 256 << 10}} {
		switch {
		case *f.field == 0:
			*f.field = f.usually
		case *f.field < 0:
			*f.field = noLimit
		}
	}
	return l
}

// Options are how a store is opened; the zero value is ready.
type Options struct {
	Machine string       // what other machines call this one; "" is the host's name when the store was made
	Limits  Limits       // of the messages that are sent, and of the inboxes
	Log     *slog.Logger // gets what cannot be returned as an error, such as an envelope that means nothing

	// Wake tells the processes of agents of this machine that something has come for
	// them. It is called after that is on the disk, and only Close waits for it.
	Wake func(ctx context.Context, agents []string)
}

// Store is the relay's file. Several processes have it open at once, and all its
// methods may be called from any goroutine.
type Store struct {
	dir     string
	machine string
	limits  Limits
	log     *slog.Logger
	now     func() time.Time

	file       *sqlite.File
	opened     os.FileInfo   // nil: whether it is still there is unknown
	statements sync.Map      // text to *sql.Stmt
	writing    chan struct{} // held by the one that writes
	outgoing   signal
	forgetting signal

	mu        sync.Mutex
	consumers map[*Consumer]bool
	closed    bool
	waker     waker
}

// access reads and writes the tables, within a transaction if it has one.
type access struct {
	ctx context.Context
	s   *Store
	tx  *sql.Tx

	own  map[string]*sql.Stmt // statements that the transaction was the first to use
	news *news
}

// news is what a transaction has brought. It is published when that is on the disk.
type news struct {
	agents map[string]string // of this machine, that have something new: key to name
	out    bool              // there is something in the outbox
}

// write runs do in a transaction, and commits it if do returns no error. Within
// this process one runs at a time: SQLite would let the others sleep and look again.
// After it, those who wait for what it has brought are notified.
func (s *Store) write(ctx context.Context, do func(access) error) error {
	news := &news{agents: map[string]string{}}
	err := s.transact(ctx, news, do)
	if err == nil {
		s.spread(news)
	}
	return err
}

func (s *Store) transact(ctx context.Context, news *news, do func(access) error) error {
	select {
	case s.writing <- struct{}{}:
		defer func() { <-s.writing }()
	case <-ctx.Done():
		return ctx.Err()
	}
	own := map[string]*sql.Stmt{}
	err := s.file.Write(ctx, func(tx *sql.Tx) error {
		// What has begun is short: to watch the context in each step costs more.
		return do(access{ctx: context.WithoutCancel(ctx), s: s, tx: tx, own: own, news: news})
	})
	for text := range own {
		_, _ = s.read(ctx).statement(text) // for the next time; that will see an error too
	}
	return err
}

// read gives access outside of a transaction.
func (s *Store) read(ctx context.Context) access { return access{ctx: ctx, s: s} }

// statement prepares a text. All that use it share one. What a transaction is the
// first to use it prepares for itself: to wait there for another connection would be
// to wait for those that wait for the transaction.
func (a access) statement(text string) (*sql.Stmt, error) {
	known, ok := a.s.statements.Load(text)
	switch {
	case ok && a.tx != nil:
		return a.tx.StmtContext(a.ctx, known.(*sql.Stmt)), nil
	case ok:
		return known.(*sql.Stmt), nil
	case a.tx != nil && a.own[text] != nil:
		return a.own[text], nil
	case a.tx != nil:
		made, err := a.tx.PrepareContext(a.ctx, text)
		if err == nil {
			a.own[text] = made
		}
		return made, err
	}
	made, err := a.s.file.PrepareContext(a.ctx, text)
	if err != nil {
		return nil, err
	}
	if known, late := a.s.statements.LoadOrStore(text, made); late {
		_ = made.Close() // another goroutine was first
		return known.(*sql.Stmt), nil
	}
	return made, nil
}

// exec runs a statement, and gives how many rows it has changed.
func (a access) exec(text string, args ...any) (int64, error) {
	st, err := a.statement(text)
	if err != nil {
		return 0, err
	}
	result, err := st.ExecContext(a.ctx, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// get reads one row; it reports whether there is one.
func (a access) get(to []any, text string, args ...any) (bool, error) {
	st, err := a.statement(text)
	if err != nil {
		return false, err
	}
	err = st.QueryRowContext(a.ctx, args...).Scan(to...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// each calls do for each row that was read into to.
func (a access) each(to []any, do func() error, text string, args ...any) error {
	st, err := a.statement(text)
	if err != nil {
		return err
	}
	rows, err := st.QueryContext(a.ctx, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(to...); err != nil {
			return err
		}
		if err := do(); err != nil {
			return err
		}
	}
	return rows.Err()
}

// strings reads one column.
func (a access) strings(text string, args ...any) ([]string, error) {
	var one string
	var all []string
	err := a.each([]any{&one}, func() error { all = append(all, one); return nil }, text, args...)
	return all, err
}

// explain says what a failure of the file means. What was refused, and is not the
// file's fault, says so itself.
func (s *Store) explain(done string, err error) error {
	if err == nil || isRefusal(err) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return s.file.Explain(done, err)
}

// errEnough ends the reading of rows.
var errEnough = errors.New("enough")

// spread tells what a transaction has brought to those who wait for it, here and in
// other processes.
func (s *Store) spread(n *news) {
	if n.out {
		s.outgoing.notify()
	}
	if len(n.agents) > 0 {
		s.notifyAgents(func(agent string) bool { return n.agents[agent] != "" })
		s.waker.tell(n.agents)
	}
}
