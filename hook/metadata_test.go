package hook_test

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

func tells(metadata map[string]any) hook.Handler { return says(hook.Decision{Metadata: metadata}) }

func TestMetadataFlowsToLaterHooks(t *testing.T) {
	var e hook.Engine
	var seen map[string]any
	add(t, &e, "a", tells(map[string]any{"risk": "high", "from": "a"}), hook.Priority(1))
	add(t, &e, "b", tells(map[string]any{"from": "b"}), hook.Priority(2))
	add(t, &e, "rewrite", rewrites("command", "ls -l"), hook.Priority(3))
	add(t, &e, "g", does(func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
		seen = maps.Clone(ev.Head().Metadata)
		return hook.Decision{Metadata: map[string]any{"judged": true}}, nil
	}), hook.As(hook.Guard))
	env := hook.Envelope{Metadata: map[string]any{"run": 7}}
	out, err := hook.Fire(t.Context(), &e, hook.PreToolUse, &env, bash("ls"))
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string]any{"run": 7, "risk": "high", "from": "b"}; !reflect.DeepEqual(seen, want) {
		t.Errorf("the guard saw %v, want %v", seen, want)
	}
	if want := map[string]any{"run": 7, "risk": "high", "from": "b", "judged": true}; !reflect.DeepEqual(out.Metadata, want) {
		t.Errorf("outcome %v, want %v", out.Metadata, want)
	}
	if len(env.Metadata) != 1 {
		t.Errorf("the caller's envelope was edited: %v", env.Metadata)
	}
	if out.Payload.Text("command") != "ls -l" {
		t.Errorf("metadata undid a change: %q", out.Payload.Text("command"))
	}
}

func TestMetadataReachesTheCallerWithoutHooks(t *testing.T) {
	var e hook.Engine
	out, err := hook.Fire(t.Context(), &e, hook.PreToolUse, &hook.Envelope{Metadata: map[string]any{"a": 1}}, bash("ls"))
	if err != nil || out.Metadata["a"] != 1 {
		t.Errorf("metadata %v, %v", out.Metadata, err)
	}
}

// Environment maps merge by key, in each of the Go types in which they come.
func TestEnvironmentMapsMerge(t *testing.T) {
	var e hook.Engine
	add(t, &e, "a", tells(map[string]any{"env": map[string]any{"A": "1", "B": "1"}}))
	add(t, &e, "b", tells(map[string]any{"env": map[string]string{"B": "2", "C": "2"}}))
	env := hook.Envelope{Metadata: map[string]any{"env": map[string]string{"HOME": "/h", "A": "0"}}}
	out, err := hook.Fire(t.Context(), &e, hook.PreToolUse, &env, bash("ls"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"HOME": "/h", "A": "1", "B": "2", "C": "2"}
	if !reflect.DeepEqual(out.Metadata["env"], want) {
		t.Errorf("env %v, want %v", out.Metadata["env"], want)
	}
}

// A hook may not decide which programs run or what code they load.
func TestDangerousVariablesAreRefused(t *testing.T) {
	for _, c := range []struct {
		name string
		env  any
	}{
		{"PATH", map[string]any{"PATH": "/evil", "OK": "1"}},
		{"Path", map[string]any{"Path": "/evil", "OK": "1"}},
		{"LD_PRELOAD", map[string]any{"LD_PRELOAD": "/evil.so", "OK": "1"}},
		{"LD_LIBRARY_PATH", map[string]string{"LD_LIBRARY_PATH": "/evil", "OK": "1"}},
		{"DYLD_INSERT_LIBRARIES", map[string]any{"DYLD_INSERT_LIBRARIES": "/evil", "OK": "1"}},
		{"NODE_OPTIONS", map[string]string{"NODE_OPTIONS": "--require /evil.js", "OK": "1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var e hook.Engine
			add(t, &e, "h", tells(map[string]any{"env": c.env}))
			out := fire(t, &e, bash("ls"))
			if want := map[string]any{"OK": "1"}; !reflect.DeepEqual(out.Metadata["env"], want) {
				t.Errorf("env %v, want %v", out.Metadata["env"], want)
			}
			var refused *hook.RefusedError
			if !errors.As(out.Steps[0].Err, &refused) || !strings.Contains(refused.What, c.name) {
				t.Errorf("step error %v, want a refusal of %s", out.Steps[0].Err, c.name)
			}
		})
	}
}

func TestEnvironmentThatIsNoMapIsRefused(t *testing.T) {
	for _, env := range []any{[]string{"PATH=/evil"}, "PATH=/evil", 7} {
		var e hook.Engine
		add(t, &e, "h", tells(map[string]any{"env": env, "note": "kept"}))
		out := fire(t, &e, bash("ls"))
		var refused *hook.RefusedError
		if out.Metadata["env"] != nil || out.Metadata["note"] != "kept" || !errors.As(out.Steps[0].Err, &refused) {
			t.Errorf("env %v: metadata %v, step error %v", env, out.Metadata, out.Steps[0].Err)
		}
	}
}
