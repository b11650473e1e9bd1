package terminal

import (
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	freshFor  = 10 * time.Second // how long a typed line is expected as echo
	freshMax  = 64               // how many typed lines are remembered
	userPause = 2 * time.Second  // how long an unfinished line of the user holds Type back
)

// typed remembers what was typed, to tell echo from output and to know
// whether the user is in the middle of a line.
type typed struct {
	enter chan struct{} // holds one token after the user has finished a line

	mu    sync.Mutex
	keys  Lines // the user's line, edited as the terminal would
	fresh []typedLine
	last  time.Time // of the user's last key
}

type typedLine struct {
	text string
	at   time.Time
}

func newTyped() *typed {
	return &typed{enter: make(chan struct{}, 1), keys: Lines{insert: true}}
}

// line records a line that Type is about to write.
func (t *typed) line(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.add(text)
}

func (t *typed) add(text string) {
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	if len(t.fresh) == freshMax {
		t.fresh = append(t.fresh[:0], t.fresh[1:]...)
	}
	t.fresh = append(t.fresh, typedLine{text, time.Now()})
}

// editing turns the keys that edit a line into what they do on the screen.
var editing = strings.NewReplacer(
	"\r", "\n", // Enter
	"\x7f", "\b\x1b[P", // backspace
	"\x15", "\r\x1b[K", // ^U
	"\x03", "\r\x1b[K", // ^C
)

// key records what the user is about to send.
func (t *typed) key(p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = time.Now()
	for _, line := range t.keys.Feed([]byte(editing.Replace(string(p)))) {
		if !line.Drawn && !line.Cut { // else history was used: not what is echoed
			t.add(line.Text)
		}
		select {
		case t.enter <- struct{}{}:
		default:
		}
	}
}

// close says that the user types no more.
func (t *typed) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.add(string(t.keys.cells))
	t.keys = Lines{insert: true}
}

// busy returns for how long the user's unfinished line still holds Type back.
func (t *typed) busy() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.keys.blank() {
		return 0
	}
	return userPause - time.Since(t.last)
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
	if !line.Partial || t.keys.blank() {
		return false
	}
	return line.shows(strings.TrimSpace(string(t.keys.cells)))
}

// blank reports whether the unfinished line shows nothing.
func (l *Lines) blank() bool { return strings.TrimSpace(string(l.cells)) == "" }

// shows reports whether the line is a prompt followed by what was typed.
func (n Line) shows(typed string) bool {
	if n.Seen > 0 && strings.TrimSpace(n.Text[n.Seen:]) == typed {
		return true
	}
	prompt, ok := strings.CutSuffix(strings.TrimSpace(n.Text), typed)
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
