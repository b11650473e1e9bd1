package hook

import "errors"

// ErrNoTool is what is wrong with a PreToolUse that names no tool.
var ErrNoTool = errors.New("tool_name: it is missing, and a PreToolUse without the name of its tool is refused: hooks that are for a tool would not be asked")

// Check finds what is wrong with an event that came from outside: a call of a tool
// without the tool's name is not fired. Fire itself takes what a program gives it.
func Check(ev AnyEvent) error {
	if use, ok := ev.pointer().(*ToolUse); ok && use.ToolName == "" && ev.Info() == PreToolUse.info {
		return ErrNoTool
	}
	return nil
}
