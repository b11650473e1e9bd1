package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/replay"
	"github.com/hookway/hookway/internal/transcript"
	"github.com/hookway/hookway/internal/visible"
)

// stdStream names standard input, or output, where a file may stand.
const stdStream = "-"

// previewOptions are what the user says of a preview.
type previewOptions struct {
	since  string
	agents []string
	use    []string
	html   string
}

func guardsPreviewCommand(a *app) *cobra.Command {
	o := previewOptions{}
	cmd := &cobra.Command{
		Use:   "preview",
		Short: "Show what hookway's own rules would have done to your agents' calls of the past",
		Long: `Show what hookway's own rules would have done to the tool calls of the past.

It reads the records that agents keep of their sessions on this machine, judges
each call as the rules would have, in its session's order, and tells for each rule
how often it would have blocked or asked, with samples, and which settings would
quiet what was fine. Nothing is run, changed or sent. It needs no installation, no
daemon and no configuration.

Files that a call looked at are looked at as they are today: docs/preview.md says
what that means. Secrets in the samples are replaced, and your home is ~.`,
		Example: `  hookway guards preview
  hookway guards preview --since 7d --agent claude --use strict
  hookway guards preview --since all --html preview.html`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := noneEmpty(cmd); err != nil {
				return err
			}
			return preview(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.since, "since", "30d", "only calls since a `TIME`: 7d ago, 10m ago, or 2006-01-02T15:04:05Z; all is every call")
	f.StringSliceVar(&o.agents, "agent", nil, "only calls of an `AGENT`: "+strings.Join(transcript.Agents(), ", "))
	f.StringSliceVar(&o.use, "use", nil, "the rules: default, strict, or names of `PACKS` (default: default)")
	f.StringVar(&o.html, "html", "", "also write a page with charts to `FILE`, which needs nothing from elsewhere; - is standard output, in place of the text")
	return cmd
}

func preview(ctx context.Context, a *app, o previewOptions) error {
	plan := replay.Plan{Getenv: a.getenv, Environ: a.environ(), Agents: o.agents, Use: o.use, Now: time.Now()}
	var err error
	if plan.Since, err = parseSince(o.since, plan.Now); err != nil {
		return err
	}
	switch {
	case o.html == stdStream && a.json:
		return errors.New("--html - and --json both write to standard output; name a file for one: --html preview.html")
	case o.html != "" && o.html != stdStream:
		if info, err := os.Stat(filepath.Dir(o.html)); err != nil || !info.IsDir() {
			return fmt.Errorf("--html %s: there is no folder %s to write it to", o.html, filepath.Dir(o.html))
		}
		if info, err := os.Stat(o.html); err == nil && info.IsDir() {
			return fmt.Errorf("--html %s: it is a folder; name a file in it, such as %s", o.html, filepath.Join(o.html, "preview.html"))
		}
	}
	readsMuch()
	tell, clear := a.progress(mebibytes)
	plan.Tell = tell
	report, err := replay.Preview(ctx, plan)
	clear()
	if err != nil {
		return err
	}
	if o.html == stdStream {
		text, err := report.HTML()
		if err == nil {
			_, err = a.out.Write(text)
		}
		return err
	}
	var unwritten error // what was found out is told all the same
	if o.html != "" {
		unwritten = report.WriteHTML(o.html)
	}
	if a.json {
		return errors.Join(a.print(report), unwritten)
	}
	return errors.Join(report.WriteText(visible.Writer{To: a.out}), unwritten)
}
