package memory

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
)

// mostIndexes is how many workspaces a store keeps indexes of.
const mostIndexes = 8

// Search gives the k memories that fit a query best, the best one first, of those
// that the view can see. Words are never required all: a memory that has some of
// them, or words that go with them, is found.
func (s *Store) Search(ctx context.Context, query string, k int, v View) ([]Memory, error) {
	found, err := s.Find(ctx, query, k, v)
	return found.Memories, err
}

// Found is what a search gives.
type Found struct {
	Memories []Memory
	Warning  string // that the embedder fails, and only words were compared; said once
}

// Find is [Store.Search], and says if the embedder could not be asked.
func (s *Store) Find(ctx context.Context, query string, k int, v View) (Found, error) {
	if k <= 0 {
		return Found{}, fmt.Errorf("-k %d: ask for one memory or more", k)
	}
	vector, warning := s.question(ctx, query)
	s.mu.Lock()
	defer s.mu.Unlock()
	x, err := s.index(ctx, v)
	if err != nil {
		return Found{}, s.explain("searched", err)
	}
	hits, err := s.hits(ctx, x, query, k, vector, v.sees())
	if err != nil {
		return Found{}, s.explain("searched", err)
	}
	found := Found{Memories: []Memory{}, Warning: warning}
	for _, h := range hits[:min(k, len(hits))] {
		m, err := s.row(ctx, x.docs[h.doc].seq)
		if errors.Is(err, sql.ErrNoRows) { // forgotten meanwhile
			continue
		} else if err != nil {
			return Found{}, s.explain("searched", err)
		}
		m.Score = h.score
		found.Memories = append(found.Memories, m)
	}
	return found, nil
}

// hits ranks by words, and by meaning too if there is a vector of the query.
func (s *Store) hits(ctx context.Context, x *index, query string, most int, vector []float32, sees func(*document) bool) ([]hit, error) {
	if vector == nil {
		return x.score(query, most, sees, tuned), nil
	}
	hits := x.score(query, max(most, fused.ranked), sees, tuned)
	sp := s.meaning.space
	sp.Dims = len(vector)
	k, err := s.sketchOf(ctx, x, sp)
	if err != nil || k == nil || k.count == 0 {
		return hits, err
	}
	return s.fuse(ctx, x, hits, vector, sees)
}

// sees is the view's condition for documents of an index; where has it for rows.
func (v View) sees() func(*document) bool {
	tags := cleanTags(v.Tags)
	return func(d *document) bool {
		switch {
		case d.gone, d.scope == ScopeAgent && !v.All && (d.agent != v.Agent || v.Agent == ""),
			v.Session != "" && (d.session == nil || d.session.id != v.Session), v.By != "" && d.agent != v.By, v.Scope != "" && d.scope != v.Scope:
			return false
		}
		for _, tag := range tags {
			if !slices.Contains(d.tags, tag) {
				return false
			}
		}
		return true
	}
}

// index gives the index of a view's workspace, with all that is saved now.
func (s *Store) index(ctx context.Context, v View) (*index, error) {
	workspace := v.Workspace
	if v.All {
		workspace = ""
	}
	i := slices.IndexFunc(s.indexes, func(x *index) bool { return x.workspace == workspace && x.all == v.All })
	var x *index
	if i >= 0 {
		x = s.indexes[i]
		s.indexes = slices.Delete(s.indexes, i, i+1)
	} else {
		x = newIndex(workspace, v.All)
	}
	x, err := s.refresh(ctx, x)
	// Also one that is not complete: who searches next goes on from there, and may
	// have no more time than this one.
	s.indexes = slices.Insert(s.indexes, 0, x)
	s.indexes = s.indexes[:min(len(s.indexes), mostIndexes)]
	return x, err
}

// refresh reads what was saved and changed since the index was last used. With an
// error the index has all up to its rows and changes.
func (s *Store) refresh(ctx context.Context, x *index) (*index, error) {
	rows, changes, err := s.head(ctx)
	if err != nil {
		return x, err
	}
	if changes > x.changes && x.rows > 0 {
		if x, err = s.follow(ctx, x, changes); err != nil {
			return x, err
		}
	}
	x.changes = changes
	if rows <= x.rows {
		return x, nil
	}
	where, args := (View{All: true}).where()
	if !x.all {
		where, args = "(workspace = ? OR scope = 'user')", []any{x.workspace}
	}
	found, err := s.db.QueryContext(ctx, "SELECT seq, "+columns+" FROM memory WHERE seq > ? AND seq <= ? AND "+where+" ORDER BY seq", append([]any{x.rows, rows}, args...)...)
	if err != nil {
		return x, err
	}
	err = each(found, func(seq int64, m Memory) error {
		x.add(seq, &m)
		x.rows = seq // what was added stays, whatever comes
		return nil
	})
	if err != nil {
		return x, err
	}
	x.rows = rows
	return x, nil
}

// follow takes out rows that are gone. A row that was changed, and changes that
// are kept no more, need a new index.
func (s *Store) follow(ctx context.Context, x *index, to int64) (*index, error) {
	fresh := newIndex(x.workspace, x.all)
	if to-x.changes > keptChanges {
		return fresh, nil
	}
	rows, err := s.db.QueryContext(ctx, "SELECT seq, EXISTS (SELECT 1 FROM memory WHERE memory.seq = change.seq) FROM change WHERE n > ? AND n <= ? ORDER BY n", x.changes, to)
	if err != nil {
		return x, err
	}
	defer rows.Close()
	for rows.Next() {
		var seq int64
		var there bool
		if err := rows.Scan(&seq, &there); err != nil {
			return x, err
		}
		if _, indexed := x.bySeq[seq]; !indexed {
			continue
		}
		if there {
			return fresh, nil
		}
		x.remove(seq)
	}
	return x, rows.Err()
}

func (s *Store) row(ctx context.Context, seq int64) (m Memory, err error) {
	rows, err := s.db.QueryContext(ctx, "SELECT seq, "+columns+" FROM memory WHERE seq = ?", seq)
	if err != nil {
		return m, err
	}
	defer rows.Close()
	if !rows.Next() {
		return m, errors.Join(rows.Err(), sql.ErrNoRows)
	}
	_, err = scan(rows, &m)
	return m, err
}
