package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/internal/memory"
	"github.com/hookway/hookway/internal/server"
	"github.com/hookway/hookway/internal/visible"
)

func memoryCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "memory",
		Short: "Save, search and forget what agents shall remember",
		Long: `Save, search and forget what agents shall remember.

A memory belongs to the workspace: every agent in it sees it. --scope agent keeps
it for the agent of --agent alone, --scope user shows it in all workspaces. The
workspace is the folder with hookway.yaml or another file of hooks, else the one
with .git, else this folder.

In a wrapped session an agent says @memory:save, @memory:search, @memory:forget
and @memory:list.`,
	}
	cmd.AddCommand(memorySaveCommand(a), memorySearchCommand(a), memoryForgetCommand(a), memoryListCommand(a), memoryImportCommand(a), memoryExportCommand(a), memoryEmbedCommand(a))
	return cmd
}

// memoryFlags say whose memories are meant. They are the same for all commands.
type memoryFlags struct {
	workspace, agent, session, by, scope, file string
	tags                                       []string
	all                                        bool
}

// addWriter adds the flags of commands that save.
func (f *memoryFlags) addWriter(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.workspace, "workspace", "", "the workspace's `FOLDER`; without it, the one we are in")
	cmd.Flags().StringVar(&f.agent, "agent", "", "the `NAME` of the agent that says it; without it, $HOOKWAY_AGENT")
	cmd.Flags().StringVar(&f.session, "session", "", "the `ID` of the session it is said in; without it, $HOOKWAY_SESSION")
	cmd.Flags().StringVar(&f.scope, "scope", "", "the `SCOPE` of those who shall see it: workspace, agent or user")
	offer(cmd, "scope", "workspace", "agent", "user")
}

// addReader adds the flags of commands that look.
func (f *memoryFlags) addReader(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.workspace, "workspace", "", "the workspace's `FOLDER`; without it, the one we are in")
	cmd.Flags().StringVar(&f.agent, "agent", "", "see also what the agent of this `NAME` keeps for itself; without it, $HOOKWAY_AGENT")
	cmd.Flags().StringVar(&f.by, "by", "", "only what the agent of this `NAME` said")
	cmd.Flags().StringVar(&f.session, "session", "", "only of the session of this `ID`")
	cmd.Flags().StringVar(&f.scope, "scope", "", "only of this `SCOPE`: workspace, agent or user")
	offer(cmd, "scope", "workspace", "agent", "user")
	cmd.Flags().StringArrayVarP(&f.tags, "tag", "t", nil, "only with this `TAG`; several: with all of them")
	cmd.Flags().BoolVar(&f.all, "all", false, "of every workspace and every agent")
}

// memoryView is what the flags of a reading command see.
func memoryView(a *app, f memoryFlags) (memory.View, error) {
	workspace, err := memoryWorkspace(a, f.workspace)
	if err != nil {
		return memory.View{}, err
	}
	if err := checkTags(f.tags); err != nil {
		return memory.View{}, err
	}
	v := memory.View{Workspace: workspace, Agent: f.agent, All: f.all, Session: f.session, By: f.by, Tags: f.tags}
	if v.Agent == "" {
		v.Agent = a.getenv("HOOKWAY_AGENT")
	}
	if f.scope != "" {
		v.Scope, err = memory.ParseScope(f.scope)
	}
	return v, err
}

// memoryOrigin is where what a saving command keeps comes from.
func memoryOrigin(a *app, f memoryFlags) (memory.Memory, error) {
	workspace, err := memoryWorkspace(a, f.workspace)
	if err != nil {
		return memory.Memory{}, err
	}
	if err := checkTags(f.tags); err != nil {
		return memory.Memory{}, err
	}
	m := memory.Memory{Workspace: workspace, Agent: f.agent, Session: f.session, Tags: f.tags, File: f.file}
	if m.Agent == "" {
		m.Agent = a.getenv("HOOKWAY_AGENT")
	}
	if m.Session == "" {
		m.Session = a.getenv("HOOKWAY_SESSION")
	}
	if m.Scope, err = memory.ParseScope(f.scope); err == nil && m.Scope == memory.ScopeAgent && m.Agent == "" {
		err = errors.New("--scope agent needs the agent's name: give --agent NAME")
	}
	return m, err
}

// checkTags finds a tag that says nothing.
func checkTags(tags []string) error {
	for _, tag := range tags {
		if strings.Trim(tag, "# \t\n") == "" {
			return fmt.Errorf("--tag %q is empty; name a tag, or leave it out", tag)
		}
	}
	return nil
}

// memoryWorkspace is the folder whose memories are meant: the named one, or the
// workspace that we are in. A project without hooks has memories too.
func memoryWorkspace(a *app, named string) (string, error) {
	if named != "" {
		abs, err := filepath.Abs(named)
		if err != nil {
			return "", fmt.Errorf("--workspace %s: %w", named, err)
		}
		return disk.Real(abs), nil
	}
	return a.home.Memories().ProjectAt(a.home.Options(), server.Cwd())
}

