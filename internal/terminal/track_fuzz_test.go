package terminal

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// Whatever a program prints, the lines are text, and reading ends.
func FuzzTracker(f *testing.F) {
	for _, s := range []string{
		"a\r\nb", "\x1b[Ha\x1b[2Jb\x1b[3;4Hc", "\x1b[?1049ha\x1b[5;9r\x1bM\x1bMb\x1b[?1049l", "\x1b]0;t\x07\x1bP1$r\x1b\\x\x9d0;y",
		"\x1b[?2026h\x1b[10A\x1b[Jx\x1b[?2026l", "\xe4\xb8\xad\xcc\x81\xff\x1b[999999999C\x1b[99999b", "\x1b[H\x1b[L\x1b[999M\x1b[999S\x1b[999T\x1b[99@\x1b[99P",
	} {
		f.Add([]byte(s), byte(7), byte(40), byte(12))
	}
	f.Fuzz(func(t *testing.T, p []byte, step, cols, rows byte) {
		tr := tracker{cols: 80, rows: 24, typed: newTyped()}
		defer tr.close()
		now := time.Unix(0, 0)
		check := func(lines []Line) {
			for _, l := range lines {
				if !utf8.ValidString(l.Text) || strings.ContainsFunc(l.Text, func(r rune) bool { return r < 0x20 && r != '\t' || r >= 0x7f && r < 0xa0 }) {
					t.Errorf("%q is not text", l.Text)
				}
				if l.Seen > len(l.Text) {
					t.Errorf("%d bytes of %q were seen", l.Seen, l.Text)
				}
			}
		}
		n := int(step)%64 + 1
		for i := 0; len(p) > 0; i++ {
			k := min(n, len(p))
			check(tr.feed(p[:k], now, nil))
			p = p[k:]
			now = now.Add(time.Duration(step) * time.Millisecond)
			if i%5 == 4 {
				lines, _ := tr.rest(now)
				check(lines)
			}
			if i == 3 {
				tr.resize(int(cols), int(rows), now)
			}
		}
		for range 5 {
			now = now.Add(time.Second)
			lines, _ := tr.rest(now)
			check(lines)
		}
		check(tr.end(now))
	})
}

// What the emulator is given is UTF-8 and holds no string sequence, however the
// output is cut.
func FuzzFilter(f *testing.F) {
	f.Add([]byte("a\x1b]0;t\x07b\x1bPq\x1b\\c\xff\xe4\xb8\xadd\x1b[1m\x1b\x1b]x"), byte(3))
	f.Fuzz(func(t *testing.T, p []byte, step byte) {
		var whole, parts filter
		want := bytes.Clone(whole.take(p))
		var got []byte
		for n := int(step)%16 + 1; len(p) > 0; p = p[min(n, len(p)):] {
			got = append(got, parts.take(p[:min(n, len(p))])...)
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("in pieces %q, whole %q", got, want)
		}
		if !utf8.Valid(got) {
			t.Fatalf("%q is not UTF-8", got)
		}
		for _, bad := range []string{"\x1b]", "\x1bP", "\x1b_", "\x1b^", "\x1bX"} {
			if bytes.Contains(got, []byte(bad)) {
				t.Fatalf("%q holds a string sequence", got)
			}
		}
	})
}
