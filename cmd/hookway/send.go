package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/session"
)

func (a *app) sendCommand() *cobra.Command {
	var from string
	var meta []string
	cmd := &cobra.Command{
		Use:   "send TO TEXT | -",
		Short: "Send a message to a running session, or with * to all",
		Long: `Send a message to the agent of a running session, by its name or its session's
id, or with * to all of them. The agent is told who sent it; its hooks of
MessageReceived may change, format or suppress it first. With - the text is what
stands on stdin; it may have 64 KiB.

Exit code: 0 if everybody has it, 2 if a hook has suppressed it, otherwise 1.`,
		Example:           "  hookway send Alice 'the build is green'\n  hookway send '*' 'we merge at five' --meta urgent=true",
		Args:              exactly("TO", "TEXT"),
		ValidArgsFunction: a.completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := a.textOrStdin(args[1])
			if err != nil {
				return err
			}
			m := hook.Message{ID: session.NewID(), From: from, To: args[0], Content: text}
			if m.From == "" {
				m.From = or(a.getenv("HOOKWAY_AGENT"), "user")
			}
			if m.Metadata, err = metadata(meta); err != nil {
				return err
			}
			return a.send(cmd.Context(), m)
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "the `NAME` of the sender; without it, that of the agent in whose session this is called, or user")
	cmd.Flags().StringArrayVar(&meta, "meta", nil, "tell the receiver's hooks `KEY=VALUE` in the message's metadata; a value in JSON counts as such")
	return cmd
}

// metadata reads KEY=VALUE pairs.
func metadata(pairs []string) (map[string]any, error) {
	if len(pairs) == 0 {
		return nil, nil
	}
	all := map[string]any{}
	for _, pair := range pairs {
		key, text, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("--meta %q must be KEY=VALUE", pair)
		}
		var value any
		if json.Unmarshal([]byte(text), &value) != nil {
			value = text
		}
		all[key] = value
	}
	return all, nil
}

func (a *app) send(ctx context.Context, m hook.Message) error {
	dir, err := a.rosterDir()
	if err != nil {
		return err
	}
	got, err := (&messenger{dir: dir, self: a.getenv("HOOKWAY_SESSION")}).deliver(ctx, m)
	if err != nil {
		return err
	}
	if a.json {
		err = a.print(got)
	}
	var failed []error
	code := 0
	for _, d := range got {
		switch {
		case d.Error != "":
			code = exitFailure
			failed = append(failed, fmt.Errorf("%s has not got the message: %s", d.To, d.Error))
			continue
		case d.State == suppressed && code == 0:
			code = exitBlocked
		}
		if !a.json {
			fmt.Fprintf(visible{a.out}, "%s: %s%s\n", d.To, d.State, after(": ", d.Reason))
		}
	}
	if code == 0 {
		return err
	}
	return &exit{code: code, err: errors.Join(append(failed, err)...)}
}
