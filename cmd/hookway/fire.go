package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/server"
	"github.com/hookway/hookway/wire"
)

// observerPatience is how long fire waits for the hooks of the observe lane
// after it has printed the outcome: who tests one wants to see it end.
const observerPatience = hook.DefaultTimeout + server.CloseGrace

// maxEvent bounds what is read as an event.
const maxEvent = wire.MaxSize

func fireCommand(a *app) *cobra.Command {
	var file string
	var f fireOptions
	cmd := &cobra.Command{
		Use:   "fire EVENT [-f FILE | -]",
		Short: "Fire an event and print the outcome as JSON",
		Long: `Fire an event at the hooks of this workspace and print the outcome as JSON.

The payload is a JSON object: what an agent gives its hooks, or the payload's
fields alone. It is read from FILE, from stdin with -, or is empty. The exit
code is 2 if the outcome is a block. Where hooks that you trusted do not run,
because a file has mistakes or was changed, an outcome that would let a tool run
is to ask, as it is under an agent.`,
		Example: `  echo '{"tool_name":"Bash","tool_input":{"command":"rm -rf /"}}' | hookway fire PreToolUse -
  hookway fire SessionStart
  hookway fire pre_tool_use -f event.json --dry-run`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 && args[1] == "-" && file == "" {
				file = "-"
				return nil
			}
			return exactly("EVENT")(cmd, args)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return eventNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return fireEvent(cmd.Context(), a, args[0], file, f)
		},
	}
	cmd.Flags().StringVarP(&file, "file", "f", "", "read the payload from `FILE`; - is stdin")
	cmd.Flags().BoolVar(&f.dry, "dry-run", false, "show which hooks would run, and run none")
	cmd.Flags().StringVar(&f.session, "session", "", "the event's session `ID`, if its payload has none")
	cmd.Flags().StringVar(&f.agent, "agent", "", "the event's agent `NAME`, if its payload has none")
	return cmd
}

type fireOptions struct {
	dry            bool
	session, agent string
}

func fireEvent(ctx context.Context, a *app, name, file string, f fireOptions) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP) // hooks' processes end with us
	defer stop()
	data, err := readPayload(ctx, a, file)
	if err != nil {
		return err
	}
	open := a.home.Open
	if f.dry {
		open = a.home.Look
	}
	w, err := open(ctx, a.home.Options())
	if err != nil {
		return err
	}
	var observers map[string]bool
	if f.dry {
		if observers, err = w.Rehearse(); err != nil {
			return errors.Join(err, w.Close())
		}
	}
	record, recorded := server.Recorder(server.Unrecorded), func() {}
	if !f.dry {
		record, recorded = a.home.Recorder(w, a.home.Log)
	}
	defer recorded()
	out, err := w.Fire(ctx, name, data, envelopeOf(a, f), f.dry, record)
	if err != nil {
		return errors.Join(err, w.Close())
	}
	for i, step := range out.Steps {
		if observers[step.Hook] {
			out.Steps[i].Lane = hook.Observe
		}
	}
	text, err := wire.EncodeOutcome(out)
	if err != nil {
		return errors.Join(err, w.Close())
	}
	if err := a.printJSON(text); err != nil {
		return errors.Join(err, w.Close())
	}
	waiting, cancel := context.WithTimeout(ctx, observerPatience)
	defer cancel()
	if err := w.Engine.Close(waiting); err != nil {
		a.warn("hooks of the observe lane are still running, and are ended: %v", err)
	}
	if err := w.Close(); err != nil {
		a.warn("%v", err)
	}
	if out.Action == hook.ActionBlock {
		return &exit{code: exitBlocked}
	}
	return nil
}

// envelopeOf is what an event has that does not say more itself.
func envelopeOf(a *app, f fireOptions) hook.Envelope {
	env := hook.Envelope{Session: f.session, Agent: f.agent, Source: "cli", CWD: server.Cwd()}
	if env.Session == "" {
		env.Session = a.getenv("HOOKWAY_SESSION")
	}
	if env.Agent == "" {
		env.Agent = a.getenv("HOOKWAY_AGENT")
	}
	return env
}

// readPayload reads the event's payload. "" is an empty one, unless stdin is a file.
func readPayload(ctx context.Context, a *app, file string) ([]byte, error) {
	from := a.in
	switch {
	case file == "" && !hasInput(from):
		return []byte("{}"), nil
	case file != "" && file != "-":
		f, err := openWithin(ctx, file)
		if err != nil {
			return nil, fmt.Errorf("the payload cannot be read: %w", err)
		}
		defer f.Close()
		from = f
	}
	data, err := readAll(ctx, from, file == "")
	if err != nil {
		return nil, fmt.Errorf("the payload cannot be read: %w", err)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return []byte("{}"), nil
	}
	return data, nil
}

// openWithin opens a file, until the context ends: a named pipe opens when
// somebody writes to it.
func openWithin(ctx context.Context, file string) (*os.File, error) {
	type result struct {
		f   *os.File
		err error
	}
	done := make(chan result, 1)
	go func() { // ends with the process if nothing is written
		f, err := os.Open(file)
		done <- result{f, err}
	}()
	select {
	case r := <-done:
		return r.f, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// hasInput reports whether stdin was given: a file, or a pipe. A terminal, a
// closed stdin and /dev/null are not input.
func hasInput(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && (info.Mode().IsRegular() || info.Mode()&os.ModeNamedPipe != 0)
}

// pipePatience is how long a pipe that is read without being asked for may stay silent:
// programs are often started with a stdin that never says anything nor ends.
const pipePatience = 3 * time.Second

// readAll reads everything, until the context ends. If unasked, it does not wait
// for a pipe that stays silent.
func readAll(ctx context.Context, f *os.File, unasked bool) ([]byte, error) {
	type result struct {
		data []byte
		err  error
	}
	begun, done := make(chan struct{}), make(chan result, 1)
	go func() { // ends with the process if nothing comes
		in := bufio.NewReader(io.LimitReader(f, maxEvent+1))
		_, _ = in.Peek(1)
		close(begun)
		data, err := io.ReadAll(in)
		done <- result{data, err}
	}()
	patience := make(<-chan time.Time)
	if unasked {
		patience = time.After(pipePatience)
	}
	for {
		select {
		case r := <-done:
			return r.data, r.err
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-patience:
			select {
			case <-begun:
				patience = nil
			default:
				return nil, errors.New("stdin is a pipe that stays silent; say - to wait for it, -f FILE, or </dev/null for an empty payload")
			}
		}
	}
}

func eventNames() []string {
	var names []string
	for _, info := range hook.Events() {
		names = append(names, info.Name)
	}
	return names
}
