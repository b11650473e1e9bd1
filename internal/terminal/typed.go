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

const (
	sentMost   = 64               // texts that are remembered
	sentBytes  = 1 << 20          // and their bytes
	sentFor    = 10 * time.Minute // how long a text may wait until the program shows it
	editorKeys = 2                // letters that an editor takes for a command, as in "i" or "cc"

	sentAgain = 3 * time.Second // how long it is known again after it was shown
)

// sent remembers lines that were typed, to know them when the program paints
// them: an agent shows a prompt when it begins to work on it, which may be long
// after it was typed, and wrapped as it likes.
type sent struct {
	texts []sentText
	size  int
	now   *sentText // the text whose beginning was shown last
	at    int       // how much of it
}

type sentText struct {
	letters string
	at      time.Time
	shown   time.Time // when all of it was shown; zero is not yet
}

func (s *sent) add(text string) {
	if text = letters(indentOf(text).text); text == "" {
		return
	}
	s.texts = append(s.texts, sentText{letters: text, at: time.Now()})
	s.size += len(text)
	s.now = nil
	for len(s.texts) > sentMost || s.size > sentBytes && len(s.texts) > 1 {
		s.size -= len(s.texts[0].letters)
		s.texts = s.texts[1:]
	}
}

// shows reports whether a painted line is a typed text, or a part of one: its
// beginning, or what follows the part before.
func (s *sent) shows(line string) bool {
	text := letters(indentOf(line).text)
	if text == "" {
		return false
	}
	if s.now != nil && strings.HasPrefix(s.now.letters[s.at:], text) {
		s.part(s.now, s.at+len(text))
		return true
	}
	s.now = nil
	for i := range s.texts {
		t := &s.texts[i]
		switch {
		case time.Since(t.at) > sentFor, !t.shown.IsZero() && time.Since(t.shown) > sentAgain:
		case beginsWith(t.letters, text):
			s.part(t, len(text))
			return true
		}
	}
	return false
}

// beginsWith reports whether a shown text is a typed one, or so much of its
// beginning that it is not a coincidence.
// Up to editorKeys before it may be what makes an editor take text.
func beginsWith(typed, shown string) bool {
	if len(shown) < 8 {
		return typed == shown
	}
	at := strings.Index(typed, shown)
	return at == 0 || at > 0 && at <= editorKeys && at+len(shown) == len(typed)
}

// part says that a text was shown up to n.
func (s *sent) part(t *sentText, n int) {
	s.now, s.at = t, n
	if n == len(t.letters) {
		s.now = nil
		if t.shown.IsZero() {
			t.shown = time.Now()
		}
	}
}

// shown reports whether a painted line is what was typed.
func (t *typed) shown(line Line) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sent.shows(line.Text) {
		return true
	}
	text := letters(indentOf(line.Text).text)
	for begun := range strings.Lines(string(t.keys.text)) { // it is in the input, not sent off
		// The keys before it may be commands of an editor, and stand nowhere.
		if typed := letters(indentOf(begun).text); text != "" && (beginsWith(typed, text) || len(text) >= 8 && strings.Contains(typed, text)) {
			return true
		}
	}
	return false
}
