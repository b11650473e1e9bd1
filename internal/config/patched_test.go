//go:build unix

package config

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// patchCall is a call of the patch tool as an adapter gives it.
func (w *world) patchCall(patch string) hook.AnyEvent {
	env := hook.Envelope{CWD: w.ws, Metadata: map[string]any{"native_tool": "apply_patch", "native": map[string]any{"tool_input": map[string]any{"command": patch}}}}
	return hook.PreToolUse.New(env, hook.ToolUse{ToolName: "Edit", ToolInput: map[string]any{
		"command": patch, "file_path": "new.txt", "file_paths": []any{"new.txt"}}})
}

const somePatch = `*** Begin Patch
*** Add File: new.txt
+one
+two
*** Update File: src/a.go
*** Move to: src/b.go
@@ func a()
 	x
-	old
+	new
*** Delete File: gone.txt
*** Update File: two.txt
@@
-1
+2
@@
-3
+4
*** End Patch
`

func TestAPatchReachesHooksAsOneCallForEachFile(t *testing.T) {
	w := settingsWorld(t, `{"hooks": {"PreToolUse": [
  {"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "cat >> all"}]},
  {"matcher": "^Write$", "hooks": [{"type": "command", "command": "cat >> writes"}]},
  {"matcher": "^(?!Edit|MultiEdit)", "hooks": [{"type": "command", "command": "cat >> others"}]},
  {"matcher": "Bash", "hooks": [{"type": "command", "command": "cat >> shell"}]},
  {"hooks": [{"type": "command", "command": "cat >> any"}]}
]}}`)
	w.write(w.work("gone.txt"), "bye\n")
	fireFrom(t, fill(t, w.load()), "codex", w.patchCall(somePatch))
	told := func(file string) string {
		var out []string
		data, _ := os.ReadFile(w.work(file))
		for line := range strings.Lines(string(data)) {
			var e struct {
				Tool  string         `json:"tool_name"`
				Input map[string]any `json:"tool_input"`
			}
			w.must(json.Unmarshal([]byte(line), &e))
			path := strings.TrimPrefix(e.Input["file_path"].(string), w.ws+"/")
			if e.Tool == "Write" {
				out = append(out, "Write "+path+" "+e.Input["content"].(string))
			} else {
				out = append(out, e.Tool+" "+path+" "+e.Input["old_string"].(string)+" > "+e.Input["new_string"].(string))
			}
		}
		return strings.Join(out, "\n")
	}
	all := "Write new.txt one\ntwo\n\nEdit src/a.go \tx\n\told > \tx\n\tnew\nWrite src/b.go \tx\n\tnew\nEdit gone.txt bye\n > \nEdit two.txt 1\n3 > 2\n4"
	writes := "Write new.txt one\ntwo\n\nWrite src/b.go \tx\n\tnew"
	for file, want := range map[string]string{"all": all, "any": all, "writes": writes, "others": writes, "shell": ""} {
		if got := told(file); got != want {
			t.Errorf("%s was told\n%s\nwant\n%s", file, got, want)
		}
	}
}

func TestAFileProtectionSeesEachFileOfAPatch(t *testing.T) {
	w := settingsWorld(t, entryOf("PreToolUse", `"matcher": "Write|MultiEdit", `, `"command": "grep -q '\"file_path\":\"[^\"]*/b.go\"' && { echo protected >&2; exit 2; }; exit 0"`))
	e := fill(t, w.load())
	if out := fireFrom(t, e, "codex", w.patchCall(somePatch)); out.Action != hook.ActionBlock || strings.TrimSpace(out.Reason) != "protected" {
		t.Errorf(`got %s %q %v, want out.Action == hook.ActionBlock and strings.TrimSpace(out.Reason) == "protected"`, out.Action, out.Reason, out.Steps)
	}
	if out := fireFrom(t, e, "codex", w.patchCall(strings.ReplaceAll(somePatch, "b.go", "c.go"))); out.Action != hook.ActionContinue {
		t.Errorf("got %s %q, want %s", out.Action, out.Reason, hook.ActionContinue)
	}
	if out := fireFrom(t, e, "codex", w.patchCall("*** Begin Patch\n*** Frobnicate File: b.go\n*** End Patch\n")); out.Action != hook.ActionBlock || !strings.Contains(out.Reason, "cannot be read") {
		t.Errorf("what is no patch: %s %q", out.Action, out.Reason)
	}
	if out := fireFrom(t, e, "codex", toolCall("Edit", map[string]any{"file_path": "/x/b.go"})); out.Action != hook.ActionContinue {
		t.Errorf("an edit that is no patch does not concern a matcher of Write: %s", out.Action)
	}
}

func TestAChangeOfAFileGoesBackIntoThePatch(t *testing.T) {
	for name, c := range map[string]struct{ answer, want string }{
		"content":  {`{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": {"file_path": "WS/new.txt", "content": "three\nfour\n"}}}`, "*** Add File: new.txt\n+three\n+four\n*** Update"},
		"new text": {`{"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"file_path": "WS/src/a.go", "old_string": "\tx\n\told", "new_string": "\tx\n\tbest"}}}`, "@@ func a()\n-\tx\n-\told\n+\tx\n+\tbest\n*** Delete"},
		"path":     {`{"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"file_path": "WS/else.txt", "content": "one\ntwo\n"}}}`, "*** Add File: WS/else.txt\n+one\n+two\n"},
	} {
		t.Run(name, func(t *testing.T) {
			w := settingsWorld(t, "{}")
			answer, want := strings.ReplaceAll(c.answer, "WS", w.ws), strings.ReplaceAll(c.want, "WS", w.ws)
			tool, file := "Write", "new.txt"
			if name == "new text" {
				tool, file = "Edit", "a.go"
			}
			w.write(w.work("answer.json"), answer)
			quoted, _ := json.Marshal(`grep -q '"file_path":"[^"]*/` + file + `"' && cat ` + w.work("answer.json") + `; exit 0`)
			w.write(w.work(".claude/settings.json"), entryOf("PreToolUse", `"matcher": "`+tool+`", `, `"command": `+string(quoted)))
			out := fireFrom(t, fill(t, w.load()), "codex", w.patchCall(somePatch))
			use := out.Payload.(hook.ToolUse)
			if patch := use.ToolInput["command"].(string); !strings.Contains(patch, want) || use.ToolName != "Edit" {
				t.Errorf("%s %s: %s\n%v", out.Action, out.Reason, patch, out.Steps)
			}
			if name == "path" && use.ToolInput["file_path"] != w.ws+"/else.txt" {
				t.Errorf("guards are told of %v", use.ToolInput["file_path"])
			}
			if out.Action == hook.ActionAllow && name == "content" {
				t.Error("an approval of one file approves of all")
			}
		})
	}
}
