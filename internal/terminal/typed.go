package terminal

import (
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	freshFor = 10 * time.Second // how long a typed line is expected as echo
	freshMax = 64               // how many typed lines are remembered
)

// typed remembers what was typed, to tell echo from output and to know
// whether the user is in the middle of a line.
type typed struct {
	enter     chan struct{} // holds one token after a line of the user has ended
	canonical func() bool   // whether the program reads whole lines; nil if unknown

	mu    sync.Mutex
	keys  keyLine // the user's line
	fresh []typedLine
	sent  sent
	last  time.Time // of the user's last key
	lines int64     // that the user has sent off
}

type typedLine struct {
	text string
	at   time.Time
}

func newTyped() *typed { return &typed{enter: make(chan struct{}, 1)} }

// line records text that is about to be typed for the user.
func (t *typed) line(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if strings.ContainsAny(text, "\n") {
		t.add(text) // a program that takes no paste gets it as one line
	}
	for line := range strings.Lines(text) {
		t.add(line)
	}
}

// plain is a text with single blanks, as it is compared: what is typed for a tab or
// a line break is a blank.
func plain(text string) string { return strings.Join(strings.Fields(text), " ") }

func (t *typed) add(text string) {
	if text = plain(text); text == "" {
		return
	}
	if len(t.fresh) == freshMax {
		t.fresh = append(t.fresh[:0], t.fresh[1:]...)
	}
	t.fresh = append(t.fresh, typedLine{text, time.Now()})
	t.sent.add(text)
}

// key records what the user is about to send.
func (t *typed) key(p []byte) {
	canonical := t.canonical != nil && t.canonical()
	t.mu.Lock()
	defer t.mu.Unlock()
	finished, ended, any := t.keys.feed(p, canonical)
	t.lines += int64(ended)
	if any {
		t.last = time.Now()
	}
	for _, text := range finished { // the others are not what is echoed
		for line := range strings.Lines(text) { // a paste may have many
			t.add(line)
		}
	}
	if ended == 0 && t.keys.line().Begun() {
		return
	}
	select {
	case t.enter <- struct{}{}:
	default:
	}
}

// close says that the user types no more.
func (t *typed) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.add(string(t.keys.text))
	t.keys = keyLine{}
}

// user returns the user's unfinished line and when the last key came.
func (t *typed) user() (line UserLine, last time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.keys.line(), t.last
}

func (t *typed) userLines() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lines
}

// echo reports whether the line is what was typed. A typed line is echo once.
func (t *typed) echo(line Line) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, f := range t.fresh {
		if time.Since(f.at) < freshFor && line.shows(f.text) {
			t.fresh = append(t.fresh[:i], t.fresh[i+1:]...)
			return true
		}
	}
	for begun := range strings.Lines(string(t.keys.text)) { // a paste has many, shown before Enter
		whole := strings.HasSuffix(begun, "\n")
		if begun = plain(begun); (whole || line.Partial) && begun != "" && line.shows(begun) {
			return true
		}
	}
	return false
}

// shows reports whether the line is a prompt followed by what was typed.
func (n Line) shows(typed string) bool {
	if n.Seen > 0 && plain(n.Text[n.Seen:]) == typed {
		return true
	}
	prompt, ok := strings.CutSuffix(plain(n.Text), typed)
	if !ok {
		return false
	}
	if prompt = strings.TrimSpace(prompt); prompt == "" {
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(prompt)
	return strings.ContainsRune("$%#>❯›»", last) || strings.IndexFunc(prompt, alphanumeric) < 0
}

func alphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
