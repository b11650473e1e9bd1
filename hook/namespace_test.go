package hook_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// direct registers a hook of Directive.
func direct(t testing.TB, e *hook.Engine, id string, d hook.Decision, options ...hook.Option) {
	t.Helper()
	add(t, e, id, says(d), append([]hook.Option{hook.For("Directive")}, options...)...)
}

// took lists the hooks that were asked about @namespace:target.
func took(t testing.TB, e *hook.Engine, namespace, target string) []string {
	t.Helper()
	out := fireAt(t, e, hook.Directive, hook.DirectiveCall{Namespace: namespace, Target: target, Body: "x"})
	return ids(out.Steps)
}

func TestDirectivesGoToTheMostSpecificHookFirst(t *testing.T) {
	order := []struct {
		id      string
		options []hook.Option
	}{
		{"first", []hook.Option{hook.Priority(50)}},
		{"builtin exact target", []hook.Option{hook.MatchNamespace("deploy"), hook.MatchTarget("staging"), hook.Builtin()}},
		{"exact target", []hook.Option{hook.MatchNamespace("deploy"), hook.MatchTarget("prod", "staging")}},
		{"builtin glob target", []hook.Option{hook.MatchNamespace("deploy"), hook.MatchTarget("sta*"), hook.Builtin()}},
		{"glob target", []hook.Option{hook.MatchNamespace("deploy"), hook.MatchTarget("staging", "*")}},
		{"builtin exact namespace", []hook.Option{hook.MatchNamespace("deploy"), hook.Builtin()}},
		{"exact namespace", []hook.Option{hook.MatchNamespace("notify", "deploy")}},
		{"builtin glob namespace", []hook.Option{hook.MatchNamespace("*"), hook.Builtin()}},
		{"glob namespace", []hook.Option{hook.MatchNamespace("dep*"), hook.MatchTarget("staging")}},
		{"target only", []hook.Option{hook.MatchTarget("staging")}},
		{"all", nil},
		{"last", []hook.Option{hook.Priority(150), hook.MatchNamespace("deploy"), hook.MatchTarget("staging")}},
	}
	want := make([]string, len(order))
	for i := range order {
		want[i] = order[i].id
	}
	for range 20 {
		var e hook.Engine
		shuffled := rand.Perm(len(order))
		// Those that are alike are distinguished by the order of registration.
		only, all := slices.Index(shuffled, 9), slices.Index(shuffled, 10)
		if only > all {
			shuffled[only], shuffled[all] = shuffled[all], shuffled[only]
		}
		for _, i := range shuffled {
			direct(t, &e, order[i].id, hook.Decision{}, order[i].options...)
		}
		if got := took(t, &e, "deploy", "staging"); !slices.Equal(got, want) {
			t.Fatalf("registered in the order %v:\n got %q\nwant %q", shuffled, got, want)
		}
	}
}

func TestSpecificityIsForDirectivesOnly(t *testing.T) {
	var e hook.Engine
	add(t, &e, "a", says(hook.Decision{}))
	add(t, &e, "b", says(hook.Decision{}), hook.For("*"))
	add(t, &e, "c", says(hook.Decision{}), hook.For("PreToolUse", "Directive"))
	add(t, &e, "d", says(hook.Decision{}), hook.For("PreToolUse"), hook.Builtin())
	if got, want := ids(fire(t, &e, bash("ls")).Steps), []string{"a", "b", "c", "d"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v, as they were registered", got, want)
	}
}

func TestAReplacedHookIsOrderedAnew(t *testing.T) {
	var e hook.Engine
	direct(t, &e, "a", hook.Decision{})
	direct(t, &e, "b", hook.Decision{}, hook.MatchNamespace("d*"))
	if _, err := e.Replace(hook.New("a", says(hook.Decision{}), hook.For("Directive"), hook.MatchNamespace("deploy"))); err != nil {
		t.Fatal(err)
	}
	if got := took(t, &e, "deploy", "x"); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("got %v", got)
	}
}

func TestStopEndsADirective(t *testing.T) {
	var e hook.Engine
	direct(t, &e, "user", hook.Decision{Action: hook.ActionSkip, Inject: "done"}, hook.MatchNamespace("relay"), hook.MatchTarget("Bob"))
	direct(t, &e, "builtin", hook.Inject("sent"), hook.MatchNamespace("relay"), hook.Builtin())
	if got := took(t, &e, "relay", "Bob"); !slices.Equal(got, []string{"user"}) {
		t.Errorf("after a stop: %v", got)
	}
	if got := took(t, &e, "relay", "Eve"); !slices.Equal(got, []string{"builtin"}) {
		t.Errorf("for others: %v", got)
	}
}

