package claudehooks

import (
	"context"
	"maps"

	"github.com/hookway/hookway/hook"
)

// OwnResult tells a hook of Claude Code what a tool gave by the names that it has for
// it, where the agent has others: stdout of a command, filePath of a file. What the
// hook puts in place of the result is read by these names.
type OwnResult struct{ Next hook.Handler }

// Handle asks the hook.
func (h OwnResult) Handle(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
	given, ok := ev.Body().(hook.ToolResult)
	if !ok {
		return h.Next.Handle(ctx, ev)
	}
	more := map[string]any{}
	switch given.ToolName {
	case "Bash":
		more["stdout"], more["stderr"], more["interrupted"] = given.ToolResponse.Output, "", false
		if shown, ok := given.ToolResponse.Extra["returnDisplay"].(string); ok { // of Gemini CLI, without its own words around
			more["stdout"] = shown
		}
	case "Write", "Edit", "MultiEdit":
		more["filePath"] = given.ToolInput["file_path"]
	}
	for name := range given.ToolResponse.Extra {
		if name == "stdout" || name == "stderr" {
			delete(more, "stdout") // the agent tells them apart itself
		}
		delete(more, name)
	}
	if len(more) == 0 {
		return h.Next.Handle(ctx, ev)
	}
	told := given
	told.ToolResponse.Extra = maps.Clone(given.ToolResponse.Extra)
	if told.ToolResponse.Extra == nil {
		told.ToolResponse.Extra = map[string]any{}
	}
	maps.Copy(told.ToolResponse.Extra, more)
	env := *ev.Head()
	asked, err := ev.Info().New(env, told)
	if err != nil {
		return hook.Decision{}, err
	}
	d, err := h.Next.Handle(ctx, asked)
	if now, ok := d.Modified.(hook.ToolResult); ok {
		if text, ok := now.ToolResponse.Extra["stdout"].(string); ok && text != more["stdout"] {
			now.ToolResponse.Output = text
		}
		now.ToolResponse.Extra = maps.Clone(now.ToolResponse.Extra)
		for name := range more {
			delete(now.ToolResponse.Extra, name)
		}
		d.Modified = now
	}
	return d, err
}
