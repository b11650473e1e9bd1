package hook_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hookway/hookway/hook"
)

// tool is a tool that notes how it is called.
type tool struct {
	calls    []hook.ToolUse
	response hook.ToolResponse
	err      error
}

func (w *tool) run(_ context.Context, use hook.ToolUse) (hook.ToolResponse, error) {
	w.calls = append(w.calls, use)
	return w.response, w.err
}

var fine = hook.ToolResponse{Success: true, Output: "fine"}

func TestToolWithoutHooks(t *testing.T) {
	var e hook.Engine
	w := tool{response: fine}
	r, err := hook.Tool(t.Context(), &e, nil, bash("ls"), w.run)
	if err != nil || !reflect.DeepEqual(r.Response, fine) || r.Stored == nil {
		t.Errorf("got %+v, %v, want err == nil and reflect.DeepEqual(r.Response, fine) and r.Stored != nil", r, err)
	}
	if !reflect.DeepEqual(*r.Stored, fine) {
		t.Errorf("got %+v, %v, want reflect.DeepEqual(*r.Stored, fine)", r, err)
	}
	is(t, "r.Tries", r.Tries, 1)
	is(t, "len(w.calls)", len(w.calls), 1)
}

func TestToolIsBlocked(t *testing.T) {
	var e hook.Engine
	w := tool{response: fine}
	add(t, &e, "no-rm", says(hook.Block("dangerous")), hook.As(hook.Guard), hook.MatchCommand("^rm"))
	r, err := hook.Tool(t.Context(), &e, nil, bash("rm -rf /"), w.run)
	if err != nil || !r.Blocked {
		t.Errorf("%+v, %v, %d calls", r, err, len(w.calls))
	}
	is(t, "r.Reason", r.Reason, "dangerous")
	is(t, "r.By", r.By, "no-rm")
	is(t, "r.Tries", r.Tries, 0)
	is(t, "len(w.calls)", len(w.calls), 0)
	if r.Response.Success || r.Response.Output != "dangerous" {
		t.Errorf("the agent gets %+v", r.Response)
	}
	switch r, err := hook.Tool(t.Context(), &e, nil, bash("ls"), w.run); {
	case err != nil || r.Blocked:
		t.Errorf("a harmless call: %+v, %v", r, err)
	case r.By != "":
		t.Errorf("r.By: got %v, want %v", r.By, "")
	case len(w.calls) != 1:
		t.Errorf("len(w.calls): got %v, want %v", len(w.calls), 1)
	}
}

func TestToolRunsWithTheChangedInput(t *testing.T) {
	var e hook.Engine
	w := tool{response: fine}
	add(t, &e, "h", rewrites("timeout", 30))
	r, err := hook.Tool(t.Context(), &e, nil, bash("ls"), w.run)
	if want := bash("ls").WithInput("timeout", 30); err != nil || !reflect.DeepEqual(w.calls, []hook.ToolUse{want}) || !reflect.DeepEqual(r.Use, want) {
		t.Errorf("ran %+v, %v", w.calls, err)
	}
}

// An answer stands in for the tool, and is what hooks of PostToolUse see.
func TestToolIsAnswered(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer any
		want   hook.ToolResponse
	}{
		{"response", fine, fine},
		{"pointer", &fine, fine},
		{"text", "cached", hook.ToolResponse{Success: true, Output: "cached"}},
		{"nothing", nil, hook.ToolResponse{Success: true}},
		{"fields", map[string]any{"success": false, "output": "x", "lines": 3}, hook.ToolResponse{Output: "x", Extra: map[string]any{"lines": "3"}}},
		{"nil pointer", (*hook.ToolResponse)(nil), hook.ToolResponse{Success: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var e hook.Engine
			w := tool{}
			var seen []hook.ToolResponse
			add(t, &e, "cache", says(hook.Answer(c.answer)))
			on(t, &e, hook.PostToolUse, func(_ context.Context, ev *hook.Event[hook.ToolResult]) (hook.Decision, error) {
				seen = append(seen, ev.Payload.ToolResponse)
				return hook.Decision{}, nil
			})
			r, err := hook.Tool(t.Context(), &e, nil, bash("ls"), w.run)
			if err != nil || !r.Answered {
				t.Fatalf("got %+v, %v, want err == nil and r.Answered", r, err)
			}
			is(t, "r.By", r.By, "cache")
			is(t, "len(w.calls)", len(w.calls), 0)
			is(t, "r.Tries", r.Tries, 0)
			for name, v := range r.Response.Extra { // numbers are exact: json.Number
				if n, ok := v.(interface{ String() string }); ok {
					r.Response.Extra[name] = n.String()
				}
			}
			if !reflect.DeepEqual(r.Response, c.want) || len(seen) != 1 || seen[0].Output != c.want.Output {
				t.Errorf("%+v, hooks saw %+v; want %+v", r.Response, seen, c.want)
			}
		})
	}
}

func TestToolIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e hook.Engine
		w := tool{response: fine}
		add(t, &e, "busy", first(2, hook.Retry(3*time.Second)))
		began := time.Now()
		r, err := hook.Tool(t.Context(), &e, nil, bash("ls"), w.run)
		if err != nil {
			t.Errorf("%+v, %v after %v, ran %d times", r, err, time.Since(began), len(w.calls))
		}
		is(t, "r.Tries", r.Tries, 1)
		is(t, "len(w.calls)", len(w.calls), 1)
		if time.Since(began) != 6*time.Second || !r.Response.Success {
			t.Errorf("%+v, %v after %v, ran %d times", r, err, time.Since(began), len(w.calls))
		}
	})
}

func TestFailedToolIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e hook.Engine
		runs := 0
		add(t, &e, "again", says(hook.Retry(0)), hook.For("onError"), hook.MatchTool("Bash"))
		began := time.Now()
		r, err := hook.Tool(t.Context(), &e, nil, bash("ls"), func(context.Context, hook.ToolUse) (hook.ToolResponse, error) {
			if runs++; runs < 3 {
				return hook.ToolResponse{}, errBroken
			}
			return fine, nil
		})
		if err != nil {
			t.Errorf("%+v, %v after %v", r, err, time.Since(began))
		}
		is(t, "r.Tries", r.Tries, 3)
		is(t, "runs", runs, 3)
		if time.Since(began) != 2*time.Second {
			t.Errorf("%+v, %v after %v", r, err, time.Since(began))
		}
		is(t, "r.Response.Output", r.Response.Output, "fine")
	})
}

func TestFailedToolIsRecovered(t *testing.T) {
	var e hook.Engine
	w := tool{err: errBroken}
	var faults []hook.Fault
	on(t, &e, hook.Error, func(_ context.Context, ev *hook.Event[hook.Fault]) (hook.Decision, error) {
		faults = append(faults, ev.Payload)
		return hook.Answer("use the old rules"), nil
	}, hook.Named("medic"))
	r, err := hook.Tool(t.Context(), &e, nil, bash("ls"), w.run)
	if err != nil || !r.Recovered {
		t.Errorf("got %+v, %v, want err == nil and r.Recovered", r, err)
	}
	is(t, "r.By", r.By, "medic")
	is(t, "r.Response.Output", r.Response.Output, "use the old rules")
	if r.Stored == nil {
		t.Errorf("got %+v, %v, want r.Stored != nil", r, err)
	}
	is(t, "r.Stored.Output", r.Stored.Output, r.Response.Output)
	if want := (hook.Fault{Phase: "tool", Error: errBroken.Error(), ToolName: "Bash"}); len(faults) != 1 || faults[0] != want {
		t.Errorf("faults %+v, want %+v", faults, want)
	}
}

func TestErrorOfAToolIsChanged(t *testing.T) {
	var e hook.Engine
	w := tool{err: errBroken}
	add(t, &e, "h", does(func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
		f := ev.Body().(hook.Fault)
		f.Error = "try again tomorrow"
		return hook.Change(f), nil
	}), hook.For("onError"))
	r, err := hook.Tool(t.Context(), &e, nil, bash("ls"), w.run)
	var changed *hook.ChangedError
	if !errors.As(err, &changed) {
		t.Errorf("%v; the agent gets %q", err, r.Response.Output)
	}
	is(t, "err.Error()", err.Error(), "try again tomorrow")
	if !errors.Is(err, errBroken) {
		t.Errorf("%v; the agent gets %q", err, r.Response.Output)
	}
	is(t, "r.Response.Output", r.Response.Output, "try again tomorrow")
}

