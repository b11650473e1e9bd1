package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/mcp"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/server"
)

func mcpCommand(a *app) *cobra.Command {
	var agent, workspace string
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve memory and messages to an agent that speaks MCP",
		Long: `Serve memory and messages to an agent that speaks the Model Context Protocol, on
stdin and stdout. The agent starts it; it ends when the agent does. Its tools are
save_memory, search_memory, list_memories, forget_memory, send_message,
read_inbox, message_status, list_agents, list_channels, join_channel and
leave_channel.

Under hookway run the agent is known. Otherwise --agent gives it a name, by which
others send to it; without one it can send, and has no inbox.`,
		Example: "  claude mcp add hookway -- hookway mcp\n  codex mcp add hookway -- hookway mcp --agent Bob",
		Args:    exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			server, err := mcpServer(a, agent, workspace)
			if err != nil {
				return err
			}
			if term.IsTerminal(int(a.in.Fd())) {
				a.warn("this is for an agent to start, and speaks JSON on stdin and stdout; Ctrl-D ends it")
			}
			return server.Serve(cmd.Context(), a.in, a.out)
		},
	}
	cmd.Flags().StringVar(&agent, "agent", "", "the `NAME` of the agent that is served; without it, $HOOKWAY_AGENT")
	cmd.Flags().StringVar(&workspace, "workspace", "", "the `FOLDER` whose memories are meant; without it, the one we are in")
	return cmd
}

// mcpServer is a server for the agent of this name, or the one in whose session
// this is called.
func mcpServer(a *app, agent, folder string) (*mcp.Server, error) {
	workspace, err := memoryWorkspace(a, folder)
	if err != nil {
		return nil, err
	}
	name, id := a.getenv("HOOKWAY_AGENT"), a.getenv("HOOKWAY_SESSION")
	if err := relay.Reserved(agent); err != nil {
		return nil, fmt.Errorf("--agent: %w", err)
	}
	if agent != "" && agent != name { // another agent than the one whose session it is
		name, id = agent, ""
	}
	return &mcp.Server{
		Version: ownVersion(), Agent: name, Session: id, Workspace: workspace, Program: "mcp",
		OpenMemory: a.home.Memories().Lend(workspace), OpenRelay: a.home.OpenRelay, Notify: a.home.NotifyRelay, Roster: a.home.RosterDir,
		OpenHooks: func(ctx context.Context, agent string) (delivery.Hooks, func() error, error) {
			return a.home.LiveMessageHooks(ctx, hook.Envelope{Session: id, Agent: agent, Source: "mcp", CWD: server.Cwd()})
		},
	}, nil
}
