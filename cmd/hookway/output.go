package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/roster"
	"github.com/hookway/hookway/internal/session"
	"github.com/hookway/hookway/internal/visible"
)

func outputCommand(a *app) *cobra.Command {
	var tail int
	cmd := &cobra.Command{
		Use:   "output NAME",
		Short: "Print what the program of a session has printed",
		Long: `Print the finished lines that the program of a session has printed, without colours
and without what was typed. A session that has ended is named by its id.

Of each session 16 MiB are kept at most, for seven days. HOOKWAY_HISTORY=off,
given to hookway run, keeps nothing.`,
		Example:           "  hookway output Alice --tail 20",
		Args:              exactly("NAME"),
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			if tail < 0 || cmd.Flags().Changed("tail") && tail == 0 {
				return fmt.Errorf("--tail %d: it must be 1 or more", tail)
			}
			return showOutput(cmd.Context(), a, args[0], tail)
		},
	}
	cmd.Flags().IntVarP(&tail, "tail", "n", 0, "print the last `N` lines only")
	return cmd
}

func showOutput(ctx context.Context, a *app, name string, tail int) error {
	r, err := a.find(ctx, name)
	if errors.Is(err, roster.ErrUnknown) {
		if text, ended := endedOutput(a, name, tail); ended == nil {
			_, err := io.Copy(visible.Writer{To: a.out}, text)
			return endOfReader(errors.Join(err, text.Close()))
		}
	}
	if err != nil {
		return err
	}
	return endOfReader(r.Output(ctx, visible.Writer{To: a.out}, tail))
}

// endedOutput opens what is kept of a session that has ended.
func endedOutput(a *app, id string, tail int) (io.ReadCloser, error) {
	dir, err := a.historyDir()
	if err != nil || dir == "" {
		return nil, errors.Join(err, fs.ErrNotExist)
	}
	path := session.HistoryFile(dir, id)
	if found, err := filepath.Glob(path + ".out*"); err != nil || len(found) == 0 {
		return nil, errors.Join(err, fs.ErrNotExist)
	}
	text, _, err := session.ReadHistory(path, tail)
	return text, err
}

// historyDir is where the output of sessions is kept; "" if the user wants none.
func (a *app) historyDir() (string, error) {
	if a.getenv("HOOKWAY_HISTORY") == "off" {
		return "", nil
	}
	_, state, err := config.Places(a.getenv)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(state, "output")
	if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
		return "", fmt.Errorf("%s is not a folder; move it away", dir)
	}
	return dir, nil
}
