package main

import (
	"database/sql"
	"io"
	"path/filepath"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/approve"
)

// A title of a question that nobody looks after any more does not stay.
func TestTheTitleGoesWhenTheRequestsCannotBeRead(t *testing.T) {
	home := t.TempDir()
	a := appWith(nil, io.Discard, io.Discard, func(name string) string {
		return map[string]string{"HOOKWAY_HOME": home, "HOME": home}[name]
	})
	dir, err := a.home.ApprovalsDir()
	if err != nil {
		t.Fatal(err)
	}
	store, err := approve.Open(t.Context(), dir, approve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	ask := func(command string) approve.Request {
		t.Helper()
		r, err := store.Ask(t.Context(), approve.Call{Session: "s-1", Tool: "Bash", Input: map[string]any{"command": command}, Kind: approve.KindAsk, Wait: time.Hour}, "here")
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := ask("make")
	titles := make(chan string, 100)
	go func() {
		defer close(titles)
		attendAsks(a, "s-1", "Alice")(t.Context(), func(text string, _ bool) { titles <- text })
	}()
	if got := <-titles; got != "Alice asks: hookway approvals allow "+r.Code {
		t.Fatalf("the title is %q", got)
	}
	file, err := sql.Open("sqlite", filepath.Join(dir, "approvals.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.ExecContext(t.Context(), "PRAGMA busy_timeout = 60000; DROP TABLE request"); err != nil {
		t.Fatal(err)
	}
	last := "the first"
	for last = range titles {
	}
	if last != "" {
		t.Errorf("the title stays %q", last)
	}
}
