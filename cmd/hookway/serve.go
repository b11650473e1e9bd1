package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/procgroup"
	"github.com/hookway/hookway/internal/server"
	"github.com/hookway/hookway/internal/visible"
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
	daemon.Pace()
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

// unitFlags ask for the daemon as a service of the user's own.
type unitFlags struct{ install, uninstall, now, dryRun bool }

func (f *unitFlags) wanted() bool { return f.install || f.uninstall }

func (f *unitFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.install, "install", false, "make the daemon a service that starts at login")
	flags.BoolVar(&f.uninstall, "uninstall", false, "take the service back")
	flags.BoolVar(&f.now, "now", false, "with --install or --uninstall: start or stop it at once")
	flags.BoolVar(&f.dryRun, "dry-run", false, "with --install or --uninstall: show what would be done")
	cmd.MarkFlagsMutuallyExclusive("install", "uninstall")
}

// manageUnit writes or removes the daemon's service.
func manageUnit(ctx context.Context, a *app, f unitFlags, listen listenFlags) error {
	if _, err := a.home.PlanListeners(listen.addresses, listen.cert, listen.key); err != nil {
		return err
	}
	arguments, err := listen.arguments()
	if err != nil {
		return err
	}
	executable, err := os.Executable()
	if err != nil {
		return fmt.Errorf("the path of hookway itself is unknown: %w", err)
	}
	unit, err := daemon.UnitFor(runtime.GOOS, executable, arguments, a.getenv)
	if err != nil {
		return err
	}
	if f.install {
		return installUnit(ctx, a, unit, f)
	}
	return uninstallUnit(ctx, a, unit, f)
}

// unitReport is what --json prints of a service. Commands are those of --now.
type unitReport struct {
	File     string     `json:"file"`
	Text     string     `json:"text,omitempty"` // "": the file is removed
	Changed  bool       `json:"changed"`        // what --dry-run never does
	Commands [][]string `json:"commands"`
}

func installUnit(ctx context.Context, a *app, unit daemon.Unit, f unitFlags) error {
	out := visible.Writer{To: a.out}
	if f.dryRun && a.json {
		return a.print(unitReport{File: unit.Path, Text: unit.Text, Commands: unit.Enable})
	}
	if f.dryRun {
		fmt.Fprintf(out, "Would write %s:\n\n%s", unit.Path, unit.Text)
		sayCommands(a, "\nThen, with --now:", unit.Enable, f.now)
		return nil
	}
	changed, err := unit.Install()
	switch {
	case err != nil:
		return fmt.Errorf("the service cannot be written: %w", err)
	case a.json:
		err = a.print(unitReport{File: unit.Path, Text: unit.Text, Changed: changed, Commands: unit.Enable})
		if f.now {
			err = errors.Join(err, runAll(ctx, unit.Enable))
		}
		return err
	case changed:
		fmt.Fprintf(out, "Wrote %s\n", unit.Path)
	default:
		fmt.Fprintf(out, "%s is as it should be\n", unit.Path)
	}
	if f.now {
		return runAll(ctx, unit.Enable)
	}
	last := unit.Enable[len(unit.Enable)-1:]
	sayCommands(a, "To start it now and at each login:", last, true)
	return nil
}

func uninstallUnit(ctx context.Context, a *app, unit daemon.Unit, f unitFlags) error {
	out := visible.Writer{To: a.out}
	if f.dryRun && a.json {
		return a.print(unitReport{File: unit.Path, Commands: unit.Disable})
	}
	if f.dryRun {
		sayCommands(a, "Would run, with --now:", unit.Disable, f.now)
		fmt.Fprintf(out, "Would remove %s\n", unit.Path)
		return nil
	}
	var failed error
	if f.now { // first, while the service knows its file
		failed = runAll(ctx, unit.Disable)
	}
	changed, err := unit.Uninstall()
	switch {
	case err != nil:
		return errors.Join(failed, fmt.Errorf("the service cannot be removed: %w", err))
	case a.json:
		return errors.Join(failed, a.print(unitReport{File: unit.Path, Changed: changed, Commands: unit.Disable}))
	case !changed:
		fmt.Fprintf(out, "There is no %s\n", unit.Path)
		return nil // whatever there was to stop, it is not ours
	}
	fmt.Fprintf(out, "Removed %s\n", unit.Path)
	if !f.now {
		fmt.Fprintln(out, "A daemon that runs goes on until: hookway stop")
	}
	return failed
}

func sayCommands(a *app, intro string, commands [][]string, wanted bool) {
	if !wanted {
		return
	}
	fmt.Fprintln(a.out, intro)
	for _, c := range commands {
		fmt.Fprintf(visible.Writer{To: a.out}, "  %s\n", strings.Join(c, " "))
	}
}

func runAll(ctx context.Context, commands [][]string) error {
	for _, c := range commands {
		if out, err := exec.CommandContext(ctx, c[0], c[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", strings.Join(c, " "), err, strings.TrimSpace(string(out)))
		}
	}
	return nil
}
