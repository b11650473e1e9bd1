package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/cases"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/guardset"
	"github.com/hookway/hookway/internal/scaffold"
	"github.com/hookway/hookway/internal/suggest"
	"github.com/hookway/hookway/internal/trust"
	"github.com/hookway/hookway/internal/visible"
)

// suggestOptions are the flags of suggest.
type suggestOptions struct {
	since  string
	folder string
	apply  string
}

func suggestCommand(a *app) *cobra.Command {
	var o suggestOptions
	cmd := &cobra.Command{
		Use:   "suggest",
		Short: "Suggest rules from the record: what to ask no more, what to stop, which hooks to mend",
		Long: `Suggest what to change, from the record of what agents did in this workspace:

  rules that would spare questions   what a person was asked about and always allowed
  rules that would stop              what a person refused, interrupted or undid
  rules that should count            on trial, and never wrong
  hooks to mend                      that fail, are slow, or never matched

Each has its evidence, and the YAML to paste. --apply N writes number N into
hookway.yaml, with a test for it in hooks_test.yaml, and runs that test. Numbers change
with the record and with --since; --apply ID names the hook or the rule instead. What lets
something pass takes a person: a terminal that no agent has a hand in, and a yes.

Nothing is suggested that would let pass what a block rule of hookway's own holds.`,
		Example: `  hookway suggest
  hookway suggest --since 7d --json
  hookway suggest --apply 2
  hookway suggest --apply allow-npm-test`,
		Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if n, err := strconv.Atoi(o.apply); cmd.Flags().Changed("apply") && (o.apply == "" || err == nil && n < 1) {
				return fmt.Errorf("--apply %q: suggestions are numbered from 1, or named by their id", o.apply)
			}
			if err := noneEmpty(cmd); err != nil {
				return err
			}
			return runSuggest(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.since, "since", "30d", "only records since a `TIME`: 7d ago, 10h ago, or 2006-01-02T15:04:05Z; all is every record")
	f.StringVar(&o.folder, "workspace", "", "of the workspace that this `DIR` is in; -C does the same")
	f.StringVar(&o.apply, "apply", "", "write suggestion `N`, or the one of this id, with a test for it")
	return cmd
}

func runSuggest(ctx context.Context, a *app, o suggestOptions) error {
	where := logOptions{folder: o.folder}
	if err := where.inFolder(a); err != nil {
		return err
	}
	plan := suggest.Plan{Root: cmp.Or(where.Workspace, where.Folder), Alone: where.Workspace == "", Now: time.Now(), Environ: a.environ(), AllowAt: allowAt}
	var err error
	if plan.Since, err = parseSince(o.since, plan.Now); err != nil {
		return err
	}
	if plan.Dir, err = a.home.AuditDir(); err != nil {
		return err
	}
	if !hasLog(plan.Dir) {
		if o.apply != "" {
			return errors.New("there is nothing to apply: nothing is on record yet; hookway install AGENT has an agent's calls recorded")
		}
		if !a.json {
			fmt.Fprintf(visible.Writer{To: a.out}, "Nothing is on record in %s, so there is nothing to suggest. hookway install AGENT has an agent's calls recorded.\n", plan.Dir)
			return nil
		}
	}
	set, err := config.Load(ctx, a.suggestOptions(plan.Root))
	if err != nil {
		return err
	}
	plan.Hooks = standingHooks(set)
	if on := set.Settings.Guards; on != nil {
		plan.Policy = on.Policy
	}
	if err := set.Close(); err != nil {
		return err
	}
	report, err := suggest.Read(ctx, plan)
	switch {
	case err != nil:
		return err
	case o.apply != "":
		s, err := report.Find(o.apply)
		if err != nil {
			return err
		}
		a.dir = plan.Root // what is written is written there
		if err := a.enter(); err != nil {
			return err
		}
		return (&applying{app: a, set: set, root: plan.Root, s: s}).run(ctx)
	case a.json:
		return a.print(report)
	case report.Records == 0:
		fmt.Fprintf(visible.Writer{To: a.out}, "Nothing is on record of %s since then, so there is nothing to suggest; --since all, or --workspace DIR, may have more.\n", relative(plan.Root))
		return nil
	}
	return report.WriteText(visible.Writer{To: a.out})
}

// suggestOptions are those of the configuration of a folder.
func (a *app) suggestOptions(root string) config.Options {
	options := a.home.Options()
	options.Dir = root
	return options
}

// allowAt is the event at which an agent lets hooks answer for its user. What fires
// events itself takes an allow at once.
func allowAt(source string) string {
	for _, codec := range adapter.All() {
		about := codec.About()
		if about.Agent != source {
			continue
		}
		for _, at := range []*hook.EventInfo{hook.PreToolUse.Info(), hook.PermissionRequest.Info()} {
			if slices.ContainsFunc(about.Events, func(e adapter.Event) bool { return e.Kind == at && e.Can&adapter.Allow != 0 }) {
				return at.Name
			}
		}
		return ""
	}
	return hook.PreToolUse.Info().Name
}

// standingHooks are the hooks of the configuration that run.
func standingHooks(set *config.Set) (out []suggest.Hook) {
	for _, h := range set.Hooks {
		if h.State != config.Active {
			continue
		}
		known := suggest.Hook{Hook: h.Hook, Kind: h.Kind, Where: relative(cmp.Or(h.Origin, h.File))}
		for i, name := range known.Events {
			if info, err := hook.Lookup(name); err == nil {
				if i == 0 {
					known.Events = append([]string{}, known.Events...)
				}
				known.Events[i] = info.Name
			}
		}
		if info, err := os.Stat(h.File); err == nil {
			known.Since = info.ModTime()
		}
		out = append(out, known)
	}
	return out
}

// applying writes one suggestion.
type applying struct {
	*app
	set  *config.Set
	root string
	s    *suggest.Suggestion
}

// applied is what --apply prints with --json.
type applied struct {
	ID    string   `json:"id"`
	Title string   `json:"title"`
	Files []string `json:"files"`
	Test  string   `json:"test,omitempty"` // that passed
}

func (p *applying) run(ctx context.Context) error {
	switch {
	case p.s.Hook == "" && p.s.Rule == "":
		return fmt.Errorf("suggestion %d is for you to do by hand: %s", p.s.N, p.s.Note)
	case len(p.set.Problems) > 0:
		first := p.set.Problems[0]
		return fmt.Errorf("%s: %s; mend it first", relative(first.Place()), first.Message)
	case p.s.Kind == suggest.Quiet && p.ofUser():
		return p.quietForUser(ctx)
	}
	return p.inWorkspace(ctx)
}

// ofUser reports whether the user's own configuration has rules on.
func (p *applying) ofUser() bool {
	return slices.ContainsFunc(p.set.GuardLayers(), func(l config.GuardLayer) bool { return l.Layer == config.LayerUser && len(l.Packs) > 0 })
}

// inWorkspace writes into the hookway.yaml of the workspace, and a test beside it.
func (p *applying) inWorkspace(ctx context.Context) error {
	file, err := p.workspaceFile()
	if err != nil {
		return err
	}
	found := p.set.Trust
	if found.State != trust.Given && found.State != trust.None {
		return fmt.Errorf("nothing was changed: the workspace %s is not trusted as it is; look at it, run hookway trust, then this again", p.root)
	}
	change, err := p.change(file)
	if err != nil {
		return err
	}
	if p.s.Milder {
		if err := p.confirm(ctx, file); err != nil {
			return err
		}
	}
	test, err := p.test()
	if err != nil {
		return err
	}
	if err := change.Write(); err != nil {
		return err
	}
	written := []*scaffold.GuardFile{change}
	if err := test.Write(); err != nil {
		return p.undo(found, written, err)
	}
	written = append(written, test)
	if err := guardset.TrustEdited(p.home.Options(), found, change); err != nil {
		return p.undo(found, written, err)
	}
	if err := p.prove(ctx, test.Path); err != nil {
		return p.undo(found, written, err)
	}
	return p.say(applied{ID: p.s.ID, Title: p.s.Title, Files: []string{change.Path, test.Path}, Test: p.s.Case.Name})
}

// workspaceFile is the hookway.yaml that is changed.
func (p *applying) workspaceFile() (string, error) {
	if p.set.Workspace != "" {
		if file, there := guardset.FileIn(p.set.Workspace); there {
			return file, nil
		}
	}
	return "", fmt.Errorf("there is no hookway.yaml in %s to write to: run hookway init there, then this again", p.root)
}

// change is the file with what is suggested.
func (p *applying) change(file string) (f *scaffold.GuardFile, err error) {
	if p.s.Hook != "" {
		f, err = scaffold.AddEntries(file, "hooks", p.s.Hook)
	} else {
		f, err = scaffold.EditGuards(file, []scaffold.GuardEdit{{Path: []string{"rules", p.s.ID}, Value: p.s.Rule}})
	}
	if err != nil {
		return nil, err
	}
	if _, problems := config.ReadGuards(file, f.Text); len(problems) > 0 {
		return nil, fmt.Errorf("%s was left alone: %s", file, problems[0].Message)
	}
	return f, nil
}

// test is the file of tests with the one of the suggestion.
func (p *applying) test() (*scaffold.GuardFile, error) {
	c := p.s.Case
	text := func(v any) string {
		out, err := json.Marshal(v) // JSON is YAML, on one line
		if err != nil {
			return "null"
		}
		return string(out)
	}
	expect := map[string]any{"action": c.Action}
	if c.By != "" {
		expect["by"] = c.By
	}
	entry := "  - name: " + text(c.Name) + "\n    event: " + c.Event + "\n"
	if c.Source != "" {
		entry += "    source: " + text(c.Source) + "\n"
	}
	if c.Dir != "" {
		entry += "    cwd: " + text(c.Dir) + "\n"
	}
	entry += "    payload: " + text(map[string]any{"tool_name": c.Tool, "tool_input": c.Input}) + "\n    expect: " + text(expect) + "\n"
	return scaffold.AddEntries(filepath.Join(p.set.Workspace, "hooks_test.yaml"), "cases", entry)
}

// prove runs the test.
func (p *applying) prove(ctx context.Context, file string) error {
	bed, err := p.home.OpenTestbed(ctx, file)
	if err != nil {
		return err
	}
	defer bed.Close()
	list, problems := bed.Read()
	if problems = append(bed.Problems(), problems...); len(problems) > 0 {
		return fmt.Errorf("%s: %s", problems[0].Place(), problems[0].Message)
	}
	report := cases.Run(ctx, list, regexp.MustCompile("^"+regexp.QuoteMeta(p.s.Case.Name)+"$"), bed.Run)
	if report.Passed() {
		return nil
	}
	for _, r := range report.Results {
		for _, f := range r.Failures {
			return fmt.Errorf("its test does not pass: %s is %v and not %v", f.Key, f.Got, f.Want)
		}
		if r.Err != nil {
			return fmt.Errorf("its test cannot run: %w", r.Err)
		}
	}
	return errors.New("its test does not run")
}

// undo takes back what was written. Why comes first in the error.
func (p *applying) undo(found trust.Status, written []*scaffold.GuardFile, why error) error {
	for _, f := range slices.Backward(written) {
		if err := f.Undo(); err != nil {
			return fmt.Errorf("suggestion %d is written, and %w; it cannot be taken back: %w", p.s.N, why, err)
		}
	}
	if found.State == trust.Given {
		if err := p.trustAsBefore(found); err != nil {
			return fmt.Errorf("nothing was changed, for %w; look at the workspace, then run hookway trust: %w", why, err)
		}
	}
	return fmt.Errorf("nothing was changed: %w", why)
}

// trustAsBefore trusts the workspace again, if it is what it was.
func (p *applying) trustAsBefore(found trust.Status) error {
	_, err := config.TrustIf(p.app.suggestOptions(p.root), func(now trust.Status) error {
		if now.Hash != found.Hash {
			return errors.New("something has changed meanwhile")
		}
		return nil
	})
	return err
}

// quietForUser writes what becomes of a rule in this project into the user's own
// configuration: a project's own file cannot make it milder.
func (p *applying) quietForUser(ctx context.Context) error {
	dir, _, err := config.Places(p.getenv)
	if err != nil {
		return err
	}
	file, _ := guardset.FileIn(dir)
	f, err := scaffold.EditGuards(file, []scaffold.GuardEdit{{Path: []string{"projects", p.root, "rules", p.s.ID}, Value: p.s.Rule}})
	if err != nil {
		return err
	}
	if _, problems := config.ReadGuards(file, f.Text); len(problems) > 0 {
		return fmt.Errorf("%s was left alone: %s", file, problems[0].Message)
	}
	if err := p.confirm(ctx, file); err != nil {
		return err
	}
	if err := f.Write(); err != nil {
		return err
	}
	if err := p.quiet(ctx); err != nil {
		return p.undo(trust.Status{}, []*scaffold.GuardFile{f}, err)
	}
	return p.say(applied{ID: p.s.ID, Title: p.s.Title, Files: []string{file}})
}

// quiet checks that the rule is off here now.
func (p *applying) quiet(ctx context.Context) error {
	set, err := config.Load(ctx, p.app.suggestOptions(p.root))
	if err != nil {
		return err
	}
	if err := set.Close(); err != nil {
		return err
	}
	on := set.Settings.Guards
	if on != nil && slices.ContainsFunc(on.Policy.Standings(), func(s guards.Standing) bool { return s.On && s.Rule.ID == p.s.ID }) {
		return errors.New("the project's own hookway.yaml has the rule on, too; change it there first")
	}
	return nil
}

// confirm has a person say that something may pass.
func (p *applying) confirm(ctx context.Context, file string) error {
	return p.ask(ctx, "this lets calls pass, and nothing was changed", visible.Text(p.s.YAML)+"\n"+p.question(file))
}

// question is safe to show: a title has words of commands.
func (p *applying) question(file string) string {
	return visible.Line(fmt.Sprintf("This will %s. Change %s?", p.s.Title, relative(file)))
}

func (p *applying) say(done applied) error {
	if p.json {
		return p.print(done)
	}
	out := visible.Writer{To: p.out}
	fmt.Fprintf(out, "%s: %s\n", done.ID, visible.Line(done.Title))
	for _, file := range done.Files {
		fmt.Fprintf(out, "%s is changed.\n", relative(file))
	}
	if done.Test != "" {
		fmt.Fprintf(out, "Its test passes: hookway test --run '%s'\n", regexp.QuoteMeta(done.Test))
	}
	return nil
}
