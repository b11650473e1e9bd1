package command

import (
	"bytes"
	"fmt"
	"os"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/wire"
)

// decide reads the answer of a program that ran to its end.
func (h *Handler) decide(ev hook.AnyEvent, r result) (hook.Decision, error) {
	if r.state == nil {
		return hook.Decision{Note: "it goes on in the background"}, nil
	}
	d, err := wire.ExitDecision(ev, wire.Answer{
		Stdout: r.stdout, Stderr: r.stderr, ExitCode: r.state.ExitCode(), Profile: h.c.Profile, TextPasses: h.c.TextPasses, Warn: h.warn,
	})
	switch {
	case err == nil:
		if r.state.Success() { // otherwise stderr was the reason
			h.c.logLines(r.stderr)
		}
		return d, nil
	case r.state.Success(): // what is wrong is the answer, which the error shows
		h.c.logLines(r.stderr)
		return d, err
	}
	if _, _, killed := signalOf(r.state); killed {
		return d, failure(r)
	}
	return d, err
}

// decode reads the answer of a worker.
func (h *Handler) decode(ev hook.AnyEvent, data []byte) (hook.Decision, error) {
	return wire.ExitDecision(ev, wire.Answer{Stdout: data, Profile: h.c.Profile, Warn: h.warn})
}

func (h *Handler) warn(line string) { h.c.log(h.c.label() + ": " + line) }

// failure is the error of a program that ended in a way that is not an answer.
func failure(r result) error {
	how := describeEnd(r.state)
	switch r.state.ExitCode() {
	case 126:
		how += ", which shells use for a program that may not be executed; run chmod +x on it"
	case 127:
		how += ", which shells use for a program that is not there; install it or correct its name"
	}
	if said := hook.LogLine(string(r.stderr)); said != "" {
		return fmt.Errorf("it failed with %s: %s", how, said)
	}
	return fmt.Errorf("it failed with %s and said nothing on stderr", how)
}

// describeEnd says how a process ended.
func describeEnd(state *os.ProcessState) string {
	if number, name, ok := signalOf(state); ok {
		return fmt.Sprintf("signal %d (%s)", number, name)
	}
	return fmt.Sprintf("exit status %d", state.ExitCode())
}

// firstLine is the beginning of what a program printed, fit for an error.
func firstLine(data []byte) string {
	line, _, _ := bytes.Cut(bytes.TrimSpace(data), []byte("\n"))
	return quoted(line)
}
