package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/audit/index"
	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/visible"
)

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
