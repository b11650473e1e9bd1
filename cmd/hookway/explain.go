package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
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
facts are those that hooks were told, and "decided then" is what came of it.

The verdict is that of all rules, those that are off too. "here" is what comes of it in
this folder, or in that of the record: under the rules and modes that are on there
(hookway guards). Below each rule stands which configuration has it on, and of what a
script does, the script and its line.`,
		Example: `  hookway explain -- 'git -C ../x push -f origin HEAD:main'
  hookway explain --tool Write '{"file_path":"/etc/hosts","content":""}'
  hookway explain --shell powershell -- 'Remove-Item C:\ -Recurse'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if shell != "" && (tool != "" || file != "") {
				return errors.New("--shell says who reads a COMMAND; leave it out beside --tool and -f")
			}
			if tool != "" && file != "" {
				return errors.New("--tool and -f both name the call: use one of them")
			}
			x := explained{tool: tool, file: file, shell: shell, words: args}
			if len(args) == 1 && cmd.ArgsLenAtDash() < 0 && tool == "" && file == "" && shell == "" {
				if recordID.MatchString(args[0]) {
					x.record = args[0]
				} else if _, err := exec.LookPath(args[0]); err != nil && mistypedID.MatchString(args[0]) {
					return fmt.Errorf("%q is no record, by its seq or its event_id, which hookway log --json shows, and no program; of a command write hookway explain -- %[1]s", args[0])
				}
			}
			return explain(cmd.Context(), a, x)
		},
	}
	cmd.Flags().StringVar(&tool, "tool", "", "the tool's `NAME`, such as Write or mcp__db__query")
	cmd.Flags().StringVarP(&file, "file", "f", "", "read a call as an agent tells it from `FILE`; - is stdin")
	cmd.Flags().StringVar(&shell, "shell", "", "who reads the command: sh (the default), powershell or cmd")
	return cmd
}

// explained is what is to be explained.
type explained struct {
	tool, file, shell string
	words             []string
	record            string // in place of all that
}

// explainedCall is a call that was read.
type explainedCall struct {
	tool, command, dir string
	facts              func(facts.World) []hook.Fact
	then               *guards.Then
}

func explain(ctx context.Context, a *app, x explained) error {
	c, err := x.read(ctx, a)
	if err != nil {
		return err
	}
	policy, from, mistake, err := policyIn(ctx, a, c.dir)
	if err != nil {
		return err
	}
	world := guards.World(c.dir, a.environ())
	world.Scratch = policy.Scratch
	e := guards.Everything().Explain(ctx, c.tool, c.command, c.dir, c.facts(world))
	e.Then = c.then
	if e.Under(ctx, policy, c.dir, from); mistake != "" {
		e.Here = &guards.Here{Mistake: mistake, Rules: []guards.Said{}}
		for i := range e.Rules {
			e.Rules[i].From = ""
		}
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
	if e.Blocks() {
		return &exit{code: exitBlocked}
	}
	return nil
}

// read reads the call.
func (x explained) read(ctx context.Context, a *app) (explainedCall, error) {
	dir, err := os.Getwd()
	if err != nil {
		return explainedCall{}, err
	}
	switch {
	case x.record != "":
		return x.readRecord(a, dir)
	case x.file != "":
		return x.readFile(ctx, a, dir)
	case x.tool != "":
		return x.readTool(dir)
	}
	return x.readLine(dir)
}

// mistypedID is what a mistyped id looks like, and a command hardly.
var mistypedID = regexp.MustCompile(`^[0-9A-Za-z_-]+$`)

// recordID is what seqs and event ids look like.
var recordID = regexp.MustCompile(`^([0-9]+|[0-9a-f]{8,}(-[0-9a-f]+)*)$`)

// readRecord reads a call of the record, which was made in a folder of its own.
func (x explained) readRecord(a *app, dir string) (explainedCall, error) {
	log, err := a.home.AuditDir()
	if err != nil {
		return explainedCall{}, err
	}
	var found *audit.Record
	other := ""
	for r, err := range audit.Read(log, audit.Filter{}) {
		switch {
		case err != nil || strconv.FormatInt(r.Seq, 10) != x.record && r.EventID != x.record:
		case r.Tool != "":
			found = &r
		default:
			other = cmp.Or(r.Event, "no event")
		}
	}
	if found == nil && other != "" {
		return explainedCall{}, fmt.Errorf("the record %s is of %s, and no call of a tool: hookway log --explain shows it", x.record, other)
	}
	if found == nil {
		return explainedCall{}, fmt.Errorf("the record has no call %s; hookway log --json shows their seq and event_id; of a command write hookway explain -- %[1]s", x.record)
	}
	read := func(w facts.World) []hook.Fact { return facts.Call(found.Tool, found.ToolInput, w) }
	if found.Facts != nil {
		read = func(facts.World) []hook.Fact { return found.Facts }
	}
	return explainedCall{found.Tool, guards.CommandOf(found.ToolInput), cmp.Or(found.CWD, dir), read, thenOf(found)}, nil
}

// thenOf is what came of a call of the record.
func thenOf(r *audit.Record) *guards.Then {
	then := &guards.Then{Action: r.Action, Rule: r.Rule, By: r.By, Reason: r.Reason}
	for _, s := range r.Steps {
		if s.Would != nil && (then.Would == "" || s.Would.Action == r.Would) {
			then.Would, then.WouldRule = s.Would.Did(), cmp.Or(s.Would.Rule, s.Hook)
		}
	}
	return then
}

// policyIn is the policy in force in a folder, and from which layer each rule of it comes.
// mistake says why it is not known.
func policyIn(ctx context.Context, a *app, dir string) (policy *guards.Policy, from map[string]string, mistake string, err error) {
	options := a.home.Options()
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		options.Dir = dir
	}
	options.TrustedOnly = true
	set, err := config.Load(ctx, options)
	if err != nil {
		return nil, nil, "", err
	}
	policy = new(guards.Policy)
	if on := set.Settings.Guards; on != nil {
		policy, from = on.Policy, on.From
	}
	for _, p := range set.GuardMistakes() {
		mistake = cmp.Or(mistake, p.Place()+": "+p.Message)
	}
	return policy, from, mistake, set.Close()
}

