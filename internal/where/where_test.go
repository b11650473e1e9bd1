package where

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/guards"
)

// holds runs an expression in a guard of an engine, over a call and its facts.
func holds(t testing.TB, text string, use hook.ToolUse, facts ...hook.Fact) (bool, error) {
	t.Helper()
	test, err := Compile(text)
	if err == nil {
		test = test.In("/w")
	}
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	e := &hook.Engine{Analyse: func(context.Context, hook.AnyEvent) []hook.Fact { return facts }}
	if err := e.Add(hook.New("rule", hook.Static(hook.Block("it holds")), hook.For("PreToolUse"), hook.As(hook.Guard), hook.MatchWhere(test))); err != nil {
		t.Fatal(err)
	}
	out, err := hook.Fire(t.Context(), e, hook.PreToolUse, &hook.Envelope{Session: "s-1", Agent: "claude", CWD: "/w/p"}, use)
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Steps) == 1 && out.Steps[0].Err != nil {
		return true, out.Steps[0].Err
	}
	return out.Action == hook.ActionBlock, nil
}

var bash = hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": "terraform apply", "timeout": 5.0}}

func TestHolds(t *testing.T) {
	apply := hook.Fact{Does: "infra", System: "terraform", Verb: "apply", Sure: true}
	post := hook.Fact{Does: "connect", Host: "h", Port: 443, Class: "public", Sends: []string{"secret:environment"}}
	for _, c := range []struct {
		text  string
		facts []hook.Fact
		want  bool
	}{
		{`any(facts, .does == "infra" and .verb == "apply" and not .dry)`, []hook.Fact{post, apply}, true},
		{`any(facts, .does == "infra" and .verb == "apply" and not .dry)`, []hook.Fact{{Does: "infra", Verb: "apply", Dry: true}}, false},
		{`any(facts, .does == "infra" and .verb == "apply" and not .dry)`, nil, false},
		{`facts | any(.does in ["delete", "move"] && .scope == "home")`, []hook.Fact{{Does: "delete", Scope: "home"}}, true},
		{`count(facts, .does == "connect") > 1`, []hook.Fact{post, post}, true},
		{`count(facts, .does == "connect") > 1`, []hook.Fact{post, apply}, false},
		{`any(facts, any(.sends, # startsWith "secret:"))`, []hook.Fact{post}, true},
		{`any(facts, .port == 443 and .class == "public" && .host matches "^h$")`, []hook.Fact{post}, true},
		{`all(facts, .sure)`, []hook.Fact{apply}, true},
		{`len(facts) + 1 == 2`, []hook.Fact{apply}, true},
		{`let n = len(filter(facts, .does == "run")); n == 0`, []hook.Fact{apply}, true},
		{`facts[0].verb == "apply"`, []hook.Fact{apply}, true},
		{`event == "PreToolUse" and tool == "Bash" and session == "s-1" and agent == "claude" and cwd == "/w/p"`, nil, true},
		{`folder == "p"`, nil, true},
		{`folder == cwd or folder == "."`, nil, false},
		{`input.command contains "apply" and input.timeout > 3`, nil, true},
		{`(input.url ?? "") startsWith "http"`, nil, false},
		{`"command" in input`, nil, true},
		{`lower(tool) == "bash" ? true : false`, nil, true},
	} {
		got, err := holds(t, c.text, bash, c.facts...)
		if err != nil || got != c.want {
			t.Errorf("%s: got %t, %v; want %t", c.text, got, err, c.want)
		}
	}
}

