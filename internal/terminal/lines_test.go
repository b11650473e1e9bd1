package terminal

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// texts are the texts of lines.
func texts(lines []Line) []string {
	var out []string
	for _, l := range lines {
		out = append(out, l.Text)
	}
	return out
}

// read feeds all output and flushes what is unfinished.
func read(output string) []Line {
	var l Lines
	lines := l.Feed([]byte(output))
	if line, ok := l.Flush(); ok {
		lines = append(lines, line)
	}
	return lines
}

func TestLinesFollowTheCursorAndDropEscapes(t *testing.T) {
	tests := []struct {
		name, output string
		want         []string
	}{
		{"lines", "one\ntwo\r\n\nthree", []string{"one", "two", "", "three"}},
		{"colours", "\x1b[1;38:2:1:2:3mred\x1b[m and \x1b[0;39mplain\n", []string{"red and plain"}},
		{"title ended by BEL", "a\x1b]0;✳ title\x07b\n", []string{"ab"}},
		{"title ended by ST", "a\x1b]0;title\x1b\\b\n", []string{"ab"}},
		{"link", "\x1b]8;id=x;https://example.org\x07text\x1b]8;;\x07\n", []string{"text"}},
		{"DCS", "a\x1bP1$r0m\x07x\x1b\\b\n", []string{"ab"}},
		{"APC", "a\x1b_Gf=24;AAAA\x1b\\b\n", []string{"ab"}},
		{"PM and SOS", "a\x1b^x\x1b\\b\x1bXy\x1b\\c\n", []string{"abc"}},
		{"string ended by another sequence", "a\x1b]0;t\x1b[1mb\n", []string{"ab"}},
		{"string aborted", "a\x1b]0;t\x18b\n", []string{"ab"}},
		{"single character escapes", "\x1b7a\x1b=b\x1b>c\x1b(Bd\x1b#8e\x1bNxf\n", []string{"abcdef"}},
		{"private modes", "\x1b[?25la\x1b[?2026hb\x1b[>4;0mc\x1b[<1ud\x1b[0 qe\n", []string{"abcde"}},
		{"controls within a sequence", "ab\x1b[\r1Cx\n", []string{"ax"}},
		{"sequence aborted", "a\x1b[12\x1ab\n", []string{"ab"}},
		{"sequence restarted", "a\x1b[1\x1b[mb\n", []string{"ab"}},
		{"other controls", "a\x00\x07\x0e\x0f\x7fb\u0085\u009bc\n", []string{"abc"}},
		{"tab is kept", "\ta\tb\n", []string{"\ta\tb"}},
		{"cursor forward is spaces", "a\x1b[3Cb\x1b[Cc\n", []string{"a   b c"}},
		{"column", "a\x1b[5Gb\x1b[Gc\n", []string{"c   b"}},
		{"progress bar", " 10%\r 50%\r100%\n", []string{"100%"}},
		{"shorter state leaves a rest, as on the screen", "loading\rdone\n", []string{"doneing"}},
		{"erased state", "loading\r\x1b[Kdone\n", []string{"done"}},
		{"erased whole line", "loading\x1b[2K\rdone\n", []string{"done"}},
		{"erased to the left", "abcd\x1b[2D\x1b[1K\n", []string{"   d"}},
		{"backspace", "hallo\b\b\b\bello\n", []string{"hello"}},
		{"backspace at the margin", "\b\ba\n", []string{"a"}},
		{"cursor left", "abc\x1b[2Dx\n", []string{"axc"}},
		{"delete, insert and blank characters", "abcdef\r\x1b[2P\x1b[1@x\x1b[C\x1b[2X\n", []string{"xc  f"}},
		{"repeat", "=\x1b[4b>\n", []string{"=====>"}},
		{"vertical tab and form feed", "a\vb\fc\n", []string{"a", "b", "c"}},
		{"invalid UTF-8", "a\xffb\xe2\x82c\xe2\n", []string{"a\ufffdb\ufffd\ufffdc\ufffd"}},
		{"wide and combined characters", "日本 e\u0301 👩‍💻\n", []string{"日本 e\u0301 👩‍💻"}},
		{"words placed in one row are one line", "\x1b[12;3Hask\x1b[12;7H@relay:Bob\x1b[12;18Hto\n", []string{"  ask @relay:Bob to"}},
		{"another row is another line", "\x1b[2J\x1b[Hone\r\x1b[1Btwo\x1b[1;1Hthree", []string{"one", "two", "three"}},
		{"empty rows are not lines", "\x1b[H\x1b[2B\x1b[3Ax\n", []string{"x"}},
		{"row by number", "a\x1b[4db\n", []string{"a", " b"}},
		{"next and previous line", "ab\x1b[Ecd\x1b[Fef\n", []string{"ab", "cd", "ef"}},
		{"index and reverse index", "a\x1bDb\x1bMc\n", []string{"a", "b", " c"}},
		{"the other screen", "a\x1b[?1049hb\x1b[?1049lc\n", []string{"a", "b", "c"}},
		{"reset", "abc\x1bcd\n", []string{"d"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := texts(read(tt.output)); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("%q\n got %q\nwant %q", tt.output, got, tt.want)
			}
		})
	}
}

