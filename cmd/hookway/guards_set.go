package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/scaffold"
	"github.com/hookway/hookway/internal/server"
	"github.com/hookway/hookway/internal/trust"
)

// guardWord is a command that sets a mode or a verdict.
type guardWord struct {
	word, short string
	whole       bool // it may be said of all rules
}

var guardWords = []guardWord{
	{"enforce", "Have everything count, or these packs and rules", true},
	{"monitor", "Have nothing count, or none of these packs and rules: what they say goes on record", true},
	{"auto", "Have count what is blocked for sure, or so of these packs and rules", true},
	{"off", "Switch hookway's own rules off, or these packs and rules", true},
	{"block", "Have packs and rules block", false},
	{"ask", "Have packs and rules ask", false},
	{"allow", "Have packs and rules say nothing", false},
}

// ownerNote is said by the commands that may make rules milder.
const ownerNote = `

What makes any rule milder works only in a terminal that no agent has a hand in, and is
asked about there. Everything else in the file stays as it is written.`

func guardsSetCommand(a *app, w guardWord) *cobra.Command {
	var project bool
	use, args := w.word+" [PACK|RULE...]", cobra.ArbitraryArgs
	if !w.whole {
		use = w.word + " PACK|RULE..."
		args = func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("PACK or RULE is missing; usage: %s", cmd.UseLine())
			}
			return nil
		}
	}
	cmd := &cobra.Command{
		Use:   use,
		Short: w.short,
		Long:  w.short + "." + ownerNote,
		Args:  args,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return config.GuardNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return changeGuards(cmd.Context(), a, project, func(now *config.Guards) ([]scaffold.GuardEdit, error) { return wordEdits(now, w.word, args) })
		},
	}
	addProjectFlag(cmd, &project)
	return cmd
}

func addProjectFlag(cmd *cobra.Command, project *bool) {
	cmd.Flags().BoolVar(project, "project", false, "in the hookway.yaml of this project, not in your own configuration")
}

func guardsUseCommand(a *app) *cobra.Command {
	var project bool
	cmd := &cobra.Command{
		Use:   "use default|strict|PACK...",
		Short: "Switch hookway's own rules on: default, strict, or single packs",
		Long: `Switch hookway's own rules on, in your own configuration: in every project. default is
every pack, in mode auto unless the file has another; strict is every pack in mode
enforce, so all of it counts, and what cannot be seen through is blocked; or name packs.` + ownerNote,
		Example: "  hookway guards use default\n  hookway guards use files git secrets --project",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("default, strict or a PACK is missing; usage: %s", cmd.UseLine())
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return append([]string{"default", "strict"}, guards.Names()...), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return changeGuards(cmd.Context(), a, project, func(now *config.Guards) ([]scaffold.GuardEdit, error) { return useEdits(now, args) })
		},
	}
	addProjectFlag(cmd, &project)
	return cmd
}

// useEdits switch packs on.
func useEdits(now *config.Guards, names []string) ([]scaffold.GuardEdit, error) {
	whole := slices.Contains([]string{"default", "strict"}, names[0])
	if whole && len(names) > 1 {
		return nil, fmt.Errorf("%s is every pack; leave %s out", names[0], strings.Join(names[1:], ", "))
	}
	value := names[0]
	if !whole {
		for _, name := range names {
			switch pack, _, rule := strings.Cut(name, "/"); {
			case rule && guards.Known(name):
				return nil, fmt.Errorf("%s is a rule, and use switches packs on: hookway guards use %s, or set the rule: hookway guards block|ask|enforce %[1]s", name, pack)
			case name == "all":
				return nil, errors.New("there is no pack all; every pack is: hookway guards use default")
			case name == "none" || name == "off":
				return nil, fmt.Errorf("there is no pack %s; switch them off: hookway guards off", name)
			}
			if strings.Contains(name, "/") || !slices.Contains(guards.Names(), name) {
				if near := hook.Nearest(name, append(guards.Names(), "default", "strict")); near != "" {
					return nil, fmt.Errorf("there is no pack %q; did you mean %s?", name, near)
				}
				return nil, fmt.Errorf("there is no pack %q; there are default, strict, %s", name, strings.Join(guards.Names(), ", "))
			}
		}
		value = "[" + strings.Join(names, ", ") + "]"
	}
	edits := []scaffold.GuardEdit{{Path: []string{"use"}, Value: value}}
	switch {
	case value == "strict": // all of it counts, whatever mode is there
		edits = append(edits, scaffold.GuardEdit{Path: []string{"mode"}, Value: string(guards.Enforce)})
	case now == nil: // also where a mode: off is
		edits = append(edits, scaffold.GuardEdit{Path: []string{"mode"}, Value: string(guards.Auto)})
	}
	return edits, nil
}

