package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/memory"
	"github.com/hookway/hookway/internal/visible"
)

func memorySearchCommand(a *app) *cobra.Command {
	var f memoryFlags
	k := 10
	cmd := &cobra.Command{
		Use:     "search QUERY",
		Short:   "Find the memories that fit a question best",
		Example: "  hookway memory search -k 3 \"which database do we use\"\n  hookway memory search deploy --tag ops --json",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return exactly("QUERY")(cmd, args)
			}
			if strings.TrimSpace(strings.Join(args, "")) == "" {
				return errors.New("the question is empty; hookway memory list shows what was saved last")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			v, err := memoryView(a, f)
			if err != nil {
				return err
			}
			return withMemory(cmd.Context(), a, f, func(store memory.Backend) error {
				found, err := searchMemory(cmd.Context(), a, store, strings.Join(args, " "), k, v)
				if err != nil {
					return err
				}
				err = showMemories(a, found, true, "Nothing like that is remembered; try other words.")
				embedSome(cmd.Context(), store)
				return err
			})
		},
	}
	cmd.Flags().IntVarP(&k, "limit", "k", k, "show the best `N`")
	f.addReader(cmd)
	return cmd
}

func memoryListCommand(a *app) *cobra.Command {
	var f memoryFlags
	n := 20
	cmd := &cobra.Command{
		Use:   "list",
		Short: "Show what was saved last",
		Args:  exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			v, err := memoryView(a, f)
			if err != nil {
				return err
			}
			if n < 0 {
				return fmt.Errorf("-n %d: it must not be negative; 0 shows all", n)
			}
			return withMemory(cmd.Context(), a, f, func(store memory.Backend) error {
				found, err := store.List(cmd.Context(), n, v)
				if err != nil && !errors.Is(err, memory.ErrPart) {
					return err
				}
				return cmp.Or(showMemories(a, found, false, f.nothing()), err)
			})
		},
	}
	cmd.Flags().IntVarP(&n, "last", "n", n, "show the last `N`; 0 is all")
	f.addReader(cmd)
	return cmd
}

// nothing says that there is nothing to show, for which the flags may be the cause.
func (f *memoryFlags) nothing() string {
	if len(f.tags) > 0 || f.by != "" || f.session != "" || f.scope != "" {
		return "Nothing that is remembered here is like that; leave out --tag, --by, --session and --scope to see all."
	}
	return "Nothing is remembered here yet."
}

// showMemories prints memories, one a line.
func showMemories(a *app, found []memory.Memory, scored bool, none string) error {
	if a.json {
		return a.print(found)
	}
	if len(found) == 0 {
		fmt.Fprintln(a.err, none)
		return nil
	}
	table := tabwriter.NewWriter(visible.Writer{To: a.out}, 0, 0, 2, ' ', 0)
	for _, m := range found {
		middle := "" // a handler need not say it
		if !m.Time.IsZero() {
			middle = m.Time.Local().Format("2006-01-02")
		}
		if scored {
			middle = fmt.Sprintf("%.2f", m.Score)
		}
		from := m.Agent
		if len(m.Tags) > 0 {
			from = strings.TrimSpace(from + " #" + strings.Join(m.Tags, " #"))
		}
		if from != "" {
			from = "  (" + from + ")"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", m.ID, middle, delivery.Undirected(hook.LogLine(m.Text+from)))
	}
	return endOfReader(table.Flush())
}

// How many texts a search has embedded for the next one, where no session does
// that, and how long it stays for it.
const (
	embedSoon     = 16
	embedSoonTime = 2 * time.Second
)

// embedSome is for who has searched already: that it does not work is not reported.
func embedSome(ctx context.Context, b memory.Backend) {
	if store, ok := b.(*memory.Store); ok && store.Embeds() {
		ctx, cancel := context.WithTimeout(ctx, embedSoonTime)
		defer cancel()
		_ = store.EmbedSome(ctx, embedSoon)
	}
}

// searchMemory searches, and tells what the search had to do without.
func searchMemory(ctx context.Context, a *app, b memory.Backend, query string, k int, v memory.View) ([]memory.Memory, error) {
	store, ok := b.(*memory.Store)
	if !ok {
		return b.Search(ctx, query, k, v)
	}
	found, err := store.Find(ctx, query, k, v)
	if found.Warning != "" {
		a.warn("%s", found.Warning)
	}
	return found.Memories, err
}
