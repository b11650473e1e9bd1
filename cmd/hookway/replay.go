package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/replay"
	"github.com/hookway/hookway/internal/server"
	"github.com/hookway/hookway/internal/transcript"
	"github.com/hookway/hookway/internal/visible"
)

// replayOptions are what the user says of a replay.
type replayOptions struct {
	since     string
	session   string
	workspace string
	config    string
	agents    []string
	guards    []string

	transcripts bool
	run         bool
	anew        bool
	exitCode    bool
	save        bool
	pick        int
}

// defaultPick is how many events become cases, of each hook and kind.
const defaultPick = 3

func replayCommand(a *app) *cobra.Command {
	o := replayOptions{}
	cmd := &cobra.Command{
		Use:   "replay [FILE]",
		Short: "Fire recorded events at the hooks of today, and show which decisions changed",
		Long: `Fire the events of the record again, at the hooks as they are now or as another
file has them, and compare what they decide with what was decided then: what is
newly blocked, newly asked, newly passes or is decided otherwise, by hook and rule,
with samples.

Nothing that could act is run: rules and scripts without grants are asked;
commands, servers and scripts with grants only with --run, and these are told by
HOOKWAY_REPLAY=1. No tool runs, and nothing is written. Times, and what sessions did
before, come from the record.

With --transcripts the events are those of the records that the agents themselves
keep on this machine, of sub-agents too. No decision is in them: what hooks decide
now is compared with what happened, that a call ran, or that a person refused it.

FILE has events, one JSON object a line: as hookway fire takes them, or records as
hookway log --json prints them. They are fired at the hooks of this folder. It may
be an agent's own record of a session, too; - is standard input.`,
		Example: `  hookway replay --since 7d
  hookway replay --config new.yaml --exit-code
  hookway replay --guards strict --session s-1
  hookway replay --transcripts --agent claude --since 30d
  hookway replay events.jsonl`,
		Args: atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := noneEmpty(cmd); err != nil {
				return err
			}
			if !cmd.Flags().Changed("since") && (o.session != "" || len(args) > 0) {
				o.since = "all"
			}
			return replayed(cmd.Context(), a, o, args)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.since, "since", "7d", "only events since a `TIME`: 7d ago, 10m ago, or 2006-01-02T15:04:05Z; all is every event")
	f.StringVar(&o.session, "session", "", "only events of this session `ID`, since ever")
	f.StringVar(&o.workspace, "workspace", "", "only events whose hooks are of the workspace that this `DIR` is in")
	f.BoolVar(&o.transcripts, "transcripts", false, "fire what agents have on record of their own sessions, in place of hookway's record")
	f.StringSliceVar(&o.agents, "agent", nil, "with --transcripts, only those of these `AGENTS`")
	f.StringVar(&o.config, "config", "", "fire at the hooks of this `FILE`, in place of those of the workspaces")
	f.StringSliceVar(&o.guards, "guards", nil, "have hookway's own rules as these `WORDS` say: default, strict, or packs; and auto, monitor or enforce")
	f.BoolVar(&o.run, "run", false, "ask hooks that could act, too: commands, servers, scripts with grants")
	f.BoolVar(&o.anew, "anew", false, "find anew what calls would do, over what is on record of the files of that time")
	f.BoolVar(&o.save, "save-tests", false, "write changed events as cases into hooks_test.yaml, with what is decided now")
	f.IntVar(&o.pick, "pick", defaultPick, "with --save-tests, the most cases, `N`, of each hook or rule and kind")
	f.BoolVar(&o.exitCode, "exit-code", false, "end with 2 if a decision changed, and with 1 if none was compared")
	return cmd
}

// stdStream names standard input, or output, where a file may stand.
const stdStream = "-"

