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
	place := ""
	for line := range strings.Lines(trace) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if place == "" {
			place, _, _ = strings.Cut(strings.TrimPrefix(line, "."), "(")
			if number, ok := strings.CutPrefix(place, "$"); ok { // the module has no names
				place = "function " + number
			}
			continue
		}
		if strings.HasPrefix(line, "0x") { // debug information names the source
			if _, file, ok := strings.Cut(line, ": "); ok {
				place += " (" + file + ")"
			}
		}
		break
	}
	what = strings.Replace(what, "wasm error: ", "it trapped: ", 1)
	return fmt.Errorf("%s in %s%s", firstLine(what), place, said)
}
