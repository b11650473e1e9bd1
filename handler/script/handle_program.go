package script

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/hookway/hookway/hook"
	variables "github.com/hookway/hookway/internal/environ"
	"github.com/hookway/hookway/wire"
)

// maxProgramOutput bounds what a program prints for one event, on each stream.
const maxProgramOutput = 2 << 20

// program asks a script that is written as a program: it reads the event, prints
// and ends, as a command does.
func (h *Handler) program(ctx context.Context, ev hook.AnyEvent, event string) (hook.Decision, error) {
	out, errs := &capped{most: maxProgramOutput}, &capped{most: maxProgramOutput}
	ctx = context.WithValue(ctx, headKey{}, ev.Head())
	env := environIn(ctx, h.p)
	project := h.p.c.Root
	env = append(append(env[:len(env):len(env)], variables.Added(ctx)...), "HOOKWAY_PROJECT_DIR="+project, "CLAUDE_PROJECT_DIR="+project)
	code, err := h.p.Run(ctx, Run{Environ: env, Stdin: bytes.NewReader([]byte(event)), Stdout: out, Stderr: errs})
	switch {
	case err != nil && ctx.Err() != nil:
		return hook.Decision{}, ctx.Err()
	case err != nil:
		return hook.Decision{}, err
	case out.over:
		return hook.Decision{}, fmt.Errorf("%s: it wrote more than %d MiB to stdout; an answer is one JSON object, logs belong on stderr", h.p.label(), maxProgramOutput>>20)
	}
	d, err := wire.ExitDecision(ev, wire.Answer{
		Stdout: out.Bytes(), Stderr: errs.Bytes(), ExitCode: code, Profile: h.o.Profile, TextPasses: h.o.TextPasses, Warn: h.warn,
	})
	if err != nil {
		err = fmt.Errorf("%s: %w", h.p.label(), err)
	}
	if code == 0 || errors.Is(err, ErrClosed) {
		for line := range bytes.Lines(errs.Bytes()) {
			if text := hook.LogLine(string(line)); text != "" {
				h.warn(text)
			}
		}
	}
	return d, err
}

// errNoEvents is the error of a program that was named without the events that it is for.
var errNoEvents = errors.New("it is written as a program, which reads an event on stdin: name it under script: in hookway.yaml, with the events under on")