func (x explained) readLine(dir string) (explainedCall, error) {
	if len(x.words) == 0 {
		return explainedCall{}, errors.New("no command: write hookway explain -- 'COMMAND'")
	}
	line := strings.Join(x.words, " ")
	read := map[string]func(string, facts.World) []hook.Fact{"": facts.Shell, "sh": facts.Shell, "powershell": facts.PowerShell, "cmd": facts.Cmd}[x.shell]
	if read == nil {
		return explainedCall{}, fmt.Errorf("invalid shell %q: want sh, powershell or cmd", x.shell)
	}
	return explainedCall{command: line, dir: dir, facts: func(w facts.World) []hook.Fact { return read(line, w) }}, nil
}

func (x explained) readTool(dir string) (explainedCall, error) {
	if len(x.words) != 1 {
		return explainedCall{}, errors.New("want the tool's input as one word of JSON, as in --tool Read '{\"file_path\":\"x\"}'")
	}
	var input map[string]any
	if err := json.Unmarshal([]byte(x.words[0]), &input); err != nil {
		return explainedCall{}, fmt.Errorf("the tool's input is not a JSON object: %w", err)
	}
	return callOf(x.tool, input, dir), nil
}

func callOf(tool string, input map[string]any, dir string) explainedCall {
	return explainedCall{tool: tool, command: guards.CommandOf(input), dir: dir, facts: func(w facts.World) []hook.Fact { return facts.Call(tool, input, w) }}
}

func (x explained) readFile(ctx context.Context, a *app, dir string) (explainedCall, error) {
	text, err := readPayload(ctx, a, x.file)
	if err != nil {
		return explainedCall{}, err
	}
	var call struct {
		Name  string         `json:"tool_name"`
		Input map[string]any `json:"tool_input"`
		Dir   string         `json:"cwd"`
	}
	if err := json.Unmarshal(text, &call); err != nil {
		return explainedCall{}, fmt.Errorf("the call is not a JSON object with tool_name and tool_input: %w", err)
	}
	if call.Name == "" {
		return explainedCall{}, errors.New("the call has no tool_name: give the JSON of a PreToolUse event")
	}
	return callOf(call.Name, call.Input, cmp.Or(call.Dir, dir)), nil
}
