package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/hookway/hookway/internal/replay"
	"github.com/hookway/hookway/internal/transcript"
	"github.com/hookway/hookway/internal/visible"
)

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
		RunE: func(cmd *cobra.Command, _ []string) error { return preview(cmd.Context(), a, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.since, "since", "30d", "only calls since a `TIME`: 7d ago, 10m ago, or 2006-01-02T15:04:05Z; all is every call")
	f.StringSliceVar(&o.agents, "agent", nil, "only calls of an `AGENT`: "+strings.Join(transcript.Agents(), ", "))
	f.StringSliceVar(&o.use, "use", nil, "the rules: default, strict, or names of `PACKS` (default: default)")
	f.StringVar(&o.html, "html", "", "also write a page with charts to `FILE`, which needs nothing from elsewhere")
	return cmd
}

func preview(ctx context.Context, a *app, o previewOptions) error {
	plan := replay.Plan{Getenv: a.getenv, Environ: a.environ(), Agents: o.agents, Use: o.use, Now: time.Now()}
	var err error
	if o.since != "all" {
		if plan.Since, err = parseSince(o.since, plan.Now); err != nil {
			return err
		}
	}
	if o.html != "" {
		if info, err := os.Stat(filepath.Dir(o.html)); err != nil || !info.IsDir() {
			return fmt.Errorf("--html %s: there is no folder %s to write it to", o.html, filepath.Dir(o.html))
		}
		if info, err := os.Stat(o.html); err == nil && info.IsDir() {
			return fmt.Errorf("--html %s: it is a folder; name a file in it, such as %s", o.html, filepath.Join(o.html, "preview.html"))
		}
	}
	clear := func() {}
	if err, ok := a.err.(visible.Writer); ok {
		if f, ok := err.To.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
			bar := &progress{to: f}
			plan.Tell, clear = bar.tell, bar.clear
		}
	}
	report, err := replay.Preview(ctx, plan)
	clear()
	if err != nil {
		return err
	}
	if o.html != "" {
		if err := report.WriteHTML(o.html); err != nil {
			return err
		}
	}
	if a.json {
		return a.print(report)
	}
	return report.WriteText(visible.Writer{To: a.out})
}

// progress is a bar on a terminal.
type progress struct {
	to   *os.File
	mu   sync.Mutex
	last time.Time
}

// barWidth is how many signs the bar has.
const barWidth = 30

// tell draws the bar anew, a few times a second.
func (p *progress) tell(done, all int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := time.Now(); now.Sub(p.last) > 100*time.Millisecond && all > 0 {
		p.last = now
		n := int(min(done, all) * barWidth / all)
		fmt.Fprintf(p.to, "\r[%s%s] %3d %% of %d MiB", strings.Repeat("#", n), strings.Repeat(".", barWidth-n), min(done, all)*100/all, all>>20)
	}
}

// clear takes the bar away.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.last.IsZero() {
		fmt.Fprint(p.to, "\r\x1b[K")
	}
}
