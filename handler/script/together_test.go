package script

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/eventually"
)

// A machine that seems to be at work for long gets no more calls, for others wait there;
// but where all events go together, what the script counts is not dealt out.
func TestAScriptIsNotDealtOutWhereItsEventsGoTogether(t *testing.T) {
	dir := files(t, map[string]string{"hook.ts": "let n = 0\nexport default () => ({ action: 'block', reason: String(++n) })\n"})
	for _, together := range []bool{false, true} {
		h, err := New(filepath.Join(dir, "hook.ts"), Config{Together: together}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = h.Close() })
		h.p.loadTime = time.Minute
		said := ""
		for range 2 {
			d, err := h.Handle(context.Background(), bash("ls"))
			if err != nil {
				t.Fatal(err)
			}
			said += d.Reason
			first, err := h.p.machine()
			if err != nil {
				t.Fatal(err)
			}
			eventually.True(t, "the machine has done all that it was given", func() bool { return first.since.Load() == 0 })
			first.since.Store(1) // as if its thread had not run since 1970
		}
		if want := map[bool]string{false: "11", true: "12"}[together]; said != want {
			t.Errorf("together %v: it counted %q, want %q", together, said, want)
		}
	}
}
