package memory

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

func fresh(t testing.TB) *Store { return open(t, filepath.Join(t.TempDir(), "memory", "m.db")) }

func save(t testing.TB, s *Store, m Memory) Memory {
	t.Helper()
	m, err := s.Save(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func texts(list []Memory) string {
	var out []string
	for _, m := range list {
		out = append(out, m.Text)
	}
	return strings.Join(out, "; ")
}

func TestWhatIsSavedIsListedAndFound(t *testing.T) {
	s := fresh(t)
	at := time.Date(2026, 3, 4, 5, 6, 7, 8000, time.UTC)
	want := Memory{Text: "The user prefers dark mode", Scope: ScopeWorkspace, Workspace: "/w", Agent: "Alice", Session: "s1", Time: at, Tags: []string{"style", "ui"}, File: "a.css", Context: "Which theme?"}
	saved := save(t, s, want)
	want.ID = saved.ID
	if saved.ID == "" || !equal(saved, want) {
		t.Errorf("saved %+v", saved)
	}
	list, err := s.List(t.Context(), 0, View{Workspace: "/w"})
	if err != nil || len(list) != 1 || !equal(list[0], want) {
		t.Errorf("listed %+v, %v", list, err)
	}
	found, err := s.Search(t.Context(), "colour theme of the user", 5, View{Workspace: "/w"})
	switch {
	case err != nil:
		t.Errorf("found %+v, %v", found, err)
	case len(found) != 1:
		t.Errorf("len(found): got %v, want %v", len(found), 1)
	case found[0].ID != want.ID:
		t.Errorf("found[0].ID: got %v, want %v", found[0].ID, want.ID)
	case found[0].Score <= 0:
		t.Errorf("found %+v, %v", found, err)
	}
	if none, err := s.Search(t.Context(), "volcano", 5, View{Workspace: "/w"}); err != nil || len(none) != 0 {
		t.Errorf("found %+v, %v", none, err)
	}
}

func TestWhoSeesWhat(t *testing.T) {
	s := fresh(t)
	for _, m := range []Memory{
		{Text: "fact one", Workspace: "/w"},
		{Text: "fact two", Workspace: "/other"},
		{Text: "fact three", Workspace: "/w", Scope: ScopeAgent, Agent: "Alice"},
		{Text: "fact four", Workspace: "/w", Scope: ScopeUser},
		{Text: "fact five", Workspace: "/w", Agent: "Bob", Session: "s", Tags: []string{"x", "y"}},
	} {
		save(t, s, m)
	}
	for name, test := range map[string]struct {
		view View
		want string
	}{
		"nobody":       {View{}, "four"},
		"workspace":    {View{Workspace: "/w"}, "five four one"},
		"agent":        {View{Workspace: "/w", Agent: "Alice"}, "five four three one"},
		"other":        {View{Workspace: "/other", Agent: "Alice"}, "four two"},
		"all":          {View{All: true}, "five four three two one"},
		"said by":      {View{Workspace: "/w", By: "Bob"}, "five"},
		"tags":         {View{Workspace: "/w", Tags: []string{"#y", "x"}}, "five"},
		"other tag":    {View{Workspace: "/w", Tags: []string{"x", "z"}}, ""},
		"session":      {View{Workspace: "/w", Session: "s"}, "five"},
		"user only":    {View{Workspace: "/w", Scope: ScopeUser}, "four"},
		"agent's only": {View{Workspace: "/w", Agent: "Alice", Scope: ScopeAgent}, "three"},
	} {
		t.Run(name, func(t *testing.T) {
			list, err := s.List(t.Context(), 0, test.view)
			if got := strings.NewReplacer("fact ", "", ";", "").Replace(texts(list)); err != nil || got != test.want {
				t.Errorf("listed %q, %v; want %q", got, err, test.want)
			}
			found, err := s.Search(t.Context(), "fact", 10, test.view)
			if err != nil || len(found) != len(list) {
				t.Errorf("found %q, %v", texts(found), err)
			}
			for _, m := range found {
				if !has(list, m.ID) {
					t.Errorf("found %q, which this view must not see", m.Text)
				}
			}
		})
	}
}

func TestTheSameIsNotSavedTwice(t *testing.T) {
	s := fresh(t)
	first := save(t, s, Memory{Text: "It rains", Workspace: "/w", Tags: []string{"a"}})
	again := save(t, s, Memory{Text: " It rains\n", Workspace: "/w", Session: "later", Tags: []string{"b"}})
	if again.ID != first.ID || strings.Join(again.Tags, " ") != "a b" {
		t.Errorf("saved %+v again as %+v", first, again)
	}
	other := save(t, s, Memory{Text: "It rains", Workspace: "/other"})
	own := save(t, s, Memory{Text: "It rains", Workspace: "/w", Scope: ScopeAgent, Agent: "Alice"})
	if other.ID == first.ID || own.ID == first.ID {
		t.Error("what others do not see was taken for the same")
	}
	if found, err := s.Search(t.Context(), "rain", 9, View{Workspace: "/w", Tags: []string{"b"}}); err != nil || len(found) != 1 {
		t.Errorf("the new tag finds %+v, %v", found, err)
	}
}

func TestForget(t *testing.T) {
	s := fresh(t)
	other := open(t, s.path)
	view := View{Workspace: "/w"}
	m := save(t, s, Memory{Text: "The xylophone is secret", Workspace: "/w"})
	save(t, s, Memory{Text: "The piano is not", Workspace: "/w"})
	if found, err := other.Search(t.Context(), "xylophone", 5, view); err != nil || len(found) != 1 {
		t.Fatalf("found %+v, %v", found, err)
	}
	if err := s.Forget(t.Context(), m.ID, View{Workspace: "/elsewhere"}); !errors.Is(err, ErrUnknown) {
		t.Errorf("another workspace's memory: %v", err)
	}
	if err := s.Forget(t.Context(), m.ID, view); err != nil {
		t.Fatal(err)
	}
	err := s.Forget(t.Context(), m.ID, view)
	if !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), m.ID) {
		t.Errorf("a second time: %v", err)
	}
	for _, store := range []*Store{s, other} { // other has an index that knows it
		if found, err := store.Search(t.Context(), "xylophone piano", 5, view); err != nil || texts(found) != "The piano is not" {
			t.Errorf("found %q, %v", texts(found), err)
		}
	}
	for _, suffix := range []string{"", "-wal"} {
		text, err := os.ReadFile(s.path + suffix)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "xylophone") {
			t.Errorf("the file %s still has the text", suffix)
		}
	}
}

