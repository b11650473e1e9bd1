//go:build unix

package config

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
)

// settingsWorld is a trusted workspace that imports Claude Code's hooks.
func settingsWorld(t *testing.T, settings string) *world {
	w := folderWorld(t)
	w.write(w.work("hookway.yaml"), "import: claude\n")
	w.write(w.work(".claude/settings.json"), settings)
	return w
}

// entryOf is a settings.json with one hook.
func entryOf(event, group, fields string) string {
	return `{"hooks": {"` + event + `": [{` + group + `"hooks": [{"type": "command", ` + fields + `}]}]}}`
}

// fireFrom fires an event of a kind from a source, for a session.
func fireFrom(t *testing.T, e *hook.Engine, source string, ev hook.AnyEvent) hook.Outcome[any] {
	t.Helper()
	ev.Head().Source, ev.Head().Session = source, "s"
	out, err := e.Fire(context.Background(), ev)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func toolCall(tool string, input map[string]any) hook.AnyEvent {
	return hook.PreToolUse.New(hook.Envelope{}, hook.ToolUse{ToolName: tool, ToolInput: input})
}

func shellCall(line string) hook.AnyEvent { return toolCall("Bash", map[string]any{"command": line}) }

func TestHooksOfClaudeCodeRunUnderOtherAgents(t *testing.T) {
	w := settingsWorld(t, `{
  // a comment, as editors allow it
  "permissions": {"allow": ["Bash(ls:*)"]},
  "hooks": {
    "PreToolUse": [
      {"matcher": "Bash", "hooks": [
        {"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh", "timeout": 5, "onFailure": "block"},
        {"type": "prompt", "prompt": "is it safe?"},
        {"type": "command", "command": "${CLAUDE_PROJECT_DIR}/.claude/hooks/guard.sh", "args": ["exec form"]}
      ]}
    ],
    "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "grep -o '\"hook_event_name\":\"[A-Za-z]*\"' >&2; exit 2"}]}],
  }
}`)
	w.write(w.work(".claude/hooks/guard.sh"), "#!/bin/sh\necho \"no, says $CLAUDE_PROJECT_DIR $1\" >&2\nexit 2\n")
	w.write(w.work(".claude/settings.local.json"), entryOf("PostToolUse", "", `"command": "true", "async": true`))
	set := w.load()
	w.want(set, "claude:PreToolUse:1 active, claude:PreToolUse:3 active, claude:UserPromptSubmit:1 active, claude-local:PostToolUse:1 active, claude:later active")
	if len(set.Problems) > 0 || len(set.Warnings) != 1 {
		t.Errorf("problems %s\nwarnings %s", set.Problems, set.Warnings)
	} else if set.Warnings[0].Line != 8 || !strings.Contains(set.Warnings[0].Message, "type prompt") {
		t.Errorf("problems %s\nwarnings %s", set.Problems, set.Warnings)
	}
	first := set.Hooks[0]
	if got, want := fmt.Sprint([]any{first.Timeout, first.OnFail, first.Lane, first.Origin}), fmt.Sprint([]any{5 * time.Second, hook.FailClosed, hook.Transform, w.work(".claude/settings.json") + ":7"}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if prompt := set.Hooks[2]; prompt.Timeout != 30*time.Second || prompt.OnFail != hook.FailOpen {
		t.Errorf("got %+v, want prompt.Timeout == 30 * time.Second and prompt.OnFail == hook.FailOpen", prompt.Hook)
	}
	if set.Hooks[3].Lane != hook.Observe {
		t.Errorf("got %+v, want set.Hooks[3].Lane == hook.Observe", set.Hooks[3].Hook)
	}
	e := fill(t, set)
	if out := fireFrom(t, e, "gemini", shellCall("ls")); out.Action != hook.ActionBlock || strings.TrimSpace(out.Reason) != "no, says "+w.ws {
		t.Errorf(`got %s %q, want out.Action == hook.ActionBlock and strings.TrimSpace(out.Reason) == "no, says " + w.ws`, out.Action, out.Reason)
	}
	if out := fireFrom(t, e, "gemini", toolCall("Read", nil)); out.Action != hook.ActionContinue || len(out.Steps) != 0 {
		t.Errorf("another tool: %+v", out)
	}
	e.Remove("claude:PreToolUse:1")
	if out := fireFrom(t, e, "codex", shellCall("ls")); out.Reason != "no, says "+w.ws+" exec form" {
		t.Errorf("exec form: %s %q", out.Action, out.Reason)
	}
	prompt := hook.AgentStart.New(hook.Envelope{}, hook.AgentRun{Prompt: "hi"})
	if out := fireFrom(t, e, "codex", prompt); !strings.Contains(out.Reason, `"UserPromptSubmit"`) {
		t.Errorf("it is told another name: %q", out.Reason)
	}
}

// TestOnlyClaudeCodeDoesNotRunImportedHooks: it runs them itself. Copilot CLI does
// too in a workspace, but not with -p, where a guard would be missing.
func TestOnlyClaudeCodeDoesNotRunImportedHooks(t *testing.T) {
	user := newWorld(t)
	user.write(user.user("hookway.yaml"), "import: claude\n")
	user.write(filepath.Join(user.env["HOME"], ".claude/settings.json"), entryOf("PreToolUse", "", `"command": "exit 2"`))
	for layer, w := range map[string]*world{LayerUser: user, LayerWorkspace: settingsWorld(t, entryOf("PreToolUse", "", `"command": "exit 2"`))} {
		e := fill(t, w.load())
		for source, want := range map[string]hook.Action{"claude": hook.ActionContinue, "copilot": hook.ActionBlock, "gemini": hook.ActionBlock, "": hook.ActionBlock} {
			if out := fireFrom(t, e, source, shellCall("ls")); out.Action != want || want == hook.ActionContinue && len(out.Steps) > 0 {
				t.Errorf("%s, from %q: %s in %d steps, want %s", layer, source, out.Action, len(out.Steps), want)
			}
		}
	}
}

func TestMatchersOfClaudeCode(t *testing.T) {
	for _, c := range []struct{ matcher, yes, no string }{
		{"", "Bash Read mcp__a__b", ""},
		{"*", "Bash Read", ""},
		{"Bash", "Bash", "BashOutput bash"},
		{"Edit|Write", "Edit Write", "NotebookEdit Read"},
		{"Edit, Write", "Edit Write", "Read"},
		{"mcp__.*", "mcp__git__log", "Bash"},
		{"mcp__git__.*", "mcp__git__log", "mcp__hub__log"},
		{"^mcp__[a-z]+__delete", "mcp__git__delete_all", "mcp__g1__delete xmcp__git__delete"},
		{"Notebook.*", "NotebookEdit MyNotebook", "Edit"},
		{"^(Edit|Write)$", "Edit Write", "NotebookEdit EditX"},
		{"^Edit|Write$", "Edit EditX XWrite", "NotebookEdit WriteX"},
		{".*", "Bash", ""},
		{"(?i)bash", "Bash BASHOutput", "Read"},
		{"mcp__my-server", "mcp__my-server__x", "mcp__other"},
		{"Task", "Task Agent", "TaskStop"},
		{"Agent|Bash", "Task Agent Bash", "Read"},
		{"^Task$", "Task Agent", "TaskStop"},
		{"(Task|Read)", "Task Agent Read", "Bash"},
		{"^(?!mcp__|Read$).*", "Bash Write Reader", "Read mcp__a__b"},
		{"^(?!mcp__)", "Bash", "mcp__a__b"},
		{"Task[A-Z]?", "Task Agent TaskStop", "Bash"},
	} {
		quoted, _ := json.Marshal(c.matcher)
		w := settingsWorld(t, entryOf("PreToolUse", `"matcher": `+string(quoted)+`, `, `"command": "exit 2"`))
		set := w.load()
		w.want(set, "claude:PreToolUse:1 active")
		e := fill(t, set)
		for _, tool := range append(strings.Fields(c.yes), strings.Fields(c.no)...) {
			out := fireFrom(t, e, "codex", toolCall(tool, nil))
			if got, want := out.Action == hook.ActionBlock, slices.Contains(strings.Fields(c.yes), tool); got != want {
				t.Errorf("matcher %q, tool %s: %t, want %t", c.matcher, tool, got, want)
			}
		}
	}
}

func TestMatchersOfOtherEventsLookAtTheirFields(t *testing.T) {
	w := settingsWorld(t, entryOf("SessionStart", `"matcher": "resume|clear", `, `"command": "echo hello"`))
	e := fill(t, w.load())
	for source, want := range map[string]string{"startup": "", "resume": "hello", "clear": "hello", "resumed": ""} {
		if out := fireFrom(t, e, "qwen", hook.SessionStart.New(hook.Envelope{}, hook.SessionInfo{Source: source})); out.Inject != want {
			t.Errorf("%s: injects %q, want %q", source, out.Inject, want)
		}
	}
	w = settingsWorld(t, entryOf("Stop", `"matcher": "never", `, `"command": "exit 2", "onFailure": "block"`))
	set := w.load()
	if out := fireFrom(t, fill(t, set), "qwen", hook.AgentStop.New(hook.Envelope{}, hook.AgentResult{})); out.Action != hook.ActionBlock || set.Hooks[0].OnFail != hook.FailOpen {
		t.Errorf("Stop has no matcher and no onFailure: %s, %+v", out.Action, set.Hooks[0].OnFail)
	}
}

func TestIfIsAPermissionRule(t *testing.T) {
	for _, c := range []struct {
		rule    string
		yes, no []hook.AnyEvent
		warns   bool
	}{
		{"Bash(git *)", []hook.AnyEvent{shellCall("git push"), shellCall("git"), shellCall("cd x && git push"), shellCall("A=b git status | cat")},
			[]hook.AnyEvent{shellCall("ls"), shellCall("gitk"), toolCall("Read", map[string]any{"command": "git x"})}, false},
		{"Bash(npm run:*)", []hook.AnyEvent{shellCall("npm run test"), shellCall("npm run")}, []hook.AnyEvent{shellCall("npm install")}, false},
		{"Bash(rm -rf /)", []hook.AnyEvent{shellCall("rm -rf /")}, []hook.AnyEvent{shellCall("rm -rf /tmp")}, false},
		{"Bash", []hook.AnyEvent{shellCall("ls")}, []hook.AnyEvent{toolCall("Read", nil)}, false},
		{"Edit(src/**)", []hook.AnyEvent{toolCall("Write", map[string]any{"file_path": "src/a/b.go"})},
			[]hook.AnyEvent{toolCall("Write", map[string]any{"file_path": "doc/b.go"}), toolCall("Read", map[string]any{"file_path": "src/a.go"})}, false},
		{"Read(//etc/**)", []hook.AnyEvent{toolCall("Read", map[string]any{"file_path": "/etc/passwd"})}, []hook.AnyEvent{toolCall("Read", map[string]any{"file_path": "etc/x"})}, false},
		{"mcp__git", []hook.AnyEvent{toolCall("mcp__git__log", nil)}, []hook.AnyEvent{toolCall("mcp__github__log", nil)}, false},
		{"WebFetch(domain:a.b)", []hook.AnyEvent{toolCall("WebFetch", map[string]any{"url": "https://x.y"})}, []hook.AnyEvent{shellCall("ls")}, true},
		{"Bash(git", []hook.AnyEvent{shellCall("ls")}, nil, true},
	} {
		quoted, _ := json.Marshal(c.rule)
		w := settingsWorld(t, entryOf("PreToolUse", "", `"command": "exit 2", "if": `+string(quoted)))
		set := w.load()
		if (len(set.Warnings) > 0) != c.warns || len(set.Problems) > 0 {
			t.Errorf("%s: warnings %s problems %s", c.rule, set.Warnings, set.Problems)
		}
		e := fill(t, set)
		for i, ev := range append(slices.Clone(c.yes), c.no...) {
			ev.Head().CWD = w.ws
			if out := fireFrom(t, e, "codex", ev); (out.Action == hook.ActionBlock) != (i < len(c.yes)) {
				t.Errorf("%s: call %d %+v gave %s", c.rule, i, ev.Body(), out.Action)
			}
		}
	}
}

func TestOnceIsOnceInASession(t *testing.T) {
	w := settingsWorld(t, entryOf("PreToolUse", "", `"command": "exit 2", "once": true`))
	e := fill(t, w.load())
	for i, want := range []hook.Action{hook.ActionBlock, hook.ActionContinue, hook.ActionContinue} {
		if out := fireFrom(t, e, "codex", shellCall("ls")); out.Action != want {
			t.Errorf("call %d: %s, want %s", i, out.Action, want)
		}
	}
	ev := shellCall("ls")
	ev.Head().Session = "another"
	if out, err := e.Fire(context.Background(), ev); err != nil || out.Action != hook.ActionBlock {
		t.Errorf("another session: %s, %v", out.Action, err)
	}
}

func TestTheSameCommandRunsOnce(t *testing.T) {
	w := settingsWorld(t, `{"hooks": {"PreToolUse": [
  {"matcher": "Bash", "hooks": [{"type": "command", "command": "echo x >> log"}]},
  {"matcher": "*", "hooks": [{"type": "command", "command": "echo x >> log", "timeout": 60}, {"type": "command", "command": "echo x >> log", "if": "Bash(ls)"}]}
]}}`)
	w.write(w.work(".claude/settings.local.json"), entryOf("PreToolUse", "", `"command": "echo x >> log"`))
	fireFrom(t, fill(t, w.load()), "codex", working(w.ws, shellCall("ls")))
	log, err := os.ReadFile(w.work("log"))
	if string(log) != "x\nx\n" {
		t.Errorf("log: %q, %v", log, err)
	}
}

func TestASessionHasAFileForItsVariables(t *testing.T) {
	w := settingsWorld(t, `{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "echo 'export A=1' >> \"$CLAUDE_ENV_FILE\""}]}],
  "PreToolUse": [{"hooks": [{"type": "command", "command": "test -z \"$CLAUDE_ENV_FILE\" || exit 2"}]}]}}`)
	e := fill(t, w.load())
	for range 2 {
		if out := fireFrom(t, e, "codex", working(w.ws, hook.SessionStart.New(hook.Envelope{}, hook.SessionInfo{}))); out.Steps[0].Err != nil {
			t.Error(out.Steps[0].Err)
		}
	}
	if out := fireFrom(t, e, "codex", working(w.ws, shellCall("ls"))); out.Action != hook.ActionContinue {
		t.Error("PreToolUse has the file, too")
	}
	files, err := filepath.Glob(filepath.Join(w.home, "state", "claude-env", "*.sh"))
	if err != nil || len(files) != 1 {
		t.Fatalf("got %q, %v, want err == nil and len(files) == 1", files, err)
	}
	if text, _ := os.ReadFile(files[0]); string(text) != "export A=1\nexport A=1\n" {
		t.Errorf("got %q, want string(text) == \"export A=1\\nexport A=1\\n\"", text)
	}
}

func TestAnObserverSeesWhatAnotherBlocks(t *testing.T) {
	w := settingsWorld(t, `{"hooks": {"PreToolUse": [{"hooks": [
  {"type": "command", "command": "echo no >&2; exit 2"}, {"type": "command", "command": "cat > seen"}
]}]}}`)
	out := fireFrom(t, fill(t, w.load()), "codex", working(w.ws, shellCall("ls")))
	seen, err := os.ReadFile(w.work("seen"))
	if out.Action != hook.ActionBlock || !strings.Contains(string(seen), `"command":"ls"`) {
		t.Errorf("%s, seen: %q, %v", out.Action, seen, err)
	}
}

// working is an event of an agent that works in a folder.
func working(dir string, ev hook.AnyEvent) hook.AnyEvent {
	ev.Head().CWD = dir
	return ev
}

func TestHookwaysOwnEntriesAreNotImported(t *testing.T) {
	for command, own := range map[string]bool{
		`/usr/local/bin/hookway-hook claude --event PreToolUse`: true,
		`hookway hook claude`:                                 true,
		`"/opt/my tools/hookway-hook" claude`:                 true,
		`A=b hookway.exe hook claude`:                         true,
		`./my-hookway hook`:                                   false,
		`hookway log`:                                         false,
		`./hooks/hookway-hook-test`:                           false,
		`cat /etc/hookway`:                                    false,
		`test -x hookway-hook && hookway-hook claude; exit`:   true,
		`sh -c 'hookway-hook claude'`:                         true,
		`bash -lc "exec '/opt/my tools/hookway' hook claude"`: true,
		`sh -c "sh -c 'hookway-hook claude'"`:                 true,
		`env X=1 hookway hook claude`:                         true,
		`env -S 'X=1 hookway hook claude'`:                    true,
		`nohup nice -n 5 '/opt/my tools/hookway-hook' claude`: true,
		`hookway -C /p hook claude`:                           true,
		`git commit -m 'hookway-hook claude'`:                 false,
		`sh -c 'hookway log'`:                                 false,
	} {
		quoted, _ := json.Marshal(command)
		w := settingsWorld(t, entryOf("PreToolUse", "", `"command": `+string(quoted)))
		if n := len(w.load().Hooks); (n == 0) != own {
			t.Errorf("%s: %d hooks", command, n)
		}
	}
	for _, args := range []string{`"hookway", "args": ["hook", "claude"]`, `"/bin/sh", "args": ["-c", "hookway-hook claude"]`} {
		w := settingsWorld(t, entryOf("PreToolUse", "", `"command": `+args))
		w.want(w.load(), "")
	}
}

func TestEveryMistakeInSettingsIsListedWithItsPlace(t *testing.T) {
	w := settingsWorld(t, `{"hooks": {
  "PreToolUse": [
    {"matcher": 7, "hooks": [{"type": "command", "command": "x"}]},
    {"hooks": [{"type": "comand", "command": "x"}, {"type": "command"}, {"type": "command", "command": "x", "timeout": "5"}]},
    {"matcher": "Bash"},
    {"hooks": [{"type": "command", "command": "exit 2"}]}
  ],
  "Stop": {}
}}`)
	w.write(w.work(".claude/settings.local.json"), entryOf("Stop", "", `"command": "true"`))
	set := w.load()
	w.want(set, "claude:PreToolUse:5 active, claude-local:Stop:1 active")
	want := `settings.json:3:17: hook "claude:PreToolUse:1": matcher must be text, not the number 7; it is left out
settings.json:4:16: hook "claude:PreToolUse:2": the type "comand" of a hook is unknown; it is command, http, prompt, agent or mcp_tool; it is left out
settings.json:4:52: hook "claude:PreToolUse:3": the hook has no command; it is left out
settings.json:4:120: hook "claude:PreToolUse:4": timeout must be a number of seconds of at most a day, not the text "5"; it is left out
    write seconds, as 30
settings.json:5:5: an entry of PreToolUse has no hooks; it is left out
    write {"matcher": "Bash", "hooks": [{"type": "command", "command": "…"}]}
settings.json:8:11: Stop must be a list, not a map; it is left out`
	if got := strings.ReplaceAll(set.Warnings.String(), w.work(".claude")+"/", ""); got != want || len(set.Problems) > 0 {
		t.Errorf("warnings\n%s\nwant\n%s\nproblems %s", got, want, set.Problems)
	}
	for text, place := range map[string]string{"{\"hooks\": {\n  \"Stop\": [}\n}": ":2:12", "{} {}": ":1:4", "[1]": ":1:1", "{\"hooks\": nul}": ":1:11"} {
		w.write(w.work(".claude/settings.json"), text)
		if set := w.load(); len(set.Problems) != 1 || !strings.HasPrefix(set.Problems[0].String(), w.work(".claude/settings.json")+place+":") {
			t.Errorf("%q gave %s, want a problem at %s", text, set.Problems, place)
		}
	}
	w.write(w.work(".claude/settings.json"), entryOf("PreToolUse", `"matcher": "(?<!Bash)", `, `"command": "x"`)+"\n")
	if set := w.load(); len(set.Problems) > 0 || len(set.Warnings) != 1 || !strings.Contains(set.Warnings[0].Message, "left out") {
		t.Errorf("look-around: %s %s", set.Problems, set.Warnings)
	}
	w.write(w.work(".claude/settings.json"), entryOf("NewEvent", "", `"command": "x"`))
	if set := w.load(); len(set.Problems) > 0 || len(set.Warnings) != 1 || !strings.Contains(set.Warnings[0].Message, `"NewEvent"`) {
		t.Errorf("unknown event: %s %s", set.Problems, set.Warnings)
	}
}

func TestDisableAllHooksCounts(t *testing.T) {
	w := settingsWorld(t, entryOf("Stop", "", `"command": "true"`))
	w.write(w.work(".claude/settings.local.json"), `{"disableAllHooks": true}`)
	w.want(w.load(), "claude:Stop:1 disabled")
}

func TestImportedHooksNeedTheTrustOfTheWorkspace(t *testing.T) {
	w := settingsWorld(t, entryOf("PreToolUse", "", `"command": "sh .claude/hooks/guard.sh"`))
	delete(w.env, "HOOKWAY_TRUST")
	w.write(w.work(".claude/hooks/guard.sh"), "exit 2\n")
	w.want(w.load(), "claude:PreToolUse:1 untrusted")
	status := w.trust()
	if want := []string{".claude/hooks/guard.sh", ".claude/settings.json", "hookway.yaml"}; !slices.Equal(status.Files, want) {
		t.Errorf("pinned are %q, want %q", status.Files, want)
	}
	w.want(w.load(), "claude:PreToolUse:1 active")
	w.write(w.work(".claude/settings.local.json"), `{}`)
	w.want(w.load(), "claude:PreToolUse:1 untrusted")
	w.must(os.Remove(w.work(".claude/settings.local.json")))
	w.write(w.work(".claude/hooks/guard.sh"), "exit 0\n")
	w.want(w.load(), "claude:PreToolUse:1 untrusted")
}

func TestTheUsersSettingsAreImportedByTheUsersConfiguration(t *testing.T) {
	w := newWorld(t)
	w.write(w.user("hookway.yaml"), "import: [claude]\nhooks: [{id: first, on: Stop, inject: a}]\n")
	w.write(filepath.Join(w.env["HOME"], ".claude/settings.json"), entryOf("Stop", "", `"command": "true"`))
	w.write(w.user("hooks/last.sh"), describing(`{"event":"Stop"}`, "no"))
	w.write(w.work(".claude/settings.json"), entryOf("Stop", "", `"command": "false"`))
	w.want(w.load(), "first active, claude:Stop:1 active, last.sh active")
	w.env["CLAUDE_CONFIG_DIR"] = filepath.Join(w.home, "elsewhere")
	w.write(filepath.Join(w.home, "elsewhere/settings.json"), entryOf("Idle", "", `"command": "true"`))
	w.want(w.load(), "first active, claude:Idle:1 active, last.sh active")
	w.must(os.Chmod(filepath.Join(w.home, "elsewhere"), 0o777))
	if set := w.load(); states(set) != "first active, last.sh active" || len(set.Problems) != 1 {
		t.Errorf("settings that others can replace: %s\n%s", states(set), set.Problems)
	}
}

func TestImportedHooksFollowTheirFiles(t *testing.T) {
	w := settingsWorld(t, entryOf("PreToolUse", "", `"command": "exit 2"`))
	r := w.open().watch()
	w.write(w.work(".claude/settings.local.json"), entryOf("Stop", "", `"command": "true"`))
	r.until("the local hook is there", func(s *Set) bool { return states(s) == "claude:PreToolUse:1 active, claude-local:Stop:1 active" })
	w.write(w.work(".claude/settings.json"), `{"hooks": 5}`)
	set := r.until("the mistake is told", func(s *Set) bool { return len(s.Problems) > 0 })
	w.want(set, "claude:PreToolUse:1 active, claude-local:Stop:1 active")
	w.write(w.work("hookway.yaml"), "import: cloud\n")
	set = r.until("both mistakes are told", func(s *Set) bool { return len(s.Problems) > 0 && strings.Contains(s.Problems.String(), "cloud") })
	w.want(set, "claude:PreToolUse:1 active, claude-local:Stop:1 active")
	w.write(w.work("hookway.yaml"), "hooks: []\n")
	r.until("nothing is imported", func(s *Set) bool { return states(s) == "" })
}
