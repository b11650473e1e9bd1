//go:build unix

package config

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/trust"
)

func TestNothingAtAllIsFine(t *testing.T) {
	w := newWorld(t)
	w.must(os.RemoveAll(w.home))
	set := w.load()
	if len(set.Hooks)+len(set.Problems)+len(set.Warnings) != 0 || set.Workspace != "" || set.Trust.State != trust.None {
		t.Errorf(`got %+v, want len(set.Hooks) + len(set.Problems) + len(set.Warnings) == 0 and set.Workspace == "" and set.Trust.State == trust.None`, set)
	}
	if want := (Settings{hook.ActionBlock, hook.DefaultMaxContinues, DefaultMaxHooks, 30 * time.Second, nil, nil, nil}); !reflect.DeepEqual(set.Settings, want) {
		t.Errorf("got %+v, want %+v", set.Settings, want)
	}
	fill(t, set)
}

func TestPlacesFollowTheEnvironment(t *testing.T) {
	for _, c := range []struct {
		env           map[string]string
		config, state string
	}{
		{map[string]string{"HOME": "/h"}, "/h/.config/hookway", "/h/.local/state/hookway"},
		{map[string]string{"HOME": "/h", "XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s"}, "/c/hookway", "/s/hookway"},
		{map[string]string{"HOME": "/h", "XDG_CONFIG_HOME": "relative"}, "/h/.config/hookway", "/h/.local/state/hookway"},
		{map[string]string{"HOME": "/h", "XDG_CONFIG_HOME": "/c", "HOOKWAY_HOME": "/x"}, "/x/config", "/x/state"},
	} {
		config, state, err := Places(func(name string) string { return c.env[name] })
		if err != nil || config != c.config || state != c.state {
			t.Errorf("%v: got %s, %s, %v", c.env, config, state, err)
		}
	}
}

func TestUserHooksRunFirstAndNeedNoTrust(t *testing.T) {
	w := newWorld(t)
	w.write(w.user("hookway.yaml"), blockRM)
	w.write(w.work("hookway.yaml"), "hooks: [{id: work, on: PreToolUse, inject: hi}]\n")
	set := w.load()
	w.want(set, "no-rm active, work untrusted")
	if out := bash(t, fill(t, set), w.ws, "rm -rf /"); out.Action != hook.ActionBlock || out.Reason != "no rm here" || out.By != "no-rm" {
		t.Errorf(`got %+v, want out.Action == hook.ActionBlock and out.Reason == "no rm here" and out.By == "no-rm"`, out)
	}
	w.trust()
	set = w.load()
	w.want(set, "no-rm active, work active")
	if got := set.Hooks[1].Origin; got != w.work("hookway.yaml")+":1" {
		t.Errorf("got %v, want %v", got, w.work("hookway.yaml")+":1")
	}
}

func TestTheWorkspaceIsTheNearestFolderWithHooks(t *testing.T) {
	for _, marker := range []string{"hookway.yaml", "hookway.yml", ".hookway/hooks/x", ".acai/hooks/x"} {
		w := newWorld(t)
		w.write(w.work("hookway.yaml"), "")
		w.write(w.work("a/"+marker), "")
		w.write(w.work("a/.acai/other"), "")
		w.write(w.work("a/b/.hookway/config.schema.json"), "{}")
		deep := w.work("a/b/c")
		w.must(os.MkdirAll(deep, 0o755))
		opts := w.options()
		opts.Dir = deep
		set, err := Load(context.Background(), opts)
		w.must(err)
		if set.Workspace != w.work("a") {
			t.Errorf("%s: workspace %q", marker, set.Workspace)
		}
	}
}

