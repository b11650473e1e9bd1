package session

import (
	"regexp"
	"sync"
	"time"
)

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
