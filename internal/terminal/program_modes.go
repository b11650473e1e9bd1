package terminal

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// modes knows what a program has switched on in the user's terminal and not
// switched off again, so that a program that is killed leaves no mouse reports
// and no hidden cursor behind. It reads the bytes that the user has got, all of
// them, and never more than once.
type modes struct {
	state   modeState
	length  int      // bytes of the sequence in args
	args    [32]byte // what stands between CSI and its last byte
	private map[int]bool
	cursor  bool // the cursor was hidden, now or before

	keys     int  // kitty keyboard levels that were pushed
	keysSet  bool // kitty keyboard flags were set without a level of their own
	modified bool // modifyOtherKeys
	keypad   bool // application keypad
	region   bool // a scroll region
	style    bool // colours, bold and so on
	shape    bool // the cursor's shape
	insert   bool // new text pushes old text to the right
	charset  bool // line drawing in place of letters

	title titles
}

type modeState byte

const (
	modeText    modeState = iota
	modeEsc               // ESC
	modeCharset           // ESC ( : the next byte names a character set
	modeInter             // ESC and another intermediate byte
	modeCSI               // ESC [
	modeString            // OSC, DCS, SOS, PM, APC
)

// normallyOn are the modes that a terminal begins with: to switch one off is a
// change. Of the others, to switch one on is.
var normallyOn = map[int]bool{7: true, 25: true}

// watchedModes are the private modes that are put back. The ones of the
// alternate screen come last: what is put back before belongs to it.
var watchedModes = []int{
	1, 5, 6, 7, 9, 66, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 2004, 2026, 2031, 2048, 9001,
	25, 47, 1047, 1049,
}

// see takes what the user's terminal got.
func (m *modes) see(p []byte) {
	for len(p) > 0 {
		if m.state == modeText {
			i := bytes.IndexByte(p, 0x1b)
			if i < 0 {
				return
			}
			m.state = modeEsc
			p = p[i+1:]
			continue
		}
		if m.state == modeString { // of any size: look for its end only
			i := bytes.IndexAny(p, "\x1b\x07\x18\x1a")
			if i < 0 {
				m.title.add(p)
				return
			}
			m.title.add(p[:i])
			m.state = modeText
			if p[i] == 0x1b {
				m.state = modeEsc
			}
			m.title.end(p[i] == 0x1b || p[i] == 0x07)
			p = p[i+1:]
			continue
		}
		m.step(p[0])
		p = p[1:]
	}
}

// step takes one byte of a sequence that is not a string.
func (m *modes) step(c byte) {
	switch {
	case c == 0x18 || c == 0x1a:
		m.state = modeText
	case c == 0x1b:
		m.state = modeEsc
	case c < 0x20: // controls act within a sequence
	case m.state == modeCSI:
		m.csi(c)
	case m.state == modeCharset:
		m.charset = c == '0'
		m.state = modeText
	case c >= 0x20 && c < 0x30:
		if m.state == modeEsc && c == '(' {
			m.state = modeCharset
		} else {
			m.state = modeInter
		}
	case m.state == modeInter:
		m.state = modeText
	default:
		m.escape(c)
	}
}

// escape takes the byte after ESC.
func (m *modes) escape(c byte) {
	m.state = modeText
	switch c {
	case '[':
		m.state, m.length = modeCSI, 0
	case ']', 'P', 'X', '^', '_':
		m.state = modeString
		m.title.begin(c == ']')
	case '=':
		m.keypad = true
	case '>':
		m.keypad = false
	case 'c':
		*m = modes{cursor: m.cursor, title: m.title}
	}
}

// csi takes a byte of a control sequence. One that is too long to be among the
// watched ones is read to its end and left alone.
func (m *modes) csi(c byte) {
	if c < 0x40 || c > 0x7e {
		if m.length < len(m.args) {
			m.args[m.length] = c
		}
		m.length++
		return
	}
	m.state = modeText
	if m.length > len(m.args) {
		return
	}
	args := m.args[:m.length]
	if len(args) > 0 && (args[0] == '?' || args[0] == '>' || args[0] == '<' || args[0] == '=') {
		m.special(args[0], args[1:], c)
		return
	}
	switch c {
	case 'm':
		m.style = !(len(args) == 0 || len(args) == 1 && args[0] == '0')
	case 'r':
		m.region = len(args) > 0 && args[0] != 0
	case 'q':
		if len(args) > 0 && args[len(args)-1] == ' ' {
			m.shape = len(args) > 1 && args[0] != '0'
		}
	case 'p':
		if len(args) == 1 && args[0] == '!' { // soft reset
			*m = modes{cursor: m.cursor, private: m.private, keys: m.keys, keysSet: m.keysSet, modified: m.modified, title: m.title}
			for _, mode := range []int{1, 6, 7, 25} {
				delete(m.private, mode)
			}
		}
	case 'h', 'l':
		if len(args) == 1 && args[0] == '4' {
			m.insert = c == 'h'
		}
	}
}

