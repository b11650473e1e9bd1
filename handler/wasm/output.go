package wasm

import (
	"strings"

	"github.com/hookway/hookway/hook"
)

// Bounds of what a guest prints.
const (
	maxLine  = 4096
	maxLines = 200 // of one call
)

// output turns what a guest prints into lines of the log.
type output struct {
	log     func(line string)
	partial []byte
	lines   int
	first   string // line of the call
}

// Write takes what the guest prints. It never fails: a guest whose log is full is
// no worse a guest.
func (o *output) Write(p []byte) (int, error) {
	for _, b := range p {
		if b == '\n' {
			o.line()
		} else if len(o.partial) < maxLine {
			o.partial = append(o.partial, b)
		}
	}
	return len(p), nil
}

func (o *output) line() {
	text := hook.LogLine(string(o.partial))
	o.partial = o.partial[:0]
	if o.first == "" {
		o.first = strings.TrimSpace(text)
	}
	switch o.lines++; {
	case o.lines < maxLines:
		o.log(text)
	case o.lines == maxLines:
		o.log("it prints more than this; the rest of this event is left out")
	}
}

// flush ends the call.
func (o *output) flush() {
	if len(o.partial) > 0 {
		o.line()
	}
	o.lines = 0
}
