package hook_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/hook"
)

// fired says what the hooks of an engine make of a shell command.
func fired(engine *hook.Engine, command string) string {
	use := hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": command}}
	out, err := hook.Fire(context.Background(), engine, hook.PreToolUse, &hook.Envelope{Session: "s-1"}, use)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(fmt.Sprintf("%s: %v %s", command, out.Action, out.Reason))
}

// A rule is a hook that decides the same each time.
func ExampleStatic() {
	var engine hook.Engine
	_ = engine.Add(hook.New("no-sudo", hook.Static(hook.Block("no root here")),
		hook.For("PreToolUse"), hook.As(hook.Guard), hook.MatchCommand(`^sudo\s`)))

	fmt.Println(fired(&engine, "sudo make install"))
	fmt.Println(fired(&engine, "make"))
	// Output:
	// sudo make install: block no root here
	// make: continue
}

// A hook of an event that hookway knows under many names hears it under all.
func ExampleLookup() {
	for _, name := range []string{"before-tool-call", "PRE_TOOL_USE", "onToolCall", "PreTolUse"} {
		info, err := hook.Lookup(name)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(name, "is", info.Name)
	}
	// Output:
	// before-tool-call is PreToolUse
	// PRE_TOOL_USE is PreToolUse
	// onToolCall is PreToolUse
	// unknown event "PreTolUse"; did you mean PreToolUse?
}

func ExampleMatchPath() {
	var engine hook.Engine
	_ = engine.Add(hook.New("keys", hook.Static(hook.Block("keys stay as they are")),
		hook.For("PreToolUse"), hook.As(hook.Guard), hook.MatchPath("keys/**", "*.pem")))

	for _, path := range []string{"keys/a", "./src/../keys/b", "docs/keys.md", "tls/server.pem"} {
		out, err := hook.Fire(context.Background(), &engine, hook.PreToolUse, &hook.Envelope{CWD: "/work"},
			hook.ToolUse{ToolName: "Write", ToolInput: map[string]any{"file_path": path}})
		fmt.Println(path, out.Action, err)
	}
	// Output:
	// keys/a block <nil>
	// ./src/../keys/b block <nil>
	// docs/keys.md continue <nil>
	// tls/server.pem block <nil>
}

// A rule over what a call would do holds in whatever words it is made.
func ExampleMatchDeletes() {
	world := facts.World{Dir: "/work/project", Home: "/home/u"}
	engine := hook.Engine{Analyse: func(_ context.Context, ev hook.AnyEvent) []hook.Fact { return facts.Of(ev, world) }}
	_ = engine.Add(hook.New("keep", hook.Static(hook.Block("nothing in there is deleted")),
		hook.For("PreToolUse"), hook.As(hook.Guard), hook.MatchDeletes("/work/keep/**")))

	for _, command := range []string{`rm -rf ../ke"ep"/old`, `cd /work; find . -delete`, `echo "rm -rf /work/keep"`} {
		fmt.Println(fired(&engine, command))
	}
	// Output:
	// rm -rf ../ke"ep"/old: block nothing in there is deleted
	// cd /work; find . -delete: block nothing in there is deleted
	// echo "rm -rf /work/keep": continue
}

func ExampleMatching() {
	var engine hook.Engine
	_ = engine.Add(hook.New("network", hook.Static(hook.Ask("this goes out")), hook.For("PreToolUse"), hook.As(hook.Guard),
		hook.Matching(hook.Match{Any: []hook.Match{
			{Command: []string{`\bcurl\b`}, Not: &hook.Match{Command: []string{`localhost`}}},
			{Tool: []string{"WebFetch"}},
		}})))

	fmt.Println(fired(&engine, "curl https://example.com"))
	fmt.Println(fired(&engine, "curl localhost:8080"))
	// Output:
	// curl https://example.com: ask this goes out
	// curl localhost:8080: continue
}

// Transforms run before guards, so that a guard sees the call that will be made.
func ExampleAs() {
	var engine hook.Engine
	_ = engine.Add(hook.New("no-force", hook.Static(hook.Block("not by force")),
		hook.For("PreToolUse"), hook.As(hook.Guard), hook.MatchCommand("--force")))
	_ = hook.On(&engine, hook.PreToolUse, func(_ context.Context, ev *hook.Event[hook.ToolUse]) (hook.Decision, error) {
		return hook.Change(ev.Payload.WithInput("command", "git push --force")), nil
	}, hook.As(hook.Transform))

	fmt.Println(fired(&engine, "git push"))
	// Output: git push: block not by force
}