// withMemory opens for one command what keeps the memories of the folder that is
// named, or in which we are.
func withMemory(ctx context.Context, a *app, f memoryFlags, do func(memory.Backend) error) error {
	dir, err := memoryWorkspace(a, f.workspace)
	if err != nil {
		return err
	}
	held, err := a.home.Memories().At(ctx, dir)
	if err != nil {
		return errors.Join(err, a.home.Memories().Close())
	}
	for _, line := range judge.Complaints(held.Set) {
		fmt.Fprintln(a.err, line)
	}
	for _, p := range held.Set.Warnings {
		if !slices.Contains(held.Set.Skipped, p) {
			fmt.Fprintln(a.err, p.String())
		}
	}
	err = do(held.Backend)
	held.Done()
	return errors.Join(err, a.home.Memories().Close())
}

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

func memoryImportCommand(a *app) *cobra.Command {
	var f memoryFlags
	cmd := &cobra.Command{
		Use:   "import FILE | -",
		Short: "Save the memories of a file: one JSON object a line",
		Long: `Save the memories of a file, or with - of stdin, one JSON object a line, as
hookway memory export writes them: {"id","text","session","agent","workspace",
"time","tags","scope","file","context"}. Only text is needed; what else a line
does not say is taken from the flags. A text for tags is one tag. An id that is
there is replaced. A mistake in one line is an error, and then nothing is imported;
what is not valid UTF-8 becomes the sign that stands for that, U+FFFD.`,
		Example: "  hookway memory import notes.jsonl\n  ssh other hookway memory export | hookway memory import -",
		Args:    exactly("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := memoryOrigin(a, f)
			if err != nil {
				return err
			}
			from := a.in
			if args[0] != "-" {
				if from, err = openWithin(cmd.Context(), args[0]); err != nil {
					return fmt.Errorf("nothing was imported: %w", err)
				}
				defer from.Close()
			}
			return withMemory(cmd.Context(), a, f, func(store memory.Backend) error {
				return importMemories(a, cmd, store, from, m, args[0])
			})
		},
	}
	f.addWriter(cmd)
	return cmd
}

func importMemories(a *app, cmd *cobra.Command, store memory.Backend, from *os.File, m memory.Memory, name string) error {
	done, err := memory.Import(cmd.Context(), store, from, m)
	if err != nil {
		if name == "-" {
			name = "stdin"
		}
		return fmt.Errorf("%s: %w", name, err)
	}
	if a.json {
		return a.print(done)
	}
	_, err = fmt.Fprintf(a.out, "%d added, %d replaced, %d unchanged\n", done.Added, done.Replaced, done.Unchanged)
	return err
}

func memoryExportCommand(a *app) *cobra.Command {
	var f memoryFlags
	cmd := &cobra.Command{
		Use:     "export",
		Short:   "Print memories as JSON, one a line, the oldest first",
		Example: "  hookway memory export --all > memories.jsonl",
		Args:    exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			v, err := memoryView(a, f)
			if err != nil {
				return err
			}
			return withMemory(cmd.Context(), a, f, func(store memory.Backend) error {
				_, err := memory.Export(cmd.Context(), store, a.out, v)
				return endOfReader(err)
			})
		},
	}
	f.addReader(cmd)
	return cmd
}

func memoryEmbedCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "embed",
		Short: "Make the vectors that memories lack, with the configured embedder",
		Long: `Make the vectors that memories lack, with the configured embedder.

It is not needed: sessions and the daemon do it in the background, and until a
memory has its vector, its words find it. After an import, or with another model,
this does it at once and shows how far it is.`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := a.home.Memories().Embedded(cmd.Context())
			if err != nil {
				return err
			}
			return errors.Join(embedAll(a, cmd, store), store.Close())
		},
	}
}

// embedAll makes all vectors, and says every second how far it is.
func embedAll(a *app, cmd *cobra.Command, store *memory.Store) error {
	made, left := 0, 0
	said := time.Now()
	err := store.Embed(cmd.Context(), func(done, rest int) {
		made, left = done, rest
		if time.Since(said) >= time.Second && !a.json {
			said = time.Now()
			fmt.Fprintf(a.err, "hookway: %s made, %d left\n", visible.Count(done, "vector"), rest)
		}
	})
	if err != nil {
		return fmt.Errorf("%s made and kept: %w", visible.Count(made, "vector was", "vectors were"), err)
	}
	if a.json {
		return a.print(map[string]int{"made": made, "left": left})
	}
	_, err = fmt.Fprintf(a.out, "%s made\n", visible.Count(made, "vector"))
	if left > 0 {
		fmt.Fprintf(a.err, "hookway: the embedder cannot do %s find them\n", visible.Count(left, "memory; its words", "memories; their words"))
	}
	return err
}