func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		``:                                       `it is empty`,
		`facts`:                                  `expected bool`,
		`any(facts, .verbs == "x")`:              `column 13: a fact has no member "verbs"; did you mean verb?`,
		`any(facts, .colour == "x")`:             `column 13: a fact has no member "colour"; there are does, by, sure`,
		`any(facts, .verb == "aply")`:            `column 21: no fact has verb "aply"; did you mean apply?`,
		`any(facts, "githb token" == .kind)`:     `column 12: no fact has kind "githb token"; did you mean github token?`,
		`any(facts, .from in ["web", "file"])`:   `no fact has from "web"; there are download, file, stdin, decoded`,
		`any(fact, .verb == "x")`:                `column 5: unknown name "fact"; did you mean facts?`,
		`zap == 1`:                               `column 1: unknown name "zap"; there are facts, event, tool`,
		`any(facts, .does == "deploys")`:         `column 21: no fact has does "deploys"; there are run, read`,
		`any(facts, "delet" == .does)`:           `column 12: no fact has does "delet"; did you mean delete?`,
		`any(facts, .scope in ["hom", ""])`:      `column 23: no fact has scope "hom"; did you mean home?`,
		`any(facts, .dry == "yes")`:              `mismatched types bool and string`,
		`any(facts, .does == "run"`:              `column 25:`,
		`any(facts, .does = "run")`:              `column 18:`,
		`len(1..1000000) > 1`:                    `lists of numbers cannot be made here`,
		`reduce(facts, #acc + 1, 0) > 1`:         `reduce is not offered here`,
		`repeat("a", 9) == "a"`:                  `repeat`,
		`now().Year() > 1`:                       `now`,
		`tool + tool == "x"`:                     `texts are not joined here`,
		`input.a + input.b == "x"`:               `texts are not joined here`,
		`tool matches agent`:                     `write the pattern of matches as a text`,
		`tool matches "("`:                       `missing closing`,
		`steps left`:                             `column`,
		`count a step(1)`:                        `column`,
		`$env["steps left"] == nil`:              `$env is not offered here`,
		strings.Repeat("(", 5000):                `may have 4096`,
		strings.Repeat("(", 4000) + "true":       `column`,
		strings.Repeat("not ", 1020) + "tool":    `column`,
		strings.Repeat("true or ", 510) + "true": `exceeds maximum allowed nodes`,
	} {
		test, err := Compile(text)
		if err == nil {
			t.Errorf("%.60s: compiles to %v; want %q", text, test, want)
			continue
		}
		if bad := new(Error); !errors.As(err, &bad) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "struct {") {
			t.Errorf("%.60s: got %q, want %q", text, err, want)
		}
	}
}

// What an expression may do is bounded, and what it cannot decide fails.
func TestBounds(t *testing.T) {
	var many []hook.Fact
	for i := range 1024 {
		many = append(many, hook.Fact{Does: "run", Program: fmt.Sprint(i)})
	}
	long := hook.ToolUse{ToolName: "Write", ToolInput: map[string]any{"content": strings.Repeat("a", 1<<20), "list": []any{"x"}}}
	for text, want := range map[string]string{
		`any(facts, any(facts, .does == "read"))`:                 "too many steps",
		`any(facts, input.content contains "b")`:                  "too many steps",
		`any(facts, len(filter(facts, .does == "run")) == 0)`:     "too many steps",
		`input.command.deep.deeper == 1`:                          "column 15: cannot fetch deep",
		`input.list[3] == 1`:                                      "out of range",
		`len(filter(facts, len(filter(facts, true)) > 2000)) > 0`: "", // either bound
	} {
		got, err := holds(t, text, long, many...)
		if !got || err == nil {
			t.Errorf("%s: got %t, %v; want %q", text, got, err, want)
		} else if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %t, %v; want %q", text, got, err, want)
		}
	}
	if _, err := holds(t, `input.content contains "b" or input.content matches "b$"`, long, many...); err != nil {
		t.Error(err)
	}
}

// Facts that are not all there make what is not found unclear.
func TestMoreFactsThanAreThere(t *testing.T) {
	more := hook.Fact{Does: "unknown", Many: true, Because: "too long"}
	if _, err := holds(t, `any(facts, .does == "delete")`, bash, more); err == nil || !strings.Contains(err.Error(), "not known what the call does: too long") {
		t.Errorf("got %v", err)
	}
	if got, err := holds(t, `any(facts, .does == "delete")`, bash, more, hook.Fact{Does: "delete"}); err != nil || !got {
		t.Errorf("got %t, %v", got, err)
	}
	if got, err := holds(t, `tool == "x"`, bash, more); err != nil || got {
		t.Errorf("an expression that reads no facts gives %t, %v", got, err)
	}
}

func TestText(t *testing.T) {
	test, err := Compile(`tool == "x"`)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(hook.Match{Where: []hook.FactTest{test}})
	if err != nil || !strings.Contains(string(data), `"Where":["tool == \"x\""]`) {
		t.Errorf("got %s, %v", data, err)
	}
}

