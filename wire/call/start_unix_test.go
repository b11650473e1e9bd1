//go:build unix

package call_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The daemon gets the environment that it is given, but for what belongs to one
// session, and a home that does not hang on the folder of the process that starts it.
func TestTheDaemonsEnvironment(t *testing.T) {
	s, _ := starter(t, `env > "$OUT"`)
	out := filepath.Join(t.TempDir(), "env")
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	s.Env = []string{"PATH=/usr/bin:/bin", "OUT=" + out, "GIVEN=1", "HOOKWAY_HOME=other", "HOOKWAY_HOME=home", "HOOKWAY_SESSION=s-1", "HOOKWAY_READY_FD=9"}
	s.Up = func() bool { _, err := os.Stat(out); return err == nil }
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	got := "\n" + string(text)
	for line, want := range map[string]bool{
		"GIVEN=1": true, "HOOKWAY_HOME=" + wd + "/home": true, "HOOKWAY_READY_FD=3": true,
		"HOOKWAY_HOME=other": false, "HOOKWAY_SESSION=s-1": false,
	} {
		if strings.Contains(got, "\n"+line+"\n") != want {
			t.Errorf("%s: want %v, in\n%s", line, want, text)
		}
	}
}