func TestForgettingWaitsForNoReader(t *testing.T) {
	s := fresh(t)
	m := save(t, s, Memory{Text: "x", Workspace: "/w"})
	reading, err := open(t, s.path).db.QueryContext(t.Context(), "SELECT text FROM memory")
	if err != nil || !reading.Next() {
		t.Fatalf("got %v, want err == nil and reading.Next()", err)
	}
	defer reading.Close()
	began := time.Now()
	if err := s.Forget(t.Context(), m.ID, View{Workspace: "/w"}); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took >= busyTime {
		t.Errorf("it took %v, which is as long as a writer is waited for", took)
	}
	save(t, s, Memory{Text: "y", Workspace: "/w"})
}

func TestChangesAreSeenByIndexesThatAreThere(t *testing.T) {
	s := fresh(t)
	other := open(t, s.path)
	view := View{Workspace: "/w"}
	find := func(query, want string) {
		t.Helper()
		found, err := other.Search(t.Context(), query, 9, view)
		if err != nil || texts(found) != want {
			t.Errorf("%s: found %q, %v; want %q", query, texts(found), err, want)
		}
	}
	find("apple", "")
	save(t, s, Memory{Text: "An apple a day", Workspace: "/w"})
	find("apple", "An apple a day")
	list, err := s.List(t.Context(), 1, view)
	if err != nil {
		t.Fatal(err)
	}
	line := `{"id":"` + list[0].ID + `","text":"A walnut a day"}`
	if _, err := s.Import(t.Context(), strings.NewReader(line), Memory{Workspace: "/w"}); err != nil {
		t.Fatal(err)
	}
	find("apple", "")
	find("walnut", "A walnut a day")
	ctx := t.Context()
	err = s.change(ctx, func(tx *sql.Tx) error { // more changes than are kept
		_, err := tx.ExecContext(ctx, "INSERT INTO change (seq) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT 1 FROM n", keptChanges+5)
		if err != nil {
			return err
		}
		if _, err = tx.ExecContext(ctx, "UPDATE memory SET text = 'A peach a day'"); err != nil {
			return err
		}
		return note(ctx, tx, 1)
	})
	if err != nil {
		t.Fatal(err)
	}
	find("peach", "A peach a day")
	var kept int
	if err := s.db.QueryRow("SELECT count(*) FROM change").Scan(&kept); err != nil || kept != keptChanges {
		t.Errorf("%d changes are kept, %v", kept, err)
	}
}

