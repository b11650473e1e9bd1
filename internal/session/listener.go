package session

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/directive"
	"github.com/hookway/hookway/internal/terminal"
)

const (
	// After a pause of unfinishedAfter the line that stands there is shown to
	// Output hooks, after settleAfter the last directive is complete. An agent
	// that types its answer word by word pauses too, but not for that long. The
	// directive of a program that prints whole lines is complete after promptly.
	promptly        = 15 * time.Millisecond
	unfinishedAfter = 250 * time.Millisecond
	settleAfter     = 500 * time.Millisecond

	// A program that draws without a pause and finishes no line, as a spinner
	// does, completes the last directive after restlessAfter.
	restlessAfter = 5 * time.Second

	// blanksMost is how many of the blank rows between two painted lines count as
	// lines; what is more is layout.
	blanksMost = 2

	// After flushAfter without output nothing is unfinished any more.
	flushAfter = 30 * time.Second
)

// listener makes events of what the program prints. It calls no hook and
// never waits.
type listener struct {
	*session
	parser directive.Parser

	open   string // what stands unfinished and is not parsed
	paints bool   // the last line was painted
	prompt bool   // the last line was printed at once, and no pause has come since
	spent  int    // how much of the unfinished line was parsed after flushAfter

	flushed   time.Time // the last output when everything was flushed
	idleSince time.Time // the start of the last idle period
	idles     int
}

func newListener(s *session) *listener { return &listener{session: s} }

// run listens until the end of the output.
func (l *listener) run() {
	defer l.end()
	defer l.output.close()
	for {
		lines, err := l.next()
		l.take(lines)
		switch {
		case err == nil:
		case errors.Is(err, terminal.ErrStill):
			l.still(time.Now())
		case errors.Is(err, context.DeadlineExceeded):
			l.fire(l.parser.Settle())
			l.idle(time.Now(), l.program.LastChange()) // it may draw the same again and again
		default: // the end
			l.fire(l.parser.Flush())
			return
		}
	}
}

func (l *listener) next() ([]terminal.Line, error) {
	ctx, cancel := context.WithTimeout(context.Background(), restlessAfter)
	defer cancel()
	return l.program.Next(ctx, l.pause())
}

// pause is after which silence to look again. What is to be done after a
// silence is done soon after it, which is soon enough for it.
func (l *listener) pause() time.Duration {
	pause := unfinishedAfter
	if l.threshold > 0 {
		pause = min(pause, l.threshold)
	}
	if l.prompt {
		pause = min(pause, promptly)
	}
	return pause
}

// take handles new lines.
func (l *listener) take(lines []terminal.Line) {
	l.history.add(lines)
	l.follow.wake()
	if len(lines) > 0 && l.interest.in(hook.Output) {
		l.output.add(lines)
	}
	for _, line := range lines {
		if !line.Echo && strings.IndexFunc(line.Text[line.Seen:], wordRune) >= 0 {
			l.outputs.Add(1)
		}
		l.parse(line)
		if !line.Partial {
			l.prompt = !line.Slow && !line.Painted && !line.Echo && l.parser.Held("")
		}
	}
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// parse looks for directives.
func (l *listener) parse(line terminal.Line) {
	if line.Lost {
		l.fire(l.parser.Flush())
	}
	if line.Seen < l.spent { // it is another line, or was written anew
		l.spent = 0
	}
	spent := l.spent
	l.open = ""
	if !line.Partial {
		l.spent = 0
	}
	l.paints = line.Painted
	switch {
	case line.Painted:
		l.painted(line)
	case line.Echo:
	case line.Partial:
		l.open = line.Text[spent:]
	case spent == 0 || spent < len(line.Text):
		l.fire(l.parser.Line(line.Text[spent:]))
	}
}

// painted looks for directives in a line that the program has painted. It was
// finished when nothing was changed in it for a while, so a directive is complete
// at the end of its block; what it grows by later is not the start of a line.
func (l *listener) painted(line terminal.Line) {
	if line.Echo || line.Aside || line.Seen > 0 {
		return
	}
	for range min(line.Blank, blanksMost) {
		l.fire(l.parser.Line(""))
	}
	l.fire(l.parser.Line(line.Text))
	if !line.More {
		l.fire(l.parser.Settle())
	}
}

// still handles a pause.
func (l *listener) still(now time.Time) {
	last := l.program.LastOutput()
	quiet := now.Sub(last)
	if quiet >= flushAfter && !last.Equal(l.flushed) {
		l.flushed = last
		if l.open != "" {
			l.fire(l.parser.Line(l.open))
			l.spent += len(l.open)
			l.open = ""
		}
		l.fire(l.parser.Flush())
	}
	if quiet >= settleAfter || l.prompt && (l.open == "" || !l.parser.Held(l.open)) {
		l.fire(l.parser.Settle())
	}
	if quiet >= settleAfter && l.openBlock() {
		l.fire(l.parser.Flush())
	}
	l.prompt = false
	l.idle(now, l.program.LastChange())
	l.offerLull()
}

// idle reports an idle period when it has begun. since is when the program last
// said something.
func (l *listener) idle(now, since time.Time) {
	if since.IsZero() {
		since = l.began
	}
	if typed := l.typist.lastTyped(); typed.After(since) {
		since = typed
	}
	quiet := now.Sub(since)
	if l.threshold == 0 || quiet < l.threshold || since.Equal(l.idleSince) {
		return
	}
	if l.busy.Load() > 0 || !l.interest.in(hook.Idle) {
		return
	}
	l.idleSince = since
	l.idles++
	l.put(call{idle: &hook.Silence{IdleMS: quiet.Milliseconds(), Count: l.idles}})
}

// fire hands directives to their hooks.
func (l *listener) fire(found []directive.Directive) {
	for _, d := range found {
		if l.follow != nil {
			l.follow.sees(d, l.paints)
		} else {
			l.put(call{directive: d, painted: l.paints, shown: true})
		}
	}
}

// end says that the program has ended, and all of its output was seen.
func (l *listener) end() {
	if l.follow != nil {
		l.follow.end()
	} else {
		l.calls.close()
	}
}