func TestAWorkspaceThatWasNeverTrustedDoesNotHideOneThatWas(t *testing.T) {
	for _, marker := range []string{"hookway.yaml", ".hookway/hooks/.keep", ".acai/hooks/.keep"} {
		w := newWorld(t)
		w.write(w.work("hookway.yaml"), blockRM)
		w.write(w.work("a/b/"+marker), "")
		nearer := w.options()
		nearer.Dir = w.work("a/b")
		load := func() *Set {
			set, err := Load(t.Context(), nearer)
			w.must(err)
			return set
		}
		if set := load(); set.Workspace != w.work("a/b") || len(set.Warnings) > 0 {
			t.Errorf("%s: where none is trusted, the workspace is %s: %s", marker, set.Workspace, set.Warnings)
		}
		w.trust()
		set := load()
		w.want(set, "no-rm active")
		if set.Workspace != w.ws || len(set.Warnings) != 1 {
			t.Errorf("%s: workspace %s: %s", marker, set.Workspace, set.Warnings)
		} else if set.Warnings[0].File != w.work("a/b") || !strings.Contains(set.Warnings[0].Message, "never trusted") {
			t.Errorf("%s: workspace %s: %s", marker, set.Workspace, set.Warnings)
		}
		w.env["HOOKWAY_TRUST"] = "1"
		if set := load(); set.Workspace != w.work("a/b") {
			t.Errorf("%s: with HOOKWAY_TRUST=1 the workspace is %s", marker, set.Workspace)
		}
		delete(w.env, "HOOKWAY_TRUST")
		w.write(w.work("hookway.yaml"), blockRM+"# changed\n")
		if set := load(); set.Workspace != w.ws || set.Trust.State != trust.Changed {
			t.Errorf("%s: once it changed, the workspace is %s, %s", marker, set.Workspace, set.Trust.State)
		}
		must(Trust(nearer))
		if set := load(); set.Workspace != w.work("a/b") || len(set.Warnings) > 0 {
			t.Errorf("%s: trusted, the workspace is %s: %s", marker, set.Workspace, set.Warnings)
		}
	}
}

func TestTheUsersOwnFolderIsNoWorkspace(t *testing.T) {
	w := newWorld(t)
	w.write(w.user("hookway.yaml"), blockRM)
	opts := w.options()
	opts.Dir = w.user("")
	set, err := Load(context.Background(), opts)
	w.must(err)
	w.want(set, "no-rm active")
	if set.Workspace != "" {
		t.Errorf(`got %v, want ""`, set.Workspace)
	}
}

func TestABadFileDoesNotDisableTheHooksOfAGoodOne(t *testing.T) {
	w := newWorld(t)
	w.env["HOOKWAY_TRUST"] = "1"
	w.write(w.user("hookway.yaml"), "hooks: [{id: user, on: PreToolUse, block: true}]\nhoks: 1\nbad: 2\n")
	w.write(w.work("hookway.yaml"), blockRM)
	w.write(w.work(".hookway/hooks/good.sh"), describing(`{"events":["PreToolUse"]}`, "no"))
	w.write(w.work(".hookway/hooks/bad.sh"), "#!/bin/sh\necho garbage\n")
	set := w.load()
	w.want(set, "no-rm active, good.sh active")
	if len(set.Problems) != 2 || len(set.Warnings) != 1 {
		t.Errorf("problems\n%s\nwarnings\n%s", set.Problems, set.Warnings)
	}
	if warning := set.Warnings[0]; warning.File != w.work(".hookway/hooks/bad.sh") || !strings.Contains(warning.Message, "garbage") {
		t.Errorf(`got %+v, want warning.File == w.work(".hookway/hooks/bad.sh") and strings.Contains(warning.Message, "garbage")`, warning)
	}
}

func TestTheSameIDInTwoFilesIsQualifiedAndBothRun(t *testing.T) {
	w := newWorld(t)
	w.env["HOOKWAY_TRUST"] = "1"
	w.write(w.user("hookway.yaml"), "hooks: [{id: a, on: PreToolUse, inject: user}]\n")
	w.write(w.work("hookway.yaml"), "hooks: [{id: a, on: PreToolUse, inject: work}]\n")
	for _, folder := range []string{".hookway/hooks/a", ".acai/hooks/a"} {
		w.write(w.work(folder), "#!/bin/sh\nif [ \"$HOOK_ACTION\" = describe ]; then echo '{\"event\":\"PreToolUse\"}'; else echo '{\"inject\":\""+folder+"\"}'; fi\n")
	}
	set := w.load()
	w.want(set, fmt.Sprintf("a active, workspace/a active, a@%s active, a@%s active", w.work(".hookway/hooks/a"), w.work(".acai/hooks/a")))
	if out := bash(t, fill(t, set), w.ws, "ls"); out.Inject != "user\n\nwork\n\n.hookway/hooks/a\n\n.acai/hooks/a" {
		t.Errorf("got %q, want \"user\\n\\nwork\\n\\n.hookway/hooks/a\\n\\n.acai/hooks/a\"", out.Inject)
	}
}

