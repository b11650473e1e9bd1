package terminal

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTheUsersLineIsFollowed(t *testing.T) {
	tests := []struct {
		name, keys string
		want       UserLine
		finished   []string
		noKey      bool
	}{
		{name: "text", keys: "hello", want: UserLine{Text: "hello"}},
		{name: "a finished line", keys: "hello\r", finished: []string{"hello"}},
		{name: "from a pipe", keys: "one\ntwo\nthr", want: UserLine{Text: "thr"}, finished: []string{"one", "two"}},
		{name: "erased", keys: "ab\x7f\x7f"},
		{name: "given up", keys: "ab\x03"},
		{name: "killed", keys: "ab\x15"},
		{name: "a word erased", keys: "one two\x17", want: UserLine{Text: "one "}},
		{name: "edited in the middle", keys: "ac\x1b[Db\x01x\x05y\x1b[H\x1b[3~", want: UserLine{Text: "abcy", After: "abcy"}},
		{name: "the rest erased", keys: "abcd\x02\x02\x06\x0b", want: UserLine{Text: "abc"}},
		{name: "history", keys: "\x1b[A", want: UserLine{Unsure: true}},
		{name: "history, sent off", keys: "\x1b[A\r"},
		{name: "completion", keys: "gi\t", want: UserLine{Text: "gi", Unsure: true}},
		{name: "completed and sent off is not known", keys: "gi\t\r"},
		{name: "escape", keys: "\x1b", want: UserLine{Unsure: true, Pending: true}},
		{name: "with Alt", keys: "\x1bb", want: UserLine{Unsure: true, Pending: true}},
		{name: "with Alt, sent off", keys: "\x1bb\r"},
		{name: "a line break with Alt", keys: "a\x1b\rb", want: UserLine{Text: "a\nb", Unsure: true, Pending: true}},
		{name: "right of the cursor", keys: "rm foo\x1b[D\x1b[D\x1b[D\x1b[D\x15", want: UserLine{Text: " foo", After: " foo"}},
		{name: "a search", keys: "\x12DAN", want: UserLine{Text: "DAN", Unsure: true, Pending: true}},
		{name: "a search, left", keys: "\x12DAN\x07", want: UserLine{Text: "DAN", Unsure: true}},
		{name: "a search, given up", keys: "\x12DAN\x03", want: UserLine{Unsure: true}},
		{name: "what was found is taken", keys: "\x12DAN\r", want: UserLine{Unsure: true}},
		{name: "what was found is taken and sent off", keys: "\x12DAN\r\r", finished: nil},
		{name: "to be quoted", keys: "a\x16", want: UserLine{Text: "a", Unsure: true, Pending: true}},
		{name: "quoted", keys: "a\x16\x03b", want: UserLine{Text: "a\x03b", Unsure: true}},
		{name: "a shell keeps its line", keys: "ab\x1a", want: UserLine{Text: "ab", Unsure: true}},
		{name: "pasted", keys: "\x1b[200~one\rtwo\x03\x1b[201~\r", finished: []string{"one\ntwo\x03"}},
		{name: "the number pad", keys: "a\x1bOM", finished: []string{"a"}},
		{name: "keys by number", keys: "\x1b[97u\x1b[98;1u\x1b[13u", finished: []string{"ab"}},
		{name: "a line break by number", keys: "\x1b[97u\x1b[13;2u", want: UserLine{Text: "a\n"}},
		{name: "a line break by another number", keys: "a\x1b[27;2;13~", want: UserLine{Text: "a\n"}},
		{name: "Ctrl-C by number", keys: "a\x1b[99;5u"},
		{name: "a key released", keys: "\x1b[97;1:3u", noKey: true},
		{name: "focus", keys: "\x1b[I\x1b[O", noKey: true},
		{name: "the mouse", keys: "\x1b[<35;10;20M\x1b[<0;1;1m\x1b[M !!", noKey: true},
		{name: "answers", keys: "\x1b[?62;22c\x1b[12;40R\x1b]11;rgb:0000/0000/0000\x1b\\\x1b]10;x\x07\x1bP1$r0m\x1b\\\x1b[?2026;2$y\x1b[?0u", noKey: true},
		{name: "an unknown key", keys: "\x1b[15~", want: UserLine{Unsure: true}},
		{name: "bytes that are not text", keys: "\xff\xfe", want: UserLine{Text: "\ufffd\ufffd"}},
		{name: "wide", keys: "日本\x7f", want: UserLine{Text: "日"}},
	}
	for _, test := range tests {
		for _, chunk := range []int{len(test.keys), 1} {
			if chunk == 1 && (test.name == "a line break with Alt" || strings.HasPrefix(test.name, "with Alt")) {
				continue
			}
			var l keyLine
			var finished []string
			any := false
			for part := range slices.Chunk([]byte(test.keys), chunk) {
				f, _, key := l.feed(part, false)
				finished = append(finished, f...)
				any = key
			}
			switch got := l.line(); {
			case got != test.want:
				t.Errorf("%v: %v: got: got %v, want %v", test.name, chunk, got, test.want)
			case !slices.Equal(finished, test.finished) || chunk > 1 && any == test.noKey:
				t.Errorf("%s, %d at a time: %+v, finished %q, key %t", test.name, chunk, got, finished, any)
			}
		}
	}
	var l keyLine
	l.feed([]byte("half"), true)
	if l.feed([]byte{eot}, true); l.line().Begun() {
		t.Errorf("^D hands the line over, and it is %+v", l.line())
	}
}

func FuzzKeys(f *testing.F) {
	for _, seed := range []string{"a\x7f\x7f\x1b[D\x1b[C\x1b[3~\x17\x0b\x15", "\x1b[200~é\x1b[201~\r", "\x1b]0;x\x07\x1b[M", "\x1b[27;5;99~\x1b[99;5u", "日\x1b[D\x17x"} {
		f.Add([]byte(seed), 3)
	}
	f.Fuzz(func(t *testing.T, keys []byte, chunk int) {
		var l keyLine
		for part := range slices.Chunk(keys, max(chunk, 1)) {
			finished, _, _ := l.feed(part, false)
			switch {
			case l.at < 0 || l.at > len(l.text) || len(l.rest) > escapeMost:
				t.Fatalf("at %d of %d, %d left over", l.at, len(l.text), len(l.rest))
			case len(l.text) > lineMost+utf8.UTFMax:
				t.Fatalf("at %d of %d, %d left over", l.at, len(l.text), len(l.rest))
			}
			if !utf8.Valid(l.text) || !utf8.ValidString(strings.Join(finished, "")) {
				t.Fatalf(`got %q, %q, want utf8.Valid(l.text) and utf8.ValidString(strings.Join(finished, ""))`, l.text, finished)
			}
		}
	})
}
