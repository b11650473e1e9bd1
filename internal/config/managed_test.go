package config

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// Nothing that the user's file or a workspace's says makes the administrator's rules milder.
func TestManagedGuardsAreNeverMilder(t *testing.T) {
	const (
		force   = "git push -f origin feature" // git/force-push: ask
		deletes = "rm -rf ~/work"              // files/delete-outside: block
	)
	for _, tt := range []struct {
		name, managed, user, work string
		line, want                string
		refused                   string
	}{
		{"alone", "{use: default}", "", "", deletes, "block", ""},
		{"a user's off", "{use: default}", "{mode: off}", "", deletes, "block", "mode: off of guards is not followed; the managed configuration is stricter"},
		{"a user's mode", "{mode: enforce}", "{mode: monitor}", "", force, "ask", "mode: monitor of guards is not followed"},
		{"a user's rule", "{use: default}", "{rules: {files: allow}}", "", deletes, "block", "what guards says of files is not followed"},
		{"a user's scratch", "{use: default}", "{scratch: '/**'}", "", deletes, "block", "scratch of guards is not followed"},
		{"a user's host", "{use: default, hosts: {block: ['*.zip']}}", "{hosts: {allow: ['*']}}", "", "curl https://a.zip/x -o y", "block", "hosts.allow of guards is not followed"},
		{"a user's project", "{use: default}", "{use: default, projects: {WORK: {mode: off}}}", "", deletes, "block", "is not followed; the managed configuration is stricter"},
		{"a user's word for a project", "{use: default}", "{use: default, projects: {WORK: {loosen: true}}}", "{mode: off}", deletes, "block", "mode: off of guards is not followed; the managed configuration is stricter"},
		{"a workspace's off", "{use: default}", "", "{mode: off}", deletes, "block", "mode: off of guards is not followed; the managed configuration is stricter"},
		{"a user adds a pack", "{use: [git]}", "{use: [files]}", "", deletes, "block", ""},
		{"a user who says little has every pack", "{use: [git]}", "{mode: enforce}", "", deletes, "block", ""},
		{"a user is stricter", "{use: default}", "{mode: enforce}", "", force, "ask", ""},
		{"a workspace is stricter", "{use: default}", "", "{rules: {git/force-push: {verdict: block, mode: enforce}}}", force, "block", ""},
		{"branches add up", "{protected_branches: [stable], mode: enforce}", "{protected_branches: [trial]}", "", "git push -f origin stable", "block", ""},
		{"a user's usual branches", "{use: [secrets], protected_branches: [prod]}", "{use: default}", "", "git push -f origin main", "block", ""},
		{"and its own", "{use: [secrets], protected_branches: [prod]}", "{use: default}", "", "git push -f origin prod", "block", ""},
		{"a workspace's usual branches", "{use: [secrets], protected_branches: [prod]}", "", "{use: [git], mode: enforce}", "git push -f origin main", "block", ""},
		{"it is off", "{mode: off}", "{use: [files]}", "", deletes, "block", ""},
		{"and the user's too", "{mode: off}", "{mode: off}", "", deletes, "", ""},
		{"it names a project", "{use: default, projects: {WORK: {mode: monitor}}}", "", "", deletes, "would block", ""},
		{"another project", "{use: default, projects: {/elsewhere: {mode: monitor}}}", "", "", deletes, "block", ""},
		{"of two, it says who", "{use: [git]}", "{use: [files]}", "{mode: off}", deletes, "block", "the managed configuration is stricter"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set := guarded(t, tt.managed, tt.user, tt.work)
			wantVerdict(t, set, tt.line, tt.want)
			wantRefused(t, set, tt.refused)
		})
	}
}

func TestRulesSayWhereTheyComeFrom(t *testing.T) {
	set := guarded(t, "{use: [git], mode: enforce}", "{use: [git, files]}", "{rules: {files/delete-outside: {verdict: block, mode: enforce}, git/force-push: {verdict: block, mode: enforce}}}")
	on := set.Settings.Guards
	for id, want := range map[string]string{"git/force-push": LayerWorkspace, "git/force-push-protected": LayerManaged, "files/delete-outside": LayerWorkspace, "files/delete-top": LayerUser, "network/upload": ""} {
		if got := on.From[id]; got != want {
			t.Errorf("%s is from %q, want %q", id, got, want)
		}
	}
	var layers []string
	for _, l := range set.GuardLayers() {
		layers = append(layers, l.Layer)
	}
	if got := strings.Join(layers, " "); got != "managed user workspace" {
		t.Errorf("layers %s", got)
	}
}