func TestADisabledHookIsListedAndDoesNotRun(t *testing.T) {
	w := newWorld(t)
	w.write(w.user("hookway.yaml"), "hooks:\n  - {id: a, on: PreToolUse, block: true, enabled: false}\n  - {id: b, on: PreToolUse, allow: true, enabled: true}\n")
	set := w.load()
	w.want(set, "a disabled, b active")
	if out := bash(t, fill(t, set), w.ws, "ls"); out.Action != hook.ActionAllow {
		t.Errorf("got %+v, want out.Action == hook.ActionAllow", out)
	}
}

func TestAWorkspaceWithNothingInItNeedsNoTrust(t *testing.T) {
	w := newWorld(t)
	w.must(os.MkdirAll(w.work(".hookway/hooks"), 0o755))
	if set := w.load(); set.Workspace != w.ws || set.Trust.State != trust.None {
		t.Errorf("got %+v, want set.Workspace == w.ws and set.Trust.State == trust.None", set.Trust)
	}
}

func TestBothSpellingsOfTheFileAreAProblem(t *testing.T) {
	w := newWorld(t)
	w.env["HOOKWAY_TRUST"] = "1"
	w.write(w.work("hookway.yaml"), blockRM)
	w.write(w.work("hookway.yml"), "hooks: []\n")
	set := w.load()
	w.want(set, "no-rm active")
	if len(set.Problems) != 1 || set.Problems[0].File != w.work("hookway.yml") {
		t.Errorf(`got %v, want len(set.Problems) == 1 and set.Problems[0].File == w.work("hookway.yml")`, set.Problems)
	}
}

func TestAFileNamedByTheUserNeedsNoTrustAndReplacesTheWorkspace(t *testing.T) {
	w := newWorld(t)
	w.write(w.work("hookway.yaml"), "hooks: [{id: work, on: PreToolUse, block: true}]\n")
	w.write(w.work("other/named.yaml"), blockRM)
	opts := w.options()
	opts.File = w.work("other/named.yaml")
	set, err := Load(context.Background(), opts)
	w.must(err)
	w.want(set, "no-rm active")
	if set.Trust.State != trust.Named || set.Workspace != w.ws {
		t.Errorf("got %+v, want set.Trust.State == trust.Named and set.Workspace == w.ws", set.Trust)
	}
	opts.Dir = w.work("other")
	if set = must(Load(context.Background(), opts)); set.Workspace != w.work("other") {
		t.Errorf("in the file's own folder the workspace is %s", set.Workspace)
	}
	opts.File = w.work("missing.yaml")
	if _, err := Load(context.Background(), opts); err == nil || !strings.Contains(err.Error(), "missing.yaml") {
		t.Errorf(`got %v, want err != nil and strings.Contains(err.Error(), "missing.yaml")`, err)
	}
}

func TestUserConfigurationThatOthersCanWriteIsRefused(t *testing.T) {
	for _, path := range []string{"", "hookway.yaml", "hooks", "hooks/guard.sh"} {
		t.Run(path, func(t *testing.T) {
			w := newWorld(t)
			w.write(w.user("hookway.yaml"), blockRM)
			w.write(w.user("hooks/guard.sh"), describing(`{"event":"PreToolUse"}`, "no"))
			w.must(os.Chmod(w.user("hooks"), 0o700))
			w.want(w.load(), "no-rm active, guard.sh active")
			w.must(os.Chmod(w.user(path), 0o777))
			set := w.load()
			found := append(set.Problems, set.Warnings...)
			if len(found) != 1 || !strings.Contains(found[0].Message, "chmod go-w") || found[0].File != filepath.Clean(w.user(path)) {
				t.Errorf(`got %v, want len(found) == 1 and strings.Contains(found[0].Message, "chmod go-w") and found[0].File == filepath.Clean(w.user(path))`, found)
			}
			if len(set.Hooks) != map[string]int{"": 0, "hookway.yaml": 1, "hooks": 1, "hooks/guard.sh": 1}[path] {
				t.Errorf(`got %v, want len(set.Hooks) == map[string]int{"": 0, "hookway.yaml": 1, "hooks": 1, "hooks/guard.sh": 1}[path]`, states(set))
			}
		})
	}
}

