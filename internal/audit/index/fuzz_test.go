package index

import (
	"testing"

	"github.com/hookway/hookway/internal/audit"
)

// FuzzWalk: a line that looks sound is read, or left to who reads any line, whatever it is;
// and what both read of a line of the log is the same.
func FuzzWalk(f *testing.F) {
	f.Add([]byte(`{"seq":1,"time":"2026-11-20T10:00:00.5Z","event":"PreToolUse","session":"s","steps":[{"hook":"h","action":"block","duration_ms":1.25,"would":{"action":"ask","rule":"a/b@1"}}],"duration_ms":1,"prev":"","hash":""}`))
	f.Add([]byte(`{"seq":1,"what":"\u00fc\n\"","tool_input":{"a":[1,-2.5e3,true,null,{"b":"c"}]}}`))
	f.Add([]byte(`{"seq":99999999999999999999}`))
	f.Add([]byte(`[[[[[[[[`))
	f.Fuzz(func(t *testing.T, line []byte) {
		b := newBuilder(1, 0)
		r, err := b.reader.read(audit.Line{End: int64(len(line)) + 1, Text: line, Whole: true}, true)
		if err != nil {
			return
		}
		b.add(r)
		seen := 0
		done := b.seal()
		if err := done.each(func(_ int, got *row) bool {
			seen++
			return got.seq == r.seq
		}); err != nil || seen != 1 {
			t.Errorf("%d rows of one line: %v", seen, err)
		}
	})
}

// FuzzBlock: what is in the index's file is read or refused, whatever it is.
func FuzzBlock(f *testing.F) {
	b := newBuilder(1, 0)
	if _, err := b.reader.read(audit.Line{Text: []byte(`{"seq":1,"time":"2026-11-20T10:00:00Z","session":"s","steps":[{"hook":"h","action":"block"}]}`), End: 100, Whole: true}, true); err != nil {
		f.Fatal(err)
	}
	b.add(&b.reader.row)
	done := b.seal()
	f.Add(done.encodeHead(), done.encodeRows(), sealed(done.steps), "word")
	f.Fuzz(func(t *testing.T, first, rows, steps []byte, word string) {
		h, err := parseHead(sealed(first))
		if err != nil {
			return
		}
		b := &block{head: h}
		if b.parseRows(sealed(rows)) != nil {
			return
		}
		b.steps = steps
		s := b.stepper()
		_ = b.each(func(int, *row) bool {
			_, err := s.next()
			return err == nil
		})
		if said := signature(rows); said.valid() {
			said.maySay(word)
		}
	})
}