// A guard that fails blocks. Others are passed over, unless they say otherwise.
func ExampleOnFailure() {
	broken := hook.HandlerFunc(func(context.Context, hook.AnyEvent) (hook.Decision, error) {
		return hook.Decision{}, errors.New("the rules file is gone")
	})
	for _, options := range [][]hook.Option{
		{hook.As(hook.Guard)},
		{hook.As(hook.Guard), hook.OnFailure(hook.FailOpen)},
		{hook.As(hook.Transform)},
	} {
		var engine hook.Engine
		_ = engine.Add(hook.New("rules", broken, append(options, hook.For("PreToolUse"))...))
		fmt.Println(fired(&engine, "ls"))
	}
	// Output:
	// ls: block Hook rules failed (the rules file is gone), and its failures block
	// ls: continue
	// ls: continue
}

// Hooks of one lane run in the order of their priority, the lowest first.
func ExamplePriority() {
	var engine hook.Engine
	for name, priority := range map[string]int{"last": 10, "second": 0, "first": -10} {
		_ = hook.On(&engine, hook.PreToolUse, func(context.Context, *hook.Event[hook.ToolUse]) (hook.Decision, error) {
			fmt.Println(name)
			return hook.Continue(), nil
		}, hook.Named(name), hook.Priority(priority))
	}
	fired(&engine, "ls")
	// Output:
	// first
	// second
	// last
}

// A hook can be replaced while events are fired; each event sees one of the two.
func ExampleEngine_Replace() {
	var engine hook.Engine
	for _, reason := range []string{"closed", "closed for lunch"} {
		replaced, err := engine.Replace(hook.New("door", hook.Static(hook.Block(reason)), hook.For("PreToolUse"), hook.As(hook.Guard)))
		fmt.Println(replaced, err, fired(&engine, "ls"))
	}
	fmt.Println(engine.Remove("door"), fired(&engine, "ls"))
	// Output:
	// false <nil> ls: block closed
	// true <nil> ls: block closed for lunch
	// true ls: continue
}

// A layer sees what every handler is asked and what it answers.
func ExampleEngine_Wrap() {
	var engine hook.Engine
	engine.Wrap(func(h hook.Hook, next hook.Handler) hook.Handler {
		return hook.HandlerFunc(func(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
			d, err := next.Handle(ctx, ev)
			fmt.Println(h.ID, "says", d.Action)
			return d, err
		})
	})
	_ = engine.Add(hook.New("greeter", hook.Static(hook.Inject("Be kind.")), hook.For("SessionStart")))

	out, err := hook.Fire(context.Background(), &engine, hook.SessionStart, nil, hook.SessionInfo{Source: "startup"})
	fmt.Println(out.Inject, err)
	// Output:
	// greeter says continue
	// Be kind. <nil>
}

// A configuration can define events that no Go type stands for.
func ExampleEngine_Define() {
	var engine hook.Engine
	may := hook.May{Block: true}
	if err := engine.Define(hook.Custom("BeforeRelease", may, "before-release")); err != nil {
		fmt.Println(err)
	}
	_ = engine.Add(hook.New("freeze", hook.Static(hook.Block("the tree is frozen")), hook.For("before-release"), hook.MatchField("branch", "main")))

	info, err := engine.Lookup("before_release")
	if err != nil {
		fmt.Println(err)
		return
	}
	ev, err := info.New(hook.Envelope{}, map[string]any{"branch": "main"})
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := engine.Fire(context.Background(), ev)
	fmt.Println(out.Action, out.Reason, err)
	// Output: block the tree is frozen <nil>
}

func ExampleCompileGlob() {
	glob, err := hook.CompileGlob("{src,lib}/**/*.go")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, path := range []string{"src/a.go", "lib/x/y/b.go", "docs/c.go"} {
		fmt.Println(path, glob.Match(path))
	}
	_, err = hook.CompileGlob("src/[a-")
	fmt.Println(err)
	// Output:
	// src/a.go true
	// lib/x/y/b.go true
	// docs/c.go false
	// glob "src/[a-": syntax error in pattern
}
