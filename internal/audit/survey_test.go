package audit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/keep"
)

// What is kept is counted, with its limits; what cannot be read, and why something was not
// kept, is told.
func TestWhatIsKeptIsTold(t *testing.T) {
	dir := t.TempDir()
	look := func(off bool) *Kept {
		t.Helper()
		k, err := LookAtKept(t.Context(), dir, off, 0, 0, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		return &k
	}
	if k := look(false); k.Holds() != "no event is kept whole; at most 30d and 1 GiB" || len(k.Lacks()) > 0 {
		t.Errorf("of nothing: %s, %q", k.Holds(), k.Lacks())
	}
	l, err := Open(Config{Dir: dir, Patience: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"ls", "pwd", strings.Repeat("x", keep.MaxEvent)} {
		ev := hook.PreToolUse.New(hook.Envelope{Session: "s", CWD: "/p"}, hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": command}})
		add(t, l, outcomeOf(ev, hook.ActionContinue))
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	k := look(false)
	if k.Events != 2 || k.Files != 1 || k.About {
		t.Errorf("got %+v, want k.Events == 2 and k.Files == 1 and !k.About", k)
	}
	if got := k.Lacks(); len(got) != 1 || got[0] != "in the last 24 hours 1 event was not kept: the event is larger than 256 KiB" {
		t.Errorf("not kept: %q", got)
	}
	if got := k.Holds(); !strings.HasPrefix(got, "2 events kept whole in 1 file, ") || !strings.HasSuffix(got, "; at most 30d and 1 GiB") {
		t.Errorf("got %s", got)
	}
	if got := look(true).Holds(); !strings.HasSuffix(got, "audit.keep_events is off") {
		t.Errorf("got %s", got)
	}
	files, err := filepath.Glob(filepath.Join(EventsDir(dir), "*.kept"))
	if err != nil || len(files) != 1 {
		t.Fatalf("got %v, %v, want err == nil and len(files) == 1", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)-1] ^= 1
	if err := os.WriteFile(files[0], text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(EventsDir(dir), "key"), []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(look(false).Lacks(), "\n")
	for _, want := range []string{"events are not kept: the key of the placeholders", "1 block of kept events cannot be read (0 torn): " + files[0]} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not told:\n%s", want, got)
		}
	}
}

func TestSizesAndTimesAsPeopleWriteThem(t *testing.T) {
	for n, want := range map[int64]string{1: "1 byte", 512: "512 bytes", 1 << 10: "1 KiB", 3 << 19: "1.5 MiB", 1 << 30: "1 GiB"} {
		if got := sizeOf(n); got != want {
			t.Errorf("sizeOf(%d) is %s, want %s", n, got, want)
		}
	}
	for d, want := range map[time.Duration]string{30 * 24 * time.Hour: "30d", 12 * time.Hour: "12h", 90 * time.Minute: "1h30m"} {
		if got := days(d); got != want {
			t.Errorf("days(%v) is %s, want %s", d, got, want)
		}
	}
}
