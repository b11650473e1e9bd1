package hook_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// told is an engine whose calls all have the same facts.
func told(facts ...hook.Fact) *hook.Engine {
	return &hook.Engine{Analyse: func(context.Context, hook.AnyEvent) []hook.Fact { return facts }}
}

// asks reports whether a block with this matcher holds, in /w/p.
func asks(t *testing.T, e *hook.Engine, m hook.Match, lane hook.Lane) hook.Verdict {
	t.Helper()
	h := hook.New("rule", hook.Static(hook.Block("it holds")), hook.For("PreToolUse"), hook.As(lane), hook.Root("/w/p"))
	h.Match = m
	if err := e.Add(h); err != nil {
		t.Fatal(err)
	}
	defer e.Remove("rule")
	out, err := hook.Fire(t.Context(), e, hook.PreToolUse, &hook.Envelope{CWD: "/w/p/sub"}, bash("x"))
	if err != nil {
		t.Fatal(err)
	}
	return out.Verdict
}

func deleted(path string, more ...func(*hook.Fact)) hook.Fact {
	f := hook.Fact{Does: "delete", Path: path, Sure: true}
	for _, m := range more {
		m(&f)
	}
	return f
}

func recursive(f *hook.Fact) { f.Recursive = true }
func shellGlob(f *hook.Fact) { f.Glob, f.Many = true, true }

func TestMatchDeletes(t *testing.T) {
	for _, c := range []struct {
		pattern string
		fact    hook.Fact
		want    bool
	}{
		{"/home/u/work/**", deleted("/home/u/work/a"), true},
		{"/home/u/work/**", deleted("/home/u/work"), true},
		{"/home/u/work/**", deleted("/home/u/workshop/a"), false},
		{"/home/u/work/**", deleted("/home/u"), false}, // a folder that is not empty stays
		{"/home/u/work/**", deleted("/home/u", recursive), true},
		{"/home/u/work/x.txt", deleted("/home/u", recursive), true},
		{"/home/u/work/**", deleted("/", recursive), true},
		{"/home/u/work/**", deleted("/home/u/*", shellGlob, recursive), true},
		{"/home/u/work/**", deleted("/home/u/w*", shellGlob), true},
		{"/home/u/work/**", deleted("/home/u/v*", shellGlob, recursive), false},
		{"/home/u/work/**", deleted("/home/u/*.txt", shellGlob), false},
		{"/home/u/work/**", deleted("/home/u/**/*.log", shellGlob, recursive), true},
		{"/home/u/work/**", deleted("/home/u/work/*", shellGlob), true},
		{"/home/u/work/**", deleted("/home/u/wo[r]k/a", shellGlob), true},
		{"/home/u/work/**", deleted("/home/u/!(keep)", shellGlob, recursive), true},
		{"/home/u/work/**", deleted("…"), true},
		{"/home/u/work/**", deleted("…/a"), true},
		{"/home/u/work/**", deleted("/home/u/…"), true},
		{"/home/u/work/**", deleted("/home/u/work-…"), false},
		{"/home/u/work/**", deleted("/tmp/…"), false},
		{"/home/u/work/**", deleted("/tmp/…", recursive), false},
		{"/home/u/work/**", hook.Fact{Does: "move", Path: "/home/u/work"}, true},
		{"/home/u/work/**", hook.Fact{Does: "move", Path: "/home/u"}, true},
		{"/home/u/work/**", hook.Fact{Does: "git", Verb: "clean", Path: "/home/u/work", Recursive: true}, true},
		{"/home/u/work/**", hook.Fact{Does: "git", Verb: "push"}, false},
		{"/home/u/work/**", hook.Fact{Does: "write", Path: "/home/u/work/a"}, false},
		{"/home/u/work/**", hook.Fact{Does: "delete", Path: "/home/u/work/a", Dry: true}, false},
		{"/home/u/work/**", hook.Fact{Does: "delete", Path: "/l/a", Real: "/home/u/work/a"}, true},
		{"/home/u/work/**", hook.Fact{Does: "delete", Path: "/home/u/work/a", Real: "/data/a"}, true},
		{"src/**", deleted("/w/p/src/a"), true}, // from the hook's root, wherever the agent is
		{"src/**", deleted("/w/p/sub/src/a"), false},
		{"src/**", deleted("/w/p", recursive), true},
		{"src/**", deleted("/w", recursive), true},
		{"src/**", deleted("/w/q", recursive), false},
		{"src/**/*.sql", deleted("/w/p/src/db", recursive), true},
		{"src/**/*.sql", deleted("/w/p/docs", recursive), false},
		{".env", deleted("/w/p/a/.env"), true},
		{".env", deleted("/w/p/node_modules", recursive), false}, // it does not say where
		{".env", deleted("/w/p", recursive), true},
		{".env", deleted("/w/p/*", shellGlob, recursive), true},
		{".env", deleted("/home", recursive), false},
		{".env", deleted("/home/u/.en…"), true},
		{"**/migrations/**", deleted("/w/p/a/migrations/1.sql"), true},
		{"**/migrations/**", deleted("/w/p/a", recursive), false},
		{"**/migrations/**", deleted("/w/p/a/migrations", recursive), true},
		{"**", deleted("/"), true},
		{"{a,b}/**", deleted("/w/p/b/c"), true},
		{"a[0-9]/**", deleted("/w/p/a1/c"), true},
		{"a[0-9]/**", deleted("/w/p/ax/c"), false},
	} {
		for _, lane := range []hook.Lane{hook.Transform, hook.Guard} {
			got := asks(t, told(c.fact), hook.Match{Deletes: []string{c.pattern}}, lane)
			if (got.Action == hook.ActionBlock) != c.want {
				t.Errorf("%s: deletes %s, %s %+v: got %s, want %t", lane, c.pattern, c.fact.Does, c.fact, got.Action, c.want)
			}
		}
	}
}

