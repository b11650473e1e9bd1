package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/audit/index"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/explain"
	"github.com/hookway/hookway/internal/visible"
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
				if recordID().MatchString(args[0]) {
					x.record = args[0]
				} else if _, err := exec.LookPath(args[0]); err != nil && mistypedID().MatchString(args[0]) {
					return fmt.Errorf("%q is not a record, by its seq or its event_id, which hookway log --json shows, and no program; of a command write hookway explain -- %[1]s", args[0])
				}
			}
			return x.explain(cmd.Context(), a)
		},
	}
	cmd.Flags().StringVar(&tool, "tool", "", "the tool's `NAME`, such as Write or mcp__db__query")
	cmd.Flags().StringVarP(&file, "file", "f", "", "read a call as an agent tells it from `FILE`; - is stdin")
	cmd.Flags().StringVar(&shell, "shell", "", "the `NAME` of who reads the command: sh (the default), powershell or cmd")
	offer(cmd, "shell", "sh", "powershell", "cmd")
	return cmd
}

// explained is what is to be explained.
type explained struct {
	tool, file, shell string
	words             []string
	record            string // in place of all that
}

func (x explained) explain(ctx context.Context, a *app) error {
	c, err := x.read(ctx, a)
	if err != nil {
		return err
	}
	set, err := setIn(ctx, a, c.Dir)
	if err != nil {
		return err
	}
	e := c.Under(ctx, set, a.environ(), false)
	if err := set.Close(); err != nil {
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
	} else if own := ownHooks(set); len(own) > 0 {
		fmt.Fprintf(a.out, "not asked here: %s of your own (%s); hookway fire PreToolUse asks them\n",
			visible.Count(len(own), "hook"), field(strings.Join(own, ", "), 200))
	}
	if e.Blocks() {
		return &exit{code: exitBlocked}
	}
	return nil
}

// ownHooks are the hooks beside hookway's own rules that may judge a call.
func ownHooks(set *config.Set) []string {
	var ids []string
	for _, h := range set.Hooks {
		before := slices.Contains(h.Events, hook.PreToolUse.Info().Name) || slices.Contains(h.Events, "*")
		if before && h.State == config.Active && h.Lane != hook.Observe && !strings.HasPrefix(h.ID, "hookway/") {
			ids = append(ids, h.ID)
		}
	}
	return ids
}

// read reads the call.
func (x explained) read(ctx context.Context, a *app) (explain.Call, error) {
	dir, err := os.Getwd()
	if err != nil {
		return explain.Call{}, err
	}
	switch {
	case x.record != "":
		return recordedCall(ctx, a, x.record, dir)
	case x.file != "":
		text, err := readPayload(ctx, a, x.file)
		if err != nil {
			return explain.Call{}, err
		}
		return explain.Event(text, dir)
	case x.tool != "":
		return x.readTool(dir)
	case len(x.words) == 0:
		return explain.Call{}, errors.New("no command: write hookway explain -- 'COMMAND'")
	}
	return explain.Line(strings.Join(x.words, " "), x.shell, dir)
}

// recordedCall finds a call in the record, by the index of the log.
func recordedCall(ctx context.Context, a *app, id, dir string) (c explain.Call, err error) {
	log, err := a.home.AuditDir()
	if err != nil {
		return c, err
	}
	x := index.Open(log, nil)
	defer func() { err = errors.Join(err, x.Close()) }()
	r, err := explain.Find(log, id, x.Find(ctx, index.Query{Text: id}))
	if err != nil {
		return c, err
	}
	return explain.Record(r, dir), nil
}

func (x explained) readTool(dir string) (explain.Call, error) {
	if len(x.words) != 1 {
		return explain.Call{}, errors.New("want the tool's input as one word of JSON, as in --tool Read '{\"file_path\":\"x\"}'")
	}
	var input map[string]any
	if err := json.Unmarshal([]byte(x.words[0]), &input); err != nil {
		return explain.Call{}, fmt.Errorf("the tool's input is not a JSON object: %w", err)
	}
	return explain.Tool(x.tool, input, dir), nil
}

// mistypedID is what a mistyped id looks like, and a command hardly.
var mistypedID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9A-Za-z_-]+$`) })

// recordID is what seqs and event ids look like.
var recordID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([0-9]+|[0-9a-f]{8,}(-[0-9a-f]+)*)$`) })

// setIn is the configuration in force in a folder.
func setIn(ctx context.Context, a *app, dir string) (*config.Set, error) {
	options := a.home.Options()
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		options.Dir = dir
	}
	options.TrustedOnly = true
	return config.Load(ctx, options)
}
