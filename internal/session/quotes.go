package session

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/internal/delivery"
)

// quotesBound bounds how many quotes are kept; all that wait to be typed have theirs.
const quotesBound = 256

// Quotes knows which parts of what hooks inject into a session are words of others:
// what may be typed of those depends on the program that reads then. The zero value
// is ready for use.
type Quotes struct {
	mu   sync.Mutex
	kept []quote
}

// quote is a text of others.
type quote struct {
	shown string // as it is for the program that was started: so it stands in what is injected
	plain string // plain
}

// Quoted is a text that others wrote as it may be injected into the session of a
// program, as [Quoted] gives it. Where a session has these Quotes in its Config, and
// another program reads when the text is typed, it is of no effect to that one.
func (q *Quotes) Quoted(command []string, text string) string {
	shown := quotedFor(command, text)
	q.add(shown, delivery.Quoted(text))
	return shown
}

func (q *Quotes) add(shown, plain string) {
	shown, plain = strings.TrimSpace(shown), strings.TrimSpace(plain)
	if shown == "" {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.kept = slices.DeleteFunc(q.kept, func(k quote) bool { return k.shown == shown })
	if len(q.kept) == quotesBound {
		q.kept = slices.Delete(q.kept, 0, 1)
	}
	q.kept = append(q.kept, quote{shown, plain})
}

// in are the quotes that a text has, the longest first: one may be a part of another.
func (q *Quotes) in(text string) (found []quote) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, k := range q.kept {
		if strings.Contains(text, k.shown) {
			found = append(found, k)
		}
	}
	slices.SortStableFunc(found, func(a, b quote) int { return len(b.shown) - len(a.shown) })
	return found
}

// requoted is the text with its quotes as they may be typed to a program.
func requoted(text string, quotes []quote, command []string) string {
	var pairs []string
	for _, k := range quotes {
		pairs = append(pairs, k.shown, harmless(command, k.plain))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

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
var shellPrompt = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[$#%]\s*$`) })

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
	if own == defaultProfile() && !special(m.command) {
		if left, _ := splitAt(rowAt(m.screen, m.screen.Row).Solid, m.screen.Col); shellPrompt().MatchString(left) {
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
