package memory

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"
)

// missing is a memory without a vector.
type missing struct {
	seq                  int64
	agent, text, context string
	tags                 string
}

// said is what of a memory is embedded: who said it, what, and with which tags.
func (p missing) said() string {
	text := p.text
	if p.agent != "" && !strings.HasPrefix(text, p.agent+":") {
		text = p.agent + ": " + text
	}
	return text
}

// embedMissing embeds at most so many memories that have no vector of the space;
// -1 is all. Then it drops the vectors that are not needed any more.
func (s *Store) embedMissing(ctx context.Context, most int, tell func(done, left int)) error {
	sp, space, err := s.settle(ctx)
	if err != nil {
		return err
	}
	at := &s.meaning.at
	_, changes, err := s.head(ctx)
	if err != nil {
		return err
	}
	where, args, only := s.meaning.may()
	if at.space != space || at.changes != changes || at.only != only {
		*at = progress{sp: sp, space: space, changes: changes, only: only, probed: at.probed}
	}
	done := 0
	for most < 0 || done < most {
		batch, err := s.missing(ctx, space, at.after, where, args)
		if err != nil {
			return err
		}
		if len(batch) == 0 {
			return s.prune(ctx, sp, space)
		}
		if most >= 0 {
			batch = batch[:min(len(batch), most-done)]
		}
		n, err := s.embedBatch(ctx, sp, space, batch)
		if err != nil {
			return err
		}
		at.after = batch[len(batch)-1].seq
		done += n
		if tell != nil {
			left, err := s.left(ctx, space)
			if err != nil {
				return err
			}
			tell(done, left)
		}
	}
	return nil
}

// missing reads the next memories without a vector: as many as one question takes.
func (s *Store) missing(ctx context.Context, space, after int64, where string, args []any) ([]missing, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT seq, agent, text, context, tags FROM memory
		WHERE `+where+` AND seq > ? AND NOT EXISTS (SELECT 1 FROM vector WHERE space = ? AND vector.seq = memory.seq) ORDER BY seq LIMIT ?`,
		append(slices.Clone(args), after, space, batchTexts)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var batch []missing
	size := 0
	for rows.Next() {
		var p missing
		if err := rows.Scan(&p.seq, &p.agent, &p.text, &p.context, &p.tags); err != nil {
			return nil, err
		}
		size += min(len(p.text), maxEmbedded)
		if len(batch) > 0 && size > batchBytes {
			break
		}
		batch = append(batch, p)
	}
	return batch, rows.Err()
}

// left counts the memories without a vector.
func (s *Store) left(ctx context.Context, space int64) (n int, err error) {
	if where, args, only := s.meaning.may(); only > 0 {
		err = s.db.QueryRowContext(ctx, "SELECT count(*) FROM memory WHERE "+where+" AND NOT EXISTS (SELECT 1 FROM vector WHERE space = ? AND vector.seq = memory.seq)",
			append(args, space)...).Scan(&n)
		return n, err
	}
	err = s.db.QueryRowContext(ctx, "SELECT (SELECT count(*) FROM memory) - (SELECT count(*) FROM vector WHERE space = ?)", space).Scan(&n)
	return n, err
}

// embedBatch embeds a few memories. If the embedder fails with all of them, but
// not with a sentence of ours, each is tried by itself, and one that cannot be
// embedded stays without a vector: words find it.
func (s *Store) embedBatch(ctx context.Context, sp Space, space int64, batch []missing) (int, error) {
	vectors, err := s.ask(ctx, batch)
	if err == nil {
		return len(batch), s.putVectors(ctx, sp, space, batch, vectors)
	}
	if _, err := s.meaning.embed(ctx, []string{probeText}, false); err != nil {
		return 0, &embedderError{err}
	}
	if len(batch) == 1 {
		return 0, nil
	}
	n := 0
	for i := range batch {
		made, err := s.embedBatch(ctx, sp, space, batch[i:i+1])
		if err != nil {
			return n, err
		}
		n += made
	}
	return n, nil
}

func (s *Store) ask(ctx context.Context, batch []missing) ([][]float32, error) {
	texts := make([]string, len(batch))
	for i, p := range batch {
		texts[i] = p.said()
	}
	ctx, cancel := context.WithTimeout(ctx, batchTime)
	defer cancel()
	return s.meaning.embed(ctx, texts, false)
}

// putVectors keeps vectors, unless their memories are not what they were.
func (s *Store) putVectors(ctx context.Context, sp Space, space int64, batch []missing, vectors [][]float32) error {
	if len(vectors[0]) != sp.Dims { // the model was replaced just now
		s.meaning.at = progress{}
		return &embedderError{errChanged}
	}
	return s.change(ctx, func(tx *sql.Tx) error {
		for i, p := range batch {
			v := pack(vectors[i])
			_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO vector (space, seq, scale, data)
				SELECT ?, seq, ?, ? FROM memory WHERE seq = ? AND text = ? AND agent = ? AND context = ?`,
				space, float64(v.scale), v.blob(), p.seq, p.text, p.agent, p.context)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// pruned is how many vectors are dropped at once, and unusedDays how long those of
// another model are kept for who may go back to it.
const (
	pruned     = 500
	unusedDays = 30
)

// prune drops what a model gave in other forms, and models that were not used
// for long. The space is complete: until then its predecessor stays.
func (s *Store) prune(ctx context.Context, sp Space, space int64) error {
	rows, err := s.db.QueryContext(ctx, "SELECT n FROM space WHERE n <> ? AND (model = ? AND prefix = ? AND (dims <> ? OR era > 0) OR used < ?)",
		space, sp.Model, sp.Prefix, sp.Dims, time.Now().Unix()/86400-unusedDays)
	if err != nil {
		return err
	}
	var old []int64
	for rows.Next() {
		var n int64
		if err := rows.Scan(&n); err != nil {
			rows.Close()
			return err
		}
		old = append(old, n)
	}
	rows.Close()
	if err := rows.Err(); err != nil {
		return err
	}
	for _, n := range slices.Sorted(slices.Values(old)) {
		for more := true; more; {
			err := s.change(ctx, func(tx *sql.Tx) error {
				r, err := tx.ExecContext(ctx, "DELETE FROM vector WHERE n IN (SELECT n FROM vector WHERE space = ? LIMIT ?)", n, pruned)
				if err != nil {
					return err
				}
				dropped, err := r.RowsAffected()
				if more = dropped > 0; more || err != nil {
					return err
				}
				_, err = tx.ExecContext(ctx, "DELETE FROM space WHERE n = ?", n)
				return err
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