// The words of facts are those that the analyser says.
func TestWordsAreThoseOfTheAnalyser(t *testing.T) {
	check := func(m hook.Match) {
		t.Helper()
		if err := m.Check(); err != nil {
			t.Error(err)
		}
	}
	found := func(file, pattern string) (out [][]string) {
		text, err := os.ReadFile("../../facts/" + file)
		if err != nil {
			t.Fatal(err)
		}
		out = regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1)
		if len(out) == 0 {
			t.Errorf("%s has no %s", file, pattern)
		}
		return out
	}
	for _, m := range found("recognisers.go", `(?:(?:key|named)\(|kind: )"([^"]+)"`) {
		check(hook.Match{Secret: []string{m[1]}})
	}
	for _, m := range found("programs.txt", ` infra:([a-z]+):([a-z-]+)`) {
		check(hook.Match{Infra: []string{m[1] + " " + m[2], "* " + m[2]}})
	}
	for _, m := range found("programs.txt", `(?:^|\n|, )git ([a-z-]+)`) {
		check(hook.Match{Git: []string{m[1]}})
	}
	for _, m := range found("programs.txt", ` (?:vcs[a-z-]*):([a-z-]+)`) {
		check(hook.Match{Git: []string{m[1]}})
	}
	for _, m := range found("programs.txt", ` sql:([a-z]+):`) {
		check(hook.Match{SQL: []string{m[1]}})
	}
	for _, m := range found("gitnet.go", `sends = \[\]string\{"([^"]+)"`) {
		check(hook.Match{Sends: []string{m[1]}})
	}
	for _, line := range found("sql.go", `case "INSERT", [^:]*`) {
		for _, m := range regexp.MustCompile(`[A-Z]+`).FindAllString(line[0], -1) {
			check(hook.Match{SQL: []string{m}})
		}
	}
}

// What the analyser says of the calls of all corpora are words that facts have.
func TestWordsAreThoseOfTheCorpora(t *testing.T) {
	all, err := guards.Corpora()
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{}
	for _, c := range all {
		for _, row := range c.Rows {
			for _, f := range row.Facts(guards.CorpusWorld()) {
				fact := reflect.ValueOf(f)
				for i := range fact.NumField() {
					text := fact.Field(i)
					member, _, _ := strings.Cut(fact.Type().Field(i).Tag.Get("json"), ",")
					if text.Kind() != reflect.String || told[member+text.String()] {
						continue
					}
					told[member+text.String()] = true
					if err := hook.CheckFactWord(member, text.String()); err != nil {
						t.Errorf("%s: %s: %v", c.Name, row.Command, err)
					}
				}
			}
		}
	}
	for _, verb := range []string{"for-each-repo", "ls-files", "verify-commit"} {
		if err := (hook.Match{Git: []string{verb}}).Check(); err != nil {
			t.Error(err)
		}
	}
	for _, scope := range []string{"temp", "project"} {
		if _, err := Compile(`any(facts, .does == "move" and .where == "` + scope + `")`); err != nil {
			t.Error(err)
		}
	}
}

// The words that are checked are those that facts have.
func TestMembers(t *testing.T) {
	members := factMembers()
	want := reflect.TypeFor[hook.Fact]()
	for i := range want.NumField() {
		name, _, _ := strings.Cut(want.Field(i).Tag.Get("json"), ",")
		if name != "at" && !slices.Contains(members, name) {
			t.Errorf("an expression has no %s", name)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	for b.Loop() {
		if _, err := Compile(`any(facts, .does == "infra" and .verb == "apply" and not .dry)`); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkHolds(b *testing.B) {
	test, err := Compile(`any(facts, .does == "infra" and .verb == "apply" and not .dry)`)
	if err != nil {
		b.Fatal(err)
	}
	e := &hook.Engine{Analyse: func(context.Context, hook.AnyEvent) []hook.Fact {
		return []hook.Fact{{Does: "run"}, {Does: "delete"}, {Does: "infra", Verb: "get"}}
	}}
	_ = e.Add(hook.New("x", hook.HandlerFunc(func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
		for b.Loop() {
			if ok, err := test.Holds(ev); ok || err != nil {
				b.Errorf("got %v, %v, want !ok and err == nil", ok, err)
			}
		}
		return hook.Decision{}, nil
	}), hook.For("PreToolUse"), hook.Timeout(0)))
	if _, err := hook.Fire(b.Context(), e, hook.PreToolUse, nil, bash); err != nil {
		b.Fatal(err)
	}
}

func FuzzCompile(f *testing.F) {
	f.Add(`any(facts, .does == "infra" and .verb == "apply" and not .dry)`)
	f.Add(`count(facts, any(.sends, # matches "^file:")) > 2 ? input.x?.y[0] in keys(input) : len(tool) == 1`)
	f.Add(`let x = facts[0:2]; x | filter(.sure) | len() > 1 && input["a b"] != nil`)
	f.Fuzz(func(t *testing.T, text string) {
		test, err := Compile(text)
		if err != nil {
			if bad := new(Error); !errors.As(err, &bad) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q: got %q, want errors.As(err, &bad) and !strings.Contains(err.Error(), \"\\n\")", text, err)
			}
			return
		}
		ev := hook.PreToolUse.New(hook.Envelope{}, bash)
		if _, err := test.Holds(ev); err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %q", text, err)
		}
	})
}
