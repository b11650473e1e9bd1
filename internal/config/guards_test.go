package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/guards"
)

func wantVerdict(t *testing.T, set *Set, line, want string) {
	t.Helper()
	if got := verdictOf(t, set, line); got != want {
		t.Errorf("%s: got %q, want %q", line, got, want)
	}
}

// wantRefused checks that a set has no mistakes, and warns of what one layer refuses
// another: "" is nothing about guards.
func wantRefused(t *testing.T, set *Set, refused string) {
	t.Helper()
	for _, p := range set.Problems {
		t.Error(p)
	}
	said := ""
	for _, p := range set.Warnings {
		said += p.Message + "\n"
	}
	if refused == "" && strings.Contains(said, "guards") || !strings.Contains(said, refused) {
		t.Errorf("warnings %q, want %q", said, refused)
	}
}

// verdictOf is what the guards of a set say of a shell line: "block", "ask", "would
// block", "would ask" or "".
func verdictOf(t *testing.T, set *Set, line string) string {
	t.Helper()
	e := new(hook.Engine)
	if err := set.Fill(e); err != nil {
		t.Fatal(err)
	}
	out, err := hook.Fire(t.Context(), e, hook.PreToolUse, &hook.Envelope{CWD: set.Workspace, Session: "s"}, hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": line}})
	if err != nil {
		t.Fatal(err)
	}
	if out.Action != hook.ActionContinue {
		return out.Action.String()
	}
	for _, s := range out.Steps {
		if s.Would != nil {
			return "would " + s.Would.Action.String()
		}
	}
	return ""
}

// guarded is the set of a trusted workspace, with what the administrator's file, the user's
// and the workspace's say of guards; "" is nothing. WORK is the workspace's folder.
func guarded(t *testing.T, managed, user, work string) *Set {
	t.Helper()
	w := newWorld(t)
	for file, says := range map[string]string{w.admin("hookway.yaml"): managed, w.user("hookway.yaml"): user} {
		if says != "" {
			w.write(file, "guards: "+strings.ReplaceAll(says, "WORK", w.work("."))+"\n")
		}
	}
	text := "version: 1\n"
	if work != "" {
		text += "guards: " + work + "\n"
	}
	w.write(w.work("hookway.yaml"), text)
	w.trust()
	return w.load()
}

func TestLayersOfGuardsOnlyTighten(t *testing.T) {
	const (
		force   = "git push -f origin feature" // git/force-push: ask
		deletes = "rm -rf ~/work"              // files/delete-outside: block
	)
	large := "cat " + strings.Repeat("{a,b}", 20) // unseen/limit: ask
	for _, tt := range []struct {
		name, user, work string
		line, want       string
		refused          string
	}{
		{"nothing is on", "", "", deletes, "", ""},
		{"default", "{use: default}", "", deletes, "block", ""},
		{"an ask is monitored in auto", "{use: default}", "", force, "would ask", ""},
		{"comments alone", "", " # on", deletes, "block", ""},
		{"enforce", "{use: default, mode: enforce}", "", force, "ask", ""},
		{"strict", "{use: strict}", "", force, "ask", ""},
		{"monitor", "{mode: monitor}", "", deletes, "would block", ""},
		{"off", "{use: default, mode: off}", "", deletes, "", ""},
		{"off has no hosts either", "{mode: off, hosts: {block: ['*.zip']}}", "", "curl https://a.zip/x -o y", "", ""},
		{"nor where a project has rules on", "{mode: off, hosts: {block: ['*.zip']}}", "{use: [git]}", "curl https://a.zip/x -o y", "", ""},
		{"nor in a project that is off", "{use: [git], projects: {WORK: {mode: off}}, hosts: {block: ['*.zip']}}", "", "curl https://a.zip/x -o y", "", ""},
		{"a list", "{use: [git]}", "", deletes, "", ""},
		{"a list leaves in what cannot be read", "{use: [git]}", "", large, "ask", ""},
		{"unless it is switched off", "{use: [git], rules: {unseen/limit: off}}", "", large, "", ""},
		{"or with its pack", "{use: [git], rules: {unseen: off}}", "", large, "", ""},
		{"or nothing judges calls", "{use: [results]}", "", large, "", ""},
		{"of a project too", "", "{use: [git]}", large, "ask", ""},
		{"a project does not switch it off", "{use: [git]}", "{use: [files], rules: {unseen/limit: off}}", large, "ask", "what guards says of unseen/limit is not followed"},
		{"a rule alone", "{use: [git], rules: {files/delete-outside: block}}", "", deletes, "block", ""},
		{"a rule is off", "{rules: {files/delete-outside: off, files/delete-top: off}}", "", deletes, "", ""},
		{"a pack is monitored", "{rules: {files: monitor}}", "", deletes, "would block", ""},
		{"a rule goes before its pack", "{mode: enforce, rules: {git: monitor, git/force-push: {mode: enforce, verdict: block}}}", "", force, "block", ""},

		{"a project alone", "", "{mode: enforce}", force, "ask", ""},
		{"a project makes a mode stricter", "{use: default}", "{mode: enforce}", force, "ask", ""},
		{"and not milder", "{use: default}", "{mode: monitor}", deletes, "block", "mode: monitor of guards is not followed"},
		{"and not off", "{use: default}", "{mode: off}", deletes, "block", "mode: off of guards is not followed"},
		{"a project makes a rule stricter", "{use: default}", "{rules: {git/force-push: {verdict: block, mode: enforce}}}", force, "block", ""},
		{"and not milder", "{use: default, mode: enforce}", "{rules: {git/force-push: allow}}", force, "ask", "what guards says of git/force-push is not followed"},
		{"nor a pack", "{use: default}", "{rules: {files: monitor}}", deletes, "block", "what guards says of files is not followed"},
		{"a project adds a pack", "{use: [git]}", "{use: [files]}", deletes, "block", ""},
		{"and takes none out", "{use: [files]}", "{use: [git]}", deletes, "block", ""},
		{"what only the project has on is as it says", "{use: [git]}", "{use: [files], mode: monitor}", deletes, "would block", ""},
		{"and leaves what it says nothing of", "{rules: {files: monitor}}", "{budget: {calls: 9}}", deletes, "would block", ""},
		{"also its verdicts", "{mode: enforce, rules: {files/delete-outside: ask, files/delete-top: ask}}", "{budget: {calls: 9}}", deletes, "ask", ""},
		{"a project that says little adds none", "{use: [git]}", "{mode: enforce}", deletes, "", ""},
		{"no place may be emptied", "{use: default}", "{scratch: /home/**}", deletes, "block", "scratch of guards is not followed"},
		{"no host is let through", "{use: default}", "{hosts: {allow: ['*']}}", "", "", "hosts.allow of guards is not followed"},
		{"a host is blocked", "{use: [git]}", "{hosts: {block: ['*.zip']}}", "curl https://a.zip/x -o y", "block", ""},
		{"a host is blocked in any case", "{hosts: {block: ['*.ZIP']}}", "", "curl https://A.zip/x -o y", "block", ""},
		{"branches add up", "{protected_branches: [stable], rules: {git/force-push-protected: enforce}}", "{protected_branches: [trial]}", "git push -f origin stable", "block", ""},
		{"branches add up to the usual ones", "{use: default}", "{protected_branches: [trial]}", "git push -f origin main", "block", ""},

		{"the user names the project", "{use: default, projects: {WORK: {mode: monitor}}}", "", deletes, "would block", ""},
		{"another project", "{use: default, projects: {/elsewhere: {mode: monitor}}}", "", deletes, "block", ""},
		{"its own word counts", "{use: default, projects: {WORK: {loosen: true}}}", "{rules: {files: monitor}}", deletes, "would block", ""},
		{"what it leaves out is the user's", "{use: default, mode: enforce, projects: {WORK: {loosen: true}}}", "{rules: {files: monitor}}", force, "ask", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set := guarded(t, "", tt.user, tt.work)
			if tt.line != "" {
				wantVerdict(t, set, tt.line, tt.want)
			}
			wantRefused(t, set, tt.refused)
		})
	}
}

