package hook

import "errors"

// ErrNoTool is the error of a PreToolUse without the name of its tool. Such an event
// would pass every hook that matches tools, so Tool and Check refuse it.
var ErrNoTool = errors.New("tool_name: it is missing, and a PreToolUse without the name of its tool is refused: hooks that are for a tool would not be asked")

// Check finds what is wrong with an event that came from outside, before it is fired:
// at present a PreToolUse without the tool's name. Fire itself does not check, so
// programs that read events from others call Check first:
//
//	if err := hook.Check(ev); err != nil {
//		return refuse(err)
//	}
func Check(ev AnyEvent) error {
	if use, ok := ev.pointer().(*ToolUse); ok && use.ToolName == "" && ev.Info() == PreToolUse.info {
		return ErrNoTool
	}
	return nil
}