func TestMatchFacts(t *testing.T) {
	list := func(s ...string) []string { return s }
	connect := hook.Fact{Does: "connect", Host: "api.example.com", Port: 8443, Class: "public", Sends: list("file:/w/p/.env", "secret:environment")}
	push := hook.Fact{Does: "git", Verb: "push", Force: true}
	run := hook.Fact{Does: "run", Program: "npm", Sub: "run", Args: list("run", "deploy:prod")}
	for _, c := range []struct {
		name  string
		match hook.Match
		fact  hook.Fact
		want  bool
	}{
		{"program", hook.Match{Runs: list("npm")}, run, true},
		{"other program", hook.Match{Runs: list("np")}, run, false},
		{"sub-command", hook.Match{Runs: list("npm run")}, run, true},
		{"line", hook.Match{Runs: list("npm run deploy*")}, run, true},
		{"in capitals", hook.Match{Runs: list("NPM")}, run, true},
		{"glob of programs", hook.Match{Runs: list("terraform", "n*")}, run, true},
		{"unknown program", hook.Match{Runs: list("rm")}, hook.Fact{Does: "run", Program: "…"}, true},
		{"partly unknown program", hook.Match{Runs: list("rm")}, hook.Fact{Does: "run", Program: "git-…"}, false},
		{"help", hook.Match{Runs: list("rm")}, hook.Fact{Does: "run", Program: "rm", Dry: true}, false},
		{"host", hook.Match{Connects: list("*.example.com")}, connect, true},
		{"host and port", hook.Match{Connects: list("*:8443")}, connect, true},
		{"class", hook.Match{Connects: list("public")}, connect, true},
		{"other class", hook.Match{Connects: list("metadata")}, connect, false},
		{"unknown host", hook.Match{Connects: list("*.example.com")}, hook.Fact{Does: "connect"}, true},
		{"any host", hook.Match{Connects: list("*")}, connect, true},
		{"sent file", hook.Match{Sends: list("file:.env")}, connect, true},
		{"sent file in folders", hook.Match{Sends: list("file:**/.env")}, connect, true},
		{"other sent file", hook.Match{Sends: list("file:/etc/**")}, connect, false},
		{"sent secret", hook.Match{Sends: list("secret:*")}, connect, true},
		{"sent variable", hook.Match{Sends: list("env:*")}, connect, false},
		{"any sent file", hook.Match{Sends: list("file:*")}, connect, true},
		{"verb", hook.Match{Git: list("push")}, push, true},
		{"verb and more", hook.Match{Git: list("push force")}, push, true},
		{"any forced", hook.Match{Git: list("force")}, push, true},
		{"not uncommitted", hook.Match{Git: list("uncommitted", "push deletes")}, push, false},
		{"dry", hook.Match{Git: list("*")}, hook.Fact{Does: "git", Verb: "push", Dry: true}, false},
		{"sql verb", hook.Match{SQL: list("drop")}, hook.Fact{Does: "sql", Verb: "drop", Object: "users"}, true},
		{"sql object", hook.Match{SQL: list("DROP us*")}, hook.Fact{Does: "sql", Verb: "drop", Object: "Users"}, true},
		{"sql other object", hook.Match{SQL: list("drop temp_*")}, hook.Fact{Does: "sql", Verb: "drop", Object: "users"}, false},
		{"infra", hook.Match{Infra: list("terraform apply")}, hook.Fact{Does: "infra", System: "terraform", Verb: "apply"}, true},
		{"infra object", hook.Match{Infra: list("kubernetes delete pod *")}, hook.Fact{Does: "infra", System: "kubernetes", Verb: "delete", Object: "pod x"}, true},
		{"infra verb", hook.Match{Infra: list("* delete")}, hook.Fact{Does: "infra", System: "gcp", Verb: "delete", Object: "x"}, true},
		{"secret", hook.Match{Secret: list("aws *")}, hook.Fact{Does: "secret", Kind: "aws access key"}, true},
		{"unknown", hook.Match{Unknown: true}, hook.Fact{Does: "unknown"}, true},
		{"nothing unknown", hook.Match{Unknown: true}, run, false},
		{"writes", hook.Match{Writes: list("/w/p/**")}, hook.Fact{Does: "write", Path: "/w/p/a"}, true},
		{"reads", hook.Match{Reads: list("~/.ssh/**")}, hook.Fact{Does: "read", Path: home(t) + "/.ssh/id"}, true},
		{"home itself", hook.Match{Reads: list("~")}, hook.Fact{Does: "read", Path: home(t)}, true},
		{"moves", hook.Match{Moves: list("a")}, hook.Fact{Does: "move", Path: "/w/p/a"}, true},
		{"no path", hook.Match{Reads: list("/w/**")}, hook.Fact{Does: "read", Secret: "environment"}, false},
		{"all keys", hook.Match{Runs: list("npm"), Deletes: list("**")}, run, false},
		{"inside any", hook.Match{Any: []hook.Match{{Git: list("push")}, {Runs: list("npm")}}}, run, true},
	} {
		for _, lane := range []hook.Lane{hook.Transform, hook.Guard} {
			if got := asks(t, told(c.fact), c.match, lane); (got.Action == hook.ActionBlock) != c.want {
				t.Errorf("%s, %s: got %s, want %t", c.name, lane, got.Action, c.want)
			}
		}
	}
}