func TestWhatCannotBeKept(t *testing.T) {
	s := fresh(t)
	for name, test := range map[string]struct {
		m    Memory
		want string
	}{
		"empty":     {Memory{Text: " \n"}, "the text is empty"},
		"too long":  {Memory{Text: strings.Repeat("x", MaxText+1)}, "65537 bytes; at most 65536"},
		"scope":     {Memory{Text: "x", Scope: "team"}, `unknown scope "team"; use workspace, agent or user`},
		"nameless":  {Memory{Text: "x", Scope: ScopeAgent}, "needs the agent's name"},
		"two lines": {Memory{Text: "x", Agent: "a\nb"}, "the agent's name"},
		"tags":      {Memory{Text: "x", Tags: make([]string, 65)}, "65 tags"},
	} {
		if _, err := s.Save(t.Context(), test.m); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v; want %q", name, err, test.want)
		}
	}
	if m := save(t, s, Memory{Text: "bad \xff byte", Workspace: "/w"}); m.Text != "bad \uFFFD byte" {
		t.Errorf("saved %q", m.Text)
	}
}

func TestTheFileIsOnlyTheUsers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has other rights")
	}
	s := fresh(t)
	save(t, s, Memory{Text: "x", Workspace: "/w"})
	entries, err := os.ReadDir(filepath.Dir(s.path))
	if err != nil || len(entries) < 3 { // the file, its log, its shared memory
		t.Fatalf("got %v, %v, want err == nil and len(entries) >= 3", entries, err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has %v, %v", e.Name(), info.Mode(), err)
		}
	}
	if info, err := os.Stat(filepath.Dir(s.path)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder has %v, %v", info.Mode(), err)
	}
}

func TestItIsSafeOnTheDisk(t *testing.T) {
	s := fresh(t)
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "secure_delete": "1"} {
		var got string
		if err := s.db.QueryRow("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %s, %v; want %s", pragma, got, err, want)
		}
	}
}

func TestFilesThatAreNoStore(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text.db")
	if err := os.WriteFile(text, []byte(strings.Repeat("this is not a database\n", 500)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), text); err == nil || !strings.Contains(err.Error(), "is damaged") || !strings.Contains(err.Error(), "import") {
		t.Errorf("a text: %v", err)
	}
	if after, err := os.ReadFile(text); err != nil || !strings.HasPrefix(string(after), "this is not a database") {
		t.Errorf("it was changed: %v", err)
	}
	if _, err := Open(t.Context(), dir); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("a folder: %v", err)
	}
	later := fresh(t)
	if _, err := later.db.Exec("PRAGMA user_version(99)"); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), later.path); err == nil || !strings.Contains(err.Error(), "later hookway") {
		t.Errorf("a later form: %v", err)
	}
}