// A pattern that takes something out could cancel what another layer has, and one that
// can match nothing would let pass what it was written for.
func TestPatternsOfGuardsAreChecked(t *testing.T) {
	for _, tt := range []struct{ guards, at, want string }{
		{"{protected_branches: ['!main']}", ":1:31:", "a leading ! takes nothing out"},
		{"{protected_branches: [main, 'v[1']}", ":1:37:", "has no end"},
		{"{protected_branches: '{main,next}'}", ":1:30:", "braces are not understood"},
		{"{protected_branches: 'refs/heads/x'}", ":1:30:", "without refs/heads/"},
		{"{protected_branches: 'a b'}", ":1:30:", "no branch has such a name"},
		{"{scratch: '~'}", ":1:19:", "~/scratch/**"},
		{"{scratch: '[bad'}", ":1:19:", "invalid pattern"},
		{"{budget: {}}", ":1:18:", "the budget counts nothing"},
		{"{budget: {per: day}}", ":1:18:", "the budget counts nothing"},
		{"{budget: {agents: {claude: {}}}}", ":1:28:", "the budget of claude counts nothing"},
		{"{scratch: '!/mnt/**'}", ":1:19:", "a leading '!' does not negate"},
		{"{scratch: '~/x[/**'}", ":1:19:", "invalid pattern"},
		{"{hosts: {block: '!*'}}", ":1:25:", "a leading ! takes nothing out"},
		{"{hosts: {allow: '!a.example'}}", ":1:25:", "a leading ! takes nothing out"},
		{"{hosts: {block: '[x'}}", ":1:25:", "has no end"},
		{"{hosts: {block: '*.{zip,mov}'}}", ":1:25:", "braces are not understood"},
		{"{hosts: {block: 'https://a.zip/'}}", ":1:25:", "leave out the scheme"},
		{"{hosts: {block: 'a.zip:443'}}", ":1:25:", "leave out the port"},
		{"{hosts: {block: '[::1]'}}", ":1:25:", "leave out the port and the brackets"},
		{"{hosts: {block: 'a.zip.'}}", ":1:25:", "leave out the dot"},
		{"{hosts: {block: ''}}", ":1:25:", ""},
		{"{projects: {/x: {hosts: {block: '!*'}}}}", ":1:41:", "a leading ! takes nothing out"},
		{"{protected_branches: [main, 'release/*', 'v[0-9]*'], scratch: ['~/s/**', '/mnt/{a,b}/**'], hosts: {allow: ['*.Corp.example'], block: ['*.zip', '2001:db8:*', '::1']}}", "", ""},
	} {
		_, problems := ReadGuards("f.yaml", []byte("guards: "+tt.guards+"\n"))
		said := ""
		for _, p := range problems {
			said += p.String() + "\n"
		}
		if !strings.Contains(said, tt.at) || !strings.Contains(said, tt.want) || (said == "") != (tt.at == "") {
			t.Errorf("%s: problems %q, want %q with %q", tt.guards, said, tt.at, tt.want)
		}
	}
}