func TestFilesThatAreNoFilesNeitherHangNorHurt(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"folder":        func(p string) error { return os.Mkdir(p, 0o755) },
		"named pipe":    func(p string) error { return syscall.Mkfifo(p, 0o644) },
		"link to self":  func(p string) error { return os.Symlink(p, p) },
		"dangling link": func(p string) error { return os.Symlink(p+"-missing", p) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.env["HOOKWAY_TRUST"] = "1"
			w.write(w.work(".hookway/hooks/good.sh"), describing(`{"event":"PreToolUse"}`, "no"))
			w.must(make(w.work("hookway.yaml")))
			w.must(make(w.work(".hookway/hooks/odd.sh")))
			set := w.load()
			w.want(set, "good.sh active")
			if len(set.Problems) != 1 || !strings.Contains(set.Problems[0].Message, "cannot be read") {
				t.Errorf("problems: %s", set.Problems)
			}
			if want := map[bool]int{true: 0, false: 1}[name == "folder"]; len(set.Warnings) != want {
				t.Errorf("warnings: %s", set.Warnings)
			}
		})
	}
}

func TestEventsOfTheFileAndOfAgentsMayBeNamed(t *testing.T) {
	w := newWorld(t)
	w.env["HOOKWAY_TRUST"] = "1"
	w.write(w.user("hookway.yaml"), "events: [{name: Deploy, aliases: [ship], may: [block]}]\n")
	w.write(w.work("hookway.yaml"), `events: [{name: Deploy, aliases: [ship], may: [block]}, {name: Own}]
hooks:
  - {id: a, on: ship, block: not today}
  - {id: b, on: Own, block: true}
  - {id: c, on: worktree_create, block: true}
`)
	opts := w.options()
	opts.Native = []string{"WorktreeCreate", "PreToolUse"}
	set, err := Load(context.Background(), opts)
	w.must(err)
	w.want(set, "a active, b active, c active")
	e := fill(t, set)
	info, err := e.Lookup("Ship")
	w.must(err)
	ev, err := info.New(hook.Envelope{}, map[string]any{"to": "prod"})
	w.must(err)
	if out, err := e.Fire(context.Background(), ev); err != nil || out.Action != hook.ActionBlock || out.Reason != "not today" {
		t.Errorf(`got %+v %v, want err == nil and out.Action == hook.ActionBlock and out.Reason == "not today"`, out, err)
	}
	if out, err := e.Fire(context.Background(), must(hook.Native("WorktreeCreate").New(hook.Envelope{}, map[string]any{}))); err != nil || out.By != "c" {
		t.Errorf(`got %+v %v, want err == nil and out.By == "c"`, out, err)
	}
	w.want(w.load(), "") // without the native names, the file has a mistake
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestTwoMeaningsOfOneEventAreAProblemOfTheLaterFile(t *testing.T) {
	w := newWorld(t)
	w.env["HOOKWAY_TRUST"] = "1"
	w.write(w.user("hookway.yaml"), "events: [{name: Deploy, may: [block]}]\n")
	w.write(w.work("hookway.yaml"), "events: [{name: Deploy, may: [inject]}]\n")
	set := w.load()
	if len(set.Problems) != 1 || set.Problems[0].File != w.work("hookway.yaml") {
		t.Errorf(`got %v, want len(set.Problems) == 1 and set.Problems[0].File == w.work("hookway.yaml")`, set.Problems)
	}
}

func TestSettingsOfATrustedWorkspaceGoBeforeTheUsers(t *testing.T) {
	w := newWorld(t)
	w.write(w.user("hookway.yaml"), "max_continues: 2\nidle_threshold: 5s\n")
	w.write(w.work("hookway.yaml"), "max_continues: 7\nask_fallback: allow\n")
	set := w.load()
	if set.Settings.MaxContinues != 2 || set.Settings.AskFallback != hook.ActionBlock {
		t.Errorf("an untrusted workspace had a say: %+v", set.Settings)
	}
	w.trust()
	set = w.load()
	e := fill(t, set)
	if e.MaxContinues != 7 || e.AskFallback != hook.ActionAllow || set.Settings.IdleThreshold.Seconds() != 5 {
		t.Errorf("got %+v, want e.MaxContinues == 7 and e.AskFallback == hook.ActionAllow and set.Settings.IdleThreshold.Seconds() == 5", set.Settings)
	}
}

// What a project says of asks is about its own hooks: it makes no ask of the user's, or
// of hookway's own rules, an allow.
func TestAskFallbackOfAWorkspaceIsAboutItsOwnHooks(t *testing.T) {
	for _, tt := range []struct {
		user, work string
		want       string // of a hook of the user, one of the workspace, hookway's own rules
	}{
		{"ask_fallback: block", "ask_fallback: allow", "block allow block"},
		{"version: 1", "ask_fallback: allow", "block allow block"},
		{"ask_fallback: allow", "ask_fallback: block", "block block block"},
		{"ask_fallback: allow", "version: 1", "allow allow allow"},
	} {
		w := newWorld(t)
		w.write(w.user("hookway.yaml"), tt.user+"\nguards: {use: [git], mode: enforce}\nhooks: [{id: mine, on: PreToolUse, lane: guard, match: {command: mine}, ask: sure?}]\n")
		w.write(w.work("hookway.yaml"), tt.work+"\nhooks: [{id: its, on: PreToolUse, lane: guard, match: {command: its}, ask: sure?}]\n")
		w.trust()
		set := w.load()
		e := fill(t, set)
		var of, ran []string
		for _, id := range []string{"mine", "its", guards.ID} {
			of = append(of, set.AskFallback(id).String())
		}
		for _, line := range []string{"mine", "its", "git push -f origin feature"} {
			word := "block"
			_, err := hook.Tool(t.Context(), e, &hook.Envelope{CWD: w.ws}, hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": line}},
				func(context.Context, hook.ToolUse) (hook.ToolResponse, error) {
					word = "allow"
					return hook.ToolResponse{Success: true}, nil
				})
			w.must(err)
			ran = append(ran, word)
		}
		if got := strings.Join(of, " "); got != tt.want {
			t.Errorf("user %q, workspace %q: got %s, want %s", tt.user, tt.work, got, tt.want)
		}
		if got := strings.Join(ran, " "); got != tt.want {
			t.Errorf("user %q, workspace %q: calls: got %s, want %s", tt.user, tt.work, got, tt.want)
		}
	}
}

func TestPathPatternsOfAWorkspaceStartFromItsFolder(t *testing.T) {
	w := newWorld(t)
	w.env["HOOKWAY_TRUST"] = "1"
	w.write(w.work("hookway.yaml"), "hooks: [{id: a, on: PreToolUse, match: {path: 'src/**'}, block: true}]\n")
	w.must(os.MkdirAll(w.work("src/deep"), 0o755))
	e := fill(t, w.load())
	fire := func(file string) hook.Action {
		out, err := hook.Fire(context.Background(), e, hook.PreToolUse, &hook.Envelope{CWD: w.work("src/deep")},
			hook.ToolUse{ToolName: "Write", ToolInput: map[string]any{"file_path": file}})
		w.must(err)
		return out.Action
	}
	if fire("x.go") != hook.ActionBlock || fire("../../x.go") != hook.ActionContinue {
		t.Error("the pattern did not start from the workspace")
	}
}

func TestModifyChangesThePayload(t *testing.T) {
	w := newWorld(t)
	w.env["HOOKWAY_TRUST"] = "1"
	w.write(w.work("hookway.yaml"), "hooks: [{id: a, on: PreToolUse, modify: {tool_input: {timeout: 9007199254740993, gone: null}}}]\n")
	e := fill(t, w.load())
	out, err := hook.Fire(context.Background(), e, hook.PreToolUse, &hook.Envelope{},
		hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": "ls", "gone": true}})
	w.must(err)
	if got := fmt.Sprint(out.Payload.ToolInput); got != "map[command:ls timeout:9007199254740993]" || !out.Changed {
		t.Errorf(`got %v, want got == "map[command:ls timeout:9007199254740993]" and out.Changed`, got)
	}
}

func TestAMissingProgramIsAWarningAndTheHookFailsByItsPolicy(t *testing.T) {
	w := newWorld(t)
	w.env["HOOKWAY_TRUST"] = "1"
	w.write(w.work("hookway.yaml"), "hooks:\n  - {id: a, on: PreToolUse, lane: guard, command: [./missing]}\n")
	set := w.load()
	if len(set.Problems) != 0 || len(set.Warnings) != 1 || set.Warnings[0].Place() != w.work("hookway.yaml")+":2" {
		t.Errorf(`got %s %s, want len(set.Problems) == 0 and len(set.Warnings) == 1 and set.Warnings[0].Place() == w.work("hookway.yaml") + ":2"`, set.Problems, set.Warnings)
	}
	if out := bash(t, fill(t, set), w.ws, "ls"); out.Action != hook.ActionBlock || !strings.Contains(out.Reason, w.work("missing")) {
		t.Errorf(`got %+v, want out.Action == hook.ActionBlock and strings.Contains(out.Reason, w.work("missing"))`, out)
	}
}

func TestALineWhoseProgramIsMissingIsAWarning(t *testing.T) {
	for line, warns := range map[string]bool{"./missing": true, "./missing -x | cat": true, "./there": false, "missing": false, "A=b ./missing": false, "test -x ./missing || exit 0": false, "echo ./missing": false} {
		w := newWorld(t)
		w.env["HOOKWAY_TRUST"] = "1"
		w.write(w.work("there"), "#!/bin/sh\n")
		if err := os.Chmod(w.work("there"), 0o755); err != nil {
			t.Fatal(err)
		}
		w.write(w.work("hookway.yaml"), fmt.Sprintf("hooks:\n  - {id: a, on: PreToolUse, command: %q}\n", line))
		set := w.load()
		if len(set.Problems) != 0 || (len(set.Warnings) == 1) != warns {
			t.Errorf("%s: got %s %s, want len(set.Problems) == 0 and (len(set.Warnings) == 1) == warns", line, set.Problems, set.Warnings)
		}
	}
}

func TestACommandIsTheFileBesideTheConfigurationWhereverTheAgentWorks(t *testing.T) {
	w := newWorld(t)
	w.env["HOOKWAY_TRUST"] = "1"
	script := "#!/bin/sh\nprintf '%s|%s|%s' \"$PWD\" \"$HOOKWAY_PROJECT_DIR\" \"$1\" >&2; exit 2\n"
	decoy := guard("the file in the agent's folder ran")
	w.write(w.work("my hooks/guard.sh"), script)
	w.write(w.work("guard.sh"), script)
	w.write(w.work("sub/guard.sh"), decoy)
	w.write(w.work("sub/my hooks/guard.sh"), decoy)
	for name, command := range map[string]string{
		"list":           `["./guard.sh", "x"]`,
		"list in folder": `["my hooks/guard.sh", "x"]`,
		"interpreter":    `["sh", "guard.sh", "x"]`,
		"shell":          `"./guard.sh x"`,
		"shell line":     `"true && sh guard.sh x"`,
	} {
		t.Run(name, func(t *testing.T) {
			w.write(w.work("hookway.yaml"), "hooks: [{id: a, on: PreToolUse, command: "+command+"}]\n")
			out := bash(t, fill(t, w.load()), w.work("sub"), "ls")
			if want := w.work("sub") + "|" + w.ws + "|x"; out.Reason != want {
				t.Errorf("reason %q, want %q", out.Reason, want)
			}
		})
	}
}