// Its hooks run before the others', and their asks are never let through.
func TestManagedHooks(t *testing.T) {
	w := newWorld(t)
	w.write(w.admin("hookway.yaml"), "hooks:\n  - {id: house, on: PreToolUse, lane: guard, match: {deletes: '**'}, ask: by the house}\n")
	w.write(w.user("hookway.yaml"), "ask_fallback: allow\nhooks:\n  - {id: house, on: PreToolUse, lane: guard, match: {runs: git}, ask: by me}\n")
	set := w.load()
	w.want(set, "house active, user/house active")
	if set.Hooks[0].Layer != LayerManaged || set.Managed != w.admin("hookway.yaml") {
		t.Errorf("layer %s, managed %s", set.Hooks[0].Layer, set.Managed)
	}
	if got := set.AskFallback("house"); got != hook.ActionBlock {
		t.Errorf("an ask of the administrator's, with nobody there, becomes %s", got)
	}
	if got := set.AskFallback("user/house"); got != hook.ActionAllow {
		t.Errorf("an ask of the user's becomes %s", got)
	}
	e := fill(t, set)
	for line, want := range map[string]string{"rm x": "by the house", "git status": "by me"} {
		if out := bash(t, e, w.ws, line); out.Action != hook.ActionAsk || out.Reason != want {
			t.Errorf("%s: got %s, %s, want out.Action == hook.ActionAsk and out.Reason == want", line, out.Action, out.Reason)
		}
	}
}

func TestManagedFilesThatDoNotCount(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"of others", "guards: {use: default}\n", "hookway.yaml: it is not root's"},
		{"a mistake", "guards: {use: gti}\n", ":1:15: the pack \"gti\" is unknown"},
		{"what is the user's", "memory: {}\nguards: {projects: {/x: {loosen: true}}}\nimport: claude\nrelay: {}\ngateway: {}\n", ":2:26: loosen belongs in the user's configuration"},
	} {
		w := newWorld(t)
		if tt.name == "of others" {
			w.checkManaged = func(string, fs.FileInfo) error { return errors.New("it is not root's") }
		}
		w.write(w.admin("hookway.yaml"), tt.text)
		w.write(w.work("hookway.yaml"), blockRM)
		w.trust()
		set := w.load()
		if got := set.Problems.String(); !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
		if set.Settings.Guards != nil || set.Managed != "" {
			t.Errorf("%s: it counts", tt.name)
		}
		w.want(set, "no-rm active")
	}
}

// What is asked because of a mistake in the administrator's file is not a user's to let pass.
func TestAManagedMistakeIsNotLetThrough(t *testing.T) {
	for text, want := range map[string]hook.Action{
		"guards: {use: gti}\n": hook.ActionBlock,
		"hooks:\n  - {id: a, on: PreToolUse, lane: guard, match: {git: pusj}, ask: x}\n":         hook.ActionBlock,
		"ask_fallback: allow\nhooks:\n  - {id: a, on: PreToolUse, match: {git: pusj}, ask: x}\n": hook.ActionBlock,
		"version: 1\n": hook.ActionAllow,
	} {
		w := newWorld(t)
		w.write(w.admin("hookway.yaml"), text)
		w.write(w.user("hookway.yaml"), "ask_fallback: allow\n")
		set := w.load()
		if got := set.AskFallback("hookway"); got != want {
			t.Errorf("%s: an ask about %q, with nobody there, becomes %s, want %s", text, set.Problems.String(), got, want)
		}
	}
}

// The rules that were in force stay while the file has a mistake.
func TestManagedGuardsAreChangedLive(t *testing.T) {
	w := newWorld(t)
	w.write(w.user("hookway.yaml"), "guards: {mode: off}\n")
	live, e := w.fresh()
	says := func(want string) {
		t.Helper()
		if _, err := live.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		if out := bash(t, e, w.ws, "rm -rf ~/work"); out.Action.String() != want {
			t.Errorf("got %s, want %s", out.Action, want)
		}
	}
	says("continue")
	w.write(w.admin("hookway.yaml"), "guards: {use: default}\n")
	says("block")
	w.write(w.admin("hookway.yaml"), "guards: {use: gti}\n")
	says("block")
	w.write(w.admin("hookway.yaml"), "version: 1\n")
	says("continue")
}
