//go:build unix

package command

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/hooktest"
)

func TestExitStatusDecides(t *testing.T) {
	nothingLeft(t)
	for _, c := range []struct {
		name, script string
		want         hook.Decision
		wantErr      []string // parts of the error
	}{
		{"0 and nothing on stdout is no opinion", "exit 0", hook.Continue(), nil},
		{"0 and blank lines on stdout is no opinion", "echo; echo", hook.Continue(), nil},
		{"0 reads stdout", `echo '{"decision":"block","reason":"never"}'`, hook.Block("never"), nil},
		{"2 blocks, with stderr as the reason", "echo 'not on main' >&2; exit 2", hook.Block("not on main"), nil},
		{"1 is a failure with stderr", "echo 'no such table' >&2; exit 1", hook.Decision{}, []string{"hook.sh", "code 1", "no such table"}},
		{"127 is a failure that says what it means", "no-such-program-here", hook.Decision{}, []string{"hook.sh", "127", "not found"}},
		{"a signal is a failure that names it", "kill -9 $$", hook.Decision{}, []string{"hook.sh", "signal 9 (killed)"}},
		{"a banner before JSON is a failure that quotes it", `echo 'Welcome to prod-7'; echo '{"action":"continue"}'`, hook.Decision{}, []string{"hook.sh", "Welcome to prod-7"}},
		{"text is a failure that quotes it", `echo 'all good'`, hook.Decision{}, []string{"hook.sh", "all good"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHandler(t, Config{Argv: []string{script(t, c.script)}})
			d, err := h.Handle(t.Context(), bash("ls"))
			for _, part := range c.wantErr {
				if err == nil || !strings.Contains(err.Error(), part) {
					t.Errorf("error %v does not have %q", err, part)
				}
			}
			if c.wantErr != nil {
				return
			}
			if err != nil || d.Action != c.want.Action || d.Reason != c.want.Reason {
				t.Errorf("got %+v, %v; want %+v", d, err, c.want)
			}
		})
	}
}

func TestWhatCannotBeStartedSaysWhatToDo(t *testing.T) {
	nothingLeft(t)
	for _, c := range []struct {
		name string
		conf func(t *testing.T) Config
		want []string
	}{
		{"a missing file", func(*testing.T) Config { return Config{Argv: []string{"/nowhere/guard"}} }, []string{"/nowhere/guard is not there", "create it or correct the path"}},
		{"a missing program", func(*testing.T) Config { return Config{Argv: []string{"no-such-program-here"}} }, []string{`"no-such-program-here" is not on PATH`, "install it"}},
		{"a file without leave to execute", func(t *testing.T) Config {
			return Config{Argv: []string{file(t, "guard.sh", 0o644, "#!/bin/sh", "exit 0")}}
		}, []string{"guard.sh is not executable", "chmod +x"}},
		{"a missing interpreter", func(t *testing.T) Config {
			return Config{Argv: []string{file(t, "guard.py", 0o755, "#!/usr/bin/python9", "pass")}}
		}, []string{"guard.py", "interpreter /usr/bin/python9 is not there", "install it"}},
		{"an interpreter that env cannot find", func(t *testing.T) Config {
			return Config{Argv: []string{file(t, "guard.py", 0o755, "#!/usr/bin/env python9", "pass")}}
		}, []string{"guard.py", "127", "python9"}},
		{"Windows line ends", func(t *testing.T) Config {
			return Config{Argv: []string{file(t, "guard.sh", 0o755, "#!/bin/sh\r", "exit 0\r")}}
		}, []string{"guard.sh", "carriage return", "Unix line ends"}},
		{"no first line", func(t *testing.T) Config {
			return Config{Argv: []string{file(t, "guard.txt", 0o755, "echo hello")}}
		}, []string{"guard.txt is not a program for this system", "#!/bin/sh"}},
		{"a folder", func(t *testing.T) Config { return Config{Argv: []string{t.TempDir()}} }, []string{"is a folder"}},
		{"a missing working folder", func(*testing.T) Config {
			return Config{Argv: []string{"/bin/true"}, Dir: "/nowhere/at/all"}
		}, []string{"/nowhere/at/all is not there"}},
	} {
		for _, worker := range []bool{false, true} {
			name := c.name
			if worker {
				name += ", worker"
			}
			t.Run(name, func(t *testing.T) {
				conf := c.conf(t)
				conf.Worker = worker
				_, err := newHandler(t, conf).Handle(t.Context(), bash("ls"))
				for _, part := range c.want {
					if err == nil || !strings.Contains(err.Error(), part) {
						t.Errorf("error %v does not have %q", err, part)
					}
				}
				if err != nil && strings.Contains(err.Error(), "\n") {
					t.Errorf("the error is more than one line: %v", err)
				}
			})
		}
	}
}

