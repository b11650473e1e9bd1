package session

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/hookway/hookway/internal/terminal"
	"github.com/hookway/hookway/internal/transcript"
)

// A profile says how a program is typed to: how one sees that it reads, what
// must not be answered, and which keys it takes. profiles has all of them.
type profile struct {
	name     string
	programs []string // the base names of the programs that it is for

	// runs reports whether a command line gives the program something to run, so
	// that it reads no commands: then it is another program. Nil: never.
	runs func(command []string) bool

	// never says why nothing is typed to the program; empty is that it may be.
	never string
	// alternate says that the program's input may be on the alternate screen.
	alternate bool

	// prompt matches the row of an empty input. With box, that is the whole row
	// and the row below holds no text; otherwise what stands left of the
	// cursor. Nil: a prompt is what ends like one.
	prompt *regexp.Regexp
	box    bool
	// framed says that the row above the input is blank too.
	framed bool
	// anywhere says that the row is not where the cursor is, which the program
	// leaves elsewhere: it is the lowest row that matches input.
	anywhere bool
	// input matches the row of an input whether it is empty or not, if box.
	input *regexp.Regexp
	// more matches what stands left of the cursor where the input has begun in a
	// row above.
	more *regexp.Regexp
	// prompted says that nothing is typed before an empty input is seen.
	prompted bool

	// idle says that the program shows a prompt wherever it reads commands: while
	// lines are collected and there is none, something else runs.
	idle bool

	// ghosts match faint text at the input that goes away when one types.
	// Others, such as a suggestion, keep texts waiting.
	ghosts []*regexp.Regexp
	// over is for how long other ghosts keep texts waiting, for a program that
	// takes them away when one types; 0 is until they are gone. started says that
	// what stands right of a cursor at the start of the input is one too, if the
	// user has typed nothing.
	over    time.Duration
	started bool
	// busy are what the program shows near its input while it works.
	busy []string
	// dialogs match rows that ask the user, near the cursor or the input.
	dialogs []*regexp.Regexp
	// pasted matches what the program shows in place of a long text.
	pasted *regexp.Regexp

	submit  string // the key that submits; empty is Enter
	newline string // a line break of a text that is not pasted; empty is a space
	// rest is between a pasted text and submit, for a program that guards against
	// pasted text that submits itself. Others get both in one write.
	rest  time.Duration
	again bool // press submit again if the text is still in the input

	// commands are the characters that make a command of a text they begin;
	// guard goes before such a text. A space follows a text whose last word
	// begins with one of words, which would open a list of completions, or that
	// ends with a backslash, which would make a line break of Enter.
	commands, guard, words string

	settle time.Duration // how long the screen is still before something is typed
}

// profileFor returns the profile of a command line. A program that only runs
// another one, as npx and node do, has that one's.
func profileFor(command []string) *profile {
	for i, arg := range command {
		name := transcript.Plain(programName(arg))
		if p := profileOf()[name]; p != nil && (p.runs == nil || !p.runs(command[i:])) {
			return p
		}
		if i > 0 && strings.HasPrefix(arg, "-") || strings.Contains(arg, "=") {
			continue
		}
		if i == 0 && !runners[name] || i > 3 {
			break
		}
	}
	return defaultProfile()
}

// AgentOf is the agent that a command line runs, perhaps by an interpreter, by the
// name that hookway install has for it; empty if it is none that is known.
func AgentOf(command []string) string {
	if p := profileFor(command); p.box {
		return p.name
	}
	return ""
}

// runsScript reports whether a shell is given something to run, so that it reads
// no commands.
func runsScript(command []string) bool {
	input := false // -s: what follows is for what it reads
	for i := 1; i < len(command); i++ {
		arg := command[i]
		switch {
		case slices.Contains(shellValues, arg) || arg == "-C" && programName(command[0]) == "fish":
			i++ // its value is not a script
		case strings.HasPrefix(arg, "--"), strings.HasPrefix(arg, "+"):
		case !strings.HasPrefix(arg, "-"):
			return !input
		case strings.Contains(arg, "c"):
			return true
		default:
			input = input || strings.Contains(arg, "s")
			if strings.HasSuffix(strings.ToLower(arg), "o") { // as in -eo pipefail
				i++
			}
		}
	}
	return false
}

// shellValues are options of shells that take what follows.
var shellValues = []string{"--rcfile", "--init-file", "--init-command", "-o", "+o", "-O", "+O"}

