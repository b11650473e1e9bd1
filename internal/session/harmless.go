package session

import (
	"regexp"
	"slices"
	"strings"

	"github.com/hookway/hookway/internal/delivery"
)

// quotedFor is a text that others wrote as it may be typed to a program: without
// directives, and of no effect to a shell.
func quotedFor(command []string, text string) string { return harmless(command, delivery.Quoted(text)) }

func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

// harmless is a text from outside as it may be typed to a program: agents that
// read files for an @ get it escaped, and a shell gets the text as an argument of
// a command that does nothing, a database or a shell with quotes of its own as a
// comment.
func harmless(command []string, text string) string {
	switch name := profileFor(command).name; {
	case name == "gemini" || name == "qwen":
		return escapeAt(text)
	case slices.Contains(others, programName(command[0])):
		return "# " + strings.Join(strings.Fields(text), " ")
	case slices.Contains(databases, programName(command[0])):
		return "-- " + strings.Join(strings.Fields(text), " ")
	case name == "shell" || slices.Contains(elsewhere, programName(command[0])):
		if strings.HasPrefix(programName(command[0]), "fish") { // in its quotes a backslash counts
			text = strings.ReplaceAll(text, `\`, `\\`)
		}
		text = strings.Join(strings.Fields(text), " ")
		return ": '" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	return text
}

// elsewhere are programs behind which a shell is likely.
var elsewhere = []string{"ssh", "mosh", "telnet", "sudo", "doas", "docker", "podman", "kubectl", "script", "nix-shell"}

// others are shells that read quotes in another way.
var others = []string{"pwsh", "powershell", "nu", "elvish", "xonsh"}

// databases are programs that run what follows a semicolon.
var databases = []string{"sqlite3", "psql", "mysql", "mariadb", "duckdb"}

// shellPrompt is how the prompts of shells end, and of little else.
var shellPrompt = regexp.MustCompile(`[$#%]\s*$`)

// reads is the command line of what reads at that moment: a script may have started
// a shell, or become one. An agent that runs another program does not give up its
// input for that. Where the system does not tell, the prompt does.
func (m moment) reads(own *profile) []string {
	if own.box || own.never != "" {
		return m.command
	}
	if own.name == "shell" && len(m.input.Front) == 0 {
		return m.command
	}
	for _, line := range [][]string{m.input.Front, m.input.Leader} {
		if len(line) > 0 && line[0] != "" && special(line) {
			return line
		}
	}
	if own == &defaultProfile && !special(m.command) {
		if left, _ := splitAt(rowAt(m.screen, m.screen.Row).Solid, m.screen.Col); shellPrompt.MatchString(left) {
			return []string{"sh"}
		}
	}
	return m.command
}

// special reports whether harmless makes something else of a text for a program.
func special(command []string) bool { return harmless(command, "'@") != "'@" }

// form is the text as it may be typed to what reads at that moment.
func (i *injection) form(m moment, own *profile) string {
	switch {
	case i.quoted != "":
		return harmless(m.reads(own), i.quoted)
	case len(i.quotes) > 0:
		return requoted(i.body, i.quotes, m.reads(own))
	}
	return i.body
}

// escapeAt puts a backslash before every @ that has none.
func escapeAt(text string) string {
	var out strings.Builder
	before := rune(0)
	for _, r := range text {
		if r == '@' && before != '\\' {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
		before = r
	}
	return out.String()
}
