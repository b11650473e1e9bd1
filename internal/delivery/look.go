package delivery

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/relay"
)

// Finding is what Look finds out.
type Finding int

// The findings.
const (
	Unknown Finding = iota // there is nothing to read, or it does not say
	Found                  // the agent has the message
	Absent                 // it has not: what it was given is on record, and this is not in it
)

// HistoryEnds are the ends of the files in which the output of a session is kept,
// the older one first; [relay.Presence.History] names them without.
var HistoryEnds = []string{".out.old", ".out"}

// Look says whether an unfinished attempt has reached the agent: by what
// the agent has on record, or else by what its screen has shown. A message is known
// by its short id, and where hooks have taken that out of the text, by its letters.
// A screen proves only that the agent has the message, never that it has not.
func Look(a relay.Attempt, id string) Finding {
	t := trace{id: relay.Short(id), at: a.At}
	t.marked = strings.Contains(a.Text, "["+t.id+"]")
	t.letters = longest(a.Text)
	if f := t.inTranscript(a.Transcript); f != Unknown {
		return f
	}
	for _, end := range append(HistoryEnds, "") {
		if a.History != "" && t.marked && t.onScreen(a.History+end) {
			return Found
		}
	}
	return Unknown
}

// trace is by what a message is known again.
type trace struct {
	id      string
	marked  bool   // the id was in the text
	letters []byte // of the longest line of the text
	at      time.Time
}

const (
	lettersLeast = 16               // a text with less may be there by chance
	lettersMost  = 512              // so many tell enough
	entryMost    = 16 << 20         // bytes of one line of a transcript that are read at once
	recordMost   = 256 << 20        // of a record, from its end: what is looked for is new
	entryEarly   = 10 * time.Second // an entry that is older than that was there before the attempt
)

// longest gives the letters of the longest line: line breaks are what records
// write in most different ways.
func longest(text string) []byte {
	var most []byte
	for line := range strings.SplitSeq(text, "\n") {
		if l := lettersOf([]byte(line), false); len(l) > len(most) {
			most = l
		}
	}
	return most[:min(len(most), lettersMost)]
}

// inTranscript looks for a message in what an agent has on record: JSON of any
// shape, mostly an entry a line.
func (t trace) inTranscript(path string) Finding {
	if path == "" || !t.marked && len(t.letters) < lettersLeast {
		return Unknown
	}
	f, err := disk.Open(path)
	if err != nil {
		return Unknown
	}
	defer f.Close()
	size := f.Info().Size()
	if size == 0 {
		return Unknown
	}
	finding, from := Absent, max(0, size-recordMost)
	err = entries(io.NewSectionReader(f, from, recordMost), func(entry []byte) bool {
		switch {
		case t.marked && bytes.Contains(entry, []byte("["+t.id+"]")):
			finding = Found
		case !t.marked && bytes.Contains(lettersOf(entry, true), t.letters):
			switch at := entryTime(entry); {
			case at.IsZero(): // it may be another message of the same words
				finding = Unknown
			case at.After(t.at.Add(-entryEarly)):
				finding = Found
			}
		}
		return finding != Found
	})
	if (err != nil || from > 0) && finding == Absent { // what came before was not read
		return Unknown
	}
	return finding
}

// onScreen looks for the id in what was shown, wherever the screen has broken it.
func (t trace) onScreen(path string) bool {
	f, err := disk.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	from := max(0, f.Info().Size()-recordMost)
	found, before := false, []byte(nil)
	_ = entries(io.NewSectionReader(f, from, recordMost), func(line []byte) bool {
		before = append(before, lettersOf(line, false)...)
		found = bytes.Contains(before, []byte(t.id))
		before = append(before[:0:0], before[max(0, len(before)-len(t.id)):]...)
		return !found
	})
	return found
}

// entries reads line by line. A line that is too long comes in parts.
func entries(r io.Reader, do func(line []byte) (goOn bool)) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if errors.Is(err, bufio.ErrBufferFull) && len(line) < entryMost {
			continue
		}
		if len(line) > 0 && !do(line) {
			return nil
		}
		if line = line[:0]; err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

// timestamp is how entries tell when they were written.
var timestamp = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"(?:timestamp|time|ts|created_at|createdAt)"\s*:\s*"([^"]{10,40})"`)
})

// entryTime is when an entry was written; zero if it does not say.
func entryTime(entry []byte) time.Time {
	for _, found := range timestamp().FindAllSubmatch(entry, 8) {
		if at, err := time.Parse(time.RFC3339Nano, string(found[1])); err == nil {
			return at
		}
	}
	return time.Time{}
}

// lettersOf is what is left of a text without anything that is written in
// different ways: letters and digits. In JSON they may be escaped.
func lettersOf(text []byte, inJSON bool) []byte {
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		if inJSON && r == '\\' && len(text) > 1 {
			r, n = unescape(text)
		}
		text = text[n:]
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			out = utf8.AppendRune(out, r)
		}
	}
	return out
}

// unescape reads what a backslash in JSON stands for, as far as it is a letter.
func unescape(text []byte) (r rune, n int) {
	if text[1] != 'u' {
		return ' ', 2
	}
	r, ok := hex4(text)
	if !ok {
		return ' ', 2
	}
	if utf16.IsSurrogate(r) {
		if low, ok := hex4(text[6:]); ok {
			return utf16.DecodeRune(r, low), 12
		}
	}
	return r, 6
}

// hex4 reads \uXXXX.
func hex4(text []byte) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(n), err == nil
}
