package session

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/hookway/hookway/internal/terminal"
)

const (
	lookEvery = 25 * time.Millisecond // while something else than stillness is waited for
	stillMost = 5 * time.Second       // a program that collects lines is not waited for longer

	readyStill  = 500 * time.Millisecond // the pause after which a new program is ready
	readySilent = 2 * time.Second        // the same for one that prints nothing

	keyPause = 250 * time.Millisecond // after a key of the user
	keysUsed = 2 * time.Second        // keys that are not in the line by then were commands
	livelyIn = 5 * time.Second        // an agent that works shows a change in that time

	queueRoom = 4000 // bytes that a terminal holds for a program that reads lines
)

// moment is all that decides whether a text may be typed now.
type moment struct {
	now     time.Time
	command []string // that was wrapped
	screen  terminal.Screen
	input   terminal.Input
	user    terminal.UserLine
	lastKey time.Time

	first     bool // it is the first text
	silent    bool // the program has printed nothing yet
	running   time.Duration
	unsettled time.Duration // for how long only stillness has been missing
}

// obstacle is why a text is not typed now. The zero value is that it may be.
type obstacle struct {
	why   string
	again time.Duration // when to look again
	free  bool          // the time that it takes does not count
	calm  bool          // only stillness is missing
}

func (o obstacle) none() bool { return o.why == "" }

func blocked(why string) obstacle { return obstacle{why: why, again: lookEvery} }

// front returns the profile of the program that reads now. An agent that runs
// another program does not give up its input for that.
func (p *profile) front(in terminal.Input) *profile {
	if p.box || p.never != "" || len(in.Front) == 0 {
		return p
	}
	return profileFor(in.Front)
}

// judge says what keeps a text of that many bytes from being typed. It asks in
// the order in which a person would: is it the right program, does it ask
// something, is the user typing, does it read, is it still.
func (p *profile) judge(m moment, size int) obstacle {
	f := p.find(m.screen)
	for _, ask := range []func(moment, field) string{p.wrong, p.asking, p.halfWritten, p.unseen} {
		if why := ask(m, f); why != "" {
			return blocked(why)
		}
	}
	if p.working(m, f) {
		return obstacle{why: "the agent was working", again: lookEvery, free: true}
	}
	if o := p.unread(m, size); !o.none() {
		return o
	}
	return p.unsettled(m, f)
}

// wrong is about programs that no text is for.
func (p *profile) wrong(m moment, _ field) string {
	name := "another program"
	command := m.command
	if !p.box && len(m.input.Front) > 0 {
		command = m.input.Front
	}
	if len(command) > 0 && command[0] != "" {
		name = programName(command[0])
	}
	switch {
	case p.never != "":
		return fmt.Sprintf("%s %s", name, p.never)
	case m.screen.Alternate && !p.alternate:
		return name + " has the full screen, and nothing is known of its input"
	case p == defaultProfile() && m.input.Front != nil && profileFor(m.command).idle:
		return name + " was running"
	}
	return ""
}

// asking is about questions that are the user's to answer.
func (p *profile) asking(m moment, f field) string {
	s := m.screen
	from, to := s.Row, s.Row+1
	if p.box {
		from, to = f.row, len(s.Rows)
		if !f.known {
			from = 0
		}
	}
	for row := from; row < to; row++ {
		text := rowAt(s, row).Text
		if !p.box && row == s.Row {
			text, _ = splitAt(text, s.Col)
		}
		if matches(p.dialogs, text) {
			return "the program was asking the user something"
		}
	}
	if !m.input.Lines && !f.known { // a menu has its cursor anywhere
		for _, row := range s.Rows {
			if choice().MatchString(blanks(row.Text)) {
				return "the program was asking the user something"
			}
		}
	}
	return ""
}

// halfWritten is about what the user is typing, and what stands in the input.
func (p *profile) halfWritten(m moment, f field) string {
	const half = "a half-written line of the user is at the prompt"
	switch {
	case p.box:
	case searching(m.screen):
		return "the user was searching the history"
	case m.user.Pending:
		return "a key of the user waits for what follows"
	}
	shadow := f.shadow != "" && !m.user.Begun()
	right := f.right != "" && !m.input.Lines // a terminal that collects lines shows none there
	if f.known && !f.empty && !shadow || right || !p.box && strings.TrimSpace(m.user.After) != "" {
		return half
	}
	if over := p.over > 0 && m.now.Sub(m.screen.Changed) >= p.over && !m.user.Begun(); over {
		return p.stillTyping(m)
	}
	if shadow || f.ghost != "" && (f.known || !m.input.Lines) && !matches(p.ghosts, f.ghost) {
		return "a suggestion stands at the prompt"
	}
	if why := p.stillTyping(m); why != "" || !m.user.Begun() {
		return why
	}
	pause := m.now.Sub(m.lastKey)
	switch {
	case m.input.Lines, pause < keysUsed:
		return half
	case f.known && (p.box || lastPart(m.user.Text) == ""): // and empty: the keys were commands
		return ""
	case m.user.Text == "" && !f.known || strings.HasSuffix(typedSo(m.screen), lastPart(m.user.Text)):
		return half
	}
	return ""
}

