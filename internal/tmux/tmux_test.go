package tmux

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestName(t *testing.T) {
	long := strings.Repeat("é", 40)
	for text, want := range map[string]string{
		"Alice":         "Alice",
		"a.b:c":         "a_b_c",
		"#(touch x)":    "__touch_x_",
		"=$@%":          "____",
		"--help":        "help",
		"":              "_",
		"---":           "_",
		"Åsa_1-2":       "Åsa_1-2",
		"a b\n\x1b\xff": "a_b___",
	} {
		if got := Name(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	first, second := Name(long+"1"), Name(long+"2")
	if first == second || len(first) > longestName || len(first) < longestName-2 {
		t.Errorf("long names: %q and %q", first, second)
	}
}

func FuzzName(f *testing.F) {
	f.Add("a.b:c")
	f.Add(strings.Repeat("é", 40))
	f.Add(strings.Repeat("\xff", 100))
	f.Fuzz(func(t *testing.T, text string) {
		name := Name(text)
		if name == "" || len(name) > longestName || !utf8.ValidString(name) {
			t.Errorf(`%q: got %q, want name != "" and len(name) <= longestName and utf8.ValidString(name)`, text, name)
		} else if name[0] == '-' || strings.ContainsAny(name, ".:#=$@ \n") {
			t.Errorf("%q: got %q, want name[0] != '-' and !strings.ContainsAny(name, \".:#=$@ \\n\")", text, name)
		}
		if Name(name) != name {
			t.Errorf("%q: %q is not its own name", text, name)
		}
	})
}

func TestTooOld(t *testing.T) {
	for said, want := range map[string]bool{
		"tmux 3.3a": false, "tmux 3.2": false, "tmux 3.1c": true, "tmux 2.9a": true, "tmux 10.0": false,
		"tmux next-3.5": false, "tmux master": false, "tmux openbsd-2.0": false, "": false,
	} {
		if tooOld(said) != want {
			t.Errorf("%q: too old is %v", said, !want)
		}
	}
}

// server is one of its own, which ends with the test.
func server(t *testing.T) *Server {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed")
	}
	dir, err := os.MkdirTemp("", "h") // a socket's path has little room
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s, err := Find(t.Context(), dir, filepath.Join(dir, `my "own" it's [x] $HOME ~ \ *.conf`))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = s.call(context.Background(), "kill-server") })
	return s
}

func TestSettings(t *testing.T) {
	s := server(t)
	write := func(text string) {
		if err := os.WriteFile(s.Settings, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	begin := func(name string) (Session, error) {
		return s.New(t.Context(), New{Name: name, Link: "tmux-" + name, Width: 91, Height: 17, Command: []string{"sh", "-c", "exec cat", "a b", ";", "#{x}"}})
	}
	write("set-option -g history-limit 7\nset-option -g destroy-unattached on\n")
	first, err := begin("first")
	if err != nil {
		t.Fatal(err)
	}
	for format, want := range map[string]string{
		"#{history_limit}": "7", "#{destroy-unattached}": "0", "#{status}": "off", "#{prefix}": "C-b", "#{escape-time}": "0",
		"#{window_width}x#{window_height}": "91x17", "#{" + linkOption + "}": first.Link, "#{session_name}": "first",
		"#{pane_start_command}": `sh -c "exec cat" "a b" \; "#{x}"`,
	} {
		if got, err := s.call(t.Context(), "display-message", "-p", "-t", first.ID, format); err != nil || strings.TrimSpace(got) != want {
			t.Errorf("%s is %q, %v; want %q", format, got, err, want)
		}
	}
	if _, err := begin("first"); !errors.Is(err, ErrTaken) {
		t.Errorf("two of one name: %v", err)
	}
	write("set-option -g no-such-option 7\n")
	if _, err := begin("second"); err == nil || !strings.Contains(err.Error(), "no-such-option; look into "+s.Settings) {
		t.Errorf("a wrong setting: %v", err)
	}
	if all, err := s.List(t.Context()); err != nil || !slices.Equal(all, []Session{first}) {
		t.Errorf("the sessions are %v, %v", all, err)
	}
	s.Kill(t.Context(), first)
	if s.Runs(t.Context(), first) {
		t.Error("it runs after its end")
	}
	if all, err := s.List(t.Context()); err != nil || len(all) > 0 {
		t.Errorf("the sessions are %v, %v", all, err)
	}
}

func TestInside(t *testing.T) {
	s := &Server{Socket: filepath.Join(t.TempDir(), "a,b")}
	other := filepath.Join(filepath.Dir(s.Socket), "other")
	for _, path := range []string{s.Socket, other} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for variable, want := range map[string]string{
		s.Socket + ",12,3": "$3 true",
		other + ",12,3":    "$3 false",
		"/nowhere,1,2":     " false",
		"":                 " false",
		"x":                " false",
	} {
		if id, inside := s.Inside(variable); fmt.Sprint(id, " ", inside) != want {
			t.Errorf(`%s: got %s, %v, want fmt.Sprint(id, " ", inside) == want`, variable, id, inside)
		}
	}
}

func TestTheServerKeepsWhatItNeeds(t *testing.T) {
	got := bare([]string{"PATH=/bin", "SECRET=x", "LANG=C", "PATHX=1", "HOME=/h", "TMUX=/s,1,2"})
	if want := []string{"PATH=/bin", "LANG=C", "HOME=/h"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestAServerThatEnds: the server ends with its last session, while the next one
// is asked for.
func TestAServerThatEnds(t *testing.T) {
	s := server(t)
	for i := range 50 {
		n := New{Name: fmt.Sprint("s", i), Link: "link", Width: 80, Height: 24, Command: []string{"sh", "-c", "read x"}}
		session, err := s.New(t.Context(), n)
		if err != nil {
			t.Fatalf("session %d: %v", i, err)
		}
		s.Kill(t.Context(), session)
	}
}
