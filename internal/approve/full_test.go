//go:build unix

package approve_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/fulldisk"
	"github.com/hookway/hookway/internal/sqlite"
)

// fullDir has this test binary look at approvals on a disk without room.
const fullDir = "HOOKWAY_TEST_FULL"

// On a full disk nothing is asked, answered or let through, and that is said. A process
// that may write only small files stands in for the disk.
func TestAFullDisk(t *testing.T) {
	if dir := os.Getenv(fullDir); dir != "" {
		full(t, dir)
		return
	}
	dir := t.TempDir()
	s := open(t, dir, approve.Options{})
	answer(t, s, ask(t, s, asked(t, "allowed")), true, "")
	ask(t, s, asked(t, "waits"))
	child := exec.Command(os.Args[0], "-test.run=^TestAFullDisk$", "-test.v")
	child.Env = append(os.Environ(), fullDir+"="+dir)
	if out, err := child.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS") {
		t.Errorf("%v\n%s", err, out)
	}
	for command, want := range map[string]string{"allowed": "yes", "waits": "", "new": ""} { // with room again
		if got := said(t, s, asked(t, command)); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

func full(t *testing.T, dir string) {
	s, err := approve.Open(t.Context(), dir, approve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := s.List(t.Context())
	if err != nil || len(all) != 2 {
		t.Fatalf("%+v, %v", all, err)
	}
	if _, err := fulldisk.Begin(1 << 10); err != nil {
		t.Fatal(err)
	}
	failed := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, sqlite.ErrFull) || !strings.Contains(err.Error(), "the disk is full, nothing was changed; make room and try again") && !strings.Contains(err.Error(), "the disk failed, nothing was changed") {
			t.Errorf("%s: %v", what, err)
		}
	}
	ctx := context.Background()
	_, err = s.Ask(ctx, asked(t, "new"), "here")
	failed("a call is asked about", err)
	said, err := s.Use(ctx, asked(t, "allowed"))
	if failed("a grant is used", err); said != nil {
		t.Error("a grant is used that cannot be noted as used")
	}
	for _, r := range all {
		if r.State == approve.Waiting {
			_, err = s.Answer(ctx, r, approve.Answer{Yes: true})
			failed("a yes", err)
		}
	}
}