// What a hook of PostToolUse takes out of a failed call's response stays out.
func TestResponseOfAFailedToolStaysAsHooksLeftIt(t *testing.T) {
	var e hook.Engine
	w := tool{err: errors.New("login with hunter22 failed")}
	add(t, &e, "redact", does(func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
		r := ev.Body().(hook.ToolResult)
		r.ToolResponse.Output = strings.ReplaceAll(r.ToolResponse.Output, "hunter22", "***")
		return hook.Change(r), nil
	}), hook.For("PostToolUse"))
	r, err := hook.Tool(t.Context(), &e, nil, bash("login"), w.run)
	if err == nil || r.Response.Success || r.Response.Output != "login with *** failed" {
		t.Errorf("%v; the agent gets %q", err, r.Response.Output)
	}
}

func TestResponseOfAToolIsChangedBlockedAndStored(t *testing.T) {
	change := func(output string) hook.Handler {
		return does(func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
			switch p := ev.Body().(type) {
			case hook.ToolResult:
				p.ToolResponse.Output = output
				return hook.Change(p), nil
			case hook.ToolPersist:
				p.ToolResponse.Output = output
				return hook.Change(p), nil
			}
			return hook.Decision{}, errors.New("unexpected event")
		})
	}
	w := tool{response: fine}
	run := func(t *testing.T, e *hook.Engine) hook.ToolRun {
		t.Helper()
		r, err := hook.Tool(t.Context(), e, nil, bash("ls"), w.run)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	t.Run("changed", func(t *testing.T) {
		var e hook.Engine
		add(t, &e, "h", change("short"), hook.For("PostToolUse"))
		if r := run(t, &e); r.Response.Output != "short" || r.Stored.Output != "short" || !r.Response.Success {
			t.Errorf(`got %+v, want r.Response.Output == "short" and r.Stored.Output == "short" and r.Response.Success`, r)
		}
	})
	t.Run("blocked", func(t *testing.T) {
		var e hook.Engine
		add(t, &e, "h", says(hook.Block("it holds a secret")), hook.For("PostToolUse"))
		switch r := run(t, &e); {
		case r.Blocked:
			t.Errorf("%+v", r)
		case r.By != "h":
			t.Errorf("r.By: got %v, want %v", r.By, "h")
		case r.Response.Output != "it holds a secret":
			t.Errorf("r.Response.Output: got %v, want %v", r.Response.Output, "it holds a secret")
		case r.Response.Success:
			t.Errorf("%+v", r)
		case r.Stored.Output != r.Response.Output:
			t.Errorf("r.Stored.Output: got %v, want %v", r.Stored.Output, r.Response.Output)
		}
	})
	t.Run("stored otherwise", func(t *testing.T) {
		var e hook.Engine
		add(t, &e, "h", change("summary"), hook.For("tool_result_persist"))
		if r := run(t, &e); r.Response.Output != "fine" || r.Stored.Output != "summary" {
			t.Errorf(`got %+v, want r.Response.Output == "fine" and r.Stored.Output == "summary"`, r)
		}
	})
	t.Run("not stored", func(t *testing.T) {
		var e hook.Engine
		add(t, &e, "h", says(hook.Block("")), hook.For("tool_result_persist"))
		if r := run(t, &e); r.Response.Output != "fine" || r.Stored != nil {
			t.Errorf(`got %+v, want r.Response.Output == "fine" and r.Stored == nil`, r)
		}
	})
}

func TestTextForTheAgentIsGatheredFromBothEnds(t *testing.T) {
	var e hook.Engine
	w := tool{response: fine}
	add(t, &e, "before", says(hook.Inject("A")))
	add(t, &e, "after", says(hook.Inject("B")), hook.For("PostToolUse"))
	if r, err := hook.Tool(t.Context(), &e, nil, bash("ls"), w.run); err != nil || r.Inject != "A\n\nB" {
		t.Errorf("got %q, %v, want err == nil and r.Inject == \"A\\n\\nB\"", r.Inject, err)
	}
}

