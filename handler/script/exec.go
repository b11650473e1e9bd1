package script

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/environ"
)

// Bounds of a program that a script runs.
const (
	execGrace   = 2 * time.Second // between SIGTERM and SIGKILL
	maxExecuted = 8 << 20         // bytes of stdout, and of stderr
)

// line is what exec is asked for.
type line struct {
	CWD     string            `json:"cwd"`
	Env     map[string]string `json:"env"`
	Timeout float64           `json:"timeout"`
	Input   string            `json:"input"`
}

// execute runs a line of the system's shell in a process group of its own.
func execute(ctx context.Context, p *Program, args json.RawMessage) (any, error) {
	if err := p.need(Exec, "exec"); err != nil {
		return nil, err
	}
	list := texts(args)
	command, how := str(list, 0), line{}
	if len(list) > 1 {
		if err := json.Unmarshal(list[1], &how); err != nil {
			return nil, fmt.Errorf("exec: its options cannot be read: %w", err)
		}
	}
	if how.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(how.Timeout*float64(time.Millisecond)))
		defer cancel()
	}
	out, errs := &capped{}, &capped{}
	cmd := shell(ctx, command)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = how.CWD, strings.NewReader(how.Input), out, errs
	if cmd.Dir == "" {
		cmd.Dir = p.workDir(ctx)
	}
	cmd.Env = p.execEnv(ctx, how.Env)
	err := runGroup(cmd)
	if errors.Is(err, exec.ErrWaitDelay) { // it left a program behind, which is ended with its group
		err = nil
	}
	said := map[string]any{"stdout": out.String(), "stderr": errs.String(), "cmd": command}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case out.over || errs.over:
		return nil, &scriptError{Message: fmt.Sprintf("%s printed more than %d MiB", command, maxExecuted>>20), More: said}
	case errors.As(err, &exit):
		said["code"] = exit.ExitCode()
		text := fmt.Sprintf("%s failed with exit code %d", command, exit.ExitCode())
		if last := strings.TrimSpace(errs.String()); last != "" {
			text += ": " + last[strings.LastIndexByte(last, '\n')+1:]
		}
		return nil, &scriptError{Message: text, More: said}
	case err != nil:
		return nil, fmt.Errorf("%s cannot be run: %w", command, err)
	}
	said["code"] = 0
	return said, nil
}

// execEnv is the environment of the event that is handled, with more.
func (p *Program) execEnv(ctx context.Context, more map[string]string) []string {
	env := slices.Clone(environIn(ctx, p))
	depth, _ := environ.Lookup(env, environ.DepthVariable)
	env = append(env, environ.Added(ctx)...)
	for name, value := range more {
		env = append(env, name+"="+value)
	}
	return append(env, environ.Deeper(environ.Depth(depth))) // last: hooks that fire events in a circle are counted
}

// capped keeps what a program prints, up to a bound.
type capped struct {
	bytes.Buffer
	most int // 0: maxExecuted
	over bool
}

// Write takes everything, and keeps what there is room for.
func (c *capped) Write(p []byte) (int, error) {
	most := maxExecuted
	if c.most > 0 {
		most = min(most, c.most)
	}
	if room := most - c.Len(); len(p) > room {
		c.over = true
		c.Buffer.Write(p[:room])
		return len(p), nil
	}
	return c.Buffer.Write(p)
}

// runGroup runs a program to its end, and ends what is left of its group.
func runGroup(cmd *exec.Cmd) error {
	finish, err := startInGroup(cmd)
	if err != nil {
		return err
	}
	return finish()
}

// startGroup starts a program that tells of itself; what it gives waits for its end.
func startGroup(cmd *exec.Cmd) (func() (int, string), error) {
	finish, err := startInGroup(cmd)
	if err != nil {
		return nil, err
	}
	return func() (int, string) {
		_ = finish() // its state says the same
		return cmd.ProcessState.ExitCode(), signalOf(cmd.ProcessState)
	}, nil
}
