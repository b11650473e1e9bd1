package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/internal/procgroup"
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
	doors    doorFlags
	unit     unitFlags
}

func serveCommand(a *app) *cobra.Command {
	var s serving
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the daemon that keeps hooks warm",
		Long: `Run the daemon that keeps hooks warm, in the foreground.

It need not be started: the first event of an agent does, and the daemon ends
when nobody has called for half an hour. One runs per user. --install makes it a
service of the user's own systemd or launchd, which starts it at login.

Programs fire events at its socket over HTTP and gRPC. --listen lets them come in
elsewhere, too, with the token whose file --token names.`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if s.doors.token {
				return showToken(a)
			}
			if s.unit.wanted() {
				return manageUnit(cmd.Context(), a, s.unit, s.doors)
			}
			return runDaemon(cmd.Context(), a, s)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&s.onDemand, "on-demand", false, "started by a call: log to a file, and leave quietly if another daemon runs")
	flags.BoolVar(&s.replace, "replace", false, "end the daemon that runs, and take its place")
	flags.StringVar(&s.idle, "idle", "", "end when nobody has called for this `time`; 0 is never (default 30m, or $HOOKWAY_IDLE)")
	s.doors.add(cmd)
	s.unit.add(cmd)
	return cmd
}

// runDaemon runs the daemon until it is told to stop, or nobody needs it.
func runDaemon(ctx context.Context, a *app, s serving) error {
	a.tuneMemory()
	idle, wrong := idleTime(s.idle, a.getenv("HOOKWAY_IDLE"))
	if wrong != nil && !s.onDemand {
		return wrong
	}
	doors, err := a.planDoors(s.doors) // while the folder is the one that was meant
	if err != nil && !s.onDemand {
		return err
	}
	wrong = errors.Join(wrong, err)
	ready := a.getenv(call.ReadyFD)
	a.keepSecrets(s.onDemand)
	executable, _ := os.Executable() // without it, a new version is not noticed
	if err := daemon.Settle(); err != nil {
		return fmt.Errorf("the daemon cannot leave the folder it was started in: %w", err)
	}
	at, err := call.Find(a.getenv)
	if err != nil {
		return err
	}
	log, closeLog, err := a.daemonLog(s.onDemand)
	if err != nil {
		return err
	}
	defer closeLog()
	if wrong != nil { // nobody is there to mend it, and hooks are to be answered
		log(wrong.Error())
	}
	defer procgroup.Keep()() // what kills the daemon kills its hooks
	ctx, stop := signal.NotifyContext(ctx, hangup...)
	defer stop()
	ended := make(chan struct{})
	defer close(ended)
	context.AfterFunc(ctx, func() { // whatever it waits for: who ends it need not kill it
		select {
		case <-ended:
		case <-time.After(overdue):
			log("the daemon did not come to its end; it gives up")
			os.Exit(exitFailure)
		}
	})
	v, _ := buildVersion()
	carrier := a.newCarrier(log)
	c := daemon.Config{
		Places: at, Version: v, Idle: idle, Executable: executable, Log: log,
		Ready: func() {
			daemon.CloseReady(ready)
			carrier.begin()
			if !s.onDemand {
				a.warn("listening at %s (pid %d)", at.Socket, os.Getpid())
			}
		},
	}
	c.Doors = doors.open(a, a.answerCalls(&c, carrier, log), log, s.onDemand)
	if s.replace {
		if err := endRunning(ctx, a); err != nil {
			return err
		}
	}
	err = daemon.Serve(ctx, c)
	if err != nil && s.onDemand {
		return a.notServed(ctx, at, err, log)
	}
	if errors.Is(err, daemon.ErrReplaced) { // a service is to start the new one
		return &exit{code: daemon.ExitReplaced, err: err}
	}
	return err
}

// overdue is how long a daemon has to end that was told to.
const overdue = 10 * time.Second

// notServed is the end of a daemon that a call has started, and that did not serve.
func (a *app) notServed(ctx context.Context, at call.Places, err error, log func(string)) error {
	var running *daemon.RunningError
	if errors.As(err, &running) {
		a.warn("%v", err)
		return daemon.AwaitAccepting(ctx, at.Socket) // who started this one wants to call
	}
	log(err.Error())
	return err
}

// tuneMemory sets how eagerly the daemon collects garbage.
func (a *app) tuneMemory() {
	debug.SetGCPercent(400) // of little that is live: a tenth more decisions for a few MiB, which go back when it is calm
	if a.getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(softLimit)
	}
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

// answerCalls says how calls are answered, and gives who answers those that are
// no agents'.
func (a *app) answerCalls(c *daemon.Config, carrier *carrier, log func(string)) *api.Doors {
	a.home.Lasting = true
	j := &judge.Judge{Log: log, Memory: a.home.Memories().For, MemoryHooks: a.home.Memories().Hooks, Webhooks: a.home.WebhooksWith(log), Relay: carrier.forJudge(a.judgesRelay()), Operations: a.home.Operations(log)}
	closeLog := a.home.RecordTo(j)
	c.Handle = func(ctx context.Context, peer daemon.Peer, r *call.Request) call.Reply {
		return j.Answer(ctx, judge.Caller{PID: peer.PID}, r)
	}
	c.Load = j.Load
	doors := openDoors(j, api.Config{Relay: relayDoor{carrier, j}})
	c.Guests, c.Needed = doors, func() bool { return doors.Registered() > 0 || carrier.Needed() }
	c.Relay = carrier.Status
	c.Close = func() {
		doors.Close()
		err := j.Close() // it gives the seats of its agents back, for which the store must be open
		carrier.Close()
		if err = errors.Join(err, a.home.Memories().Close()); err != nil {
			log(err.Error())
		}
		closeLog()
	}
	a.openGateway(c, j, doors, carrier)
	return doors
}

// daemonLog is where the daemon's lines go: to stderr, or to a file of hookway's
// state folder if there is nobody to read them.
func (a *app) daemonLog(toFile bool) (log func(string), done func(), err error) {
	if !toFile {
		return func(line string) { a.warn("%s", line) }, func() {}, nil
	}
	_, state, err := config.Places(a.getenv)
	if err != nil {
		return nil, nil, err
	}
	file, err := daemon.OpenLog(state)
	if err != nil { // a full disk must not keep hooks from being answered
		return func(string) {}, func() {}, nil
	}
	_ = debug.SetCrashOutput(file.File(), debug.CrashOptions{})
	return file.Line, func() { file.Close() }, nil
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
		return daemon.DefaultIdle, fmt.Errorf("%s %q is no time; write it like 30m or 2h, or 0 for never", name, text)
	}
	return d, nil
}