func TestAskedTools(t *testing.T) {
	yes := func(context.Context, hook.Verdict, any) (bool, error) { return true, nil }
	no := func(context.Context, hook.Verdict, any) (bool, error) { return false, nil }
	gone := func(context.Context, hook.Verdict, any) (bool, error) { return true, errBroken }
	for _, c := range []struct {
		name     string
		ask      func(context.Context, hook.Verdict, any) (bool, error)
		fallback hook.Action
		runs     bool
		err      error
	}{
		{"yes", yes, 0, true, nil},
		{"no", no, hook.ActionAllow, false, nil},
		{"cannot be asked", gone, hook.ActionAllow, false, errBroken},
		{"no user", nil, 0, false, nil},
		{"no user, fallback block", nil, hook.ActionBlock, false, nil},
		{"no user, fallback allow", nil, hook.ActionAllow, true, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var asked []string
			e := hook.Engine{AskFallback: c.fallback}
			if c.ask != nil {
				e.Ask = func(ctx context.Context, v hook.Verdict, payload any) (bool, error) {
					use := payload.(hook.ToolUse)
					asked = append(asked, v.By, v.Reason, use.Text("command"))
					return c.ask(ctx, v, payload)
				}
			}
			w := tool{response: fine}
			add(t, &e, "change", rewrites("command", "ls -l"))
			add(t, &e, "careful", says(hook.Ask("sure?")), hook.As(hook.Guard))
			r, err := hook.Tool(t.Context(), &e, nil, bash("ls"), w.run)
			if !errors.Is(err, c.err) || r.Blocked == c.runs || (len(w.calls) == 1) != c.runs {
				t.Errorf("%+v, %v, %d calls", r, err, len(w.calls))
			}
			if !c.runs && (r.By != "careful" || r.Reason == "") {
				t.Errorf("blocked by %q: %q", r.By, r.Reason)
			}
			if want := []string{"careful", "sure?", "ls -l"}; c.ask != nil && !slices.Equal(asked, want) {
				t.Errorf("asked about %q, want %q", asked, want)
			}
		})
	}
}

func TestCancelledToolGivesAnErrorAndDoesNotRun(t *testing.T) {
	var e hook.Engine
	w := tool{response: fine}
	add(t, &e, "h", says(hook.Decision{}))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := hook.Tool(ctx, &e, nil, bash("ls"), w.run); !errors.Is(err, context.Canceled) || !r.Blocked || len(w.calls) != 0 {
		t.Errorf("%+v, %v, %d calls", r, err, len(w.calls))
	}
}

// All hooks learn what was done, also if the caller gives up meanwhile.
func TestAfterHooksRunToTheEndWhenTheCallerGivesUpMeanwhile(t *testing.T) {
	for _, lane := range []hook.Lane{hook.Transform, hook.Guard} {
		t.Run(lane.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var e hook.Engine
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				add(t, &e, "first", sees(func(_ hook.AnyEvent) {
					cancel()
					<-time.After(time.Second)
				}), hook.For("PostToolUse"))
				ran := false
				add(t, &e, "later", does(func(ctx context.Context, _ hook.AnyEvent) (hook.Decision, error) {
					ran = ctx.Err() == nil
					return hook.Decision{}, nil
				}), hook.For("PostToolUse"), hook.As(lane), hook.Priority(200))
				w := tool{response: fine}
				if r, err := hook.Tool(ctx, &e, nil, bash("ls"), w.run); err != nil || !ran || r.Response.Output != fine.Output {
					t.Errorf("%+v, %v; the later hook ran: %v", r, err, ran)
				}
			})
		})
	}
}

// The grace begins when the caller gives up, not when the hooks begin.
func TestAfterHooksHaveFiveSecondsFromTheMomentTheCallerGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e hook.Engine
		add(t, &e, "h", hangs, hook.For("PostToolUse"))
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		w := tool{response: fine}
		began := time.Now()
		if _, err := hook.Tool(ctx, &e, nil, bash("ls"), w.run); err == nil || time.Since(began) != 8*time.Second {
			t.Errorf("%v after %v, want an error after 8s", err, time.Since(began))
		}
	})
}