func home(t *testing.T) string {
	t.Helper()
	dir, err := os.UserHomeDir()
	if err != nil {
		t.Skip(err)
	}
	return filepath.ToSlash(dir)
}

// What a guard lets pass must be listed, all of it.
func TestMatchFactsUnderNot(t *testing.T) {
	not := func(m hook.Match) hook.Match { return hook.Match{Not: &m} }
	programs := not(hook.Match{Runs: []string{"git", "ls"}})
	build := not(hook.Match{Deletes: []string{"build/**"}})
	for _, c := range []struct {
		name  string
		match hook.Match
		facts []hook.Fact
		want  bool
	}{
		{"listed programs", programs, []hook.Fact{{Does: "run", Program: "git"}, {Does: "run", Program: "ls"}}, false},
		{"one more", programs, []hook.Fact{{Does: "run", Program: "git"}, {Does: "run", Program: "rm"}}, true},
		{"one more, for help", programs, []hook.Fact{{Does: "run", Program: "git"}, {Does: "run", Program: "x", Dry: true}}, true},
		{"an unknown one", programs, []hook.Fact{{Does: "run", Program: "…"}}, true},
		{"something unknown", programs, []hook.Fact{{Does: "run", Program: "git"}, {Does: "unknown"}}, true},
		{"none", programs, nil, true},
		{"listed", build, []hook.Fact{deleted("/w/p/build/x", recursive)}, false},
		{"beside git", build, []hook.Fact{deleted("/w/p/build/x"), {Does: "git", Verb: "push"}}, false},
		{"above", build, []hook.Fact{deleted("/w/p", recursive)}, true},
		{"by a link", build, []hook.Fact{{Does: "delete", Path: "/w/p/build/x", Real: "/etc/x"}}, true},
		{"with a part unknown", build, []hook.Fact{deleted("/w/p/build/…")}, true},
		{"a pattern", build, []hook.Fact{deleted("/w/p/build/*", shellGlob)}, true},
		{"sends nothing", hook.Match{Connects: []string{"*"}, Not: &hook.Match{Sends: []string{"file:docs/**"}}}, []hook.Fact{{Does: "connect", Host: "h"}}, false},
		{"sends another file", not(hook.Match{Sends: []string{"file:docs/**"}}), []hook.Fact{{Does: "connect", Sends: []string{"file:/w/p/docs/a", "file:/etc/passwd"}}}, true},
	} {
		if got := asks(t, told(c.facts...), c.match, hook.Guard); (got.Action == hook.ActionBlock) != c.want {
			t.Errorf("%s: got %s, want %t", c.name, got.Action, c.want)
		}
	}
}

