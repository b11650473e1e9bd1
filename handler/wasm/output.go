package wasm

import (
	"bytes"
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
	over    func() error // why the guest is not to print any more
	partial []byte
	lines   int
	first   string // line of the call
}

// Write takes what the guest prints. A guest whose log is full is no worse a
// guest, so it fails only when the call is over: one call of WASI may hand over
// 64 MiB a million times.
func (o *output) Write(p []byte) (int, error) {
	if err := o.over(); err != nil {
		return 0, err
	}
	for rest := p; len(rest) > 0 && o.lines <= maxLines; {
		line, after, ended := bytes.Cut(rest, []byte{'\n'})
		o.partial = append(o.partial, line[:min(len(line), maxLine-len(o.partial))]...)
		if ended {
			o.line()
		}
		rest = after
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