func TestConfigurationMistakesAreListedAtOnce(t *testing.T) {
	_, err := New(Config{Argv: []string{"a"}, Shell: "b", Env: []string{"NAME"}, Grace: -1})
	for _, part := range []string{"not both", `"NAME" must be NAME=VALUE`, "grace"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error %v does not have %q", err, part)
		}
	}
	if _, err := New(Config{}); err == nil || !strings.Contains(err.Error(), "empty") {
		t.Errorf("an empty command gave %v", err)
	}
}

func TestEnvironmentAndFolders(t *testing.T) {
	t.Setenv("INHERITED", "yes")
	project, cwd, dir := resolved(t), resolved(t), resolved(t)
	const say = `printf '{"inject":"%s|%s|%s|%s|%s|%s|%s|%s|%s"}' "$HOOK_ACTION" "$HOOKWAY_EVENT" "$HOOKWAY_SESSION_ID" "$HOOKWAY_PROJECT_DIR" "$CLAUDE_PROJECT_DIR" "$PWD" "$(pwd -P)" "$INHERITED" "$OWN"`
	for _, c := range []struct {
		name string
		conf Config
		want []string
	}{
		{"the event's folder is the working folder", Config{}, []string{cwd, cwd, cwd, cwd}},
		{"a folder of its own", Config{Dir: dir}, []string{dir, dir, dir, dir}},
		{"a project", Config{Project: project}, []string{project, project, cwd, cwd}},
		{"both", Config{Dir: dir, Project: project}, []string{project, project, dir, dir}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.conf.Shell, c.conf.Env = say, []string{"OWN=1"}
			ev := hook.PreToolUse.New(hook.Envelope{Session: "s-1", CWD: cwd}, hook.ToolUse{ToolName: "Bash"})
			d, err := newHandler(t, c.conf).Handle(t.Context(), ev)
			want := strings.Join(append(append([]string{"execute", "PreToolUse", "s-1"}, c.want...), "yes", "1"), "|")
			if err != nil || d.Inject != want {
				t.Errorf("got  %s (%v)\nwant %s", d.Inject, err, want)
			}
		})
	}
}