// A guard that cannot know what a call does has failed; its policy decides.
func TestMatchFactsFailsClosed(t *testing.T) {
	m := hook.Match{Deletes: []string{"/home/u/work/**"}}
	for name, e := range map[string]*hook.Engine{
		"no analyser":  {},
		"it panics":    {Analyse: func(context.Context, hook.AnyEvent) []hook.Fact { panic("x") }},
		"not all read": told(hook.Fact{Does: "unknown", Many: true, Because: "too long"}),
	} {
		got := asks(t, e, m, hook.Guard)
		if got.Action != hook.ActionBlock || len(got.Steps) != 1 {
			t.Errorf("%s: a guard gives %s, %+v; want that it fails", name, got.Action, got.Steps)
		} else if got.Steps[0].Err == nil || !strings.Contains(got.Steps[0].Err.Error(), "not known what the call does") {
			t.Errorf("%s: a guard gives %s, %+v; want that it fails", name, got.Action, got.Steps)
		}
		got = asks(t, e, m, hook.Transform)
		if got.Action != hook.ActionContinue || len(got.Steps) != 1 || got.Steps[0].Err == nil {
			t.Errorf("%s: a hook gives %s, %+v; want that it fails and the call goes on", name, got.Action, got.Steps)
		}
	}
	out := asks(t, told(hook.Fact{Does: "unknown", Many: true}, deleted("/home/u/work/a")), m, hook.Guard)
	if out.Action != hook.ActionBlock || out.Steps[0].Err != nil {
		t.Errorf("what is known does not suffice: %+v", out.Steps)
	}
}

// condition is a FactTest.
type condition struct {
	holds bool
	err   error
}

func (c condition) Holds(hook.AnyEvent) (bool, error) { return c.holds, c.err }
func (condition) String() string                      { return "a condition" }

func TestMatchWhere(t *testing.T) {
	bad := condition{err: errors.New("no such luck")}
	for _, c := range []struct {
		name   string
		match  hook.Match
		want   bool
		failed bool
	}{
		{"holds", hook.Match{Where: []hook.FactTest{condition{holds: true}}}, true, false},
		{"does not", hook.Match{Where: []hook.FactTest{condition{}}}, false, false},
		{"one of two", hook.Match{Where: []hook.FactTest{condition{}, condition{holds: true}}}, true, false},
		{"one fails, one holds", hook.Match{Where: []hook.FactTest{bad, condition{holds: true}}}, true, false},
		{"fails", hook.Match{Where: []hook.FactTest{bad}}, true, true},
		{"fails where something else does not hold", hook.Match{Where: []hook.FactTest{bad}, Runs: []string{"x"}}, false, false},
		{"under not", hook.Match{Not: &hook.Match{Where: []hook.FactTest{condition{holds: true}}}}, false, false},
		{"fails under not", hook.Match{Not: &hook.Match{Where: []hook.FactTest{bad}}}, true, false},
	} {
		got := asks(t, told(), c.match, hook.Guard)
		failed := len(got.Steps) == 1 && got.Steps[0].Err != nil
		if (got.Action == hook.ActionBlock) != c.want || failed != c.failed {
			t.Errorf("%s: got %s, failed: %t; want %t, %t", c.name, got.Action, failed, c.want, c.failed)
		}
	}
	if err := (hook.Match{Where: []hook.FactTest{nil}}).Check(); err == nil {
		t.Error("a test that is nil passes")
	}
}

