package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/tmux"
)

func attachCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "attach [NAME]",
		Short: "Show a session that was started with hookway run --tmux",
		Long: `Show a session that was started with hookway run --tmux, in this terminal, and
type to it. Without a name it is the only one that runs. C-b d leaves it; it goes
on. If its program ends meanwhile, hookway's exit code is the program's.`,
		Example: "  hookway run --tmux -n Alice -- claude\n  hookway attach Alice",
		Args:    atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return attachSession(cmd.Context(), a, strings.Join(args, ""))
		},
	}
}

// attachSession shows a session that runs.
func attachSession(ctx context.Context, a *app, name string) error {
	server, _, err := tmuxServer(ctx, a)
	if err != nil {
		return err
	}
	all, err := server.List(ctx)
	if err != nil {
		return err
	}
	session, err := pick(all, name)
	if err != nil {
		return err
	}
	if !a.atTerminal() {
		return errors.New("there is no terminal here in which the session could be shown; call hookway attach where you can type")
	}
	view := &view{app: a, server: server, session: session}
	if current, inside := server.Inside(a.getenv("TMUX")); inside {
		return view.switchFrom(ctx, current)
	}
	if view.watch, err = tmux.Join(session.Link); err != nil {
		return fmt.Errorf("%s: %w", session.Name, err)
	}
	view.client(ctx)
	return view.end(ctx)
}

// pick finds the session of a name.
func pick(all []tmux.Session, name string) (tmux.Session, error) {
	var names []string
	for _, s := range all {
		if s.Name == tmux.Name(name) {
			return s, nil
		}
		names = append(names, s.Name)
	}
	switch {
	case len(all) == 0:
		return tmux.Session{}, errors.New("no session runs in tmux; start one with hookway run --tmux -- claude")
	case name == "" && len(all) == 1:
		return all[0], nil
	case name == "":
		return tmux.Session{}, fmt.Errorf("which session? name one of: %s", strings.Join(names, ", "))
	}
	return tmux.Session{}, fmt.Errorf("no session in tmux is named %q; there is: %s", name, strings.Join(names, ", "))
}

// view is a session as one user sees it.
type view struct {
	*app
	server  *tmux.Server
	session tmux.Session
	watch   *tmux.Watch
	output  io.Writer  // who gets what the program prints; nil: it is seen in tmux
	shown   chan error // nil: the session is not in this terminal; else it gives how the client has ended
	from    string     // the session of tmux that was shown here before
}

// begin shows a new session, and then has its program started: what that asks
// the terminal is answered by the user's.
func (v *view) begin(ctx context.Context, offer *tmux.Offer, start tmux.Start) (err error) {
	switch current, inside := v.server.Inside(v.getenv("TMUX")); {
	case !v.atTerminal():
		start.Follow, v.output = true, v.out
	case inside:
		v.from = current
		if err := v.server.Switch(ctx, current, v.session.ID); err != nil {
			return err
		}
	default:
		v.client(ctx)
		if err := v.await(ctx); err != nil {
			return err
		}
	}
	v.watch, err = offer.Hand(ctx, start)
	return err
}

// client shows the session in this terminal.
func (v *view) client(ctx context.Context) {
	cmd := v.server.Attach(ctx, v.session, os.Environ())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = v.in, v.out, os.Stderr
	v.shown = make(chan error, 1)
	go func() {
		runtime.LockOSThread() // the client ends with the thread that has started it
		defer runtime.UnlockOSThread()
		v.shown <- cmd.Run()
	}()
}

// await waits until the session is shown.
func (v *view) await(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	attached := make(chan error, 1)
	go func() { attached <- v.server.Attached(ctx, v.session) }()
	select {
	case err := <-attached:
		return err
	case err := <-v.shown:
		v.shown <- err
		if err == nil { // left at once
			return nil
		}
		return fmt.Errorf("tmux cannot use this terminal (TERM=%s)", v.getenv("TERM"))
	}
}

// end waits until the program has ended, or the user has left. Then hookway's exit
// code is the program's.
func (v *view) end(ctx context.Context) error {
	defer v.watch.Close()
	ended := make(chan error, 1)
	var end tmux.End
	go func() {
		var err error
		end, err = v.watch.End(v.output)
		ended <- err
	}()
	err, left := v.awaitEnd(ctx, ended)
	if left {
		return v.left(ctx, err)
	}
	lasting := context.WithoutCancel(ctx)
	if v.from != "" {
		_ = v.server.Switch(lasting, v.session.ID, v.from) // it may have ended too
	}
	v.server.Kill(lasting, v.session) // it is about to end; now the name is free, and the terminal the user's again
	if v.shown != nil {
		<-v.shown
	}
	if err != nil {
		return fmt.Errorf("%s: %w", v.session.Name, err)
	}
	if (v.shown != nil || v.from != "") && end.Screen != "" {
		fmt.Fprintln(v.out, plain(end.Screen)) // what hookway has said stands there too
	} else {
		fmt.Fprint(v.err, end.Notes)
	}
	if end.Cut {
		v.warn("a part of the output is missing here, because it was not taken for a minute")
	}
	if end.Code != 0 {
		return &exit{code: end.Code}
	}
	return nil
}

// awaitEnd waits for the end of the program, or until the user has left. Where no
// client of tmux runs, a signal to hookway is one for the session.
func (v *view) awaitEnd(ctx context.Context, ended <-chan error) (err error, left bool) {
	stops := make(chan os.Signal, 2)
	signal.Notify(stops, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(stops)
	if v.shown == nil && ctx.Err() != nil { // it came before
		_ = v.watch.Signal(syscall.SIGTERM)
	}
	shown := v.shown
	for {
		select {
		case err := <-ended:
			return err, false
		case err := <-shown:
			if v.server.Runs(context.WithoutCancel(ctx), v.session) {
				return err, true
			}
			v.shown <- err
			shown = nil
		case s := <-stops:
			if shown == nil {
				_ = v.watch.Signal(s.(syscall.Signal))
			}
		}
	}
}

// left tells a user who has left the session how to come back.
func (v *view) left(ctx context.Context, err error) error {
	back := fmt.Sprintf("%s goes on; come back with: hookway attach %[1]s", v.session.Name)
	var failed *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("ended by a signal; %s", back)
	case errors.As(err, &failed):
		return fmt.Errorf("tmux cannot use this terminal (TERM=%s); %s", v.getenv("TERM"), back)
	case err != nil:
		return fmt.Errorf("run tmux: %w; %s", err, back)
	}
	fmt.Fprintf(v.err, "hookway: %s\n", back)
	return nil
}

// switchFrom shows the session in place of the current one, of the same tmux.
func (v *view) switchFrom(ctx context.Context, current string) error {
	if current == v.session.ID {
		return fmt.Errorf("this is %s already", v.session.Name)
	}
	return v.server.Switch(ctx, current, v.session.ID)
}

// plain is text without what a terminal obeys.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' {
			return -1
		}
		return r
	}, text)
}
