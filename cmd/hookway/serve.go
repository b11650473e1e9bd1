package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/procgroup"
	"github.com/hookway/hookway/internal/server"
	"github.com/hookway/hookway/wire/call"
)

// softLimit is the memory beyond which the daemon collects garbage more eagerly:
// one large event makes several times its size of it.
const softLimit = 160 << 20

// serving is one call of hookway serve.
type serving struct {
	onDemand bool
	replace  bool
	idle     string
	listen   listenFlags
	unit     unitFlags
}

func serveCommand(a *app) *cobra.Command {
	var s serving
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the daemon that keeps hooks warm",
		Long: `Run the daemon that keeps hooks warm, in the foreground.

It need not be started: the first event of an agent does, and the daemon ends
after half an hour without a call. One runs per user. --install makes it a
service of the user's own systemd or launchd, which starts it at login.

Programs fire events at its socket over HTTP and gRPC. --listen lets them come in
elsewhere, too, with the token whose file --token names.`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if s.listen.token {
				return showToken(a)
			}
			if s.unit.wanted() {
				return manageUnit(cmd.Context(), a, s.unit, s.listen)
			}
			return runDaemon(cmd.Context(), a, s)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&s.onDemand, "on-demand", false, "started by a call: log to a file, and leave quietly if another daemon runs")
	flags.BoolVar(&s.replace, "replace", false, "end the daemon that runs, and take its place")
	flags.StringVar(&s.idle, "idle", "", "end after this `TIME` without a call; 0 is never (default 30m, or $HOOKWAY_IDLE)")
	s.listen.add(cmd)
	s.unit.add(cmd)
	return cmd
}

// runDaemon runs the daemon until it is asked to stop, or has had no call for its idle
// time.
func runDaemon(ctx context.Context, a *app, s serving) error {
	d := &server.Daemon{Home: a.home, OnDemand: s.onDemand}
	var wrong [2]error
	d.Idle, wrong[0] = idleTime(s.idle, a.getenv("HOOKWAY_IDLE"))
	d.Listeners, wrong[1] = a.home.PlanListeners(s.listen.addresses, s.listen.cert, s.listen.key) // while the folder is the one that was meant
	invalid := errors.Join(wrong[:]...)
	if invalid != nil && !s.onDemand {
		return invalid
	}
	ready := a.getenv(call.ReadyFD)
	if !s.onDemand { // else they are those of whichever agent made the first call
		d.Environ = os.Environ()
	}
	d.Executable, _ = os.Executable() // without it, a new version is not noticed
	closeLog, err := a.becomeDaemon(s.onDemand)
	if err != nil {
		return err
	}
	defer closeLog()
	if d.Places, err = call.Find(a.getenv); err != nil {
		return err
	}
	if invalid != nil { // hooks are to be answered all the same
		a.home.Log.Warn(invalid.Error())
	}
	defer procgroup.Keep()() // what kills the daemon kills its hooks
	ctx, stop := signal.NotifyContext(ctx, hangup...)
	defer stop()
	defer a.giveUp(ctx)()
	d.Ready = func() {
		daemon.CloseReady(ready)
		if !s.onDemand {
			a.warn("listening at %s (pid %d)", d.Places.Socket, os.Getpid())
		}
	}
	if s.replace {
		if err := endRunning(ctx, a); err != nil {
			return err
		}
	}
	err = d.Serve(ctx)
	if err != nil && s.onDemand {
		return a.notServed(ctx, d.Places, err)
	}
	if errors.Is(err, daemon.ErrReplaced) { // a service is to start the new one
		return &exit{code: daemon.ExitReplaced, err: err}
	}
	return err
}