func TestMatchFactsMistakes(t *testing.T) {
	for _, c := range []struct {
		match hook.Match
		want  string
	}{
		{hook.Match{Deletes: []string{"ok", "a[/b"}}, "deletes[1]: glob"},
		{hook.Match{Deletes: []string{""}}, "empty pattern"},
		{hook.Match{Runs: []string{""}}, "empty pattern"},
		{hook.Match{Runs: []string{"!rm"}}, `"not:"`},
		{hook.Match{Sends: []string{"secret:*", "file:a[/b"}}, "sends[1]: glob"},
		{hook.Match{Sends: []string{"file:"}}, "names no file"},
		{hook.Match{Infra: []string{"terraform destroy"}}, `facts say "delete" for "destroy"`},
		{hook.Match{Infra: []string{"kubectl delete *"}}, `facts say "kubernetes" for "kubectl"`},
		{hook.Match{Git: []string{"push --force"}}, `facts say "force" for "--force"`},
		{hook.Match{Any: []hook.Match{{Connects: []string{"a\tb"}}}}, "any[0].connects[0]"},
		{hook.Match{Git: []string{"push", "pussh"}}, `git[1]: git: no fact has "pussh"; did you mean push?`},
		{hook.Match{Git: []string{"push forse"}}, `did you mean force?`},
		{hook.Match{SQL: []string{"dropp"}}, `sql: no fact has "dropp"; did you mean drop?`},
		{hook.Match{SQL: []string{"frobnicate users"}}, `no fact has "frobnicate"; there are alter, attach`},
		{hook.Match{SQL: []string{"flushall"}}, `facts say "truncate" for "flushall"`},
		{hook.Match{SQL: []string{"x*"}}, `no fact has "x*"`},
		{hook.Match{Infra: []string{"terraform aply"}}, `did you mean apply?`},
		{hook.Match{Infra: []string{"teraform apply"}}, `did you mean terraform?`},
		{hook.Match{Infra: []string{"delete"}}, `the system comes first; write "* delete"`},
		{hook.Match{Infra: []string{"kubernetes explode *"}}, `no fact has "explode"; there are apply, cp`},
		{hook.Match{Secret: []string{"githb token"}}, `did you mean github token?`},
		{hook.Match{Secret: []string{"aws key"}}, `there are aws access key, aws bedrock key, aws secret key`},
		{hook.Match{Secret: []string{"awz *"}}, `no credential is called "awz *"`},
		{hook.Match{Connects: []string{"pubic"}}, `did you mean public?`},
		{hook.Match{Sends: []string{"secrets:*"}}, `sends[0]: sends: nothing that is sent is called "secrets"; did you mean secret?`},
		{hook.Match{Sends: []string{"env"}}, `"env:*" is any`},
		{hook.Match{Not: &hook.Match{Any: []hook.Match{{SQL: []string{"dropp"}}}}}, `not.any[0].sql[0]`},
	} {
		if err := c.match.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %q", c.match, err, c.want)
		}
	}
	for _, good := range []hook.Match{{Infra: []string{"docker delete volumes", "azure apply vm create"}}, {Git: []string{"remote add", "config*"}},
		{Git: []string{"flow", "town", "lfs", "annex", "push*", "p?sh", "{push,pull}", "* force"}}, {SQL: []string{"{drop,alter} *", "d*", "alter drop", "*", "DROP Users"}},
		{Infra: []string{"* delete", "my-server apply", "docker mount-socket", "kubernetes d*", "*"}}, {Secret: []string{"github token", "aws *", "* key", "jwt"}},
		{Connects: []string{"db", "private", "private-1", "*", "publics.example"}}, {Sends: []string{"stdin", "commits", "*", "secret:*", "env:AWS_*", "s*:x", "file:*"}}} {
		if err := good.Check(); err != nil {
			t.Error(err)
		}
	}
}