func replayed(ctx context.Context, a *app, o replayOptions, args []string) error {
	plan := replay.Rerun{Options: a.home.Options(), Environ: a.environ(), Config: o.config, Guards: o.guards, Act: o.run, Anew: o.anew}
	if err := config.CheckGuards(o.guards); err != nil {
		return fmt.Errorf("--guards: %w", err)
	}
	if o.config != "" {
		if _, err := os.Stat(o.config); err != nil {
			return fmt.Errorf("--config %s: %w", o.config, errors.Unwrap(err))
		}
	}
	unit := mebibytes
	if !o.transcripts {
		unit = func(n int64) string { return visible.Count(int(n), "record") }
	}
	readsMuch()
	tell, clear := a.progress(unit)
	if err := o.source(ctx, a, &plan, args, tell); err != nil {
		return err
	}
	if err := o.saves(&plan); err != nil {
		return err
	}
	report, err := plan.Compare(ctx)
	clear()
	if err != nil {
		return err
	}
	if o.save {
		if report.Saved, err = report.SaveTests(ctx); err != nil {
			return err
		}
	}
	if a.json {
		err = a.print(report)
	} else {
		err = report.WriteText(visible.Writer{To: a.out})
	}
	switch {
	case err != nil || !o.exitCode:
	case report.Changed() > 0:
		return &exit{code: exitBlocked}
	case report.Compared() == 0:
		return errors.New("--exit-code: no event was compared, so that nothing is known of what changed; look at what is replayed")
	}
	return err
}

// readsMuch is for a command that reads much and holds little of it: it looks for what is
// not used any more a quarter as often, as long as that is no more than so much.
func readsMuch() {
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(200 << 20)
}

// saves says whether changed events become cases.
func (o *replayOptions) saves(plan *replay.Rerun) error {
	switch {
	case !o.save && o.pick != defaultPick:
		return errors.New("--pick is about the cases that --save-tests writes; add it")
	case !o.save:
		return nil
	case len(o.guards) > 0:
		return errors.New("--save-tests and --guards: cases test what hookway.yaml says; write the rules there first, or name a file that has them with --config")
	case o.pick < 1:
		return fmt.Errorf("--pick %d: it must be 1 or more", o.pick)
	}
	plan.Pick = o.pick
	return nil
}

// source says where the events come from.
func (o *replayOptions) source(ctx context.Context, a *app, plan *replay.Rerun, args []string, tell func(done, all int64)) error {
	if err := o.agree(args); err != nil {
		return err
	}
	if len(args) > 0 {
		if o.session != "" || o.workspace != "" {
			return errors.New("--session and --workspace are about the record, and not about a file")
		}
		if o.since != "all" {
			return errors.New("--since is about the record, and not about a file: all its events are replayed")
		}
		plan.Dir = server.Cwd()
		if args[0] == stdStream {
			if term.IsTerminal(int(a.in.Fd())) {
				return errors.New("- reads events from standard input, which is this terminal; name a file, or feed it: hookway log --json | hookway replay -")
			}
			plan.Moments = fromStream(ctx, a, "standard input", a.in)
			return nil
		}
		switch info, err := os.Stat(args[0]); {
		case err != nil:
			return fmt.Errorf("%s: %w", args[0], errors.Unwrap(err))
		case info.IsDir():
			return fmt.Errorf("%s is a folder; name a file of events, or --workspace %s for what is on record of it", args[0], args[0])
		case !info.Mode().IsRegular(): // such as a pipe, which can be read once
			plan.Moments = fromPipe(ctx, a, args[0])
			return nil
		}
		plan.Moments = momentsOf(ctx, a, args[0])
		return nil
	}
	wanted, err := o.wanted(a)
	if err != nil {
		return err
	}
	wanted.Tell = tell
	if o.transcripts {
		plan.Moments = replay.Transcripts{Getenv: a.getenv, Agents: o.agents, Wanted: wanted}.Moments(ctx)
		return nil
	}
	dir, err := a.home.AuditDir()
	if err != nil {
		return err
	}
	plan.Moments = replay.FromRecord(ctx, dir, wanted)
	return nil
}

