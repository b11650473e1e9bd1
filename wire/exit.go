package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/visible"
)

// Answer is how a program answered: what it printed and how it ended.
type Answer struct {
	Stdout, Stderr []byte
	ExitCode       int // negative if a signal ended it
	Profile        hook.Profile

	// TextPasses makes text on stdout that is not JSON no opinion, and not a
	// failure, where no answer can stand in it.
	TextPasses bool

	// Warn gets, in one clean line each, what is odd about an answer that is
	// accepted nevertheless. Nil drops it.
	Warn func(line string)
}

// maxReason bounds the reason that a program's stderr gives, in bytes.
const maxReason = 32 << 10

// ExitDecision reads a program's answer by Claude Code's rules:
//
//   - Exit code 0: stdout is the answer; nothing there means no opinion. For
//     SessionStart and AgentStart, text that is not JSON is for the agent (inject), unless
//     an answer stands in it. At other events it is a failure; with TextPasses it is
//     no opinion, unless an answer stands in it or a later line begins with {.
//     With the profile's PlainText it is what it is to Claude Code, whatever stands in it;
//     text that begins with { and is not JSON is for the agent as well, where it takes text.
//   - Exit code 2: a block with stderr as the reason. An answer on stdout is
//     read for everything but its action and its changes; its reason counts if
//     stderr is empty. Garbage there is a warning.
//     With the profile's ExitTwoFails it is as any other code.
//   - Any other exit code is an error with the last line of stderr, unless stdout
//     is an answer that blocks: then its author meant it.
func ExitDecision(ev hook.AnyEvent, a Answer) (hook.Decision, error) {
	switch {
	case a.ExitCode == 0:
		return a.read(ev)
	case a.ExitCode == 2 && !a.Profile.ExitTwoFails:
		return a.blocked(ev), nil
	}
	if d, err := decodeDecision(ev, a.Stdout, a.Profile, a.Warn); err == nil && d.Action == hook.ActionBlock {
		return d, nil
	}
	return hook.Decision{}, a.failure()
}

// read reads the answer of a program that ended well.
func (a *Answer) read(ev hook.AnyEvent) (hook.Decision, error) {
	text := trim(a.Stdout)
	if len(text) == 0 {
		return hook.Decision{}, nil
	}
	info := ev.Info()
	takesText := info == hook.SessionStart.Info() || info == hook.AgentStart.Info()
	switch {
	case text[0] == '{':
		d, err := decodeDecision(ev, text, a.Profile, a.Warn)
		if err != nil && takesText && a.Profile.PlainText && !json.Valid(text) {
			return textOf(text, takesText), nil
		}
		return d, err
	case a.Profile.PlainText:
		return textOf(text, takesText), nil
	case json.Valid(text):
	case takesText || a.TextPasses && !laterBrace(text):
		return a.plainText(info, text, takesText)
	}
	return decodeDecision(ev, text, a.Profile, a.Warn)
}

// laterBrace reports whether a line after the first begins with {.
func laterBrace(text []byte) bool {
	for i, line := range bytes.Split(text, []byte("\n")) {
		if i > 0 && bytes.HasPrefix(bytes.TrimSpace(line), []byte("{")) {
			return true
		}
	}
	return false
}

// textOf is what a text means that no answer stands in: something for the agent,
// at the events where it takes text, else no opinion.
func textOf(text []byte, takesText bool) hook.Decision {
	if takesText {
		return hook.Inject(clean(text))
	}
	return hook.Decision{Note: "it printed text, which is no opinion: " + hook.LogLine(excerpt(firstLine(text)))}
}