func TestADamagedFileIsAnErrorWithTheWayOut(t *testing.T) {
	s := fresh(t)
	for i := range 200 {
		save(t, s, Memory{Text: strings.Repeat("word ", 100+i), Workspace: "/w"})
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 4096; i < len(data); i++ { // all but the page that names the tables
		data[i] = byte(i * 7)
	}
	if err := os.WriteFile(s.path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	again := open(t, s.path)
	_, err = again.Search(t.Context(), "word", 5, View{Workspace: "/w"})
	if err == nil || !strings.Contains(err.Error(), "is damaged") {
		t.Errorf("search: %v", err)
	}
	if _, err := again.List(t.Context(), 5, View{Workspace: "/w"}); err == nil || !strings.Contains(err.Error(), "is damaged") {
		t.Errorf("list: %v", err)
	}
}

func TestOddPlaces(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"with space", "50%", "ä?b#c", "a&b=c"} {
		if runtime.GOOS == "windows" && strings.Contains(name, "?") {
			continue
		}
		path := filepath.Join(dir, name, "m.db")
		save(t, open(t, path), Memory{Text: "x", Workspace: "/w"})
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
}

func TestACallEndsWithItsContext(t *testing.T) {
	s := fresh(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Save(ctx, Memory{Text: "x", Workspace: "/w"}); !errors.Is(err, context.Canceled) {
		t.Errorf("save: %v", err)
	}
	if _, err := s.Search(ctx, "x", 3, View{}); !errors.Is(err, context.Canceled) {
		t.Errorf("search: %v", err)
	}
}

func TestWordsThatAreTags(t *testing.T) {
	s := fresh(t)
	m := save(t, s, Memory{Text: "Write C# as in #12, not as in main.go#L3 (#Style, #style #ünter.)", Workspace: "/w", Tags: []string{"given"}})
	if got := strings.Join(m.Tags, " "); got != "given style ünter" {
		t.Errorf("the tags are %q", got)
	}
}

func TestAFullDisk(t *testing.T) {
	s := fresh(t)
	s.db.SetMaxOpenConns(1) // the bound is of a connection
	save(t, s, Memory{Text: "the first", Workspace: "/w"})
	if _, err := s.db.Exec("PRAGMA max_page_count = 20"); err != nil {
		t.Fatal(err)
	}
	big := Memory{Text: strings.Repeat("x", MaxText), Workspace: "/w"}
	if _, err := s.Save(t.Context(), big); err == nil || !strings.Contains(err.Error(), "the disk is full, nothing was changed") {
		t.Fatalf(`got %v, want err != nil and strings.Contains(err.Error(), "the disk is full, nothing was changed")`, err)
	}
	if list, err := s.List(t.Context(), 0, View{Workspace: "/w"}); err != nil || texts(list) != "the first" {
		t.Errorf("there are %q, %v", texts(list), err)
	}
	if _, err := s.db.Exec("PRAGMA max_page_count = 100000"); err != nil {
		t.Fatal(err)
	}
	save(t, s, big)
}

func TestManyGoroutines(t *testing.T) {
	s := fresh(t)
	view := View{Workspace: "/w"}
	var wg sync.WaitGroup
	for g := range 6 {
		wg.Go(func() {
			for i := range 10 {
				m, err := s.Save(t.Context(), Memory{Text: fmt.Sprintf("goroutine %d counts to %d", g, i), Workspace: "/w"})
				if err != nil {
					t.Error(err)
					return
				}
				found, err := s.Search(t.Context(), m.Text, 70, view)
				if err != nil || !has(found, m.ID) {
					t.Errorf("%q is not found, %v", m.Text, err)
				}
				if i%2 == 0 {
					if err := s.Forget(t.Context(), m.ID, view); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	if list, err := s.List(t.Context(), 0, view); err != nil || len(list) != 30 {
		t.Errorf("%d are left, %v", len(list), err)
	}
}
