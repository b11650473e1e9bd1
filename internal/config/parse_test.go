package config

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/golden"
	"github.com/hookway/hookway/internal/strict"
)

func TestEveryMistakeOfABadFileIsListedWithItsPlace(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) < 20 {
		t.Fatalf("bad files: %d, %v", len(files), err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, problems := parse(name, data, new(hook.Engine))
			if len(problems) == 0 {
				t.Fatal("no problem was found")
			}
			checkPlaces(t, data, problems)
			golden.Compare(t, strings.TrimSuffix(file, ".yaml")+".golden", problems.String()+"\n")
		})
	}
}

// checkPlaces holds problems to places that the file has, in order.
func checkPlaces(t *testing.T, data []byte, problems Problems) {
	t.Helper()
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(string(data), "\ufeff")), "\n")
	line, column := 0, 0
	for _, p := range problems {
		if p.Line == 0 && len(data) > strict.MaxFile {
			continue
		}
		if p.Line < 1 || p.Line > len(lines) {
			t.Errorf("%s is outside the file", p)
		} else if p.Column < 1 || p.Column > utf8.RuneCountInString(lines[p.Line-1])+1 {
			t.Errorf("%s is outside the file", p)
		}
		if p.Line < line || p.Line == line && p.Column < column {
			t.Errorf("%s is out of order", p)
		}
		line, column = p.Line, p.Column
		if p.Message == "" || strings.ContainsAny(p.Message, "\n\x00") {
			t.Errorf("message %q", p.Message)
		}
	}
}

func TestGoodFilesAreReadWithoutProblems(t *testing.T) {
	files, err := filepath.Glob("testdata/good/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("got %v, %v, want err == nil and len(files) != 0", files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, problems := parse(file, data, new(hook.Engine)); len(problems) > 0 {
			t.Errorf("%s\n%s", file, problems)
		}
	}
}

// goodHooks reads the good file that uses everything.
func goodHooks(t *testing.T) (*fileSpec, map[string]*hookSpec) {
	t.Helper()
	data, err := os.ReadFile("testdata/good/everything.yaml")
	if err != nil {
		t.Fatal(err)
	}
	spec, problems := parse("everything.yaml", data, new(hook.Engine))
	if len(problems) > 0 {
		t.Fatalf("got %v, want len(problems) == 0", problems)
	}
	byID := map[string]*hookSpec{}
	for _, h := range spec.hooks {
		byID[h.id] = h
	}
	return spec, byID
}

func TestEveryKeyOfAHookArrives(t *testing.T) {
	_, hooks := goodHooks(t)
	h := hooks["no-force-delete"]
	match := hook.Match{
		Tool: []string{"Bash"}, Command: []string{`rm\s+-rf`}, Path: []string{"src/**"}, Session: []string{"s-1"}, Agent: []string{"Alice"},
		Source: []string{"claude", "run"}, Namespace: []string{"deploy"}, Target: []string{"prod*"},
		Fields: map[string][]string{"from": {"Bob"}, "count": {"3"}, "tool_input.force": {"true"}},
		Any:    []hook.Match{{Tool: []string{"A"}}, {Tool: []string{"B"}}}, Not: &hook.Match{Agent: []string{"Bob", "C*"}},
	}
	if !reflect.DeepEqual(h.match, match) {
		t.Errorf("match\n got %+v\nwant %+v", h.match, match)
	}
	f := found{spec: h, source: &source{root: "/ws"}, file: "/ws/hookway.yaml"}
	r := f.registration()
	want := hook.New("", nil, hook.For("PreToolUse"), hook.WithProfile(hook.ProfileA3S), hook.Priority(10), hook.Timeout(500*time.Millisecond),
		hook.Matching(match), hook.As(hook.Guard), hook.Retries(2), hook.OnFailure(hook.FailClosed), hook.Root("/ws"), hook.Origin("/ws/hookway.yaml:16"))
	want.Name = "keeps rm -rf away"
	if !reflect.DeepEqual(r, want) {
		t.Errorf("registration\n got %+v\nwant %+v", r, want)
	}
	if h.description != "keeps rm -rf away" || !reflect.DeepEqual(h.handler.decision, hook.Block("reason")) {
		t.Errorf("description %q, decision %+v", h.description, h.handler.decision)
	}
}

