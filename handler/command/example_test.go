//go:build unix

package command_test

import (
	"context"
	"fmt"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/hook"
)

// A line of shell is a hook: the event is on stdin, and what it prints and how it
// exits is the decision.
func ExampleNew() {
	guard, err := command.New(command.Config{Shell: `grep -q production && { echo "not in production" >&2; exit 2; }; exit 0`})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer guard.Close()
	var engine hook.Engine
	_ = engine.Add(hook.New("guard", guard, hook.For("PreToolUse"), hook.As(hook.Guard)))

	for _, line := range []string{"deploy staging", "deploy production"} {
		out, err := hook.Fire(context.Background(), &engine, hook.PreToolUse, nil,
			hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": line}})
		fmt.Println(line+":", out.Action, out.Reason, err)
	}
	// Output:
	// deploy staging: continue  <nil>
	// deploy production: block not in production <nil>
}
