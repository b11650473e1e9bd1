package relay

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/sqlite"
)

// plans says how SQLite runs each statement that a store has used so far.
func plans(t *testing.T, s *Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	s.statements.Range(func(text, _ any) bool {
		query := text.(string)
		rows, err := s.file.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, make([]any, strings.Count(query, "?"))...)
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		defer rows.Close()
		for rows.Next() {
			var id, parent, unused int
			var step string
			if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
				t.Fatal(err)
			}
			all[query] += step + "\n"
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		return true
	})
	return all
}

// conversation has two agents write to each other, which uses what each message does.
func conversation(t *testing.T, s *Store) {
	t.Helper()
	ok := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	consumers := map[string]*Consumer{}
	for _, name := range []string{"Alice", "Bob"} {
		consumer, err := s.Join(t.Context(), Presence{Name: name, Session: "s-" + name, Kind: KindWrapped})
		ok(err)
		consumers[name] = consumer
	}
	ok(s.Ingest(t.Context(), Source{Stream: "x", Created: s.now()}, 1, [][]byte{
		[]byte(`{"v":1,"machine":"m2","agent":"Alice","message":{"id":"01aaaaaaaaaaaaaaaaaaaaaaaa","from":"Eve","to":"Alice","content":"hello"}}`),
		[]byte(`{"v":1,"machine":"m2","message":{"id":"01aaaaaaaaaaaaaaaaaaaaaaab","from":"Eve","to":"*","content":"all"}}`),
	}))
	for _, consumer := range consumers {
		for got, err := consumer.Take(t.Context(), 10); len(got) > 0; got, err = consumer.Take(t.Context(), 10) {
			ok(err)
			for _, m := range got {
				ok(consumer.Suppress(t.Context(), m.Message.ID, ""))
			}
		}
	}
	for _, pair := range [][2]string{{"Alice", "Bob"}, {"Bob", "Alice"}} {
		from, to := pair[0], consumers[pair[1]]
		sent, err := s.Send(t.Context(), Message{From: from, Session: "s-" + from, To: pair[1], Content: "x", Agent: true})
		ok(err)
		got, err := to.Take(t.Context(), 10)
		ok(err)
		if len(got) != 1 {
			t.Fatalf("%s is given %d messages", pair[1], len(got))
		}
		ok(to.Begin(t.Context(), sent.Message.ID, "x", "typed"))
		ok(to.Done(t.Context(), sent.Message.ID, false))
		ok(to.Seen(t.Context()))
		_, _, err = s.Receipts(t.Context(), Short(sent.Message.ID))
		ok(err)
	}
}

// TestNoMessageLooksAtAllOthers: what a message costs does not grow with how many there
// were before it.
func TestNoMessageLooksAtAllOthers(t *testing.T) {
	s, err := Open(t.Context(), t.TempDir(), Options{Machine: "m1"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	conversation(t, s)
	all, answers := plans(t, s), 0
	if len(all) < 20 {
		t.Fatalf("only %d statements are known", len(all))
	}
	for query, plan := range all {
		for _, table := range []string{"d", "delivery", "message"} {
			if strings.Contains(plan, "SCAN "+table+"\n") {
				t.Errorf("%s\nlooks at all of %s:\n%s", query, table, plan)
			}
		}
		if strings.Contains(query, "ORDER BY d.begun") {
			if answers++; strings.Contains(plan, "TEMP B-TREE") {
				t.Errorf("what a message answers is sorted for:\n%s", plan)
			}
		}
	}
	if answers != 1 {
		t.Errorf("%d statements look for what a message answers", answers)
	}
}

// TestAFileOfTheFirstForm gets what was added since, and keeps what it has.
func TestAFileOfTheFirstForm(t *testing.T) {
	dir := t.TempDir()
	first := form
	first.Steps = form.Steps[:1]
	file, err := sqlite.Open(context.Background(), filepath.Join(dir, fileName), first)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Exec("INSERT INTO agent (key, name, program, cwd, kind, lead, since, seen) VALUES ('bob', 'Bob', '', '', '', '', 1, 0)"); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), dir, Options{Machine: "m1"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if known, err := s.Known(t.Context(), "bob"); err != nil || known.Name != "Bob" {
		t.Errorf(`got %+v, %v, want err == nil and known.Name == "Bob"`, known, err)
	}
	var index string
	if err := s.file.QueryRow("SELECT sql FROM sqlite_schema WHERE name = 'delivery_answer'").Scan(&index); err != nil || !strings.Contains(index, "begun") {
		t.Errorf("the index is %q, %v", index, err)
	}
}