// plainText looks at a text that is not JSON. An answer that stands in it is
// neither text nor an answer: it would go unheard. So it is a failure, and a
// block if it clearly says no.
func (a *Answer) plainText(info *hook.EventInfo, text []byte, takesText bool) (hook.Decision, error) {
	flaw := errors.New("other text stands around it; print the answer alone. It begins with: " + excerpt(firstLine(text)))
	var refused hook.Decision
	answers, no := 0, false
	all := eachObject(text, func(object []byte) bool {
		if slices.ContainsFunc(members(object), decides) {
			answers++
			refused, no = refusal(info, object, flaw)
		}
		return !no
	})
	switch {
	case no:
		return refused, nil
	case answers > 0:
		return hook.Decision{}, fmt.Errorf("the answer is not a decision: %w", flaw)
	case !all:
		return hook.Decision{}, fmt.Errorf("the text has so many braces that an answer in it may go unheard; print less, or {\"inject\":…}. It begins with: %s", excerpt(firstLine(text)))
	}
	return textOf(text, takesText), nil
}

// decides reports whether a member is one of an answer.
func decides(m member) bool { return alwaysKnown[m.name] != "" || refusals[hook.Normal(m.name)] != nil }

// eachObject shows the JSON objects that stand in a text, not those inside
// others, until see has seen enough. It reports false if it gave up, because the
// text makes it look at everything again and again.
func eachObject(text []byte, see func(object []byte) bool) bool {
	budget := 16*len(text) + 1<<16 // bytes looked at
	for i := 0; i < len(text); {
		at := bytes.IndexByte(text[i:], '{')
		if at < 0 {
			break
		}
		i += at
		first := next(text, i+1, ' ')
		if budget -= first - i; budget < 0 {
			return false
		}
		if first == len(text) || text[first] != '"' && text[first] != '}' {
			i++
			continue
		}
		end := afterValue(text, i)
		if budget -= end - i; budget < 0 {
			return false
		}
		if object, err := check(text[i:end]); err != nil {
			i++
			continue
		} else if !see(object) {
			break
		}
		i = end
	}
	return true
}

// blocked makes the block of exit code 2.
func (a *Answer) blocked(ev hook.AnyEvent) hook.Decision {
	var d hook.Decision
	if len(trim(a.Stdout)) > 0 {
		said, err := decodeDecision(ev, a.Stdout, a.Profile, a.Warn)
		if err != nil && a.Warn != nil {
			a.Warn("it exited with code 2, which blocks, and printed something else: " + hook.LogLine(err.Error()))
		}
		d = hook.Decision{Reason: said.Reason, UserMessage: said.UserMessage, Inject: said.Inject, Metadata: said.Metadata}
	}
	d.Action = hook.ActionBlock
	if reason := clean(a.Stderr); reason != "" {
		d.Reason = reason
	}
	return d
}

// failure says how a program failed.
func (a *Answer) failure() error {
	var how string
	switch {
	case a.ExitCode < 0:
		how = "it was ended by a signal"
	case a.ExitCode == 126:
		how = "it exited with code 126 (the file cannot be executed; check its mode and its first line)"
	case a.ExitCode == 127:
		how = "it exited with code 127 (command not found)"
	default:
		how = fmt.Sprintf("it exited with code %d", a.ExitCode)
	}
	if line := hook.LogLine(string(lastLine(a.Stderr))); line != "" {
		return fmt.Errorf("%s: %s", how, line)
	}
	return errors.New(how + " and wrote nothing on stderr")
}

func firstLine(text []byte) []byte {
	line, _, _ := bytes.Cut(bytes.TrimSpace(text), []byte("\n"))
	return line
}

func lastLine(text []byte) []byte {
	text = bytes.TrimSpace(text)
	return text[bytes.LastIndexByte(text, '\n')+1:]
}

// clean makes a program's text fit for an agent: valid UTF-8 without control
// characters other than line breaks and tabs, and not endless.
func clean(text []byte) string {
	cut := len(text) > maxReason
	if cut {
		text = text[:maxReason]
	}
	s := visible.Strip(string(text))
	if s = strings.TrimSpace(s); cut {
		s += "…"
	}
	return s
}