func TestOverrideSwitchesBuiltInHooksOff(t *testing.T) {
	var e hook.Engine
	direct(t, &e, "relay", hook.Inject("sent"), hook.MatchNamespace("relay"), hook.Builtin())
	direct(t, &e, "memory", hook.Inject("saved"), hook.MatchNamespace("memory"), hook.Builtin())
	direct(t, &e, "watch", hook.Decision{}, hook.MatchNamespace("relay"), hook.As(hook.Guard))
	direct(t, &e, "mine", hook.Inject("mine"), hook.MatchNamespace("relay"), hook.MatchTarget("B*"), hook.Override(), hook.Priority(900))
	direct(t, &e, "other", hook.Decision{}, hook.MatchNamespace("relay"))
	for target, want := range map[string][]string{"Bob": {"other", "mine", "watch"}, "Eve": {"relay", "other", "watch"}} {
		if got := took(t, &e, "relay", target); !slices.Equal(got, want) {
			t.Errorf("@relay:%s: %v, want %v", target, got, want)
		}
	}
	if got := took(t, &e, "memory", "Bob"); !slices.Equal(got, []string{"memory"}) {
		t.Errorf("@memory: %v", got)
	}
	e.Remove("mine")
	if got := took(t, &e, "relay", "Bob"); !slices.Equal(got, []string{"relay", "other", "watch"}) {
		t.Errorf("without it: %v", got)
	}
}

func TestWrongOverridesAreRefused(t *testing.T) {
	var e hook.Engine
	err := e.Add(hook.New("h", says(hook.Decision{}), hook.For("Directive", "Idle"), hook.Override(), hook.MatchNamespace("re*"),
		hook.As(hook.Guard), hook.Builtin()))
	if err == nil {
		t.Fatal("taken")
	}
	for _, part := range []string{"no other event", "names its namespaces exactly", "transform lane", "overrides nothing"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
	for _, options := range [][]hook.Option{
		{hook.For("*"), hook.MatchNamespace("relay")},
		{hook.For("Directive")},
		{hook.For("Directive"), hook.MatchTarget("Bob")},
	} {
		if err := e.Add(hook.New("h", says(hook.Decision{}), append(options, hook.Override())...)); err == nil {
			t.Errorf("taken: %v", hook.New("h", nil, options...))
		}
	}
	direct(t, &e, "good", hook.Decision{}, hook.Override(), hook.MatchNamespace("relay", "broadcast"))
}

func TestTakesDirective(t *testing.T) {
	var e hook.Engine
	takes := func(namespace, target string) bool {
		return e.TakesDirective(&hook.Envelope{Agent: "Alice"}, hook.DirectiveCall{Namespace: namespace, Target: target})
	}
	if takes("deploy", "") || e.TakesDirective(nil, hook.DirectiveCall{Namespace: "deploy"}) {
		t.Error("an engine without hooks takes a directive")
	}
	direct(t, &e, "everything", hook.Decision{}, hook.For("*"))
	direct(t, &e, "tools", hook.Decision{}, hook.MatchTool("Bash"))
	direct(t, &e, "deploy", hook.Decision{}, hook.MatchNamespace("deploy"), hook.MatchTarget("s*"))
	direct(t, &e, "log", hook.Decision{}, hook.MatchNamespace("log"), hook.As(hook.Observe))
	direct(t, &e, "not hers", hook.Decision{}, hook.Matching(hook.Match{Namespace: []string{"hers"}, Agent: []string{"Bob"}}))
	add(t, &e, "any", says(hook.Decision{}), hook.For("*"), hook.MatchNamespace("any*"))
	for _, c := range []struct {
		namespace, target string
		want              bool
	}{{"deploy", "staging", true}, {"deploy", "prod", false}, {"log", "", true}, {"hers", "", false}, {"anything", "", true}, {"relay", "Bob", false}} {
		if got := takes(c.namespace, c.target); got != c.want {
			t.Errorf("@%s:%s: %v", c.namespace, c.target, got)
		}
	}
	direct(t, &e, "catches all", hook.Decision{})
	if !takes("relay", "Bob") {
		t.Error("a hook of all directives does not count")
	}
}
