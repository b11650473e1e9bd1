package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/roster"
	"github.com/hookway/hookway/internal/visible"
)

func injectCommand(a *app) *cobra.Command {
	var wait bool
	cmd := &cobra.Command{
		Use:   "inject NAME TEXT | -",
		Short: "Type a text to a session's program, when that is safe",
		Long: `Type a text, and Enter, to the program of a session: when it is still, when its
user types nothing, and after the texts that wait already. With - the text is
what stands on stdin; it may have 64 KiB.

What has become of the text is printed. It waits first; --wait waits too, for one
of these: submitted (the program has taken it), echoed (it was seen on the
screen), written (more cannot be seen), failed (exit code 1, with the reason).`,
		Example:           "  hookway inject Alice 'run the tests' --wait\n  git diff | hookway inject Alice -\n  hookway inject \"$HOOKWAY_SESSION\" 'in a hook: to my own agent'",
		Args:              exactly("NAME", "TEXT"),
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := a.textOrStdin(args[1])
			if err != nil {
				return err
			}
			return injectText(cmd.Context(), a, args[0], text, wait)
		},
	}
	cmd.Flags().BoolVarP(&wait, "wait", "w", false, "wait until it is known what has become of the text")
	return cmd
}

// textOrStdin is a text of the command line, or with - what stands on stdin.
func (a *app) textOrStdin(arg string) (string, error) {
	if arg != "-" {
		return arg, nil
	}
	text, err := io.ReadAll(io.LimitReader(a.in, roster.MaxText+1))
	if err != nil {
		return "", fmt.Errorf("read the text from stdin: %w", err)
	}
	if len(text) > roster.MaxText {
		return "", fmt.Errorf("the text on stdin is longer than %d bytes", roster.MaxText)
	}
	return string(text), nil
}

func injectText(ctx context.Context, a *app, name, text string, wait bool) error {
	r, err := a.find(ctx, name)
	if err != nil {
		return err
	}
	state, reason, err := r.Inject(ctx, text, wait)
	switch {
	case errors.Is(err, context.Canceled):
		return errors.New("not waited for: the text may still be typed")
	case err != nil:
		return err
	}
	if a.json {
		err = a.print(map[string]string{"state": state, "reason": reason})
	}
	switch {
	case state == "failed" && a.json:
		return errors.Join(err, &exit{code: exitFailure})
	case state == "failed":
		return fmt.Errorf("the text was not typed to %s: %s", r.Name, reason)
	case a.json:
		return err
	case reason != "":
		state += ": " + reason
	}
	fmt.Fprintln(visible.Writer{To: a.out}, state)
	return nil
}