func (p *profile) stillTyping(m moment) string {
	if m.now.Sub(m.lastKey) < keyPause {
		return "the user was typing"
	}
	return ""
}

// typedSo is the row of the cursor up to it.
func typedSo(s terminal.Screen) string {
	left, _ := splitAt(rowAt(s, s.Row).Text, s.Col)
	return strings.TrimSpace(left)
}

// lastPart is what of a text stands before the cursor at least.
func lastPart(text string) string {
	r := []rune(strings.TrimSpace(text))
	return string(r[max(len(r)-8, 0):])
}

// unseen is about programs that read keys and show no input.
func (p *profile) unseen(m moment, f field) string {
	switch {
	case m.input.Lines && !f.known && p.idle:
		return "a command was running"
	case m.input.Lines && !p.prompted, f.known:
		return ""
	case p.prompted:
		return "its input was not on the screen"
	case !m.screen.Paste, p.painted(m, f):
		return "the program reads single keys, and shows no prompt"
	}
	return ""
}

// painted reports whether the cursor of a program that nothing is known of stands
// after a text that does not end as what asks for input does.
func (p *profile) painted(m moment, f field) bool {
	if p != defaultProfile() || f.known {
		return false
	}
	left, _ := splitAt(rowAt(m.screen, m.screen.Row).Solid, m.screen.Col)
	return strings.TrimSpace(left) != "" && !asksForInput().MatchString(left)
}

// asksForInput is how a program ends what it wants an answer to.
var asksForInput = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[:?!\])}>=~/|-]\s+$|[:?]$`) })

// working reports whether an agent is at work: it says so near its input, and
// its screen lives.
func (p *profile) working(m moment, f field) bool {
	if len(p.busy) == 0 || m.now.Sub(m.screen.Changed) > livelyIn {
		return false
	}
	for row := max(f.row-8, 0); row < len(m.screen.Rows); row++ {
		for _, mark := range p.busy {
			if strings.Contains(m.screen.Rows[row].Text, mark) {
				return true
			}
		}
	}
	return false
}

// unread is about what was typed and not read: the screen does not show it yet,
// and a terminal holds only so much.
func (p *profile) unread(m moment, size int) obstacle {
	o := obstacle{why: "the program has not read what was typed before", again: lookEvery}
	switch {
	case m.input.Unread == 0:
		return obstacle{}
	case m.input.Lines && m.input.Unread+size < queueRoom:
		o.calm = true
		if m.unsettled >= stillMost {
			return obstacle{}
		}
	}
	return o
}

// unsettled is about stillness.
func (p *profile) unsettled(m moment, f field) obstacle {
	o := obstacle{why: "the program was not still", calm: true}
	still := p.settle
	if m.input.Lines {
		still = settleSoon
	}
	if p.painted(m, f) {
		still = settlePainted
	}
	if m.first && (p.box || !f.known) {
		still = readyStill
		if m.silent {
			o.again = readySilent - m.running
			return o.unless(o.again <= 0)
		}
	}
	o.again = still - m.now.Sub(m.screen.Changed)
	return o.unless(o.again <= 0 || m.input.Lines && m.unsettled >= stillMost)
}

// unless takes the obstacle away.
func (o obstacle) unless(away bool) obstacle {
	if away {
		return obstacle{}
	}
	return o
}

// searchRow is how line editors show that keys go to a search in the history, or
// are counted: those of readline, zsh, Python and ipython.
var searchRow = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\s*(\(((failed|failing) )?((reverse|forward|r|f)-)?(i-)?search\b|\(arg: |` +
		`((failed|failing) )?(bck|fwd)-i-search:|i-search( backward)?:)`)
})

// searching reports whether a search in the history is at the cursor: in its row,
// in one that goes on in it, or right below it.
func searching(s terminal.Screen) bool {
	first := s.Row
	for first > 0 && s.Width > 0 && utf8.RuneCountInString(s.At(first-1).Text) >= s.Width-1 {
		first--
	}
	for row := first; row <= s.Row+1; row++ {
		if searchRow().MatchString(rowAt(s, row).Text) {
			return true
		}
	}
	return false
}