func TestBudgetsAreTheSmaller(t *testing.T) {
	for _, tt := range []struct{ name, user, work, want string }{
		{"the user's alone", "{calls: 5, tokens: 2M}", "", `{5 0 2000000  map[]}`},
		{"the project's alone", "", "{calls: 5}", `{5 0 0  map[]}`},
		{"amount by amount", "{calls: 5, minutes: 9}", "{calls: 9, minutes: 5, tokens: 1k}", `{5 5 1000  map[]}`},
		{"different spans", "{calls: 5, per: day}", "{calls: 2}", `{5 0 0 day map[]}`},
		{"agents", "{calls: 5, agents: {claude: {calls: 50}}}", "{calls: 9, agents: {codex: {calls: 2}}}", `{5 0 0  map[claude:{9 0 0  map[]} codex:{2 0 0  map[]}]}`},
	} {
		budget := func(b string) string {
			if b == "" {
				return ""
			}
			return "{use: [git], budget: " + b + "}"
		}
		set := guarded(t, "", budget(tt.user), budget(tt.work))
		if got := fmt.Sprint(set.Settings.Guards.Policy.Budget); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestGuardsOfAWorkspaceNeedTrust(t *testing.T) {
	w := newWorld(t)
	w.write(w.work("hookway.yaml"), "guards: {use: default}\n")
	set := w.load()
	if set.Settings.Guards != nil || len(set.Warnings) == 0 || !strings.Contains(set.Warnings[0].Message, "counts only when the workspace is trusted") {
		t.Errorf("got %v, warnings %v", set.Settings.Guards, set.Warnings)
	}
}

func TestProjectsBelongToTheUser(t *testing.T) {
	w := newWorld(t)
	w.write(w.work("hookway.yaml"), "guards:\n  projects: {/: {mode: off}}\n")
	set := w.load()
	if len(set.Problems) != 1 || !strings.Contains(set.Problems[0].String(), ":2:3: projects of guards belong in the user's configuration") {
		t.Errorf("problems %v", set.Problems)
	}
}

func TestGuardsOfAHookOfTheirName(t *testing.T) {
	w := newWorld(t)
	w.write(w.user("hookway.yaml"), "guards:\nhooks:\n- {id: "+guards.ID+", on: PreToolUse, block: x}\n")
	set := w.load()
	if set.Hooks[0].Kind != kindGuards || set.Hooks[0].ID != guards.ID || set.Hooks[1].ID == guards.ID {
		t.Errorf("hooks %v and %v", set.Hooks[0].ID, set.Hooks[1].ID)
	}
}

// What was in force stays so while a file has a mistake, or waits to be looked at.
func TestGuardsAreChangedLive(t *testing.T) {
	const line = "rm -rf ~/work"
	w := newWorld(t)
	user, work := w.user("hookway.yaml"), w.work("hookway.yaml")
	w.write(user, "guards: {use: [git]}\n")
	w.write(work, "guards: {use: [files]}\n")
	w.trust()
	live, e := w.fresh()
	says := func(want string) {
		t.Helper()
		if _, err := live.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		out, err := hook.Fire(t.Context(), e, hook.PreToolUse, &hook.Envelope{CWD: w.ws, Session: "s"}, hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": line}})
		if err != nil || out.Action.String() != want {
			t.Errorf("got %s, %v, want %s", out.Action, err, want)
		}
	}
	says("block")
	w.write(work, "guards: {use: [files], mode: monitor}\n")
	says("block") // nobody has looked at it
	w.trust()
	says("continue") // the user says nothing of files
	w.write(user, "guards: {use: default}\n")
	says("block")
	w.write(user, "guards: {use: [git], projects: {'"+w.ws+"': {loosen: true}}}\n")
	says("continue")
	w.write(user, "guards: {use: default}\n")
	says("block")
	w.write(work, "guards: {use: file}\n")
	says("block")
	w.write(user, "guards: {use: file}\n")
	says("block")
	w.write(user, "guards: {mode: off}\n")
	w.write(work, "version: 1\n")
	w.trust()
	says("continue")
}

// Tokens count nothing under agents that tell none, and whoever writes a budget hears it.
func TestTokensOfBudgetsAreToldOf(t *testing.T) {
	for budget, want := range map[string]string{
		"{calls: 5, minutes: 9}":           "",
		"{tokens: 2M}":                     ":1:27 only Codex and Gemini CLI tell their tokens",
		"{calls: 9, tokens: 2M}":           ":1:37 only Codex and Gemini CLI",
		"{agents: {codex: {tokens: 2M}}}":  "",
		"{agents: {gemini: {tokens: 2M}}}": "",
		"{agents: {claude: {tokens: 2M}}}": ":1:45 claude tells no tokens",
		"{agents: {my-own: {tokens: 2M}}}": "", // it may tell them
	} {
		w := newWorld(t)
		w.write(w.user("hookway.yaml"), "guards: {budget: "+budget+"}\n")
		options, said := w.options(), ""
		options.Agents = []string{"claude", "codex", "gemini"}
		set, err := Load(t.Context(), options)
		w.must(err)
		for _, p := range append(set.Problems, set.Warnings...) {
			said += fmt.Sprintf(":%d:%d %s\n", p.Line, p.Column, p.Message)
		}
		if !strings.Contains(said, want) || (said == "") != (want == "") {
			t.Errorf("%s: got %q, want %q", budget, said, want)
		}
		w.must(set.Close())
	}
}