func resolved(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestRelativeProgramStartsFromTheProjectAndNotFromTheEventsFolder(t *testing.T) {
	project, cwd := t.TempDir(), t.TempDir()
	for dir, reason := range map[string]string{project: "project", cwd: "cwd"} {
		text := "#!/bin/sh\necho '{\"action\":\"block\",\"reason\":\"" + reason + "\"}'\n"
		if err := os.WriteFile(dir+"/guard", []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	ev := hook.PreToolUse.New(hook.Envelope{CWD: cwd}, hook.ToolUse{ToolName: "Bash"})
	d, err := newHandler(t, Config{Argv: []string{"./guard"}, Project: project}).Handle(t.Context(), ev)
	if err != nil || d.Reason != "project" {
		t.Errorf("with a project: %q, %v", d.Reason, err)
	}
	d, err = newHandler(t, Config{Argv: []string{"./guard"}}).Handle(t.Context(), ev)
	if err != nil || d.Reason != "cwd" {
		t.Errorf("without one: %q, %v", d.Reason, err)
	}
}

func TestHookIsToldTheEventNameItKnows(t *testing.T) {
	h := newHandler(t, Config{
		Shell:      `grep -o '"hook_event_name":"[A-Za-z]*"' >&2; echo "$HOOKWAY_EVENT" >&2; exit 2`,
		EventNames: map[string]string{"AgentStart": "UserPromptSubmit"},
	})
	d, err := h.Handle(t.Context(), hook.AgentStart.New(hook.Envelope{}, hook.AgentRun{Prompt: "hi"}))
	if want := "\"hook_event_name\":\"UserPromptSubmit\"\nAgentStart"; err != nil || d.Reason != want {
		t.Errorf("got %q, %v; want %q", d.Reason, err, want)
	}
}

func TestStderrOfAnAnsweringProgramIsLogged(t *testing.T) {
	var log hooktest.Log
	h := newHandler(t, Config{Shell: `printf 'one\n\033[31mtwo\033[0m\n\nthree' >&2`, Log: log.Logger()})
	if _, err := h.Handle(t.Context(), bash("ls")); err != nil {
		t.Fatal(err)
	}
	if got := log.String(); got != "one\n[31mtwo [0m\nthree" {
		t.Errorf("logged %q", got)
	}
}

func TestUnknownActionUnderTheAcaiProfileIsAContinueWithAWarning(t *testing.T) {
	for _, worker := range []bool{false, true} {
		var log hooktest.Log
		c := Config{Shell: `echo '{"action":"ponder"}'`, Profile: hook.ProfileAcai, Log: log.Logger()}
		if worker {
			c.Shell, c.Worker = `read l; echo '{"jsonrpc":"2.0","id":1,"result":{"action":"ponder"}}'; cat >/dev/null`, true
		}
		d, err := newHandler(t, c).Handle(t.Context(), bash("ls"))
		if err != nil || d.Action != hook.ActionContinue {
			t.Errorf("worker %v: %v, %v", worker, d.Action, err)
		}
		if !strings.Contains(log.String(), "ponder") {
			t.Errorf("worker %v: no warning names the action: %q", worker, log.String())
		}
	}
}

func TestFailingProgramInAnEngineFollowsItsPolicy(t *testing.T) {
	var e hook.Engine
	h := newHandler(t, Config{Shell: "exit 3"})
	for _, one := range []hook.Hook{
		hook.New("watcher", h, hook.For("PreToolUse")),
		hook.New("keeper", h, hook.For("PreToolUse"), hook.As(hook.Guard)),
	} {
		if err := e.Add(one); err != nil {
			t.Fatal(err)
		}
	}
	out, err := e.Fire(context.Background(), bash("ls"))
	switch {
	case err != nil:
		t.Errorf("got %v by %q (%s), %v", out.Action, out.By, out.Reason, err)
	case out.Action != hook.ActionBlock:
		t.Errorf("out.Action: got %v, want %v", out.Action, hook.ActionBlock)
	case out.By != "keeper":
		t.Errorf("out.By: got %v, want %v", out.By, "keeper")
	case !strings.Contains(out.Reason, "keeper"):
		t.Errorf("got %v by %q (%s), %v", out.Action, out.By, out.Reason, err)
	}
	for _, step := range out.Steps {
		if step.Err == nil || !strings.Contains(step.Err.Error(), "exit 3") {
			t.Errorf("step of %s has the error %v", step.Hook, step.Err)
		}
	}
}

func TestDepthOfNestedHooksIsCountedAndCannotBeSetBack(t *testing.T) {
	for ours, want := range map[string]string{"": "1", "3": "4", "much": "1", "-7": "1"} {
		t.Setenv("HOOKWAY_DEPTH", ours)
		h := newHandler(t, Config{Shell: `printf '{"inject":"%s"}' "$HOOKWAY_DEPTH"`, Env: []string{"HOOKWAY_DEPTH=0"}})
		wantInject(t, h, want)
		w := workerOf(t, Config{Env: []string{"HOOKWAY_DEPTH=0"}}, `while read -r line; do `+idOf+say("$id", "$HOOKWAY_DEPTH")+`done`)
		wantInject(t, w, want)
	}
}
