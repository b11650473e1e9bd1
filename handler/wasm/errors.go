package wasm

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero/sys"
)

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

func cut(variable string) (name, value string) {
	name, value, _ = strings.Cut(variable, "=")
	return name, value
}

// explain says on one line what became of a call: what trapped and where, or how
// the guest ended itself, with the first that it said about it.
func (i *instance) explain(err error) error {
	said := ""
	if i.err.first != "" {
		said = ": " + i.err.first
	}
	if exit, ok := errors.AsType[*sys.ExitError](err); ok {
		return fmt.Errorf("it ended itself with code %d in place of an answer%s", exit.ExitCode(), said)
	}
	text := err.Error()
	what, trace, trapped := strings.Cut(text, "\nwasm stack trace:")
	if !trapped {
		return err
	}
	what = strings.TrimSuffix(firstLine(strings.Replace(what, "wasm error: ", "it trapped: ", 1)), " (recovered by wazero)")
	frames := strings.Split(strings.TrimSpace(trace), "\n")
	if i.room != nil && int32(i.room.Get()) < 0 {
		what = "it trapped: stack overflow"
		frames = frames[min(1, len(frames)-1):] // the first one is hookway's own
	}
	place, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(frames[0]), "."), "(")
	if number, ok := strings.CutPrefix(place, "$"); ok { // the module has no names
		place = "function " + number
	}
	return fmt.Errorf("%s in %s%s", what, place, said)
}
