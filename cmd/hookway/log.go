package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/audit/index"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/visible"
)

// logOptions are the flags of log and stats.
type logOptions struct {
	audit.Filter
	since   string
	folder  string
	follow  bool
	explain bool
}

func logCommand(a *app) *cobra.Command {
	var o logOptions
	cmd := &cobra.Command{
		Use:   "log",
		Short: "Show what hooks decided: who, why, and how long it took",
		Long: `Show the outcomes that were recorded, oldest first: when, which agent, which
event, what it asked for, what was decided, by whom and why; below that, which
hooks failed.

--explain shows every hook that was asked, and what was changed. --json prints
the records as they are kept, one a line. hookway log verify checks that the log
was not changed.`,
		Example: `  hookway log -n 20
  hookway log -f --action block
  hookway log --would --since 1d
  hookway log --since 10m --session s-1 --explain`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := noneEmpty(cmd); err != nil {
				return err
			}
			if err := o.complete(a, time.Now()); err != nil {
				return err
			}
			switch {
			case !cmd.Flags().Changed("last"):
				if o.follow {
					o.Last = 10
				}
			case o.Last == 0:
				return errors.New("-n 0: that is none; use -n 1 or more, or no -n")
			}
			return showLog(cmd.Context(), a, o)
		},
	}
	o.addFilter(cmd)
	cmd.Flags().IntVarP(&o.Last, "last", "n", 0, "show the last `N` only; with -f the default is 10")
	cmd.Flags().BoolVarP(&o.follow, "follow", "f", false, "go on with what is recorded from now on")
	cmd.Flags().BoolVarP(&o.explain, "explain", "v", false, "show each hook that was asked, and what was changed")
	cmd.AddCommand(logVerifyCommand(a), logReindexCommand(a))
	return cmd
}

// addFilter adds the flags that say which records are wanted.
func (o *logOptions) addFilter(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.Session, "session", "", "only of this session `ID`")
	f.StringVar(&o.Agent, "agent", "", "only of this agent `NAME`")
	f.StringVar(&o.Event, "event", "", "only of this event, by any of its `NAME`s")
	f.StringVar(&o.Action, "action", "", "only with this outcome, a `WORD`: block, ask, allow, continue, …, observed, repeat, untaken")
	f.StringVar(&o.Hook, "hook", "", "only where this hook, by its `ID`, was asked")
	f.BoolVar(&o.Would, "would", false, "only where a hook or rule on trial would have decided something")
	f.StringVar(&o.folder, "workspace", "", "only of the workspace that this `DIR` is in; -C does the same")
	f.StringVar(&o.since, "since", "", "only since a `TIME`: 10m ago, 2d ago, or 2006-01-02T15:04:05Z; all is every record")
}

func (o *logOptions) complete(a *app, now time.Time) (err error) {
	if o.Last < 0 {
		return fmt.Errorf("-n %d: it must not be negative", o.Last)
	}
	if o.Action != "" {
		if _, err := hook.ParseAction(o.Action); err != nil && !slices.Contains([]string{audit.Observed, audit.Repeat, audit.Untaken}, o.Action) {
			return fmt.Errorf("--action: %w; or %s, %s or %s", err, audit.Observed, audit.Repeat, audit.Untaken)
		}
	}
	if o.folder != "" || a.dir != "" {
		if err := o.inFolder(a); err != nil {
			return err
		}
	}
	if o.since != "" {
		o.Since, err = parseSince(o.since, now)
	}
	return err
}

// inFolder wants only what happened in the workspace of a folder, or in the folder
// where there is none.
func (o *logOptions) inFolder(a *app) error {
	dir, err := filepath.Abs(o.folder)
	if err != nil {
		return fmt.Errorf("--workspace %s: %w", o.folder, err)
	}
	dir = disk.Real(dir) // one that is gone has records all the same
	if o.Workspace, err = config.WorkspaceOf(a.getenv, dir); o.Workspace == "" {
		o.Folder = dir
	}
	return err
}

func showLog(ctx context.Context, a *app, o logOptions) error {
	dir, err := a.home.AuditDir()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stop()
	there := hasLog(dir)
	if !there {
		sayNoLog(a, dir, o.follow)
		if !o.follow {
			return nil
		}
	}
	var records iter.Seq2[audit.Record, error]
	if o.follow {
		records = audit.Follow(ctx, dir, o.Filter)
	} else {
		records = audit.ByTime(audit.Read(dir, o.Filter))
	}
	shown := 0
	for r, err := range records {
		if err != nil {
			if err = tellDamage(a, err); err != nil {
				return err
			}
			continue
		}
		if ctx.Err() != nil {
			break
		}
		if err := showRecord(a, r, o.explain); err != nil {
			return endOfReader(err)
		}
		shown++
	}
	if shown == 0 && there && !o.follow {
		fmt.Fprintln(a.err, "Nothing in the log is like that.")
		if _, err := hook.Lookup(o.Event); o.Event != "" && err != nil { // an agent may have events of its own
			fmt.Fprintf(visible.Writer{To: a.err}, "--event: %v\n", err)
		}
	}
	return nil
}

