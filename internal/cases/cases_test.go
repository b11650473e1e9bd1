package cases

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
)

// one reads a case of PreToolUse with the given expectations, in YAML's flow style.
func one(t *testing.T, expect string) *Case {
	t.Helper()
	list, problems := Parse("x_test.yaml", []byte("cases:\n- event: PreToolUse\n  payload: {tool_name: Bash, tool_input: {n: 9007199254740993, keep: [1, {a: b}]}}\n  expect: "+expect), Options{})
	if len(problems) > 0 {
		t.Fatalf("got %v, want len(problems) == 0", problems)
	}
	return list[0]
}

func TestExpectationsHoldOrFail(t *testing.T) {
	use := func(input string) any {
		var m map[string]any
		d := json.NewDecoder(strings.NewReader(input))
		d.UseNumber()
		if err := d.Decode(&m); err != nil {
			t.Fatal(err)
		}
		return hook.ToolUse{ToolName: "Bash", ToolInput: m}
	}
	same := use(`{"n":9007199254740993,"keep":[1,{"a":"b"}]}`)
	verdict := func(v hook.Verdict) hook.Outcome[any] { return hook.Outcome[any]{Verdict: v, Payload: same} }
	payload := func(input string) hook.Outcome[any] {
		return hook.Outcome[any]{Verdict: hook.Verdict{Changed: true}, Payload: use(input)}
	}
	steps := func(steps ...hook.Step) hook.Outcome[any] { return verdict(hook.Verdict{Steps: steps}) }
	for _, tt := range []struct {
		name, expect string
		out          hook.Outcome[any]
		holds        bool
	}{
		{"the action", "{action: block}", verdict(hook.Verdict{Action: hook.ActionBlock}), true},
		{"the action in other words", "{action: Deny}", verdict(hook.Verdict{Action: hook.ActionBlock}), true},
		{"another action", "{action: block}", verdict(hook.Verdict{Action: hook.ActionAsk}), false},
		{"continue is not allow", "{action: allow}", verdict(hook.Verdict{}), false},
		{"the reason", "{reason: no way}", verdict(hook.Verdict{Reason: "no way"}), true},
		{"a part of the reason", "{reason: no}", verdict(hook.Verdict{Reason: "no way"}), false},
		{"no reason", "{reason: false}", verdict(hook.Verdict{}), true},
		{"no reason, as an empty text", "{reason: ''}", verdict(hook.Verdict{}), true},
		{"a reason where none is expected", "{reason: false}", verdict(hook.Verdict{Reason: "x"}), false},
		{"a reason that matches", "{reason_matches: '^no'}", verdict(hook.Verdict{Reason: "no way"}), true},
		{"a reason that does not match", "{reason_matches: '^way'}", verdict(hook.Verdict{Reason: "no way"}), false},
		{"who decided", "{by: a}", verdict(hook.Verdict{By: "a"}), true},
		{"somebody else decided", "{by: a}", verdict(hook.Verdict{By: "b"}), false},
		{"nobody decided", "{by: false}", verdict(hook.Verdict{}), true},
		{"the text for the user", "{user_message: hello}", verdict(hook.Verdict{UserMessage: "hello"}), true},
		{"another text for the user", "{user_message: hello}", verdict(hook.Verdict{UserMessage: "bye"}), false},
		{"injected text", `{inject: "a\n\nb"}`, verdict(hook.Verdict{Inject: "a\n\nb"}), true},
		{"other injected text", "{inject: a}", verdict(hook.Verdict{Inject: "a\n\nb"}), false},
		{"no injected text", "{inject: false}", verdict(hook.Verdict{Inject: "a"}), false},
		{"injected text that matches", "{inject_matches: '(?s)a.*b'}", verdict(hook.Verdict{Inject: "a\n\nb"}), true},
		{"injected text that does not match", "{inject_matches: c}", verdict(hook.Verdict{Inject: "a\n\nb"}), false},
		{"the result", "{result: {ok: true, n: [1, 2.50]}}", verdict(hook.Verdict{Result: map[string]any{"ok": true, "n": []any{1, 2.5}}}), true},
		{"a part of the result", "{result: {ok: true}}", verdict(hook.Verdict{Result: map[string]any{"ok": true, "n": 1}}), false},
		{"a list of another length", "{result: [1]}", verdict(hook.Verdict{Result: []any{1, 1}}), false},
		{"no result", "{result: null}", verdict(hook.Verdict{}), true},
		{"a result of another type", "{result: '1'}", verdict(hook.Verdict{Result: 1}), false},
		{"the delay", "{retry_delay_ms: 1500}", verdict(hook.Verdict{RetryDelay: 1500 * time.Millisecond}), true},
		{"another delay", "{retry_delay_ms: 1500}", verdict(hook.Verdict{RetryDelay: time.Second}), false},
		{"the steps", "{steps: [a, b]}", steps(hook.Step{Hook: "a"}, hook.Step{Hook: "b"}), true},
		{"the steps in another order", "{steps: [a, b]}", steps(hook.Step{Hook: "b"}, hook.Step{Hook: "a"}), false},
		{"no steps", "{steps: []}", steps(), true},
		{"a step too many", "{steps: []}", steps(hook.Step{Hook: "a"}), false},
		{"an error", "{error: broken}", steps(hook.Step{}, hook.Step{Err: errors.New("it is broken")}), true},
		{"another error", "{error: broken}", steps(hook.Step{Err: errors.New("late")}), false},
		{"no error where one is expected", "{error: broken}", steps(hook.Step{}), false},
		{"no error", "{error: false}", steps(hook.Step{}), true},
		{"an error where none is expected", "{error: false}", steps(hook.Step{Err: errors.New("late")}), false},

		{"a changed value", "{modified: {tool_input: {n: 1}}}", payload(`{"n":1,"keep":2}`), true},
		{"a value changed to another", "{modified: {tool_input: {n: 1}}}", payload(`{"n":2}`), false},
		{"a number that is off by one in its last digit", "{modified: {tool_input: {n: 9007199254740992}}}", payload(`{"n":9007199254740993,"x":1}`), false},
		{"a number in hexadecimal, and with _", "{modified: {tool_input: {n: 0xff, m: 1_000}}}", payload(`{"n":255,"m":1000}`), true},
		{"an unsigned 64-bit number", "{modified: {tool_input: {n: 18446744073709551615}}}", payload(`{"n":18446744073709551615}`), true},
		{"a number written otherwise", "{modified: {tool_input: {n: 1.50}}}", payload(`{"n":15e-1}`), true},
		{"a huge number does not fill the memory", "{modified: {tool_input: {n: 1e999999999}}}", payload(`{"n":1e999999998}`), false},
		{"a value that is gone", "{modified: {tool_input: {keep: null}}}", payload(`{"n":1}`), true},
		{"a value that is still there", "{modified: {tool_input: {keep: null}}}", payload(`{"n":1,"keep":1}`), false},
		{"a value that is null", "{modified: {tool_input: {keep: null}}}", payload(`{"keep":null}`), true},
		{"lists are compared whole", "{modified: {tool_input: {keep: [1]}}}", payload(`{"keep":[1,2]}`), false},
		{"it has the values, but had them before", "{modified: {tool_name: Bash}}", verdict(hook.Verdict{}), false},
		{"changed to the same is not changed", "{modified: false}", payload(`{"n":9007199254740993,"keep":[1,{"a":"b"}]}`), true},
		{"changed, but not to be", "{modified: false}", payload(`{"n":9007199254740994,"keep":[1,{"a":"b"}]}`), false},
		{"the whole payload", "{payload: {tool_name: Bash, tool_input: {n: 1}}}", payload(`{"n":1}`), true},
		{"a payload with more", "{payload: {tool_name: Bash, tool_input: {n: 1}}}", payload(`{"n":1,"m":1}`), false},

		{"one of two does not hold", "{action: continue, by: a}", verdict(hook.Verdict{}), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.out.Event = "PreToolUse"
			report := Run(t.Context(), []*Case{one(t, tt.expect)}, nil, func(context.Context, hook.AnyEvent) (hook.Outcome[any], error) { return tt.out, nil })
			r := report.Results[0]
			if r.Err != nil || (r.Status == Passed) != tt.holds || (len(r.Failures) == 0) != tt.holds {
				t.Errorf("got %s %v %+v, want r.Err == nil and (r.Status == Passed) == tt.holds and (len(r.Failures) == 0) == tt.holds", r.Status, r.Err, r.Failures)
			}
			for _, f := range r.Failures {
				switch {
				case f.Note == "" && slices.Equal(f.Want, f.Got):
					t.Errorf("the failure shows nothing: %+v", f)
				case f.Line != 4:
					t.Errorf("%v: f.Line: got %v, want %v", f, f.Line, 4)
				case f.Column < 12:
					t.Errorf("the failure shows nothing: %+v", f)
				}
			}
		})
	}
}

