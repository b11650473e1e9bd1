package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/guards"
)

func explainCommand(a *app) *cobra.Command {
	var tool, file, shell string
	cmd := &cobra.Command{
		Use:   "explain [--shell NAME] -- COMMAND | --tool NAME INPUT | -f FILE",
		Short: "Show what a call would do, and which rules hold for it",
		Long: `Show what a tool call would do, and which of hookway's own rules hold for it.

Nothing is run. The command is read as a shell would read it; of this machine
links, folders and scripts are looked at that it names. What is not known before
it runs counts as unknown. With --tool the call is another tool's, and INPUT its
input as JSON. With -f it is the JSON that an agent gives its PreToolUse hook; -
is stdin. The exit code is 2 if a rule blocks.`,
		Example: `  hookway explain -- 'git -C ../x push -f origin HEAD:main'
  hookway explain --tool Write '{"file_path":"/etc/hosts","content":""}'
  hookway explain --shell powershell -- 'Remove-Item C:\ -Recurse'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return explain(cmd.Context(), a, explained{tool: tool, file: file, shell: shell, words: args})
		},
	}
	cmd.Flags().StringVar(&tool, "tool", "", "the tool's `NAME`, such as Write or mcp__db__query")
	cmd.Flags().StringVarP(&file, "file", "f", "", "read a call as an agent tells it from `FILE`; - is stdin")
	cmd.Flags().StringVar(&shell, "shell", "sh", "who reads the command: sh, powershell or cmd")
	cmd.MarkFlagsMutuallyExclusive("tool", "file", "shell")
	return cmd
}

// explained is what is to be explained.
type explained struct {
	tool, file, shell string
	words             []string
}

func explain(ctx context.Context, a *app, x explained) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	var e guards.Explanation
	switch {
	case x.file != "":
		e, err = explainFile(ctx, a, x, dir)
	case x.tool != "":
		e, err = explainTool(a, x, dir)
	default:
		e, err = explainLine(a, x, dir)
	}
	if err != nil {
		return err
	}
	if a.json {
		text, err := json.Marshal(e)
		if err != nil {
			return err
		}
		err = a.printJSON(text)
		if err != nil {
			return err
		}
	} else if err := e.WriteText(a.out); err != nil {
		return err
	}
	if e.Verdict == guards.Block {
		return &exit{code: exitBlocked}
	}
	return nil
}

func explainLine(a *app, x explained, dir string) (guards.Explanation, error) {
	if len(x.words) == 0 {
		return guards.Explanation{}, errors.New("no command: write hookway explain -- 'COMMAND'")
	}
	line, world := strings.Join(x.words, " "), guards.World(dir, a.environ())
	read := map[string]func(string, facts.World) []hook.Fact{"sh": facts.Shell, "powershell": facts.PowerShell, "cmd": facts.Cmd}[x.shell]
	if read == nil {
		return guards.Explanation{}, fmt.Errorf("invalid shell %q: want sh, powershell or cmd", x.shell)
	}
	return guards.Everything().Explain("", line, read(line, world)), nil
}

func explainTool(a *app, x explained, dir string) (guards.Explanation, error) {
	if len(x.words) != 1 {
		return guards.Explanation{}, errors.New("want the tool's input as one word of JSON, as in --tool Read '{\"file_path\":\"x\"}'")
	}
	var input map[string]any
	if err := json.Unmarshal([]byte(x.words[0]), &input); err != nil {
		return guards.Explanation{}, fmt.Errorf("the tool's input is not a JSON object: %w", err)
	}
	return guards.Everything().Explain(x.tool, guards.CommandOf(input), facts.Call(x.tool, input, guards.World(dir, a.environ()))), nil
}

func explainFile(ctx context.Context, a *app, x explained, dir string) (guards.Explanation, error) {
	text, err := readPayload(ctx, a, x.file)
	if err != nil {
		return guards.Explanation{}, err
	}
	var call struct {
		Name  string         `json:"tool_name"`
		Input map[string]any `json:"tool_input"`
		Dir   string         `json:"cwd"`
	}
	if err := json.Unmarshal(text, &call); err != nil {
		return guards.Explanation{}, fmt.Errorf("the call is not a JSON object with tool_name and tool_input: %w", err)
	}
	if call.Name == "" {
		return guards.Explanation{}, errors.New("the call has no tool_name: give the JSON of a PreToolUse event")
	}
	if call.Dir != "" {
		dir = call.Dir
	}
	return guards.Everything().Explain(call.Name, guards.CommandOf(call.Input), facts.Call(call.Name, call.Input, guards.World(dir, a.environ()))), nil
}