// endOfReader is not an error if the reader of our output has seen enough.
func endOfReader(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

func hasLog(dir string) bool {
	for _, err := range audit.Read(dir, audit.Filter{Last: 1}) {
		_ = err // an unreadable log is one, and its error is reported later
		return true
	}
	return false
}

func sayNoLog(a *app, dir string, waits bool) {
	to, more := a.out, ""
	if a.json {
		to = a.err
	}
	if waits {
		to, more = a.err, " Waiting for it."
	}
	fmt.Fprintf(visible.Writer{To: to}, "No log yet: nothing was recorded in %s.%s\n", dir, more)
}

// tellDamage tells of a line that is left out, and gives back any other error.
func tellDamage(a *app, err error) error {
	var d *audit.Damage
	if !errors.As(err, &d) {
		return err
	}
	if d.Torn {
		a.warn("%v", d)
	} else {
		a.warn("%v; hookway log verify tells more", d)
	}
	return nil
}

func showRecord(a *app, r audit.Record, explain bool) error {
	if a.json {
		enc := json.NewEncoder(a.out)
		enc.SetEscapeHTML(false)
		return enc.Encode(r)
	}
	_, err := io.WriteString(visible.Writer{To: a.out}, r.Describe(explain))
	return err
}

func logVerifyCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "verify",
		Short: "Check that every record is there, in its place, and as it was written",
		Long: `Check the chain of hashes that goes through the whole log. Every record that was
changed, removed or moved is named with its file and line; the exit code is 1 then.

The chain has no key. Keep the last hash, which is printed, in a place that the
log's user cannot write to if even a log that was made anew must be seen.`,
		Args: exactly(),
		RunE: func(*cobra.Command, []string) error { return verifyLog(a) },
	}
}

func verifyLog(a *app) error {
	dir, err := a.home.AuditDir()
	if err != nil {
		return err
	}
	report, err := audit.Verify(dir)
	if err != nil {
		return err
	}
	if a.json {
		if err := a.print(report); err != nil {
			return err
		}
	} else {
		showReport(a, dir, report)
	}
	if n := len(report.Problems) + report.More; n > 0 {
		return &exit{code: exitFailure, err: fmt.Errorf("the log is not as it was written: %s", visible.Count(n, "problem"))}
	}
	return nil
}

func showReport(a *app, dir string, r audit.Report) {
	out := visible.Writer{To: a.out}
	for _, p := range r.Problems {
		fmt.Fprintln(out, p)
	}
	switch {
	case !r.OK():
		return
	case r.Records == 0:
		sayNoLog(a, dir, false)
		return
	}
	fmt.Fprintf(out, "The log is as it was written: records %d to %d in %s.\nLast hash: %s\n", r.First, r.Last, visible.Count(r.Files, "file"), r.Hash)
	if r.Events+r.Gone > 0 {
		gone := ""
		if r.Gone > 0 {
			gone = fmt.Sprintf("; of %d more only the hash is there: they expired, or were lost with their process", r.Gone)
		}
		fmt.Fprintf(out, "Whole events beside it, as they were written: %d%s.\n", r.Events, gone)
	}
	if r.Torn > 0 {
		fmt.Fprintf(out, "%s left by processes that died while they wrote; that was never a record.\n", visible.Count(r.Torn, "torn line"))
	}
}

func logReindexCommand(a *app) *cobra.Command {
	var drop bool
	cmd := &cobra.Command{
		Use:   "reindex",
		Short: "Build the index of the log anew",
		Long: `Remove the index by which records are found over HTTP and in the page, and build
it anew from the log. It is made and mended by itself; nothing of the log is changed.`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return reindex(cmd.Context(), a, drop) },
	}
	cmd.Flags().BoolVar(&drop, "drop", false, "only remove it; it is built when something is asked")
	return cmd
}

// reindexed is what came of it, as JSON.
type reindexed struct {
	Path     string   `json:"path"`
	Records  int64    `json:"records"`
	TookMS   int64    `json:"took_ms"`
	Problems []string `json:"problems"`
}

// reindex removes the index, and builds it anew unless it is only to be dropped.
func reindex(ctx context.Context, a *app, drop bool) error {
	dir, err := a.home.AuditDir()
	if err != nil {
		return err
	}
	out := reindexed{Path: filepath.Join(dir, index.FileName), Problems: []string{}}
	if err := index.Remove(ctx, dir); err != nil {
		return fmt.Errorf("%w; remove %s by hand", err, out.Path)
	}
	if !drop && hasLog(dir) {
		if err := build(ctx, dir, &out); err != nil {
			return err
		}
	}
	if a.json {
		return a.print(out)
	}
	to := visible.Writer{To: a.out}
	switch {
	case drop:
		fmt.Fprintf(to, "The index is removed: %s. It is built anew when something is asked.\n", out.Path)
	case out.Records == 0:
		sayNoLog(a, dir, false)
	default:
		fmt.Fprintf(to, "The index is built anew: %s in %d ms, %s.\n", visible.Count(int(out.Records), "record"), out.TookMS, out.Path)
	}
	for _, problem := range out.Problems {
		a.warn("%s", problem)
	}
	return nil
}

// build builds the index to its end.
func build(ctx context.Context, dir string, out *reindexed) (err error) {
	x := index.Open(dir, logline.Or(nil))
	defer func() {
		if closed := x.Close(); err == nil {
			err = closed
		}
	}()
	for began := time.Now(); ; {
		page, err := x.Page(ctx, index.Query{Limit: 1})
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if out.Records, out.Problems = page.Total, page.Problems; page.Behind == 0 {
			out.TookMS = time.Since(began).Milliseconds()
			return nil
		}
	}
}
