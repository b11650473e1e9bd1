package approve

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/sqlite"
)

// before makes a file as an earlier hookway left it, with one call in each state.
func before(t *testing.T, dir string, steps int) {
	t.Helper()
	form := form
	form.Steps = form.Steps[:steps]
	f, err := sqlite.Open(t.Context(), filepath.Join(dir, fileName), form)
	if err != nil {
		t.Fatal(err)
	}
	now := sqlite.Micros(time.Now())
	err = f.Write(t.Context(), func(tx *sql.Tx) error {
		for state, command := range []string{"waits", "allowed", "used"} {
			c := Call{Agent: "claude", Session: "s", Tool: "Bash", Input: map[string]any{"command": command}}
			key, err := c.key()
			if err != nil {
				return err
			}
			answered := now * int64(min(state, 1))
			if _, err := tx.Exec(`INSERT INTO request (code, call, state, agent, session, workspace, tool, input, rule, reason, place, first, stopped, answered, by_whom, by_way, used)
				VALUES (?, ?, ?, 'claude', 's', '', 'Bash', '', 'r', 'why', 'here', ?, ?, ?, 'anna', 'tty', ?)`, "CCCC"+string(letters[state]), key, state, now, now, answered, now*int64(state/2)); err != nil {
				return err
			}
		}
		if steps < 3 {
			return nil
		}
		_, err := tx.Exec("UPDATE request SET until = ?", now+GrantTime.Microseconds())
		return err
	})
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestFilesOfEarlierForms(t *testing.T) {
	for steps := 1; steps < len(form.Steps); steps++ {
		dir := t.TempDir()
		before(t, dir, steps)
		s, err := Open(t.Context(), dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		all, err := s.List(t.Context())
		if err != nil || len(all) != 3 {
			t.Fatalf("%+v, %v", all, err)
		}
		states := map[State]Kind{}
		for _, r := range all {
			states[r.State] = r.Kind
		}
		if len(states) != 3 || states[Waiting] != KindBlock {
			t.Errorf("form %d: %v", steps, states)
		}
		r, err := s.Find(t.Context(), "CCCC"+string(letters[isWaiting]))
		if err == nil {
			_, err = s.Allow(t.Context(), r, Answer{By: "bob"})
		}
		if err != nil {
			t.Error(err)
		}
		for command, want := range map[string]string{"waits": "bob", "allowed": "anna", "used": ""} {
			said, err := s.Use(t.Context(), Call{Agent: "claude", Session: "s", Tool: "Bash", Input: map[string]any{"command": command}})
			if err != nil {
				t.Error(err)
			} else if by := said; (by == nil) != (want == "") || by != nil && by.By != want {
				t.Errorf("form %d: %s: %+v", steps, command, said)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestAFileOfALaterForm(t *testing.T) {
	dir := t.TempDir()
	later := form
	later.Steps = append(later.Steps[:len(later.Steps):len(later.Steps)], "CREATE TABLE later (x)")
	f, err := sqlite.Open(t.Context(), filepath.Join(dir, fileName), later)
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(context.Background(), dir, Options{}); !errors.Is(err, sqlite.ErrNewer) {
		t.Errorf("%v", err)
	}
}

// A call that is held goes on when a later hookway has changed the file and takes the answer.
func TestACallIsHeldDuringAnUpgrade(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(t.Context(), dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	call := Call{Agent: "claude", Session: "s", Tool: "Bash", Input: map[string]any{"command": "ls"}, Kind: KindAsk, Route: RouteHold, Wait: time.Minute, Report: "1"}
	r, err := s.Ask(t.Context(), call, "here")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		got, err := s.Hold(t.Context(), r.Code, call.Report, time.Minute)
		if err == nil && got.State != Allowed {
			err = errors.New("it is " + string(got.State))
		}
		done <- err
	}()
	later := form
	later.Steps = append(later.Steps[:len(later.Steps):len(later.Steps)], "ALTER TABLE request ADD COLUMN later TEXT NOT NULL DEFAULT ''")
	f, err := sqlite.Open(t.Context(), filepath.Join(dir, fileName), later)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	upgraded := &Store{file: f, limits: s.limits, now: time.Now, bell: &bell{next: make(chan struct{})}}
	if _, err := upgraded.Answer(t.Context(), r, Answer{Yes: true, By: "anna"}); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if said, err := s.Use(t.Context(), call); err != nil || said == nil || !said.Yes {
		t.Errorf("%+v, %v; want the yes", said, err)
	}
}
