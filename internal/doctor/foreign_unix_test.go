//go:build unix

package doctor

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hookway/hookway/internal/install"
)

// TestAProgramOfOthersInPlaceOfHookwayHook: what an agent calls by the name of
// hookway-hook may be something else, which lets all pass.
func TestAProgramOfOthersInPlaceOfHookwayHook(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := buildOf(own); err != nil {
		t.Skip("the test's program does not say what it is: ", err)
	}
	dir := t.TempDir()
	script, link, another := filepath.Join(dir, "script"), filepath.Join(dir, "link"), filepath.Join(dir, "another")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nexit 0\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(own, link); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(own)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(another, text, 0o755); err != nil {
		t.Fatal(err)
	}
	for program, want := range map[string]Level{script: Failure, "/bin/sh": Failure, another: Warning, link: OK} {
		c := &Checkup{Executable: own, shim: own}
		var s Section
		c.called(&s, &install.State{File: "settings.json", Shims: []string{program}}, "hookway install claude")
		got := OK
		for _, f := range s.Findings {
			if f.Level == Failure || f.Level == Warning && got == OK {
				got = f.Level
			}
		}
		if got != want {
			t.Errorf("%s: got %v, want %v of %+v", filepath.Base(program), got, want, s.Findings)
		}
	}
}