// wordEdits set the mode of all, or what becomes of packs and rules.
func wordEdits(now *config.Guards, word string, names []string) ([]scaffold.GuardEdit, error) {
	for _, name := range names {
		if err := guardName(name); err != nil {
			return nil, err
		}
	}
	if now == nil && word == "off" && len(names) == 0 {
		return nil, nil // they are
	}
	if now == nil {
		return nil, errGuardsOff
	}
	if len(names) == 0 {
		return []scaffold.GuardEdit{{Path: []string{"mode"}, Value: word}}, nil
	}
	var edits []scaffold.GuardEdit
	for _, name := range names {
		edits = append(edits, scaffold.GuardEdit{Path: []string{"rules", name}, Value: now.Word(name, word)})
	}
	return edits, nil
}

// guardsChanged is what a change of guards prints with --json.
type guardsChanged struct {
	File    string              `json:"file"`
	On      bool                `json:"on"`
	Mode    guards.Mode         `json:"mode,omitempty"`
	Packs   []string            `json:"packs"`
	Changed bool                `json:"changed"`
	Milder  bool                `json:"milder"`            // a person was asked
	Still   []config.GuardLayer `json:"still,omitempty"`   // the layers that have rules on here, where this one has none
	Trusted *bool               `json:"trusted,omitempty"` // of a project
	Rules   []ruleChanged       `json:"rules,omitempty"`   // that were named, or that are stricter here than the file has them

	named []string // packs and rules, in the order of the command line
}

// changeGuards changes guards in the user's configuration, or the project's.
func changeGuards(ctx context.Context, a *app, project bool, edits func(now *config.Guards) ([]scaffold.GuardEdit, error)) error {
	file, found, err := guardsFile(ctx, a, project)
	if err != nil {
		return err
	}
	read, err := scaffold.EditGuards(file, nil)
	if err != nil {
		return err
	}
	before, problems := config.ReadGuards(file, read.Was)
	if len(problems) > 0 {
		return fmt.Errorf("%s: %s; mend it first", problems[0].Place(), problems[0].Message)
	}
	list, err := edits(before)
	if errors.Is(err, errGuardsOff) {
		return a.whereOn(ctx, file, project)
	}
	if err != nil {
		return err
	}
	f, err := scaffold.EditGuards(file, list)
	if err != nil {
		return err
	}
	if !bytes.Equal(f.Was, read.Was) {
		return fmt.Errorf("%s has just been changed by somebody else; run this again", file)
	}
	after, problems := config.ReadGuards(file, f.Text)
	if len(problems) > 0 {
		return fmt.Errorf("%s was left alone: %s", file, problems[0].Message)
	}
	out := guardsChanged{File: file, On: after != nil, Changed: string(f.Was) != string(f.Text), Milder: config.Milder(before, after), Packs: []string{}}
	if after != nil {
		out.Mode, out.Packs = after.Policy.Mode, after.Packs
	}
	if out.Milder {
		if err := askOwner(a, file); err != nil {
			return err
		}
	}
	if out.Changed {
		if err := f.Write(); err != nil {
			return err
		}
	}
	if project {
		given := found.State == trust.Given || found.State == trust.None
		if given && out.Changed {
			if err := trustEdited(a, found, f); err != nil {
				return err
			}
		}
		out.Trusted = &given
	}
	set, err := config.Load(ctx, a.home.Options())
	if err != nil {
		return err
	}
	defer set.Close()
	if !out.On {
		out.Still = layersOn(set)
	}
	out.compare(list, before, after, set)
	return out.say(a)
}

// layersOn are the layers that have rules on in this folder.
func layersOn(set *config.Set) []config.GuardLayer {
	return slices.DeleteFunc(set.GuardLayers(), func(l config.GuardLayer) bool { return len(l.Packs) == 0 })
}

