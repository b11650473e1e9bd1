package memory

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
)

// Save keeps a memory and gives it back with its id. When it returns, the memory
// is on the disk. A text that the same scope remembers already is not kept twice:
// the older memory is given back, with the tags of both. Words of the text like
// #style are tags too.
func (s *Store) Save(ctx context.Context, m Memory) (Memory, error) {
	if err := m.Check(); err != nil {
		return Memory{}, err
	}
	saved := m
	err := s.change(ctx, func(tx *sql.Tx) (err error) {
		saved, err = keep(ctx, tx, m)
		return err
	})
	if err != nil {
		return Memory{}, s.explain("saved", err)
	}
	s.meaning.nudge()
	return saved, nil
}

func keep(ctx context.Context, tx *sql.Tx, m Memory) (Memory, error) {
	old, seq, err := same(ctx, tx, m)
	switch {
	case err != nil:
		return Memory{}, err
	case seq == 0:
		if m.ID, err = freshID(ctx, tx, m.ID); err != nil {
			return Memory{}, err
		}
		return m, insert(ctx, tx, m)
	}
	tags := cleanTags(append(slices.Clone(old.Tags), m.Tags...))
	if len(tags) == len(old.Tags) || len(tags) > maxTags {
		return old, nil
	}
	old.Tags = tags
	return old, replace(ctx, tx, seq, old)
}

// Forget deletes a memory that the view can see; [ErrUnknown] if there is none.
// Its text is overwritten in the file.
func (s *Store) Forget(ctx context.Context, id string, v View) error {
	err := s.change(ctx, func(tx *sql.Tx) error {
		where, args := v.where()
		var seq int64
		err := tx.QueryRowContext(ctx, "SELECT seq FROM memory WHERE id = ? AND "+where, append([]any{id}, args...)...).Scan(&seq)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrUnknown
		} else if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM memory WHERE seq = ?", seq); err != nil {
			return err
		}
		return note(ctx, tx, seq)
	})
	switch {
	case errors.Is(err, ErrUnknown):
		return fmt.Errorf("%w: %.80q", ErrUnknown, id)
	case err != nil:
		return s.explain("forgotten", err)
	}
	s.emptyLog(ctx)
	return nil
}

// emptyLog takes out of the write-ahead log what was forgotten. A process that
// reads just now keeps it there until the next time; that is not waited for long.
func (s *Store) emptyLog(ctx context.Context) {
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return
	}
	defer conn.Close()
	for _, pragma := range []string{"busy_timeout(200)", "wal_checkpoint(TRUNCATE)", fmt.Sprintf("busy_timeout(%d)", busyTime.Milliseconds())} {
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), "PRAGMA "+pragma)
	}
}

func (m *Memory) values() []any {
	tags := []byte("[]")
	if len(m.Tags) > 0 {
		tags, _ = json.Marshal(m.Tags) // strings cannot fail
	}
	return []any{m.ID, m.Text, string(m.Scope), m.Workspace, m.Agent, m.Session, m.Time.UnixMicro(), string(tags), m.File, m.Context, m.digest()}
}

func insert(ctx context.Context, tx *sql.Tx, m Memory) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO memory ("+columns+", digest) VALUES (?,?,?,?,?,?,?,?,?,?,?)", m.values()...)
	return err
}

func replace(ctx context.Context, tx *sql.Tx, seq int64, m Memory) error {
	_, err := tx.ExecContext(ctx, "UPDATE memory SET ("+columns+", digest) = (?,?,?,?,?,?,?,?,?,?,?) WHERE seq = ?", append(m.values(), seq)...)
	if err != nil {
		return err
	}
	return note(ctx, tx, seq)
}

// keptChanges is how many changes are remembered for indexes that were made
// before them; an older index is made anew.
const keptChanges = 10_000

// note tells other indexes of a row that is not what it was.
func note(ctx context.Context, tx *sql.Tx, seq int64) error {
	r, err := tx.ExecContext(ctx, "INSERT INTO change (seq) VALUES (?)", seq)
	if err != nil {
		return err
	}
	n, err := r.LastInsertId()
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "DELETE FROM change WHERE n <= ?", n-keptChanges)
	return err
}

// digest is equal for memories that say the same to the same readers.
func (m *Memory) digest() int64 {
	h := fnv.New64a()
	for _, part := range m.key() {
		_ = binary.Write(h, binary.LittleEndian, int64(len(part)))
		h.Write([]byte(part))
	}
	return int64(h.Sum64())
}

func (m *Memory) key() []string {
	reader := ""
	if m.Scope == ScopeAgent {
		reader = m.Agent
	}
	return []string{m.Text, string(m.Scope), m.Workspace, reader}
}

// same finds a memory that says the same to the same readers; seq is 0 if there
// is none.
func same(ctx context.Context, tx *sql.Tx, m Memory) (old Memory, seq int64, err error) {
	rows, err := tx.QueryContext(ctx, "SELECT seq, "+columns+" FROM memory WHERE digest = ? ORDER BY seq", m.digest())
	if err != nil {
		return Memory{}, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		if seq, err = scan(rows, &old); err != nil {
			return Memory{}, 0, err
		}
		if slices.Equal(old.key(), m.key()) {
			return old, seq, nil
		}
	}
	return Memory{}, 0, rows.Err()
}

// freshID gives an id that is not taken: the wanted one, or a new one that a
// person or an agent can copy without a mistake.
func freshID(ctx context.Context, tx *sql.Tx, want string) (string, error) {
	for {
		id := want
		if id == "" {
			id = "m" + strings.ToLower(rand.Text()[:8])
		}
		var there bool
		if err := tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM memory WHERE id = ?)", id).Scan(&there); err != nil {
			return "", err
		}
		if !there {
			return id, nil
		}
		if want != "" {
			return "", fmt.Errorf("the id %q is taken", want)
		}
	}
}