func TestHandlersArriveAsWritten(t *testing.T) {
	_, hooks := goodHooks(t)
	for id, want := range map[string]hook.Decision{
		"asks":    {Action: hook.ActionAsk},
		"allows":  {Action: hook.ActionAllow, Reason: "it is fine"},
		"injects": {Inject: "hello\nthere"},
		"answers": {Action: hook.ActionAnswer, Result: map[string]any{"ok": true, "n": json.Number("16")}},
		"retries": {Action: hook.ActionRetry, RetryDelay: 2 * time.Second},
		"skips":   {Action: hook.ActionSkip},
	} {
		if got := hooks[id].handler.decision; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", id, got, want)
		}
	}
	if got, want := string(hooks["modifies"].handler.patch), `{"tool_input":{"timeout":9007199254740993,"ratio":1.50,"when":"2026-01-02","off":null}}`; got != want {
		t.Errorf("patch %s, want %s", got, want)
	}
	if !hooks["skips"].every || hooks["worker"].worker != true || !hooks["worker"].disabled {
		t.Error("every, worker, enabled, async or queue were lost")
	} else if hooks["watches"].lane != hook.Observe || hooks["watches"].queue != 5 {
		t.Error("every, worker, enabled, async or queue were lost")
	}
	one := hooks["one-shot"]
	if got, want := one.command("/ws").argv, []string{"/ws/guard", "--level", "3"}; !reflect.DeepEqual(got, want) {
		t.Errorf("argv %q, want %q", got, want)
	}
	if !reflect.DeepEqual(one.env, []string{"A=1", "B=two"}) || one.cwd != "sub" || *one.timeout != 250*time.Millisecond {
		t.Errorf("env %q cwd %q timeout %v", one.env, one.cwd, *one.timeout)
	}
	c := (&found{spec: hooks["worker"], source: &source{}}).config("/ws", nil)
	if !reflect.DeepEqual(c.Needs, []string{"AWS_PROFILE", "B_TOKEN"}) {
		t.Errorf("needs %q", c.Needs)
	}
	for id, want := range map[string]bool{"overrides": true, "plain": false} {
		if got := (&found{spec: hooks[id], source: &source{}}).registration().Override; got != want {
			t.Errorf("%s: override is %v", id, got)
		}
	}
	if *hooks["allows"].timeout != 0 {
		t.Error("timeout: 0 must be an explicit none")
	}
}

func TestAHookUnderClaudeCodesOwnNameIsToldThatName(t *testing.T) {
	_, hooks := goodHooks(t)
	if got := hooks["one-shot"].told; !reflect.DeepEqual(got, map[string]string{"AgentStart": "UserPromptSubmit"}) {
		t.Errorf("got %v, want %v", got, map[string]string{"AgentStart": "UserPromptSubmit"})
	}
	if got := hooks["worker"].told; !reflect.DeepEqual(got, map[string]string{"AgentStop": "Stop"}) {
		t.Errorf("got %v, want %v", got, map[string]string{"AgentStop": "Stop"})
	}
	if got := hooks["watches"].told; got != nil {
		t.Error(got)
	}
}