// whereOn says that a file has no rules on that could be changed, and where some are.
func (a *app) whereOn(ctx context.Context, file string, project bool) error {
	set, err := config.Load(ctx, a.home.Options())
	if err != nil {
		return err
	}
	defer set.Close()
	flag, other := "", config.LayerWorkspace
	if project {
		flag, other = " --project", config.LayerUser
	}
	err = fmt.Errorf("hookway's own rules are off in %s; switch them on first: hookway guards use default%s", relative(server.Cwd(), file), flag)
	for _, l := range layersOn(set) {
		switch {
		case l.Layer != other:
		case project:
			return fmt.Errorf("%w; or leave --project out: your own configuration has some on", err)
		default:
			return fmt.Errorf("%w; or add --project: the project has some on", err)
		}
	}
	return err
}

func (c *guardsChanged) say(a *app) error {
	if a.json {
		return a.print(c)
	}
	where := relative(server.Cwd(), c.File)
	switch {
	case !c.On:
		fmt.Fprintf(a.out, "Hookway's own rules are off in %s.\n", where)
		for _, l := range c.Still {
			fmt.Fprintf(a.out, "Here they are still on, by %s: mode %s, %s.\n", relative(server.Cwd(), l.Place), l.Mode, config.PackNames(l.Packs))
		}
	case !c.Changed:
		fmt.Fprintf(a.out, "Nothing is to be changed in %s: mode %s, %s.\n", where, c.Mode, config.PackNames(c.Packs))
	default:
		fmt.Fprintf(a.out, "Hookway's own rules in %s: mode %s, %s.\n", where, c.Mode, config.PackNames(c.Packs))
	}
	c.sayRules(a)
	if c.Trusted != nil && !*c.Trusted {
		fmt.Fprintln(a.out, "The project is not trusted as it is; look at it, then run hookway trust.")
	}
	return nil
}

// askOwner has a person say that rules may become milder.
func askOwner(a *app, file string) error {
	out, ok := a.out.(*os.File)
	if !ok {
		return errors.New("this makes rules milder, which takes a terminal")
	}
	terminal, err := a.owner.Open(a.in, out)
	if err != nil {
		return fmt.Errorf("this makes rules milder, and nothing was changed: %w", err)
	}
	defer terminal.Close()
	yes, err := terminal.Confirm("This makes hookway's own rules milder. Change " + relative(server.Cwd(), file) + "?")
	if err == nil && !yes {
		err = errors.New("nobody said yes")
	}
	if err != nil {
		return fmt.Errorf("nothing was changed: %w", err)
	}
	return nil
}

// guardsFile is the hookway.yaml to change. found is, of a project, how far it is trusted
// as it is.
func guardsFile(ctx context.Context, a *app, project bool) (file string, found trust.Status, err error) {
	dir, _, err := config.Places(a.getenv)
	if err != nil {
		return "", found, err
	}
	if project {
		set, err := config.Load(ctx, a.home.Options())
		if err != nil {
			return "", found, err
		}
		dir, found = cmp.Or(set.Workspace, server.Cwd()), set.Trust
		if found.State == trust.None {
			found.Hash = trust.Manifest{}.Hash() // also where no folder is a workspace
		}
		if err := set.Close(); err != nil {
			return "", found, err
		}
	}
	for _, name := range []string{"hookway.yaml", "hookway.yml"} {
		if file = filepath.Join(dir, name); exists(file) {
			return file, found, nil
		}
	}
	return filepath.Join(dir, "hookway.yaml"), found, nil
}

// trustEdited trusts a project again whose hookway.yaml hookway itself has changed, if
// nothing else is new since it was found trusted: an agent may write, too, meanwhile.
func trustEdited(a *app, found trust.Status, f *scaffold.GuardFile) error {
	_, err := config.TrustIf(a.home.Options(), func(now trust.Status) error {
		for _, w := range now.Wishes {
			if len(w.More) > 0 {
				return fmt.Errorf("%s wants to %s", w.File, mayDo[w.More[0]])
			}
		}
		if now.Edited(found.Hash, filepath.Base(f.Path), f.Was, f.Text) {
			return nil
		}
		if names := now.Changed(); names != "" && names != filepath.Base(f.Path) {
			return fmt.Errorf("more has changed meanwhile: %s", names)
		}
		return errors.New("something has changed meanwhile")
	})
	if err != nil {
		return fmt.Errorf("%s is written, and the project is not trusted: %w; look at it, then run hookway trust", f.Path, err)
	}
	return nil
}

func exists(file string) bool {
	_, err := os.Lstat(file)
	return err == nil
}