// special takes a control sequence of one of the private kinds.
func (m *modes) special(kind byte, args []byte, c byte) {
	switch {
	case kind == '?' && (c == 'h' || c == 'l'):
		for arg := range bytes.SplitSeq(args, []byte{';'}) {
			if mode, err := strconv.Atoi(string(arg)); err == nil {
				m.set(mode, c == 'h')
			}
		}
	case kind == '>' && c == 'u':
		m.keys = min(m.keys+1, 64)
	case kind == '<' && c == 'u':
		n, err := strconv.Atoi(string(args))
		if err != nil {
			n = 1
		}
		m.keys = max(m.keys-max(n, 1), 0)
	case kind == '=' && c == 'u':
		m.keysSet = len(args) > 0 && args[0] != '0'
	case kind == '>' && c == 'm' && len(args) > 0 && args[0] == '4':
		m.modified = len(args) > 2 && args[2] != '0'
	}
}

func (m *modes) set(mode int, on bool) {
	if !slices.Contains(watchedModes, mode) {
		return
	}
	if on == normallyOn[mode] {
		delete(m.private, mode)
		return
	}
	if m.private == nil {
		m.private = map[int]bool{}
	}
	m.private[mode] = true
	m.cursor = m.cursor || mode == 25
}

// clean reports whether there is nothing to put back.
func (m *modes) clean() bool {
	return m.state == modeText && len(m.private) == 0 && m.keys == 0 &&
		!m.keysSet && !m.modified && !m.keypad && !m.region && !m.style && !m.shape && !m.insert && !m.charset
}

// reset is what puts the terminal back, or nothing if the program has done so.
// It begins by ending a sequence that was cut off.
func (m *modes) reset() string {
	if m.clean() {
		return ""
	}
	var b strings.Builder
	b.WriteString("\x18\x1b\\")
	for _, s := range []struct {
		on   bool
		text string
	}{
		{m.keys > 0, "\x1b[<" + strconv.Itoa(m.keys) + "u"}, {m.keysSet, "\x1b[=0u"}, {m.modified, "\x1b[>4;0m"},
		{m.keypad, "\x1b>"}, {m.insert, "\x1b[4l"}, {m.charset, "\x1b(B"}, {m.style, "\x1b[m"}, {m.shape, "\x1b[0 q"},
		{m.region, "\x1b7\x1b[r\x1b8"}, // setting a region moves the cursor
	} {
		if s.on {
			b.WriteString(s.text)
		}
	}
	m.each(&b, "l", "h")
	return b.String()
}

// again switches on once more what reset has switched off, for a program that
// was stopped and goes on. A program draws anew then, and sets colours, regions
// and the cursor's shape itself.
func (m *modes) again() string {
	var b strings.Builder
	if m.keypad {
		b.WriteString("\x1b=")
	}
	m.each(&b, "h", "l")
	if m.modified {
		b.WriteString("\x1b[>4;2m")
	}
	return b.String()
}

// each writes a sequence for each private mode that is not as it was: on for
// those that are off at first, off for the others.
func (m *modes) each(b *strings.Builder, on, off string) {
	for _, mode := range watchedModes {
		if m.private[mode] {
			end := on
			if normallyOn[mode] {
				end = off
			}
			b.WriteString("\x1b[?" + strconv.Itoa(mode) + end)
		}
	}
}

// lasting is what reset would print now, but for what changes with every
// picture that a program draws. It changes seldom.
func (m *modes) lasting() string {
	calm := modes{
		private: maps.Clone(m.private), keys: m.keys, keysSet: m.keysSet, modified: m.modified, keypad: m.keypad,
	}
	delete(calm.private, 2026)
	delete(calm.private, 25)
	if m.cursor {
		calm.set(25, false)
	}
	return calm.reset()
}

// screenModes are the modes of the user's screen, for several goroutines.
type screenModes struct {
	mu      sync.Mutex
	now     modes
	changed chan struct{} // holds one token while lasting has changed
	last    modeCount
}

// modeCount tells cheaply whether lasting may have changed.
type modeCount struct {
	private, keys             int
	sum                       int
	keysSet, modified, keypad bool
	cursor                    bool
}

func newScreenModes() *screenModes { return &screenModes{changed: make(chan struct{}, 1)} }

func (s *screenModes) see(p []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now.see(p)
	m := &s.now
	count := modeCount{keys: m.keys, keysSet: m.keysSet, modified: m.modified, keypad: m.keypad, cursor: m.cursor}
	for mode := range m.private {
		if mode != 25 && mode != 2026 {
			count.private++
			count.sum += mode
		}
	}
	if count != s.last {
		s.last = count
		select {
		case s.changed <- struct{}{}:
		default:
		}
	}
}

func (s *screenModes) reset() string   { return locked(s, (*modes).reset) }
func (s *screenModes) again() string   { return locked(s, (*modes).again) }
func (s *screenModes) lasting() string { return locked(s, (*modes).lasting) }

func locked(s *screenModes, ask func(*modes) string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return ask(&s.now)
}
