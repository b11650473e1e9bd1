package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/memory"
	"github.com/hookway/hookway/internal/visible"
)

func memorySaveCommand(a *app) *cobra.Command {
	var f memoryFlags
	cmd := &cobra.Command{
		Use:   "save TEXT | -",
		Short: "Save a memory; prints its id",
		Long:  "Save a memory and print its id. With - the text is read from stdin. A text that\nis there already is not saved twice: its id is printed again.",
		Example: `  hookway memory save "User prefers dark mode" --tag style --scope user
  hookway memory save "Tests need a running Redis" --file Makefile`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return exactly("TEXT")(cmd, args)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := memoryOrigin(a, f)
			if err != nil {
				return err
			}
			if m.Text, err = memoryText(a, args); err != nil {
				return err
			}
			return withMemory(cmd.Context(), a, f, func(store memory.Backend) error {
				saved, err := store.Save(cmd.Context(), m)
				if err != nil || a.json {
					return errors.Join(err, a.printUnless(err, saved))
				}
				_, err = fmt.Fprintln(visible.Writer{To: a.out}, saved.ID)
				return err
			})
		},
	}
	f.addWriter(cmd)
	cmd.Flags().StringArrayVarP(&f.tags, "tag", "t", nil, "a `TAG` to find it by; may be given several times")
	cmd.Flags().StringVar(&f.file, "file", "", "the `FILE` that it is about")
	return cmd
}

// memoryText is the text of the arguments, or of stdin for -.
func memoryText(a *app, args []string) (string, error) {
	if len(args) != 1 || args[0] != "-" {
		return strings.Join(args, " "), nil
	}
	const most = 2 * memory.MaxText // with blanks around it, which are not kept
	data, err := io.ReadAll(io.LimitReader(a.in, most))
	if err != nil {
		return "", fmt.Errorf("the text cannot be read: %w", err)
	}
	text := strings.TrimSpace(string(data))
	if len(text) > memory.MaxText || len(data) == most {
		return "", fmt.Errorf("the text on stdin has more than %d bytes: save a summary, and name the file that has the rest", memory.MaxText)
	}
	return text, nil
}

// printUnless prints a value if there was no error.
func (a *app) printUnless(err error, v any) error {
	if err != nil {
		return nil
	}
	return a.print(v)
}

// completeMemory offers the ids of what was saved last, with its text.
func (a *app) completeMemory(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var ids []string
	v, err := memoryView(a, memoryFlags{})
	if len(args) > 0 || err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(context.Background(), completeTime)
	defer cancel()
	_ = withMemory(ctx, a, memoryFlags{}, func(store memory.Backend) error {
		found, err := store.List(ctx, 20, v)
		for i := range found {
			ids = append(ids, found[i].ID+"\t"+field(found[i].Text, 60))
		}
		return err
	})
	return ids, cobra.ShellCompDirectiveNoFileComp
}

func memoryForgetCommand(a *app) *cobra.Command {
	var f memoryFlags
	cmd := &cobra.Command{
		Use:               "forget ID",
		Short:             "Delete a memory",
		Args:              exactly("ID"),
		ValidArgsFunction: a.completeMemory,
		RunE: func(cmd *cobra.Command, args []string) error {
			v, err := memoryView(a, f)
			if err != nil {
				return err
			}
			return withMemory(cmd.Context(), a, f, func(store memory.Backend) error {
				err := store.Forget(cmd.Context(), args[0], v)
				switch {
				case errors.Is(err, memory.ErrUnknown):
					return fmt.Errorf("%w; hookway memory list shows those of this workspace, --all those of every one", err)
				case err != nil:
					return err
				case !a.json:
					_, err := fmt.Fprintf(visible.Writer{To: a.out}, "%s is forgotten\n", field(args[0], 80))
					return err
				}
				return a.print(map[string]string{"forgotten": args[0]})
			})
		},
	}
	cmd.Flags().StringVar(&f.workspace, "workspace", "", "the workspace's `FOLDER`; without it, the one we are in")
	cmd.Flags().StringVar(&f.agent, "agent", "", "also what the agent of this `NAME` keeps for itself; without it, $HOOKWAY_AGENT")
	cmd.Flags().BoolVar(&f.all, "all", false, "whatever workspace or agent it is of")
	return cmd
}
