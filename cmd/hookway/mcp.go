package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/mcp"
)

func (a *app) mcpCommand() *cobra.Command {
	var agent, workspace string
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve memory and messages to an agent that speaks MCP",
		Long: `Serve memory and messages to an agent that speaks the Model Context Protocol, on
stdin and stdout. The agent starts it; it ends when the agent does. Its tools are
save_memory, search_memory, list_memories, forget_memory, list_agents,
send_message and read_inbox.

Under hookway run the agent is known. Otherwise it is called as its program calls
itself, or by --agent.`,
		Example: "  claude mcp add hookway -- hookway mcp\n  codex mcp add hookway -- hookway mcp",
		Args:    exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			server, err := a.mcpServer(agent, workspace)
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
func (a *app) mcpServer(agent, folder string) (*mcp.Server, error) {
	workspace, err := a.memoryWorkspace(folder)
	if err != nil {
		return nil, err
	}
	name, id := a.getenv("HOOKWAY_AGENT"), a.getenv("HOOKWAY_SESSION")
	if agent != "" && agent != name { // another agent than the one whose session it is
		name, id = agent, ""
	}
	return &mcp.Server{
		Version: ownVersion(), Agent: name, Session: id, Workspace: workspace,
		OpenMemory: a.heldMemory(workspace), Roster: a.rosterDir,
		Send: func(ctx context.Context, self string, m hook.Message) ([]mcp.Delivery, error) {
			dir, err := a.rosterDir()
			if err != nil {
				return nil, fmt.Errorf("the message was not sent: %w", err)
			}
			got, err := (&messenger{dir: dir, self: self}).deliver(ctx, m)
			all := make([]mcp.Delivery, len(got))
			for i, d := range got {
				all[i] = mcp.Delivery(d)
			}
			return all, err
		},
	}, nil
}