func TestALineWrittenPieceByPieceIsReportedAsItGrowsAndWhenItEnds(t *testing.T) {
	var l Lines
	if got := l.Feed([]byte("Name? ")); got != nil {
		t.Fatalf("unfinished, but reported: %+v", got)
	}
	if got, ok := l.Flush(); !ok || got != (Line{Text: "Name? ", Partial: true}) {
		t.Fatalf("Flush: %+v %t", got, ok)
	}
	if got, ok := l.Flush(); ok {
		t.Fatalf("flushed twice: %+v", got)
	}
	if got := l.Feed([]byte("\r\n")); !reflect.DeepEqual(got, []Line{{Text: "Name? ", Seen: 6}}) {
		t.Fatalf("its end: %+v", got)
	}
	if _, ok := l.Flush(); ok {
		t.Fatal("an empty line was flushed")
	}
	l.Feed([]byte("$ "))
	l.Flush()
	l.Feed([]byte("l"))
	if got, ok := l.Flush(); !ok || got != (Line{Text: "$ l", Seen: 2, Partial: true}) {
		t.Fatalf("grown: %+v %t", got, ok)
	}
	if got := l.Feed([]byte("s\n")); !reflect.DeepEqual(got, []Line{{Text: "$ ls", Seen: 3}}) {
		t.Fatalf("finished: %+v", got)
	}
	l.Feed([]byte("50%"))
	l.Flush()
	if got := l.Feed([]byte("\r100%\n")); !reflect.DeepEqual(got, []Line{{Text: "100%"}}) {
		t.Fatalf("overwritten: %+v", got)
	}
}

