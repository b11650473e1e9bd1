package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/guards"
)

func explainCommand(a *app) *cobra.Command {
	var tool, file, shell string
	cmd := &cobra.Command{
		Use:   "explain [--shell NAME] -- COMMAND | --tool NAME INPUT | -f FILE | RECORD",
		Short: "Show what a call would do, and which rules hold for it",
		Long: `Show what a tool call would do, and which of hookway's own rules hold for it.

Nothing is run. The command is read as a shell would read it; of this machine
links, folders and scripts are looked at that it names. What is not known before
it runs counts as unknown. With --tool the call is another tool's, and INPUT its
input as JSON. With -f it is the JSON that an agent gives its PreToolUse hook; -
is stdin. The exit code is 2 if a rule blocks.

RECORD is a call in the record, by its seq or its event_id (hookway log --json): its
facts are those that hooks were told.

"here" is what comes of it in this folder, or in that of the record: under the rules
and modes that are on there (hookway guards).`,
		Example: `  hookway explain -- 'git -C ../x push -f origin HEAD:main'
  hookway explain --tool Write '{"file_path":"/etc/hosts","content":""}'
  hookway explain --shell powershell -- 'Remove-Item C:\ -Recurse'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			x := explained{tool: tool, file: file, shell: shell, words: args}
			if len(args) == 1 && cmd.ArgsLenAtDash() < 0 && tool == "" && file == "" && recordID.MatchString(args[0]) {
				x.record = args[0]
			}
			return explain(cmd.Context(), a, x)
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
	record            string // in place of all that
}

func explain(ctx context.Context, a *app, x explained) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	var e guards.Explanation
	switch {
	case x.record != "":
		e, dir, err = explainRecord(a, x.record, dir)
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
	if err := explainHere(ctx, a, &e, dir); err != nil {
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

// recordID is what seqs and event ids look like.
var recordID = regexp.MustCompile(`^([0-9]+|[0-9a-f]{8,}(-[0-9a-f]+)*)$`)

// explainRecord explains a call of the record, and gives the folder in which it was made.
func explainRecord(a *app, id, dir string) (guards.Explanation, string, error) {
	log, err := a.home.AuditDir()
	if err != nil {
		return guards.Explanation{}, dir, err
	}
	var found *audit.Record
	for r, err := range audit.Read(log, audit.Filter{}) {
		if err == nil && (strconv.FormatInt(r.Seq, 10) == id || r.EventID == id) && r.Tool != "" {
			found = &r
		}
	}
	if found == nil {
		return guards.Explanation{}, dir, fmt.Errorf("the record has no call %s; hookway log --json shows their seq and event_id", id)
	}
	dir = cmp.Or(found.CWD, dir)
	fs := found.Facts
	if fs == nil {
		fs = facts.Call(found.Tool, found.ToolInput, guards.World(dir, a.environ()))
	}
	return guards.Everything().Explain(found.Tool, guards.CommandOf(found.ToolInput), fs), dir, nil
}

// explainHere adds what comes of it in a folder.
func explainHere(ctx context.Context, a *app, e *guards.Explanation, dir string) error {
	options := a.home.Options()
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		options.Dir = dir
	}
	options.TrustedOnly = true
	set, err := config.Load(ctx, options)
	if err != nil {
		return err
	}
	policy := new(guards.Policy)
	if on := set.Settings.Guards; on != nil {
		policy = on.Policy
	}
	e.Under(policy)
	return set.Close()
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