// becomeDaemon makes of this process one that belongs to no session: its folder, its
// environment, its memory and its log.
func (a *app) becomeDaemon(onDemand bool) (closeLog func(), err error) {
	debug.SetGCPercent(200) // of little that is live; with 400 as many decisions leave a heap that is a third larger, full of holes
	if a.getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(softLimit)
	}
	if err := daemon.Settle(); err != nil {
		return nil, fmt.Errorf("the daemon cannot leave the folder it was started in: %w", err)
	}
	if !onDemand {
		return func() {}, nil
	}
	_, state, err := config.Places(a.getenv)
	if err != nil {
		return nil, err
	}
	file, err := daemon.OpenLog(state)
	if err != nil { // a full disk must not keep hooks from being answered
		a.home.Log = logline.Or(nil)
		return func() {}, nil
	}
	_ = debug.SetCrashOutput(file.File(), debug.CrashOptions{})
	a.home.Log = logline.New(file.Line)
	return func() { file.Close() }, nil
}

// overdue is how long a daemon has to end that was asked to.
const overdue = 10 * time.Second

// giveUp ends the process if the daemon does not end after its context, until done is
// called: whatever it waits for, it need not be killed.
func (a *app) giveUp(ctx context.Context) (done func()) {
	ended := make(chan struct{})
	context.AfterFunc(ctx, func() {
		select {
		case <-ended:
		case <-time.After(overdue):
			a.home.Log.Warn("the daemon did not come to its end; it gives up")
			os.Exit(exitFailure)
		}
	})
	return func() { close(ended) }
}

// notServed is the end of a daemon that a call has started, and that did not serve.
func (a *app) notServed(ctx context.Context, at call.Places, err error) error {
	var running *daemon.RunningError
	if errors.As(err, &running) {
		a.warn("%v", err)
		return daemon.AwaitAccepting(ctx, at.Socket) // who started this one wants to call
	}
	a.home.Log.Warn(err.Error())
	return err
}

// endRunning ends the daemon that runs, if one does.
func endRunning(ctx context.Context, a *app) error {
	ended, err := stopDaemon(ctx, a)
	switch {
	case errors.Is(err, daemon.ErrNone):
		return nil
	case err == nil && ended.How != daemon.Asked:
		a.warn("%s", howEnded(ended))
	}
	return err
}

// idleTime reads how long the daemon stays without calls.
func idleTime(flag, variable string) (time.Duration, error) {
	name, text := "--idle", flag
	if text == "" {
		name, text = "HOOKWAY_IDLE", variable
	}
	switch text {
	case "":
		return daemon.DefaultIdle, nil
	case "0":
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return daemon.DefaultIdle, fmt.Errorf("invalid %s %q: want a duration such as 30m or 2h, or 0 for never", name, text)
	}
	return d, nil
}

// listenFlags say where else the daemon listens.
type listenFlags struct {
	addresses []string
	cert, key string
	token     bool
}

func (f *listenFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.addresses, "listen", nil, "answer HTTP and gRPC at `ADDRESS`, too: 127.0.0.1:PORT, unix:///PATH or vsock://:PORT (or $HOOKWAY_LISTEN)")
	flags.StringVar(&f.cert, "tls-cert", "", "the certificate for --listen, a `FILE` in PEM; with it, other machines may come in")
	flags.StringVar(&f.key, "tls-key", "", "its key, a `FILE` in PEM")
	flags.BoolVar(&f.token, "token", false, "print the file with the token that --listen asks for, and leave")
	cmd.MarkFlagsRequiredTogether("tls-cert", "tls-key")
}

// arguments are the flags as a service is started with: its folder is another one,
// so paths are whole.
func (f *listenFlags) arguments() (list []string, err error) {
	for _, address := range f.addresses {
		list = append(list, "--listen", address)
	}
	if f.cert == "" {
		return list, nil
	}
	cert, err1 := filepath.Abs(f.cert)
	key, err2 := filepath.Abs(f.key)
	return append(list, "--tls-cert", cert, "--tls-key", key), errors.Join(err1, err2)
}

// showToken prints where the token is. The token itself is for that file alone.
func showToken(a *app) error {
	_, state, err := config.Places(a.getenv)
	if err != nil {
		return err
	}
	if _, err := api.Token(state); err != nil {
		return err
	}
	fmt.Fprintln(a.out, api.TokenFile(state))
	return nil
}
