package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestInitStories runs the stories in testdata/init: in each, hookway init writes
// a hook that is tested, fired and linted as its user would.
func TestInitStories(t *testing.T) {
	cache, err := goCache()
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                filepath.Join("testdata", "init"),
		RequireUniqueNames: true,
		UpdateScripts:      *update,
		Cmds:               map[string]func(*testscript.TestScript, bool, []string){"status": status, "patient": giveTime},
		Condition: func(name string) (bool, error) {
			if name == "root" {
				return os.Geteuid() == 0, nil
			}
			return false, fmt.Errorf("there is no condition %s", name)
		},
		Setup: func(env *testscript.Env) error {
			if err := setStage(env); err != nil {
				return err
			}
			hookway, err := exec.LookPath("hookway")
			if err != nil {
				return err
			}
			env.Setenv("ONLY_HOOKWAY", filepath.Dir(hookway)) // a PATH without anything else
			env.Setenv("GOCACHE", cache)                      // where the standard library is compiled already
			env.Setenv("GOTOOLCHAIN", "local")
			return nil
		},
	})
}

// giveTime gives the hooks of a file all the time that a slow machine may need:
// patient hookway.yaml.
func giveTime(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: patient FILE")
	}
	file := ts.MkAbs(args[0])
	was := ts.ReadFile(args[0])
	text := regexp.MustCompile(`timeout: \d+s`).ReplaceAllString(was, "timeout: 10m")
	if text == was {
		ts.Fatalf("%s has no timeout", args[0])
	}
	ts.Check(os.WriteFile(file, []byte(text), 0o644))
}

// goCache is where Go keeps what it has compiled.
func goCache() (string, error) {
	if dir := os.Getenv("GOCACHE"); dir != "" {
		return dir, nil
	}
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "go-build"), err
}
