//go:build unix

package config

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// TestNothingComesFromTheEnvironmentOfThisProcess: a daemon reads configurations
// for others.
func TestNothingComesFromTheEnvironmentOfThisProcess(t *testing.T) {
	theirs, ours := newWorld(t), newWorld(t)
	bin := filepath.Join(theirs.home, "bin")
	theirs.write(filepath.Join(bin, "their-guard"), guard("theirs"))
	theirs.write(filepath.Join(bin, "their-python"), "#!/bin/sh\nexec sh \"$@\"\n")
	theirs.write(theirs.env["HOME"]+"/.config/hookway/hookway.yaml", "import: claude\nhooks: [{id: user, on: PreToolUse, command: [their-guard]}]\n")
	theirs.write(theirs.env["HOME"]+"/.claude/settings.json", entryOf("Stop", "", `"command": "true"`))
	theirs.write(theirs.work("hookway.yaml"), "hooks: [{id: work, on: Idle, inject: x}]\n")
	theirs.write(theirs.work(".hookway/hooks/asked"), "#!/bin/sh\necho \"{\\\"event\\\":\\\"$EVENT\\\"}\"\n")
	for name, value := range map[string]string{"HOME": ours.env["HOME"], "HOOKWAY_HOME": ours.home, "HOOKWAY_TRUST": "0",
		"CLAUDE_CONFIG_DIR": ours.home, "XDG_CONFIG_HOME": ours.home, "XDG_STATE_HOME": ours.home, "EVENT": "GatewayStart"} {
		t.Setenv(name, value)
	}
	t.Chdir(ours.ws)
	environ := []string{"HOME=" + theirs.env["HOME"], "PATH=" + bin + ":/usr/bin:/bin", "HOOKWAY_TRUST=1", "EVENT=SessionEnd", "PWD=" + theirs.ws}
	for _, dir := range []string{theirs.ws, ".", ""} {
		e := new(hook.Engine)
		live, err := Open(context.Background(), Options{Dir: dir, Environ: environ}, e)
		theirs.must(err)
		set := live.Set()
		theirs.want(set, "user active, claude:Stop:1 active, work active, asked active")
		if len(set.Warnings) > 0 || len(set.Problems) > 0 || strings.Join(set.Hooks[3].Events, " ") != "SessionEnd" {
			t.Errorf("warnings %s, problems %s, events %q", set.Warnings, set.Problems, set.Hooks[3].Events)
		}
		if set, err = live.Refresh(context.Background()); err != nil {
			t.Error(err)
		}
		theirs.want(set, "user active, claude:Stop:1 active, work active, asked active")
		theirs.must(live.Close())
	}
	if entries, err := filepath.Glob(ours.home + "/*/*"); err != nil || len(entries) > 0 {
		t.Errorf("something was written into our own folders: %q, %v", entries, err)
	}
	relative := append(environ, "HOOKWAY_HOME=../home")
	set, err := Load(context.Background(), Options{Environ: relative})
	theirs.must(err)
	if set.UserDir != theirs.user("") {
		t.Errorf("a relative HOOKWAY_HOME is %s", set.UserDir)
	}
	theirs.must(set.Close())
}
