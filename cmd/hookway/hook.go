package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/config"
)

func (a *app) hookCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "hook AGENT",
		Short: "Answer an agent's own hook: its JSON on stdin, its answer on stdout",
		Long: `Answer an agent's own hook: its JSON on stdin, its answer on stdout.

It is called by the agent. For Claude Code, in .claude/settings.json:

  {"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "hookway hook claude"}]}]}}`,
		ValidArgs: []string{"claude"},
		Args: func(cmd *cobra.Command, args []string) error {
			if err := exactly("AGENT")(cmd, args); err != nil {
				return err
			}
			if args[0] != "claude" {
				return fmt.Errorf("the agent %q is unknown; known: claude", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.answer(cmd.Context(), adapter.Claude{})
		},
	}
}

// answer prints the answer to the agent's event. If there is none because
// something failed on the way, it refuses what can be refused: an agent lets a
// hook that merely fails pass.
func (a *app) answer(ctx context.Context, agent adapter.Claude) error {
	signal.Ignore(syscall.SIGPIPE, syscall.SIGHUP) // death by a signal would let the tool run
	stdin, err := io.ReadAll(io.LimitReader(a.in, maxEvent+1))
	if err != nil {
		stdin, err = nil, fmt.Errorf("stdin cannot be read: %w", err)
	}
	var r adapter.Reply
	var w *workspace
	if err == nil {
		deciding, cancel := context.WithTimeout(ctx, agent.Patience(stdin))
		r, w, err = a.judge(deciding, agent, stdin)
		cancel()
	}
	if err != nil {
		r = agent.Refuse(stdin, hook.LogLine("hookway could not decide: "+err.Error()))
	}
	for _, warning := range r.Warnings {
		a.warn("%s", warning)
	}
	_, err = a.out.Write(r.Stdout)
	_, _ = a.err.Write(r.Stderr)
	if w != nil { // after the answer: observers may take their time
		if closed := w.close(); closed != nil {
			a.warn("%v", closed)
		}
	}
	if err != nil {
		return fmt.Errorf("the answer cannot be written: %w", err)
	}
	if r.ExitCode != 0 {
		return &exit{code: r.ExitCode}
	}
	return nil
}

// judge fires the agent's event at the hooks of the folder that it works in.
// The workspace, if there is one, is still to be closed.
func (a *app) judge(ctx context.Context, agent adapter.Claude, stdin []byte) (r adapter.Reply, w *workspace, err error) {
	defer func() {
		if p := recover(); p != nil { // a bug of ours must not open the gate
			err = fmt.Errorf("hookway panicked: %v", p)
		}
	}()
	options := a.options()
	if options.Dir, err = a.agentDir(stdin); err != nil {
		return r, nil, err
	}
	if w, err = a.open(ctx, options); err != nil {
		return r, nil, err
	}
	ev, err := agent.Decode(adapter.Call{Stdin: stdin}, w.engine.Lookup)
	if err != nil {
		return r, w, err
	}
	if id := a.getenv("HOOKWAY_SESSION"); id != "" { // wrapped by hookway run: one session
		if ev, err = withSession(ev, id); err != nil {
			return r, w, err
		}
	}
	out, err := w.engine.Fire(ctx, ev)
	if err != nil {
		return r, w, err
	}
	if err := a.limitContinues(w, ev, &out); err != nil {
		a.warn("%v", err)
	}
	w.doubt(ev, &out)
	w.tell(ev, &out)
	fitted := adapter.Fit(agent.About(), ev, out, hook.ActionBlock)
	r, err = agent.Encode(ev, fitted.Outcome)
	for _, d := range fitted.Degraded {
		r.Warnings = append(r.Warnings, d.String())
	}
	return r, w, err
}

// agentDir is the folder whose hooks judge: that of -C, else the project that
// the agent was started in, else where it works now. The latter follows what the
// agent does, so it must not choose the hooks if there is another.
func (a *app) agentDir(stdin []byte) (string, error) {
	cwd, err := adapter.CWD(stdin)
	if err != nil || a.dir != "" {
		return "", err
	}
	for _, dir := range []string{a.getenv("HOOKWAY_PROJECT_DIR"), a.getenv("CLAUDE_PROJECT_DIR"), cwd} {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return dir, nil
		}
	}
	return "", nil
}

// doubt makes the user confirm what hooks would have judged that do not run,
// though the user once said that they should: files with mistakes, and files
// that changed since they were trusted. An agent can cause either.
func (w *workspace) doubt(ev hook.AnyEvent, out *hook.Outcome[any]) {
	if !ev.Info().May.Ask || out.Action != hook.ActionContinue && out.Action != hook.ActionAllow {
		return
	}
	if why := w.disarmed(); why != "" {
		out.Action, out.Reason, out.By = hook.ActionAsk, why, "hookway"
	}
}

// disarmed says why trusted hooks do not run; "" if all do.
func (w *workspace) disarmed() string {
	if w.set.Trust.State == config.TrustChanged {
		return trustAdvice(w.set, max(untrusted(w.set), 1))
	}
	for _, p := range w.set.Problems {
		inside := w.set.Workspace != "" && strings.HasPrefix(p.File, w.set.Workspace+string(filepath.Separator))
		if !inside || w.set.Trust.State != config.TrustMissing {
			return "hooks do not run because of a mistake in the configuration: " + p.String()
		}
	}
	return ""
}

func withSession(ev hook.AnyEvent, id string) (hook.AnyEvent, error) {
	env := *ev.Head()
	env.Session = id
	return ev.Info().New(env, ev.Body())
}

// tell puts what the user should know about hooks that do not run where an
// agent shows it: at the begin of a session and of each turn. Agents hide stderr.
func (w *workspace) tell(ev hook.AnyEvent, out *hook.Outcome[any]) {
	if ev.Info() != hook.SessionStart.Info() && ev.Info() != hook.AgentStart.Info() {
		return
	}
	var errs []error
	if out.UserMessage != "" {
		errs = append(errs, errors.New(out.UserMessage))
	}
	if len(w.set.Problems) > 0 {
		errs = append(errs, fmt.Errorf("hookway: %s in its configuration; hooks of these files do not run:\n%s", count(len(w.set.Problems), "mistake"), w.set.Problems))
	}
	if n := untrusted(w.set); n > 0 {
		errs = append(errs, errors.New("hookway: "+trustAdvice(w.set, n)))
	}
	if len(errs) > 0 {
		out.UserMessage = errors.Join(errs...).Error()
	}
}
