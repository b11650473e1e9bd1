package memory

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
)

// fullText is what SQLite's own full-text search gives: stems, any of the words.
func fullText(t *testing.T, all []Memory) ask {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "fts.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	ctx := context.Background()
	if _, err := db.ExecContext(ctx, "CREATE VIRTUAL TABLE f USING fts5(id UNINDEXED, text, tokenize = 'porter unicode61')"); err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, "BEGIN"); err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		if _, err := db.ExecContext(ctx, "INSERT INTO f VALUES (?, ?)", m.ID, m.Agent+": "+m.Text+" "+strings.Join(m.Tags, " ")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.ExecContext(ctx, "COMMIT"); err != nil {
		t.Fatal(err)
	}
	return func(query string, k int) (ids []string) {
		var any []string
		for _, w := range words(query) {
			any = append(any, `"`+w+`"`)
		}
		rows, err := db.QueryContext(ctx, "SELECT id FROM f WHERE f MATCH ? ORDER BY bm25(f) LIMIT ?", strings.Join(any, " OR "), k)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var id string
			if err := rows.Scan(&id); err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		return ids
	}
}