func TestTheEventIsWhatTheCaseSaysThenItsPayloadThenWhatAllHave(t *testing.T) {
	file := "cases:\n" +
		"- {event: before_tool_call, payload: {session_id: p, cwd: /p, agent: q}, expect: {by: a}}\n" +
		"- {event: PreToolUse, session: s, agent: b, cwd: sub/dir, source: claude, payload: {session_id: p, cwd: /p, agent: q}, expect: {by: a}}\n" +
		"- {event: ship, expect: {by: a}}\n"
	own := hook.Custom("Deploy", hook.May{Block: true}, "ship")
	list, problems := Parse("/ws/x_test.yaml", []byte(file), Options{
		Envelope: hook.Envelope{Session: "d", Agent: "e", Source: "test", CWD: "/ws"},
		Lookup: func(name string) (*hook.EventInfo, error) {
			if name == "ship" {
				return own, nil
			}
			return hook.Lookup(name)
		},
	})
	if len(problems) > 0 {
		t.Fatalf("got %v, want len(problems) == 0", problems)
	}
	want := []hook.Envelope{
		{Session: "p", Agent: "q", Source: "test", CWD: "/p"},
		{Session: "s", Agent: "b", Source: "claude", CWD: "/ws/sub/dir"},
		{Session: "d", Agent: "e", Source: "test", CWD: "/ws"},
	}
	names := []string{"PreToolUse 1", "PreToolUse 2", "Deploy 3"}
	i := 0
	Run(t.Context(), list, nil, func(_ context.Context, ev hook.AnyEvent) (hook.Outcome[any], error) {
		got := *ev.Head()
		switch {
		case got.Session != want[i].Session:
			t.Errorf("got.Session: got %v, want %v", got.Session, want[i].Session)
		case got.Agent != want[i].Agent:
			t.Errorf("got.Agent: got %v, want %v", got.Agent, want[i].Agent)
		case got.Source != want[i].Source:
			t.Errorf("got.Source: got %v, want %v", got.Source, want[i].Source)
		case got.CWD != want[i].CWD:
			t.Errorf("got.CWD: got %v, want %v", got.CWD, want[i].CWD)
		}
		if list[i].Name != names[i] || list[i].Line != i+2 {
			t.Errorf("%q in line %d", list[i].Name, list[i].Line)
		}
		i++
		return hook.Outcome[any]{Payload: ev.Body()}, nil
	})
	if i != 3 {
		t.Errorf("%d cases ran", i)
	}
}