// runsModule reports whether Python is given a script, a module or a command, and
// shows no prompt of its own after that.
func runsModule(command []string) bool {
	for i := 1; i < len(command); i++ {
		arg := command[i]
		if arg == "-" || len(arg) == 0 || arg[0] != '-' {
			return arg != "-"
		}
		if strings.HasPrefix(arg, "--") {
			if arg == "--check-hash-based-pycs" {
				i++
			}
			continue
		}
		at := strings.IndexAny(arg, "icmWX") // letters may stand together, up to one that takes what follows
		switch {
		case at < 0:
		case arg[at] == 'i':
			return false
		case arg[at] == 'W' || arg[at] == 'X':
			if at == len(arg)-1 {
				i++
			}
		default:
			module := arg[at+1:]
			if module == "" && i+1 < len(command) {
				module = command[i+1]
			}
			return arg[at] == 'c' || !prompts[module]
		}
	}
	return false
}

// prompts are the modules of Python that are a prompt themselves.
var prompts = map[string]bool{"code": true, "asyncio": true, "IPython": true}

func programName(arg string) string {
	name := strings.ToLower(filepath.Base(strings.ReplaceAll(arg, `\`, "/")))
	name = strings.TrimLeft(name, "-") // a login shell
	for _, end := range []string{".exe", ".cmd", ".js", ".mjs", ".cjs"} {
		name = strings.TrimSuffix(name, end)
	}
	if base, version, ok := strings.Cut(name, "python"); ok && base == "" && strings.Trim(version, "0123456789.") == "" {
		return "python"
	}
	return name
}

// field is what one sees of a program's input.
type field struct {
	known bool   // an input was recognised
	empty bool   // it is empty
	row   int    // its first row, if known, else the cursor's
	text  string // what stands in its first row, if it is known and not empty
	ghost string // faint text in it
	right string // what stands right of the cursor, in a row without a box

	shadow string // the same as text, if it may be a suggestion
}

// find looks for the input.
func (p *profile) find(s terminal.Screen) field {
	f := field{row: s.Row}
	if !p.box {
		return p.findLine(s, f)
	}
	if p.anywhere {
		for f.row = len(s.Rows) - 1; f.row >= 0 && !p.input.MatchString(rowAt(s, f.row).Solid); f.row-- {
		}
	}
	if !p.anywhere {
		f.row = p.above(s)
	}
	row := rowAt(s, f.row)
	if f.row < 0 || !p.input.MatchString(row.Solid) {
		f.row = s.Row
		return f
	}
	f.known = true
	f.ghost = strings.TrimSpace(faint(row))
	f.empty = p.prompt.MatchString(row.Solid) && !hasWords(s.At(f.row+1).Solid) && (p.anywhere || f.row == s.Row) &&
		(!p.framed || !hasWords(s.At(f.row-1).Solid))
	if f.empty {
		return f
	}
	left, right := splitAt(row.Solid, s.Col)
	f.text = trimBox(row.Solid[p.input.FindStringIndex(row.Solid)[1]:])
	if p.started && f.row == s.Row && p.prompt.MatchString(left) {
		f.shadow = strings.TrimSpace(right)
	}
	return f
}

// above is the row in which the input begins that the cursor is in, or -1: rows
// that belong to the one above are set in, or blank. The row of a menu is none.
func (p *profile) above(s terminal.Screen) int {
	for row := s.Row; row >= 0; row-- {
		text := rowAt(s, row).Solid
		switch {
		case choice().MatchString(text):
			return -1
		case p.input.MatchString(text):
			return row
		case strings.TrimSpace(text) != "" && !strings.HasPrefix(text, "  "):
			return -1
		}
	}
	return -1
}

// findLine looks for a prompt left of the cursor.
func (p *profile) findLine(s terminal.Screen, f field) field {
	row := rowAt(s, s.Row)
	left, right := splitAt(row.Solid, s.Col)
	prompt := p.prompt
	if prompt == nil {
		prompt = anyPrompt()
	}
	f.ghost = strings.TrimSpace(faint(row))
	if p.more != nil && p.more.MatchString(left) {
		f.known, f.text = true, strings.TrimSpace(row.Solid)
		return f
	}
	if !aside(right, s) {
		f.right = trimBox(right)
	}
	f.known = prompt.MatchString(left)
	if f.empty = f.known && f.right == ""; !f.empty {
		f.text = f.right
	}
	return f
}

// aside reports whether what stands right of the cursor is apart from the input,
// as the time is at the right edge of some shells.
func aside(right string, s terminal.Screen) bool {
	text := strings.TrimLeft(right, " ")
	gap := len(right) - len(text)
	width := 0
	for _, r := range strings.TrimRight(text, " ") {
		width += columns(r)
	}
	return gap >= 3 && s.Col+gap+width >= s.Width-2
}

// rowAt is a row with all blanks alike: agents draw some that do not break.
func rowAt(s terminal.Screen, row int) terminal.Row {
	r := s.At(row)
	r.Text, r.Solid = blanks(r.Text), blanks(r.Solid)
	return r
}

func blanks(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, text)
}

// anyPrompt is how the prompts of line editors end.
var anyPrompt = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|[^\pL\d])[$%#>❯›»➜λ⟩]\s*$|^[\w.-]{1,20}>+\s*$|[\w\])~/][$%#>]\s+$`)
})

// splitAt splits a row at a column.
func splitAt(row string, col int) (left, right string) {
	at := 0
	for i, r := range row {
		if at >= col {
			return row[:i], row[i:]
		}
		at += columns(r)
	}
	return row + strings.Repeat(" ", max(col-at, 0)), ""
}

// columns is how many columns a character takes, as far as that matters to find
// a prompt.
func columns(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60,
		r >= 0x1f300 && r <= 0x1faff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}

// faint is what of a row is drawn faint.
func faint(row terminal.Row) string {
	if row.Text == row.Solid {
		return ""
	}
	solid := []rune(row.Solid)
	var b strings.Builder
	for i, r := range []rune(row.Text) {
		if i >= len(solid) || solid[i] != r {
			b.WriteRune(r)
		} else if r == ' ' {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// hasWords reports whether a row holds more than the lines of a box.
func hasWords(row string) bool { return trimBox(row) != "" }

// trimBox is a row without what boxes are drawn with.
func trimBox(row string) string {
	return strings.TrimFunc(row, func(r rune) bool { return unicode.IsSpace(r) || boxRune(r) })
}

func boxRune(r rune) bool { return r >= 0x2500 && r <= 0x259f || r == '|' }

func matches(any []*regexp.Regexp, text string) bool {
	for _, r := range any {
		if r.MatchString(text) {
			return true
		}
	}
	return false
}

const (
	settleSoon  = 100 * time.Millisecond // after which a screen with a known input is still
	settleLater = 200 * time.Millisecond

	// settlePainted is for a cursor that was left after a text: more of it may come.
	settlePainted = time.Second

	// ghostMost is how long a suggestion keeps texts from an agent that would let
	// one type over it: the user may want to take it.
	ghostMost = 30 * time.Second
)

var (
	// A box of an agent: a glyph, then what is typed, perhaps between the sides
	// of a frame.
	agentInput = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*[│┃|]?\s*[❯›>](\s|$)`) })
	agentEmpty = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*[│┃|]?\s*[❯›>]\s*[│┃|]?\s*$`) })

	// asks are questions that only the user may answer.
	asks = sync.OnceValue(func() []*regexp.Regexp {
		return []*regexp.Regexp{
			regexp.MustCompile(`(?i)[(\[<]\s*y(es)?\s*[/|]\s*n(o)?(\s*[/|][^)\]>]*)?[)\]>]`),
			regexp.MustCompile(`(?i)(pass(word|phrase|code)|\bPIN\b|verification code|one-time code)[^:]*:\s*$`),
			regexp.MustCompile(`(?i)\b(do|would) you (want|like|wish|trust)\b.*\?\s*$|\bare you sure\b|\bproceed\?\s*$`),
			regexp.MustCompile(`(?i)press (any key|enter|return|space)|\besc(ape)? to (cancel|go back|skip)|enter to (confirm|select|continue)|\bhit enter\b`),
			regexp.MustCompile(`(?i)--\s*more\s*--|\(END\)\s*$|^:\s*$`),
			regexp.MustCompile(`^#\?\s*$`), // of the shells' select
			choice(),
		}
	})
	// choice is the marked row of a menu.
	choice = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*[│┃|]?\s*[❯›>●◉○▶→]\s*(\d+[.)]|\[[ xX✔]\]|Yes\b|No\b|Allow\b|Deny\b)`)
	})
)

// agent is what the profiles of agents have in common. A blank does not guard against
// what looks like a command: they take blanks away first.
func agent(name string, programs ...string) profile {
	return profile{
		name: name, programs: programs,
		alternate: true, box: true, prompted: true, again: true,
		input: agentInput(), prompt: agentEmpty(),
		busy: []string{"esc to interrupt"}, dialogs: asks(),
		pasted:   regexp.MustCompile(`(?i)\[?pasted (text|content|~?\d)`),
		commands: "/!#?@&", guard: ": ", words: "@/#", settle: settleSoon, over: ghostMost,
	}
}

// qwen is an offspring of Gemini. It suggests what to say after each answer.
func qwen() profile {
	p := gemini("qwen", "qwen", "qwen-code")
	p.anywhere, p.started, p.over = false, true, time.Nanosecond
	return p
}

func claude() profile {
	p := agent("claude", "claude", "claude-code")
	p.input = regexp.MustCompile(`^\s{0,2}❯(\s|$)`)
	p.prompt = regexp.MustCompile(`^\s{0,2}❯\s*$`)
	p.ghosts = []*regexp.Regexp{regexp.MustCompile(`^Try "`)}
	return p
}

func codex() profile {
	p := agent("codex", "codex")
	p.input = regexp.MustCompile(`^\s?›(\s|$)`)
	p.prompt = regexp.MustCompile(`^\s?›\s*$`)
	p.ghosts = []*regexp.Regexp{regexp.MustCompile(`^Ask Codex to do anything`)}
	return p
}

// gemini draws its own cursor and leaves the real one below its input. It takes
// an Enter within 40 ms of a paste for a line break. Its prompt is * where it
// asks for nothing, and ! where what is typed goes to a shell.
func gemini(name string, programs ...string) profile {
	p := agent(name, programs...)
	p.anywhere = true
	p.input = regexp.MustCompile(`^\s*[│┃|]?\s*[>❯›*!](\s|$)`)
	p.prompt = regexp.MustCompile(`^\s*[│┃|]?\s*[>❯›*]\s*(Type your message.*?)?\s*[│┃|]?\s*$`)
	p.ghosts = []*regexp.Regexp{regexp.MustCompile(`^Type your message`)}
	p.busy = append(p.busy, "esc to cancel")
	p.rest = 100 * time.Millisecond
	return p
}

func copilot() profile {
	p := agent("copilot", "copilot", "copilot-cli")
	p.anywhere = true
	p.prompt = regexp.MustCompile(`^\s*[│┃|]?\s*[❯›>]\s*((Enter|Type|Ask|Describe)\b.*?)?\s*[│┃|]?\s*$`)
	p.ghosts = []*regexp.Regexp{regexp.MustCompile(`^(Enter|Type|Ask|Describe)\b`)}
	p.busy = append(p.busy, "esc to cancel", "Esc to cancel")
	return p
}

// opencode frames its input on the left only, and draws what is said so too.
func opencode() profile {
	p := agent("opencode", "opencode", "opencode-ai")
	p.framed = true
	p.input = regexp.MustCompile(`^\s*[┃│](\s|$)`)
	p.prompt = regexp.MustCompile(`^\s*[┃│]\s*(Ask anything.*)?$`)
	p.ghosts = []*regexp.Regexp{regexp.MustCompile(`^Ask anything`)}
	p.busy = append(p.busy, "esc interrupt")
	return p
}

// profiles is all of them but the default.
func profiles() []profile {
	return []profile{
		claude(), codex(), gemini("gemini", "gemini", "gemini-cli"), qwen(), copilot(), opencode(),
		{
			name: "shell", programs: []string{"sh", "bash", "dash", "zsh", "fish", "ksh", "ash", "mksh", "rbash", "oksh", "loksh", "yash", "osh"},
			runs: runsScript,
			// The prompt of a command's second line is none: a half-written
			// command stands above it.
			more:    regexp.MustCompile(`^(>|(quote|dquote|bquote|heredoc|cmdsubst|cmdand|cmdor|pipe|for|while|until|if|then|elif|else|do|case|function|subsh|math|braceparam)( \w+)*>)\s*$`),
			dialogs: asks(), settle: settleSoon, idle: true,
		},
		{
			name: "python", programs: []string{"python", "ipython"}, runs: runsModule,
			prompt: regexp.MustCompile(`^(>>>|In \[\d+\]:)\s*$`), more: regexp.MustCompile(`^\s*\.\.\.`),
			dialogs: asks(), settle: settleSoon, idle: true,
		},
		{
			name: "screen",
			programs: []string{"vi", "vim", "nvim", "view", "nano", "emacs", "less", "more", "most", "man", "top", "htop", "btop",
				"tig", "lazygit", "mc", "ranger", "fzf", "watch", "tmux", "screen", "su", "passwd", "ssh-add"},
			never: "takes keys as commands, or secrets",
		},
	}
}

// defaultProfile is for programs that nothing is known of.
var defaultProfile = sync.OnceValue(func() *profile {
	return &profile{name: "default", dialogs: asks(), settle: settleLater}
})

// runners run the program that their arguments name.
var runners = map[string]bool{
	"npx": true, "npm": true, "pnpm": true, "yarn": true, "bunx": true, "bun": true, "node": true, "env": true,
	"uv": true, "uvx": true, "sudo": true, "nice": true, "nohup": true, "time": true, "stdbuf": true, "setsid": true,
}

// profileOf is the profiles by the names of their programs. Most processes need none of
// them, and to compile the patterns takes half a millisecond.
var profileOf = sync.OnceValue(func() map[string]*profile {
	table := map[string]*profile{}
	for _, p := range profiles() {
		for _, name := range p.programs {
			table[name] = &p
		}
	}
	return table
})
