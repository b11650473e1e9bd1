//go:build unix

package public

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"strings"
)

// takes are the events at which an agent gives a hook's text to the model; at others
// it comes with the next event that does (docs/moving.md).
var takes = map[string][]string{
	"claude": {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart", "Stop", "SubagentStop", "Notification", "PostToolUseFailure"},
	"codex":  {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart"},
	"gemini": {"SessionStart", "UserPromptSubmit", "PostToolUse"},
}

// Under what came of a verdict.
const (
	same     = "same"
	stricter = "as documented" // the fallback of docs/moving.md
)

// compare says how a verdict under an agent is related to the native one: same,
// stricter, or in which way it is neither. The text is to come with a later event if
// later is not empty.
func compare(agent string, h happening, native, got verdict) (how, later string) {
	how = same
	want := native
	step := func() { how = stricter }
	if agent == "codex" && native.Input != nil && text(got.Input, "command") == patch(native.Input) {
		return same, ""
	}
	if agent == "codex" && h.fields["tool_name"] != "Bash" && native.Input != nil && got.Decision == "deny" {
		return stricter, "" // a change that its patch cannot be given
	}
	if agent != "claude" {
		if want.Decision == "allow" && h.event != "PermissionRequest" { // the agent goes on to ask, as if there were no hook
			want.Decision, want.Reason = "", ""
			step()
		}
		if want.Decision == "ask" && got.Decision == "deny" { // nobody can be asked
			want.Decision, want.Input = "deny", nil
			step()
		}
		if want.Halt && h.event == "UserPromptSubmit" && got.Decision == "deny" { // refused, it is not begun
			want.Decision, want.Halt, got.Halt = "deny", false, false
			step()
		}
		if want.Halt && h.event == "PreToolUse" && got.Decision == "deny" { // the call is refused as well
			want.Decision, want.Halt, got.Halt = "deny", false, false
			step()
		}
		if want.Decision == "deny" && agent == "gemini" && h.event == "PreCompact" { // it listens to nobody there
			want.Decision, want.Reason = "", ""
			step()
		}
		if want.Output != nil {
			shown, _ := want.Output.(object)
			want.Decision, want.Reason, want.Output, got.Output = "deny", text(shown, "stdout"), nil, nil
			step()
		}
		if want.Halt && !got.Halt && h.event != "UserPromptSubmit" && h.event != "Stop" {
			want.Halt = false
			step()
		}
	}
	if want.Context != "" && !contains(takes[agent], h.event) {
		switch {
		case want.Decision == "deny": // it becomes a part of the reason
			want.Context = ""
		case h.event == "SessionEnd" || h.event == "PreCompact": // nothing comes after it
			want.Context = ""
		default:
			later, want.Context = want.Context, ""
		}
		step()
	}
	if want.Context != "" && got.Context == "" && want.Decision == "deny" && strings.Contains(plain(got.Reason), plain(want.Context)) {
		want.Context = ""
		step()
	}
	switch {
	case want.Decision != got.Decision:
		return fmt.Sprintf("decision %q, want %q", got.Decision, want.Decision), ""
	case want.Decision != "" && !strings.Contains(plain(got.Reason), plain(want.Reason)):
		return fmt.Sprintf("reason %q, want %q", got.Reason, want.Reason), ""
	case !strings.Contains(plain(got.Context), plain(want.Context)) || want.Context == "" && got.Context != "":
		return fmt.Sprintf("context %q, want %q", got.Context, want.Context), ""
	case !reflect.DeepEqual(normal(want.Input), normal(got.Input)) && !sameInput(h, want.Input, got.Input):
		return fmt.Sprintf("input %v, want %v", got.Input, want.Input), ""
	case !reflect.DeepEqual(want.Output, got.Output):
		return fmt.Sprintf("output %v, want %v", got.Output, want.Output), ""
	case want.Halt != got.Halt:
		return fmt.Sprintf("halt %v, want %v", got.Halt, want.Halt), ""
	case !strings.Contains(plain(got.System), plain(want.System)):
		return fmt.Sprintf("told the user %q, want %q", got.System, want.System), ""
	}
	return how, later
}

// sameInput reports a change that is the same in what the agent was given: not each
// has a description for a command.
func sameInput(h happening, want, got object) bool {
	if want == nil || got == nil {
		// A hook may give back the input as it was: that is not a change.
		return want != nil && reflect.DeepEqual(normal(want), normal(h.fields["tool_input"].(object)))
	}
	trim := func(o object) object {
		o = maps.Clone(o)
		delete(o, "description")
		return normal(o)
	}
	return reflect.DeepEqual(trim(want), trim(got))
}

func contains(all []string, one string) bool {
	for _, each := range all {
		if each == one {
			return true
		}
	}
	return false
}

var changing = []struct {
	what *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`), "ID"},
	{regexp.MustCompile(`[0-9a-f]{7,}`), "HASH"},
	{regexp.MustCompile(`[0-9]+(?:\.[0-9]+)?`), "N"},
	{regexp.MustCompile(`\s+`), " "},
}

// plain is a text without what differs from run to run.
func plain(text string) string {
	for _, c := range changing {
		text = c.what.ReplaceAllString(text, c.with)
	}
	return strings.TrimSpace(text)
}

// normal is an object with plain texts.
func normal(o object) object {
	if o == nil {
		return nil
	}
	out := object{}
	for key, value := range o {
		if s, ok := value.(string); ok {
			value = plain(s)
		}
		out[key] = fmt.Sprint(value)
	}
	return out
}