// agree says which flags do not go together.
func (o *replayOptions) agree(args []string) error {
	switch {
	case o.transcripts && len(args) > 0:
		return errors.New("--transcripts is about all that agents have on record, and not about a file")
	case !o.transcripts && len(o.agents) > 0:
		return errors.New("--agent is about agents' own records; add --transcripts")
	}
	for _, agent := range o.agents {
		if !slices.Contains(transcript.Agents(), agent) {
			return fmt.Errorf("unknown agent %q: want one of %s", agent, strings.Join(transcript.Agents(), ", "))
		}
	}
	return nil
}

// momentsOf gives what a file has: an agent's own record of a session, or events.
func momentsOf(ctx context.Context, a *app, path string) iter.Seq2[*replay.Moment, error] {
	records, problems, ok := transcript.Recognise(ctx, a.getenv, path)
	if !ok {
		return replay.FromFile(path)
	}
	return func(yield func(*replay.Moment, error) bool) {
		for _, err := range problems {
			if !yield(nil, err) {
				return
			}
		}
		if len(records) > 0 {
			replay.Transcripts{Getenv: a.getenv, Records: records}.Moments(ctx)(yield)
		}
	}
}

// fromPipe gives what can be read of what is not a file.
func fromPipe(ctx context.Context, a *app, path string) iter.Seq2[*replay.Moment, error] {
	return func(yield func(*replay.Moment, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(nil, fmt.Errorf("the events cannot be read: %w", err))
			return
		}
		defer f.Close()
		fromStream(ctx, a, path, f)(yield)
	}
}

// fromStream gives what can be read once, such as standard input. An agent's own record is
// looked at as a file, which is there only as long as it is read.
func fromStream(ctx context.Context, a *app, name string, from io.Reader) iter.Seq2[*replay.Moment, error] {
	return func(yield func(*replay.Moment, error) bool) {
		agent, whole, err := transcript.Peek(from)
		if err != nil {
			yield(nil, fmt.Errorf("%s cannot be read: %w", name, err))
			return
		}
		if agent == "" {
			replay.FromReader(name, whole)(yield)
			return
		}
		dir, err := os.MkdirTemp("", "hookway-replay-")
		if err != nil {
			yield(nil, fmt.Errorf("%s is a record of %s, which needs a temporary file: %w", name, agent, err))
			return
		}
		defer os.RemoveAll(dir)
		path := filepath.Join(dir, "record")
		if err := spool(path, whole); err != nil {
			yield(nil, fmt.Errorf("%s is a record of %s, which needs a temporary file; name the record itself, if there is no space: %w", name, agent, err))
			return
		}
		for m, err := range momentsOf(ctx, a, path) {
			if err != nil {
				err = &renamed{err, strings.ReplaceAll(err.Error(), path, name)}
			}
			if !yield(m, err) {
				return
			}
		}
	}
}

// renamed is an error in words about what the user has named.
type renamed struct {
	error
	text string
}

func (r *renamed) Error() string { return r.text }
func (r *renamed) Unwrap() error { return r.error }

// spool writes a stream into a file that only this user can read.
func spool(path string, from io.Reader) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Close())
}

// wanted says which of the events on record are replayed.
func (o *replayOptions) wanted(a *app) (wanted replay.Wanted, err error) {
	wanted.Session = o.session
	if wanted.Since, err = parseSince(o.since, time.Now()); err != nil {
		return wanted, err
	}
	if o.workspace != "" {
		dir, err := filepath.Abs(o.workspace)
		if err == nil {
			dir, err = filepath.EvalSymlinks(dir)
		}
		if err != nil {
			return wanted, fmt.Errorf("--workspace %s: %w", o.workspace, err)
		}
		if wanted.Workspace, err = config.WorkspaceOf(a.getenv, dir); err != nil {
			return wanted, err
		}
		if wanted.Workspace == "" {
			return wanted, fmt.Errorf("--workspace %s: neither it nor a folder above it has hooks", o.workspace)
		}
	}
	if o.config != "" && o.workspace == "" { // it is in place of this workspace's
		if wanted.Workspace, err = config.WorkspaceOf(a.getenv, server.Cwd()); err != nil {
			return wanted, err
		}
	}
	return wanted, nil
}
