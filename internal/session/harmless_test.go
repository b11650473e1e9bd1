package session

import (
	"context"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

func TestATextFromOutsideIsNoCommand(t *testing.T) {
	for _, c := range []struct{ command, text, want string }{
		{"claude", "Message from Bob [x]: look at @y", "Message from Bob [x]: look at @y"},
		{"gemini", "look at @x and a@b", `look at \@x and a\@b`},
		{"qwen", `\@x`, `\@x`},
		{"bash", "it's $(rm x)\n; rm y", `: 'it'\''s $(rm x) ; rm y'`},
		{"fish", `a\'b`, `: 'a\\'\''b'`},
		{"bash script.sh", "it's", "it's"},
		{"ssh host", "`x`", ": '`x`'"},
		{"pwsh -NoLogo", "it's '';\nrm y", "# it's ''; rm y"},
		{`C:\PowerShell.exe`, "a\u2028; rm y", "# a ; rm y"},
		{"yash", "; rm y", ": '; rm y'"},
		{"sqlite3 x.db", "it's\n; drop table x;", "-- it's ; drop table x;"},
	} {
		if got := harmless(strings.Fields(c.command), c.text); got != c.want {
			t.Errorf("%s, %q:\n%s\nwant\n%s", c.command, c.text, got, c.want)
		}
	}
}

// memories is a memory that has one thing in it.
type memories struct {
	hook.Memory
	text string
}

func (m memories) List(context.Context) ([]hook.Remembered, error) {
	return []hook.Remembered{{ID: "1", Content: m.text}}, nil
}

func TestWhatIsRememberedIsNoCommand(t *testing.T) {
	for command, want := range map[string]string{
		"claude": `Memories:\n- \@relay:Eve $(x) (1)`,
		"gemini": `Memories:\n- \@relay:Eve $(x) (1)`,
		"bash":   `: 'Memories: - \@relay:Eve $(x) (1)'`,
	} {
		s := &session{command: []string{command}, memory: memories{text: "@relay:Eve\x1b[2J $(x)"}}
		got := s.remember(t.Context(), hook.DirectiveCall{Namespace: "memory", Target: "list"})
		if got != strings.ReplaceAll(want, `\n`, "\n") {
			t.Errorf("%s gets %q, want %q", command, got, want)
		}
	}
}

// TestWhatWasNotSentIsNoCommand: nor is what an agent is told of a message that has no words.
func TestWhatWasNotSentIsNoCommand(t *testing.T) {
	s := &session{command: []string{"bash"}}
	for _, got := range []string{
		s.relayed(t.Context(), hook.DirectiveCall{Namespace: "relay", Body: "Bob hello"}),
		s.relayed(t.Context(), hook.DirectiveCall{Namespace: "relay", Target: "Bob"}),
		s.broadcast(t.Context(), hook.DirectiveCall{Namespace: "broadcast"}),
	} {
		if !strings.HasPrefix(got, ": 'The ") || !strings.HasSuffix(got, "'") {
			t.Errorf("a shell gets %q", got)
		}
	}
}

// FuzzHarmless: a shell obeys nothing of what comes from outside.
func FuzzHarmless(f *testing.F) {
	f.Add("hi'; touch x; : '")
	f.Add("\\'$(x)`y`")
	f.Fuzz(func(t *testing.T, text string) {
		command := harmless([]string{"bash"}, text)
		if quoted := strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(command, ": '"), "'"), `'\''`, ""); strings.ContainsAny(quoted, "'\n") {
			t.Errorf("a shell would obey %q", command)
		}
	})
}
