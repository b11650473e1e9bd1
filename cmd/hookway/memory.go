package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/internal/memory"
	"github.com/hookway/hookway/internal/server"
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
		return server.WithoutLinks(abs), nil
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
