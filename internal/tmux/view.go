package tmux

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/hookway/hookway/internal/visible"
)

// View is a session as one user sees it.
type View struct {
	Server   *Server
	Session  Session
	In       *os.File
	Out, Err io.Writer
	Getenv   func(string) string
	Terminal bool // In and Out are a terminal, where the user can see and type

	watch  *Watch
	output io.Writer  // who gets what the program prints; nil: it is seen in tmux
	shown  chan error // nil: the session is not in this terminal; else it gives how the client has ended
	from   string     // the session of tmux that was shown here before
}

// Run shows a new session, has its program started, and waits until that has ended or
// the user has left. What the program asks the terminal is answered by the user's. code is
// the program's exit code.
func (v *View) Run(ctx context.Context, offer *Offer, start Start) (code int, err error) {
	if err := v.begin(ctx, offer, start); err != nil {
		v.Server.Kill(context.WithoutCancel(ctx), v.Session)
		if v.shown != nil {
			<-v.shown // the terminal is the user's again
		}
		return 0, err
	}
	return v.end(ctx)
}

// Attach shows a session that runs, as Run does.
func (v *View) Attach(ctx context.Context) (code int, err error) {
	if !v.Terminal {
		return 0, errors.New("there is no terminal here in which the session could be shown; call hookway attach where you can type")
	}
	if current, inside := v.Server.Inside(v.Getenv("TMUX")); inside {
		return 0, v.switchFrom(ctx, current)
	}
	if v.watch, err = Join(v.Session.Link); err != nil {
		return 0, fmt.Errorf("%s: %w", v.Session.Name, err)
	}
	v.client(ctx)
	return v.end(ctx)
}

func (v *View) begin(ctx context.Context, offer *Offer, start Start) (err error) {
	switch current, inside := v.Server.Inside(v.Getenv("TMUX")); {
	case !v.Terminal:
		start.Follow, v.output = true, v.Out
	case inside:
		v.from = current
		if err := v.Server.Switch(ctx, current, v.Session.ID); err != nil {
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
func (v *View) client(ctx context.Context) {
	cmd := v.Server.Attach(ctx, v.Session, os.Environ())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = v.In, v.Out, os.Stderr
	v.shown = make(chan error, 1)
	go func() {
		runtime.LockOSThread() // the client ends with the thread that has started it
		defer runtime.UnlockOSThread()
		v.shown <- cmd.Run()
	}()
}

// await waits until the session is shown.
func (v *View) await(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	attached := make(chan error, 1)
	go func() { attached <- v.Server.Attached(ctx, v.Session) }()
	select {
	case err := <-attached:
		return err
	case err := <-v.shown:
		v.shown <- err
		if err == nil { // left at once
			return nil
		}
		return fmt.Errorf("tmux cannot use this terminal (TERM=%s)", v.Getenv("TERM"))
	}
}

// end waits until the program has ended, or the user has left.
func (v *View) end(ctx context.Context) (code int, err error) {
	defer v.watch.Close()
	ended := make(chan error, 1)
	var end End
	go func() {
		var err error
		end, err = v.watch.End(v.output)
		ended <- err
	}()
	err, left := v.awaitEnd(ctx, ended)
	if left {
		return 0, v.left(ctx, err)
	}
	lasting := context.WithoutCancel(ctx)
	if v.from != "" {
		_ = v.Server.Switch(lasting, v.Session.ID, v.from) // it may have ended too
	}
	v.Server.Kill(lasting, v.Session) // it is about to end; now the name is free, and the terminal the user's again
	if v.shown != nil {
		<-v.shown
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %w", v.Session.Name, err)
	}
	if (v.shown != nil || v.from != "") && end.Screen != "" {
		fmt.Fprintln(v.Out, visible.Strip(end.Screen)) // what hookway has said stands there too
	} else {
		fmt.Fprint(v.Err, end.Notes)
	}
	if end.Cut {
		fmt.Fprintln(v.Err, "hookway: a part of the output is missing here, because it was not taken for a minute")
	}
	return end.Code, nil
}

// awaitEnd waits for the end of the program, or until the user has left. Where no
// client of tmux runs, a signal to hookway is one for the session.
func (v *View) awaitEnd(ctx context.Context, ended <-chan error) (err error, left bool) {
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
			if v.Server.Runs(context.WithoutCancel(ctx), v.Session) {
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
func (v *View) left(ctx context.Context, err error) error {
	back := fmt.Sprintf("%s goes on; come back with: hookway attach %[1]s", v.Session.Name)
	var failed *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("ended by a signal; %s", back)
	case errors.As(err, &failed):
		return fmt.Errorf("tmux cannot use this terminal (TERM=%s); %s", v.Getenv("TERM"), back)
	case err != nil:
		return fmt.Errorf("run tmux: %w; %s", err, back)
	}
	fmt.Fprintf(v.Err, "hookway: %s\n", back)
	return nil
}

// switchFrom shows the session in place of the current one, of the same
func (v *View) switchFrom(ctx context.Context, current string) error {
	if current == v.Session.ID {
		return fmt.Errorf("this is %s already", v.Session.Name)
	}
	return v.Server.Switch(ctx, current, v.Session.ID)
}

// Pick finds the session of a name; "" is the only one.
func Pick(all []Session, name string) (Session, error) {
	var names []string
	for _, s := range all {
		if s.Name == Name(name) {
			return s, nil
		}
		names = append(names, s.Name)
	}
	switch {
	case len(all) == 0:
		return Session{}, errors.New("no session runs in tmux; start one with hookway run --tmux -- claude")
	case name == "" && len(all) == 1:
		return all[0], nil
	case name == "":
		return Session{}, fmt.Errorf("which session? name one of: %s", strings.Join(names, ", "))
	}
	return Session{}, fmt.Errorf("no session in tmux is named %q; there is: %s", name, strings.Join(names, ", "))
}

// Enter goes to where the user was, with the user's environment.
func (start *Start) Enter() error {
	env := slices.DeleteFunc(start.Env, func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains(ofTerminal, name) || name == "COLUMNS" || name == "LINES"
	})
	for _, name := range ofTerminal {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	os.Clearenv()
	for _, pair := range env {
		name, value, _ := strings.Cut(pair, "=")
		_ = os.Setenv(name, value) // a name that cannot be set was none
	}
	if err := os.Chdir(start.Dir); err != nil {
		return fmt.Errorf("the session in tmux cannot start there: %w", err)
	}
	return nil
}

// ofTerminal are the variables that tmux sets for a program in it.
var ofTerminal = []string{"TERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TMUX", "TMUX_PANE"}