func TestPlacedTextIsMarkedDrawnUnlessTheRowWasErased(t *testing.T) {
	got := read("plain\n\x1b[3;5Hpiece\x1b[4;1H\x1b[Kwhole\x1b[A\x1b[2K\rwhole\nplain\n")
	want := []Line{{Text: "plain"}, {Text: "    piece", Drawn: true}, {Text: "whole"}, {Text: "whole"}, {Text: "plain"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}

func TestLongLinesAreCut(t *testing.T) {
	got := read(strings.Repeat("é", MaxLine+5) + "\nnext\n")
	switch {
	case len(got) != 2:
		t.Errorf("len(got): got %v, want %v", len(got), 2)
	case !got[0].Cut || utf8.RuneCountInString(got[0].Text) != MaxLine:
		t.Errorf("got %d lines; the first has %d runes", len(got), utf8.RuneCountInString(got[0].Text))
	case got[1] != (Line{Text: "next"}):
		t.Errorf("got[1]: got %v, want %v", got[1], (Line{Text: "next"}))
	}
}

func TestCursorMovementCannotMakeHugeLines(t *testing.T) {
	for _, move := range []string{"\x1b[99999999999C", "\x1b[60000G", "\x1b[5;60000H", "x\r\x1b[60000@", "x\x1b[60000b"} {
		for _, line := range read(move + "end\n") {
			if len(line.Text) > 2*maxColumn {
				t.Errorf("%q made a line of %d bytes", move, len(line.Text))
			}
		}
	}
}

func TestAStringWithoutEndHidesABoundedPart(t *testing.T) {
	got := texts(read("a\x1b]0;" + strings.Repeat("x", maxString) + "b\nc\n"))
	if len(got) != 2 || !strings.HasSuffix(got[0], "b") || got[1] != "c" {
		t.Errorf("got %d lines", len(got))
	}
}

func TestNoLineIsMadeOfTwoHalves(t *testing.T) {
	var l Lines
	got := l.Feed([]byte("one\nfirst half"))
	l.Lose()
	got = append(got, l.Feed([]byte("second"))...)
	got = append(got, l.Feed([]byte(" half\ntwo\nthree\n"))...)
	want := []Line{{Text: "one"}, {Text: "two", Lost: true}, {Text: "three"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
}

// FuzzLines holds what is true of every output: no panic, the cuts between
// writes do not matter, and no control character is left.
func FuzzLines(f *testing.F) {
	for _, seed := range []string{
		"one\r\ntwo\n\x1b[1;31mred\x1b[m",
		"\x1b]0;t\x07a\x1b]8;;x\x1b\\b\x1bPq\x1b\\c",
		" 10%\r 50%\r\x1b[K100%\n\b\bx",
		"日本\xe2\x82\xff\xf0\x9f\x91\xa9 e\u0301\u009b\n",
		"\x1b[12;3Hask\x1b[12;7Hx\x1b[2A\x1b[3Cy\x1b[5G\x1b[3P\x1b[2@\x1b[4X\x1b[7b",
		"\x1b[?1049h\x1b[2J\x1b[H\x1b(Bx\x1bOAy\x1b[1\x18z\x1b",
	} {
		f.Add([]byte(seed), uint8(1))
		f.Add([]byte(seed), uint8(3))
	}
	f.Fuzz(func(t *testing.T, output []byte, step uint8) {
		var whole, parts Lines
		want := whole.Feed(output)
		var got []Line
		n := int(step)%7 + 1
		for rest := output; len(rest) > 0; rest = rest[min(n, len(rest)):] {
			got = append(got, parts.Feed(rest[:min(n, len(rest))])...)
		}
		if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Fatalf("in pieces of %d: %+v, at once: %+v", n, got, want)
		}
		a, okA := whole.Flush()
		b, okB := parts.Flush()
		if a != b || okA != okB {
			t.Fatalf("unfinished in pieces of %d: %+v, at once: %+v", n, b, a)
		}
		for _, line := range append(got, b) {
			if !utf8.ValidString(line.Text) || strings.ContainsFunc(line.Text, func(r rune) bool {
				return r < 0x20 && r != '\t' || r >= 0x7f && r < 0xa0
			}) {
				t.Fatalf("line %q", line.Text)
			}
		}
	})
}

func BenchmarkLines(b *testing.B) {
	plain := strings.Repeat("All tests pass; nothing else is left to do in this part of it.\r\n", 500)
	colour := strings.Repeat("\x1b[2m  ⎿  \x1b[22mRead \x1b[1m214\x1b[22m lines\x1b[3C\x1b[38;5;246m(ctrl+o to expand)\x1b[39m\r\n", 400)
	for name, output := range map[string]string{"plain": plain, "colour": colour} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(output)))
			b.ReportAllocs()
			for b.Loop() {
				var l Lines
				l.Feed([]byte(output))
			}
		})
	}
}