// What only a call has never holds for events without one.
func TestMatchOfWhatNoEventHas(t *testing.T) {
	deletes := hook.Match{Deletes: []string{"~/work/**"}}
	custom := hook.Custom("Mine", hook.May{})
	for _, c := range []struct {
		match  hook.Match
		events []*hook.EventInfo
		want   string // "": nothing is wrong
	}{
		{deletes, []*hook.EventInfo{hook.PreToolUse.Info()}, ""},
		{deletes, []*hook.EventInfo{hook.SessionStart.Info(), hook.PermissionRequest.Info()}, ""},
		{deletes, nil, ""},
		{deletes, []*hook.EventInfo{hook.SessionStart.Info(), hook.AgentStop.Info()}, "deletes[0]: it asks about a call of a tool, and never holds: none of SessionStart, AgentStop has any"},
		{deletes, []*hook.EventInfo{custom}, "deletes[0]: "},
		{hook.Match{Unknown: true}, []*hook.EventInfo{hook.Idle.Info()}, "unknown[0]: "},
		{hook.Match{All: []hook.Match{{}, deletes}}, []*hook.EventInfo{hook.Idle.Info()}, "all[1].deletes[0]: "},
		{hook.Match{Any: []hook.Match{deletes, {Agent: []string{"x"}}}}, []*hook.EventInfo{hook.Idle.Info()}, ""},
		{hook.Match{Any: []hook.Match{deletes, deletes}}, []*hook.EventInfo{hook.Idle.Info()}, "any[0].deletes[0]: "},
		{hook.Match{Not: &deletes}, []*hook.EventInfo{hook.Idle.Info()}, ""},
		{hook.Match{Command: []string{"x"}}, []*hook.EventInfo{hook.Idle.Info()}, "command[0]: "},
		{hook.Match{Command: []string{"x"}}, []*hook.EventInfo{custom}, ""},
	} {
		got := ""
		if err := c.match.CheckFor(c.events...); err != nil {
			got = err.Error()
		}
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%+v: got %q, want %q", c.match, got, c.want)
		}
	}
	if err := new(hook.Engine).Add(hook.New("x", hook.Static(hook.Block("")), hook.For("SessionStart"), hook.MatchGit("push"))); err == nil || !strings.Contains(err.Error(), "git[0]") {
		t.Errorf("got %v", err)
	}
}

// For guards, links of the folder that a pattern names count too.
func TestMatchDeletesByTheNameOfALink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs symbolic links")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("data", filepath.Join(dir, "work")); err != nil {
		t.Fatal(err)
	}
	m := hook.Match{Deletes: []string{dir + "/work/**"}}
	if got := asks(t, told(deleted(dir+"/data/x")), m, hook.Guard); got.Action != hook.ActionBlock {
		t.Errorf("got %s", got.Action)
	}
}

// No facts are found, and nothing is allocated, for hooks that ask for none.
func TestFactsCostNothingUnasked(t *testing.T) {
	e := &hook.Engine{Analyse: func(context.Context, hook.AnyEvent) []hook.Fact {
		t.Error("the analyser is asked")
		return nil
	}}
	add := func(id string, options ...hook.Option) {
		if err := e.Add(hook.New(id, hook.Static(hook.Block("")), append(options, hook.For("PreToolUse"), hook.As(hook.Guard))...)); err != nil {
			t.Fatal(err)
		}
	}
	add("other", hook.MatchTool("Write"), hook.MatchDeletes("~/work/**"))
	add("text", hook.MatchCommand(`^sudo\s`), hook.MatchDeletes("~/work/**"))
	if out, err := hook.Fire(t.Context(), e, hook.PreToolUse, nil, bash("ls")); err != nil || out.Facts != nil {
		t.Errorf("facts %v, %v", out.Facts, err)
	}
}

// An engine that could find facts allocates as much as one that cannot, but for the
// place where they would be.
func TestFactsAllocateNothingUnasked(t *testing.T) {
	firing := func(e *hook.Engine) float64 {
		if err := e.Add(hook.New("text", hook.Static(hook.Block("")), hook.For("PreToolUse"), hook.As(hook.Guard), hook.MatchCommand(`^sudo\s`))); err != nil {
			t.Fatal(err)
		}
		use := bash("ls")
		return allocs(func() {
			if _, err := hook.Fire(t.Context(), e, hook.PreToolUse, nil, use); err != nil {
				t.Error(err)
			}
		})
	}
	without, with := firing(new(hook.Engine)), firing(told(deleted("/")))
	if with > without+1 {
		t.Errorf("%v allocations, and %v with an analyser that nobody asks", without, with)
	}
}