func TestSettingsAndEventsArrive(t *testing.T) {
	spec, hooks := goodHooks(t)
	s := Settings{}
	s.take(spec)
	if want := (Settings{AskFallback: hook.ActionAllow, MaxContinues: 3, MaxHooks: 5, IdleThreshold: 45 * time.Second}); !reflect.DeepEqual(s, want) {
		t.Errorf("got %+v, want %+v", s, want)
	}
	if want := []string{"ssn", "tool_input.content"}; !reflect.DeepEqual(spec.redact, want) {
		t.Errorf("redact is %q", spec.redact)
	}
	if want := (Keep{Age: 30 * 24 * time.Hour, Size: 64 << 20}); spec.audit == nil || spec.audit.Keep != want {
		t.Errorf("audit is %+v", spec.audit)
	}
	deploy, free := spec.events[0].info(), spec.events[2].info()
	if got, want := fmt.Sprint([]any{deploy.Name, deploy.May.String(), spec.events[1].info().May.String()}), fmt.Sprint([]any{"Deploy", "block, inject", "observe"}); got != want {
		t.Errorf("got %s, want %s", got, want)
	} else if !free.May.Answer {
		t.Errorf("got %+v, want free.May.Answer", spec.events)
	}
	if hooks["ships"].events[0].Name != "Deploy" {
		t.Error("an alias of an event of the file was not found")
	}
}

func TestEveryWordOfMayIsUnderstood(t *testing.T) {
	spec, problems := parse("f.yaml", []byte("events: [{name: E, may: [change, allow, ask, block, retry, answer, inject]}]"), new(hook.Engine))
	want := hook.May{Change: []string{"*"}, Allow: true, Ask: true, Block: true, Retry: true, Answer: true, Inject: true}
	if len(problems) > 0 || !reflect.DeepEqual(*spec.events[0].may, want) {
		t.Errorf("got %+v %s, want len(problems) == 0 and reflect.DeepEqual(*spec.events[0].may, want)", spec.events, problems)
	}
}

func TestNamesThatCannotBeShownAreRefused(t *testing.T) {
	for _, id := range []string{`"a\nb"`, `"a\u2028b"`, `"a\u0085"`, "' a'", "'a '", strings.Repeat("x", 201)} {
		_, problems := parse("f.yaml", []byte("hooks: [{id: "+id+", on: PreToolUse, block: true}]"), new(hook.Engine))
		if len(problems) != 1 || problems[0].Line != 1 {
			t.Errorf("%s: got %q, want len(problems) == 1 and problems[0].Line == 1", id, problems)
		} else if problems[0].Column != 14 || strings.ContainsAny(problems[0].String(), "\u2028\u0085") {
			t.Errorf("%s: got %q, want problems[0].Column == 14 and !strings.ContainsAny(problems[0].String(), \"\\u2028\\u0085\")", id, problems)
		}
	}
}

func TestAFileLargerThanAMebibyteIsRefused(t *testing.T) {
	data := []byte("hooks: []\n" + strings.Repeat("# x\n", strict.MaxFile/4))
	_, problems := parse("big.yaml", data, new(hook.Engine))
	if len(problems) != 1 || !strings.Contains(problems[0].Message, "at most") {
		t.Errorf(`got %v, want len(problems) == 1 and strings.Contains(problems[0].Message, "at most")`, problems)
	}
}

func TestProblemsAsJSONHaveTheirPlaces(t *testing.T) {
	_, problems := parse("f.yaml", []byte("hooks:\n- id: a\n  on: PreToolUes\n  block: true\n"), new(hook.Engine))
	data, err := json.Marshal(problems)
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"file":"f.yaml","line":3,"column":7,"hook":"a","message":"unknown event \"PreToolUes\"","hint":"did you mean PreToolUse?"}]`
	if string(data) != want {
		t.Errorf("got %s, want %s", data, want)
	}
}

func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/bad/*.yaml", "testdata/good/*.yaml"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		spec, problems := parse("f.yaml", data, new(hook.Engine))
		checkPlaces(t, data, problems)
		if len(problems) > 0 {
			return
		}
		// What has no problem can be registered.
		var engine hook.Engine
		for _, e := range spec.events {
			if err := engine.Define(e.info()); err != nil && !strings.Contains(err.Error(), "taken") {
				t.Error(err)
			}
		}
		for _, h := range spec.hooks {
			found := found{spec: h, source: &source{}}
			r := found.registration()
			r.ID, r.Handler = h.id, hook.Static{}
			if err := engine.Add(r); err != nil {
				t.Errorf("no problem was found, but: %v", err)
			}
		}
	})
}
