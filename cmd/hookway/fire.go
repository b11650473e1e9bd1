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
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/wire"
)

// observerPatience is how long fire waits for the hooks of the observe lane
// after it has printed the outcome: whoever tests one wants to see it end.
const observerPatience = hook.DefaultTimeout + closeGrace

// maxEvent bounds what is read as an event.
const maxEvent = wire.MaxSize

func (a *app) fireCommand() *cobra.Command {
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
			return a.fire(cmd.Context(), args[0], file, f)
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

func (a *app) fire(ctx context.Context, name, file string, f fireOptions) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP) // hooks' processes end with us
	defer stop()
	data, err := a.payload(ctx, file)
	if err != nil {
		return err
	}
	open := a.open
	if f.dry {
		open = a.look
	}
	w, err := open(ctx, a.options())
	if err != nil {
		return err
	}
	var observers map[string]bool
	if f.dry {
		if observers, err = w.rehearse(); err != nil {
			return errors.Join(err, w.close())
		}
	}
	record, recorded := recorder(nowhere), func() {}
	if !f.dry {
		record, recorded = a.recorder(w, func(line string) { a.warn("%s", line) })
	}
	defer recorded()
	out, err := w.fire(ctx, name, data, a.envelope(f), f.dry, record)
	if err != nil {
		return errors.Join(err, w.close())
	}
	for i, step := range out.Steps {
		if observers[step.Hook] {
			out.Steps[i].Lane = hook.Observe
		}
	}
	text, err := wire.EncodeOutcome(out)
	if err != nil {
		return errors.Join(err, w.close())
	}
	if err := a.printJSON(text); err != nil {
		return errors.Join(err, w.close())
	}
	waiting, cancel := context.WithTimeout(ctx, observerPatience)
	defer cancel()
	if err := w.engine.Close(waiting); err != nil {
		a.warn("hooks of the observe lane are still running, and are ended: %v", err)
	}
	if err := w.close(); err != nil {
		a.warn("%v", err)
	}
	if out.Action == hook.ActionBlock {
		return &exit{code: exitBlocked}
	}
	return nil
}

// envelope is what an event has that does not say more itself.
func (a *app) envelope(f fireOptions) hook.Envelope {
	env := hook.Envelope{Session: f.session, Agent: f.agent, Source: "cli", CWD: a.cwd()}
	if env.Session == "" {
		env.Session = a.getenv("HOOKWAY_SESSION")
	}
	if env.Agent == "" {
		env.Agent = a.getenv("HOOKWAY_AGENT")
	}
	return env
}

// fire decodes an event, fires it and puts the outcome on record.
func (w *workspace) fire(ctx context.Context, name string, data []byte, otherwise hook.Envelope, dry bool, record recorder) (hook.Outcome[any], error) {
	info, err := w.engine.Lookup(name)
	if err != nil {
		return hook.Outcome[any]{}, err
	}
	err = wire.Bounded(data)
	var ev hook.AnyEvent
	if err == nil {
		ev, err = wire.NewEvent(info, data)
	}
	if err == nil {
		err = hook.Check(ev)
	}
	if err != nil {
		return hook.Outcome[any]{}, fmt.Errorf("the payload of %s: %w", info.Name, err)
	}
	if ev, err = info.New(complete(*ev.Head(), otherwise), ev.Body()); err != nil {
		return hook.Outcome[any]{}, err
	}
	began := time.Now()
	out, err := w.engine.Fire(ctx, ev)
	if err == nil && !dry {
		judge.Caution(w.set, ev, &out)
	}
	record(ev, out, time.Since(began), err)
	return out, err
}

// complete fills in what an envelope lacks.
func complete(env, otherwise hook.Envelope) hook.Envelope {
	for _, f := range []struct{ to, from *string }{
		{&env.Session, &otherwise.Session}, {&env.Agent, &otherwise.Agent},
		{&env.Source, &otherwise.Source}, {&env.CWD, &otherwise.CWD},
	} {
		if *f.to == "" {
			*f.to = *f.from
		}
	}
	return env
}

// rehearse puts hooks without an opinion in place of all, so that firing shows
// who would be asked. Observers are asked like guards, to be among the steps;
// their ids are given back.
func (w *workspace) rehearse() (observers map[string]bool, err error) {
	observers = map[string]bool{}
	for _, h := range w.engine.All() {
		h.Handler = hook.Static{}
		if h.Lane == hook.Observe {
			h.Lane, observers[h.ID] = hook.Guard, true
		}
		if _, err := w.engine.Replace(h); err != nil {
			return nil, err
		}
	}
	return observers, nil
}

// payload reads the event's payload. "" is an empty one, unless stdin is a file.
func (a *app) payload(ctx context.Context, file string) ([]byte, error) {
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
	go func() { // ends with the process if nobody writes
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
// closed stdin and /dev/null are no input.
func hasInput(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && (info.Mode().IsRegular() || info.Mode()&os.ModeNamedPipe != 0)
}

// pipePatience is how long a pipe that nobody asked to be read may stay silent:
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
