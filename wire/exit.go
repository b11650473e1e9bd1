package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/hookway/hookway/hook"
)

// Answer is how a program answered: what it printed and how it ended.
type Answer struct {
	Stdout, Stderr []byte
	ExitCode       int // negative if a signal ended it
	Profile        hook.Profile

	// Warn is told, in one clean line each, what is odd about an answer that is
	// accepted nevertheless. Nil drops it.
	Warn func(line string)
}

// maxReason bounds the reason that a program's stderr gives, in bytes.
const maxReason = 32 << 10

// ExitDecision reads a program's answer by Claude Code's rules:
//
//   - Exit code 0: stdout is the answer; nothing there means no opinion. For
//     SessionStart and AgentStart, text that is no JSON is for the agent (inject).
//   - Exit code 2: a block with stderr as the reason. An answer on stdout is
//     read for everything but its action and its changes; its reason counts if
//     stderr is empty. Garbage there is a warning.
//   - Any other exit code is an error with the last line of stderr, unless stdout
//     is an answer that blocks: then whoever wrote it meant it.
func ExitDecision(ev hook.AnyEvent, a Answer) (hook.Decision, error) {
	switch a.ExitCode {
	case 0:
		return a.read(ev)
	case 2:
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
	if info := ev.Info(); info == hook.SessionStart.Info() || info == hook.AgentStart.Info() {
		plain, err := plainText(text)
		if err != nil {
			return hook.Decision{}, err
		}
		if plain {
			return hook.Inject(clean(text)), nil
		}
	}
	return decodeDecision(ev, text, a.Profile, a.Warn)
}

// plainText reports whether text is for the agent. An answer that stands below
// other lines is neither that nor an answer: it would go unheard.
func plainText(text []byte) (bool, error) {
	if text[0] == '{' || json.Valid(text) {
		return false, nil
	}
	const tries = 16 // each reads the rest of the text
	rest := text
	for range tries {
		at := bytes.Index(rest, []byte("\n{"))
		if at < 0 {
			break
		}
		rest = rest[at+1:]
		if list, err := object(rest); err == nil && slices.ContainsFunc(list, func(m member) bool { return alwaysKnown[m.name] != "" }) {
			return false, fmt.Errorf("the answer is no decision: other text stands before it; print the answer alone. It begins with: %s", excerpt(firstLine(text)))
		}
	}
	return true, nil
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

// escapes are the sequences with which programs colour what they print.
var escapes = regexp.MustCompile(`\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)`)

// clean makes a program's text fit for an agent: valid UTF-8 without control
// characters other than line breaks and tabs, and not endless.
func clean(text []byte) string {
	cut := len(text) > maxReason
	if cut {
		text = text[:maxReason]
	}
	s := escapes.ReplaceAllString(strings.ToValidUTF8(string(text), "\uFFFD"), "")
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
	if s = strings.TrimSpace(s); cut {
		s += "…"
	}
	return s
}
