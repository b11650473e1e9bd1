package memory

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"
	"time"
)

// List gives the newest memories that the view can see, at most n; 0 is all.
func (s *Store) List(ctx context.Context, n int, v View) ([]Memory, error) {
	if n <= 0 {
		n = -1 // no limit, to SQLite
	}
	where, args := v.where()
	rows, err := s.db.QueryContext(ctx, "SELECT seq, "+columns+" FROM memory WHERE "+where+" ORDER BY time DESC, seq DESC LIMIT ?", append(args, n)...)
	if err != nil {
		return nil, s.explain("listed", err)
	}
	found := []Memory{}
	err = each(rows, func(_ int64, m Memory) error {
		found = append(found, m)
		return nil
	})
	if err != nil {
		return nil, s.explain("listed", err)
	}
	return found, nil
}

// where is the condition that a row is in a view.
func (v View) where() (string, []any) {
	var conditions []string
	var args []any
	add := func(condition string, values ...any) {
		conditions, args = append(conditions, "("+condition+")"), append(args, values...)
	}
	switch {
	case v.All:
		add("TRUE")
	default:
		add("scope = 'user' OR workspace = ? AND (scope = 'workspace' OR scope = 'agent' AND agent = ? AND agent <> '')", v.Workspace, v.Agent)
	}
	if v.Session != "" {
		add("session = ?", v.Session)
	}
	if v.By != "" {
		add("agent = ?", v.By)
	}
	if v.Scope != "" {
		add("scope = ?", string(v.Scope))
	}
	for _, tag := range cleanTags(v.Tags) {
		add("EXISTS (SELECT 1 FROM json_each(tags) WHERE value = ?)", tag)
	}
	return strings.Join(conditions, " AND "), args
}

// each calls do for every row of a query for seq and columns.
func each(rows *sql.Rows, do func(seq int64, m Memory) error) error {
	defer rows.Close()
	for rows.Next() {
		var m Memory
		seq, err := scan(rows, &m)
		if err != nil {
			return err
		}
		if err := do(seq, m); err != nil {
			return err
		}
	}
	return rows.Err()
}

func scan(rows *sql.Rows, m *Memory) (seq int64, err error) {
	var micros int64
	var tags, scope string
	err = rows.Scan(&seq, &m.ID, &m.Text, &scope, &m.Workspace, &m.Agent, &m.Session, &micros, &tags, &m.File, &m.Context)
	if err != nil {
		return 0, err
	}
	m.Scope, m.Time, m.Tags = Scope(scope), time.UnixMicro(micros).UTC(), nil
	if tags != "[]" {
		err = json.Unmarshal([]byte(tags), &m.Tags)
	}
	return seq, err
}

const columns = "id, text, scope, workspace, agent, session, time, tags, file, context"
