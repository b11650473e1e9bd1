package main

import (
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
	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/wire/call"
)

// hookCall is one call of hookway hook.
type hookCall struct {
	agent, event, policy string
	timeout              time.Duration
	local                bool
}

func hookCommand(a *app) *cobra.Command {
	var h hookCall
	cmd := &cobra.Command{
		Use:   "hook AGENT",
		Short: "Answer an agent's own hook: its JSON on stdin, its answer on stdout",
		Long: `Answer an agent's own hook: its JSON on stdin, its answer on stdout.

Agents call hookway-hook, which is the same in small: hookway install writes it
into their configuration. This is for people who want to see an answer, and for
hookway-hook when there is no daemon.`,
		Example:   `  echo '{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"ls"}}' | hookway hook claude`,
		ValidArgs: codecNames(),
		Args: func(cmd *cobra.Command, args []string) error {
			if err := exactly("AGENT")(cmd, args); err != nil {
				return err
			}
			if _, err := adapter.Lookup(args[0]); err != nil {
				return err
			}
			if h.policy != "" && h.policy != call.PolicyBlock && h.policy != call.PolicyContinue {
				return fmt.Errorf("--on-failure is block or continue, not %q", h.policy)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			h.agent = args[0]
			return answerHook(cmd.Context(), a, h)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&h.event, "event", "", "the event's `NAME` in the agent's words; without it, the JSON says it")
	flags.DurationVar(&h.timeout, "timeout", 0, "the `TIME` that the agent waits")
	flags.StringVar(&h.policy, "on-failure", "", "what to `DO` if hookway itself fails: block or continue (default: block what can be stopped before it happens)")
	offer(cmd, "on-failure", call.PolicyBlock, call.PolicyContinue)
	flags.BoolVar(&h.local, "local", false, "judge in this process, without the daemon")
	return cmd
}

func codecNames() []string {
	var names []string
	for _, c := range adapter.All() {
		names = append(names, c.About().Name)
	}
	return names
}

// answerHook prints the answer to the agent's event.
func answerHook(ctx context.Context, a *app, h hookCall) error {
	began := time.Now()
	signal.Ignore(syscall.SIGPIPE, syscall.SIGHUP) // death by a signal would let the tool run
	dir, err := os.Getwd()
	if err != nil {
		dir = ""
	}
	r := &call.Request{
		Kind: call.KindHook, Version: ownVersion(), Agent: h.agent, Event: h.event, Policy: h.policy,
		Dir: dir, Env: a.environ(), Timeout: h.timeout,
	}
	if r.Stdin, err = io.ReadAll(io.LimitReader(a.in, call.MaxEvent+1)); err != nil || len(r.Stdin) > call.MaxEvent {
		if err == nil {
			err = fmt.Errorf("the event has more than %d MiB", call.MaxEvent>>20)
		}
		return printReply(a, call.Refuse(h.agent, h.event, r.Stdin, h.policy, hook.LogLine("hookway could not read the event: "+err.Error())))
	}
	if h.timeout > 0 {
		r.Timeout = max(h.timeout-time.Since(began), time.Millisecond)
	}
	if !h.local && a.getenv("HOOKWAY_DAEMON") != "off" {
		if reply, err := askDaemon(ctx, a, r); err == nil {
			return printReply(a, reply)
		} else if ctx.Err() == nil && err.Error() != call.OwnProcess {
			a.warn("without the daemon: %v", err)
		}
	}
	return judgeHere(ctx, a, r)
}

// daemonTime bounds how long a daemon is looked for, if the agent waits as long.
const daemonTime = 2 * time.Second

// askDaemon has the daemon answer, and starts it if there is none.
func askDaemon(ctx context.Context, a *app, r *call.Request) (call.Reply, error) {
	at, err := call.Find(a.getenv)
	if err != nil {
		return call.Reply{}, err
	}
	if err := wellAgain(ctx, at, reachTime(r.Timeout)); err != nil {
		return call.Reply{}, err
	}
	executable, err := os.Executable()
	if err != nil {
		return call.Reply{}, err
	}
	reaching, cancel := context.WithTimeout(ctx, reachTime(r.Timeout))
	defer cancel()
	client, err := daemon.Start(reaching, at, executable, a.environ())
	if err != nil {
		return call.Reply{}, err
	}
	defer client.Close()
	if r.Timeout > 0 { // then our own process has time left, should the daemon hang
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, r.Timeout*3/4)
		defer stop()
	}
	reply, err := client.Do(ctx, r)
	if err == nil && reply.Err != "" {
		err = errors.New(reply.Err)
	}
	return reply, err
}

// secondChance is how long a daemon that hung is given to show that it is well.
const secondChance = 250 * time.Millisecond

// wellAgain reports a daemon that hung a moment ago, or still does: it is not waited
// for. hookway-hook does the same.
func wellAgain(ctx context.Context, at call.Places, most time.Duration) error {
	lately, ever := at.Stuck()
	if lately {
		return errors.New("the daemon hung a moment ago; hookway stop ends it")
	}
	if !ever {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, min(secondChance, most))
	defer cancel()
	client, err := daemon.Dial(ctx, at.Socket)
	if err == nil {
		defer client.Close()
		_, err = client.Do(ctx, &call.Request{Kind: call.KindPing, Version: ownVersion()})
	}
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		at.MarkStuck()
		return errors.New("the daemon hangs; hookway stop ends it")
	}
	if err == nil || errors.Is(err, daemon.ErrNone) {
		at.ClearStuck()
	}
	return nil
}

func reachTime(timeout time.Duration) time.Duration {
	if timeout <= 0 {
		return daemonTime
	}
	return min(daemonTime, timeout/4)
}

// judgeHere answers in this process.
func judgeHere(ctx context.Context, a *app, r *call.Request) (err error) {
	a.home.AnswerOnce(ctx, r, func(reply call.Reply) error {
		err = printReply(a, reply)
		var code *exit // which the agent reads, too
		if errors.As(err, &code) {
			return nil
		}
		return err
	})
	return err
}

// printReply prints an answer.
func printReply(a *app, r call.Reply) error {
	_, err := a.out.Write(r.Stdout)
	_, _ = a.err.Write(r.Stderr)
	if err != nil {
		return fmt.Errorf("the answer cannot be written: %w", err)
	}
	if r.ExitCode != 0 {
		return &exit{code: r.ExitCode}
	}
	return nil
}