func TestAPayloadIsFiredWithAllItsDigits(t *testing.T) {
	c := one(t, "{by: a}")
	use := c.event.Body().(hook.ToolUse)
	if got := use.ToolInput["n"]; got != json.Number("9007199254740993") {
		t.Errorf("got %#v, want %#v", got, json.Number("9007199254740993"))
	}
}

func TestAnOutcomeThatHasNoJSONIsAnError(t *testing.T) {
	report := Run(t.Context(), []*Case{one(t, "{by: a}")}, nil, func(context.Context, hook.AnyEvent) (hook.Outcome[any], error) {
		return hook.Outcome[any]{Verdict: hook.Verdict{Result: make(chan int)}}, nil
	})
	if r := report.Results[0]; r.Status != Errored || r.Err == nil {
		t.Errorf("got %+v, want r.Status == Errored and r.Err != nil", r)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("cases:\n- event: PreToolUse\n  expect: {action: block}\n")
	f.Add("cases:\n- &a {event: Stop, expect: {modified: {x: 1e9}}}\n- {<<: *a}\n")
	f.Add("cases:\n- &a [*a]\n")
	f.Add("\r0")
	f.Add("!\n0")
	f.Add("- !x\n---\n\"\\q")
	f.Add("cases: [{event: Stop, payload: {a: 0o7, b: 0b1, c: -.inf, d: 2026-01-01}, expect: {result: ~}}]")
	f.Fuzz(func(t *testing.T, text string) {
		list, problems := Parse("x.yaml", []byte(text), Options{})
		if (len(list) == 0) == (len(problems) == 0) {
			t.Fatalf("%d cases and %d problems", len(list), len(problems))
		}
		if plain := strings.ReplaceAll(text, "\r\n", "\n"); !strings.ContainsAny(plain, "\r\u0085\u2028\u2029") { // YAML ends lines there, too
			insideFile(t, []byte(strings.TrimPrefix(text, "\ufeff")), problems)
		}
		report := Run(t.Context(), list, nil, func(_ context.Context, ev hook.AnyEvent) (hook.Outcome[any], error) {
			return hook.Outcome[any]{Verdict: hook.Verdict{Event: ev.Info().Name}, Payload: ev.Body()}, nil
		})
		if _, err := report.JSON(problems, Style{}); err != nil {
			t.Fatal(err)
		}
	})
}
