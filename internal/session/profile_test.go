//go:build linux || darwin

package session

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/terminal"
)

// recorded plays a recording of an agent up to and with a mark, which is the
// n-th of its kind, and returns the screen.
func recorded(t *testing.T, file, mark string, n int) terminal.Screen {
	t.Helper()
	path := filepath.Join("..", "..", "..", "shared", "pty", file)
	all, err := os.ReadFile(path)
	if err != nil {
		t.Skipf("there are no recordings of agents here: %v", err)
	}
	end := 0
	for range n {
		i := bytes.Index(all[end:], []byte(mark))
		if i < 0 {
			t.Fatalf("%s has no %q", file, mark)
		}
		end += i + len(mark)
	}
	part := filepath.Join(t.TempDir(), file)
	if err := os.WriteFile(part, all[:end], 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := terminal.Start(t.Context(), terminal.Config{
		Command: []string{"cat", part}, Env: append(os.Environ(), "COLUMNS=120", "LINES=40"), Buffer: 4 << 20,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	<-p.Done()
	return p.Screen()
}

func TestRecordedAgents(t *testing.T) {
	const (
		free     = ""
		half     = "half-written line"
		busy     = "working"
		asked    = "asking the user"
		noInput  = "its input was not on the screen"
		restless = "not still"
	)
	tests := []struct {
		name, agent, file, mark string
		n                       int
		want                    string
		fresh                   bool // it has just changed
	}{
		{"begun", "claude", "claude-pty.bin", "\x1b[40;1H\x1b[38;3H", 2, free, false},
		{"still drawing", "claude", "claude-pty.bin", "\x1b[40;1H\x1b[38;3H", 2, restless, true},
		{"nothing drawn", "claude", "claude-pty.bin", "\x1b[?25l", 1, noInput, false},
		{"a line in its input", "claude", "claude-pty.bin", "\x1b[38;26H", 1, half, false},
		{"at work", "claude", "claude-pty.bin", "(running PreToolUse hook · 0s)\x1b[39m\x1b[40;1H\x1b[38;3H", 1, busy, true},
		{"answered", "claude", "claude-pty.bin", "← for agents\x1b[39m\x1b[K\x1b[40;1H\x1b[38;3H", 1, free, false},
		{"a command and its list", "claude", "claude-int-pty.bin", "\x1b[38;8H", 1, half, false},
		{"interrupted", "claude", "claude-int-pty.bin", "\x1b[38C\x1b[39B\x1b[K\x1b[40;1H\x1b[38;3H", 1, free, false},
		{"asks for permission", "claude", "claude-perm-pty.bin", "Tab to amend", 1, asked, false},
		{"asks for another model", "claude", "claude-perm-pty.bin", "Enter to confirm · Esc to cancel", 1, asked, false},

		{"begun", "codex", "codex-pty.bin", "3 warnings\x1b[39m\x1b[49m\x1b[0m\x1b[37;3H\x1b[?25h\x1b[?2026l", 1, free, false},
		{"a line in its input", "codex", "codex-pty.bin", "\x1b[37;26H\x1b[?25h\x1b[?2026l", 1, half, false},
		{"at work", "codex", "codex-pty.bin", " to interrupt)\x1b[39m\x1b[49m\x1b[0m\x1b[37;3H\x1b[?25h\x1b[?2026l", 1, busy, true},
		{"asks for permission", "codex", "codex-perm-pty.bin", " to cancel", 1, asked, false},
		{"asks for trust", "codex", "codex-trust-pty.bin", "12 hooks are new or changed.", 1, noInput, false},
		{"asks for trust, all of it", "codex", "codex-trust-pty.bin", " skip", 1, asked, false},
	}
	for _, test := range tests {
		t.Run(test.agent+"/"+test.name, func(t *testing.T) {
			t.Parallel()
			s := recorded(t, test.file, test.mark, test.n)
			p := profileFor([]string{test.agent})
			m := moment{now: s.Changed.Add(10 * time.Second), screen: s}
			if test.fresh {
				m.now = s.Changed.Add(10 * time.Millisecond)
			}
			got := p.judge(m, 100).why
			if got != test.want && (test.want == "" || !strings.Contains(got, test.want)) {
				t.Errorf("a text waits for %q, want %q; the cursor is at %d,%d; the screen is\n%s", got, test.want, s.Row, s.Col, shown(s))
			}
		})
	}
}

func shown(s terminal.Screen) string {
	var b strings.Builder
	for _, row := range s.Rows {
		b.WriteString(row.Text + "\n")
	}
	return strings.TrimSpace(b.String())
}

func TestProfilesAreFound(t *testing.T) {
	for command, want := range map[string]string{
		"claude":                        "claude",
		"/x/.bin/copilot-linux-x64":     "copilot",
		"node /x/.bin/qwen --yolo":      "qwen",
		"/usr/local/bin/claude --debug": "claude",
		"npx -y @openai/codex":          "codex",
		"node /opt/lib/gemini.js -m x":  "gemini",
		"env A=b qwen":                  "qwen",
		"-bash":                         "shell",
		"bash --norc -i":                "shell",
		"bash -lc make":                 "default",
		"sh script.sh":                  "default",
		"bash --rcfile x -i":            "shell",
		"bash --init-file x":            "shell",
		"bash -O extglob":               "shell",
		"zsh -o vi":                     "shell",
		"zsh -o vi script.sh":           "default",
		"fish -C x":                     "shell",
		"bash -C script.sh":             "default",
		"bash -s a b":                   "shell",
		"bash -eo pipefail":             "shell",
		"bash -eo pipefail script.sh":   "default",
		"bash --norc script.sh":         "default",
		"python3.12 -i":                 "python",
		"python3":                       "python",
		"python3 -q -W ignore -Xdev":    "python",
		"python3 -":                     "python",
		"python3 -i agent.py":           "python",
		"python3 -m IPython":            "python",
		"python3 agent.py":              "default",
		"python3 -u agent.py -i":        "default",
		"python3 -um my.agent":          "default",
		"python3 -c x()":                "default",
		"uv run python3 agent.py":       "default",
		"uv run python":                 "python",
		"ipython agent.py":              "default",
		"ruby agent.rb":                 "default",
		"deno run agent.ts":             "default",
		"bun agent.ts":                  "default",
		"sudo vim /etc/hosts":           "screen",
		"make claude":                   "default",
		"node server.js":                "default",
		"":                              "default",
	} {
		if got := profileFor(strings.Fields(command)).name; got != want {
			t.Errorf("%q has the profile %s, want %s", command, got, want)
		}
	}
}

func TestBodiesAreNoCommands(t *testing.T) {
	tests := []struct{ agent, text, want string }{
		{"claude", "hello", "hello"},
		{"claude", "/exit", ": /exit "},
		{"claude", "\n !rm -rf .", ":  !rm -rf ."},
		{"claude", "# remember", ": # remember"},
		{"claude", "see @file", "see @file "},
		{"claude", `ends with \`, `ends with \ `},
		{"claude", "two\r\nlines\x1b[201~\n", "two\nlines"},
		{"gemini", "/quit", ": /quit "},
		{"gemini", "  /quit", ":   /quit "},
		{"bash", "!x", "!x"},
		{"bash", "/bin/ls", "/bin/ls"},
		{"claude", "\x1b\x07", ""},
	}
	for _, test := range tests {
		if got := profileFor([]string{test.agent}).body(test.text); got != test.want {
			t.Errorf("%s is given %q for %q, want %q", test.agent, got, test.text, test.want)
		}
	}
}

func TestInputsAreFound(t *testing.T) {
	rows := func(texts ...string) terminal.Screen {
		s := terminal.Screen{Width: 80, Height: len(texts), Row: -1, Paste: true}
		for i, text := range texts {
			if at := strings.IndexByte(text, '_'); at >= 0 {
				s.Row, s.Col = i, len([]rune(text[:at]))
				text = text[:at] + text[at+1:]
			}
			solid, ghost, _ := strings.Cut(text, "~~")
			text = solid + ghost
			s.Rows = append(s.Rows, terminal.Row{Text: strings.TrimRight(text, " "), Solid: strings.TrimRight(solid, " ")})
		}
		if s.Row < 0 {
			s.Row = len(texts) - 1
		}
		return s
	}
	const half, ghost, asked, keys = "half-written", "suggestion", "asking", "single keys"
	tests := []struct {
		program string
		screen  terminal.Screen
		want    string
	}{
		{"bash", rows("me@host:~$ _"), ""},
		{"bash", rows("[me@host dir]# _"), ""},
		{"bash", rows("me@host:~$ ls_"), ""}, // the keys tell, and none were pressed
		{"bash", rows("me@host:~$ _ls"), half},
		{"bash", rows("me@host:~$ for i in a", "> _"), half},
		{"bash", rows("me@host:~$ _ foo"), half},
		{"bash", rows("me@host:~$ _      foo"), half},
		{"bash", rows("not known as a prompt: _ foo"), half},
		{"bash", rows("(reverse-i-search)`DAN': echo _DANGER"), "searching"},
		{"bash", rows("(failed reverse-i-search)`DAX': _"), "searching"},
		{"bash", rows("(arg: 3) _"), "searching"},
		{"zsh", rows("me@host % echo DANGER_", "bck-i-search: DAN"), "searching"},
		{"zsh", rows("me@host % _", "failing fwd-i-search: DAX"), "searching"},
		{"ipython", rows("I-search backward: DAN_"), "searching"},
		{"python3", rows("(r-search `pri') _print(1)"), "searching"},
		{"python3", rows(">>> _ 1"), half},
		{"bash", rows("me@host:~$ _~~git status"), ghost},
		{"zsh", rows("me@host % _" + strings.Repeat(" ", 64) + "12:30"), ""},
		{"zsh", rows("dquote> _"), half},
		{"fish", rows("me@host ~> _"), ""},
		{"bash", rows("Overwrite? (y/n) _"), asked},
		{"python3", rows(">>> _"), ""},
		{"python3", rows(">>> def f():", "... _"), half},
		{"claude", rows("────", "❯ _", "────", "  ? for shortcuts"), ""},
		{"claude", rows("────", "❯ _~~Try \"fix the tests\"", "────"), ""},
		{"claude", rows("────", "❯ _~~yes, go on", "────"), ghost},
		{"claude", rows("────", "❯ _draft", "────"), half},
		{"claude", rows("────", "❯ _", "  second line", "────"), half},
		{"claude", rows("────", "! _", "────"), "not on the screen"},
		{"gemini", rows("╭────╮", "│ >   ~~Type your message or @path/to/file │", "╰────╯", "~/dir  gemini-2.5-pro_"), ""},
		{"gemini", rows("╭────╮", "│ > hello        │", "╰────╯", "~/dir_"), half},
		{"gemini", rows("╭────╮", "│ ! _   │", "╰────╯", "~/dir_"), half},
		{"gemini", rows("> an old question", "✦ an answer", "Apply this change?", "● 1. Yes, allow once", "  2. No_"), asked},
		{"qwen", rows("────", "> _", "────"), ""},
		{"qwen", rows("────", "> _a suggestion that is not faint", "────"), ""},
		{"qwen", rows("────", "> a line_", "────"), half},
		{"opencode", rows("  ┃", "  ┃  _Ask anything... \"What is this?\"", "  ┃", "  ┃  Build · model", "  ╹▀▀▀"), ""},
		{"opencode", rows("  ┃", "  ┃  _", "  ┃", "  ┃  Build · model", "  ╹▀▀▀"), ""},
		{"opencode", rows("  ┃", "  ┃  a line_", "  ┃", "  ┃  Build · model", "  ╹▀▀▀"), half},
		{"opencode", rows("  ┃", "  ┃  a line", "  ┃  _", "  ┃", "  ┃  Build · model", "  ╹▀▀▀"), half},
		{"anything", rows("Ready. > _"), ""},
		{"anything", rows("1) apples", "❯ 2. pears_"), asked},
	}
	for _, test := range tests {
		m := moment{now: time.Now(), screen: test.screen}
		m.screen.Changed = m.now.Add(-10 * time.Second)
		got := profileFor([]string{test.program}).judge(m, 10).why
		if got != test.want && (test.want == "" || !strings.Contains(got, test.want)) {
			t.Errorf("%s: a text waits for %q, want %q, at\n%s", test.program, got, test.want, shown(test.screen))
		}
	}
	old := rows("────", "❯ _~~yes, go on", "────")
	m := moment{now: time.Now(), screen: old}
	m.screen.Changed = m.now.Add(-ghostMost)
	if got := profileFor([]string{"claude"}).judge(m, 1).why; got != "" {
		t.Errorf("a suggestion that the user has left alone: %q", got)
	}
	m.user.Text = "y"
	if got := profileFor([]string{"claude"}).judge(m, 1).why; got == "" {
		t.Error("a suggestion that the user is about to take does not matter")
	}
	pager := rows("text", ":_")
	pager.Paste = false
	if got := defaultProfile().judge(moment{now: time.Now(), screen: pager}, 1).why; !strings.Contains(got, asked) {
		t.Errorf("a pager: %q", got)
	}
	mute := rows("text_")
	mute.Paste = false
	if got := defaultProfile().judge(moment{now: time.Now(), screen: mute}, 1).why; !strings.Contains(got, keys) {
		t.Errorf("a program that reads keys: %q", got)
	}
}

func TestATextThatIsNotFinishedIsWaitedForLonger(t *testing.T) {
	for _, test := range []struct {
		row   string
		still time.Duration
		want  string
	}{
		{"begun", 300 * time.Millisecond, "the program was not still"}, {"begun", 999 * time.Millisecond, "the program was not still"},
		{"begun", time.Second, ""}, {"Your name? ", 300 * time.Millisecond, ""}, {"", 300 * time.Millisecond, ""},
	} {
		now := time.Now()
		m := moment{now: now, input: terminal.Input{Lines: true}, screen: terminal.Screen{
			Rows: []terminal.Row{{Text: test.row, Solid: test.row}}, Col: len(test.row), Width: 80, Changed: now.Add(-test.still),
		}}
		if got := defaultProfile().judge(m, 10).why; got != test.want {
			t.Errorf("%q, still for %v: %q, want %q", test.row, test.still, got, test.want)
		}
	}
}
