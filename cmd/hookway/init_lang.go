package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v4"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/server"
	"github.com/hookway/hookway/internal/trust"
	"github.com/hookway/hookway/internal/visible"
)

// initOptions say which hook is written.
type initOptions struct {
	lang, name string
	user       bool
}

// hookName is what a hook of init may be called: files and a program get the same
// name, on every system.
var hookName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)

// check completes the options and finds the language.
func (o *initOptions) check() (*language, error) {
	l := languageOf(o.lang)
	if l == nil {
		names := languageNames()
		hint := "use " + strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
		near := otherNames[strings.ToLower(o.lang)]
		if near == "" {
			near = hook.NearestWithin(2, strings.ToLower(o.lang), names)
		}
		if near != "" {
			hint = "did you mean " + near + "? Or " + hint
		}
		return nil, fmt.Errorf("--lang %q: there is no hook in that language; %s", o.lang, hint)
	}
	if o.name == "" {
		o.name = l.usual
	}
	if !hookName.MatchString(o.name) || !filepath.IsLocal(o.name) {
		return nil, fmt.Errorf("--name %q: files get this name, too; begin with a letter, and go on with letters, digits, - and _ (64 at most)", o.name)
	}
	var text any
	if err := yaml.Unmarshal([]byte(o.name), &text); err != nil || text != o.name {
		return nil, fmt.Errorf("--name %q: in YAML this is no text; choose another", o.name)
	}
	return l, nil
}

// initLang writes a hook in a language, with its tests.
func (a *app) initLang(ctx context.Context, o initOptions) error {
	l, err := o.check()
	if err != nil {
		return err
	}
	k := &kit{app: a, lang: l, name: o.name}
	if err := k.tools(ctx); err != nil {
		return err
	}
	if err := k.place(ctx); err != nil {
		return err
	}
	if err := k.plan(); err != nil {
		return err
	}
	if err := k.carryOut(ctx); err != nil {
		return err
	}
	return k.say()
}

// place finds the workspace to write into, and whether its hooks are trusted.
func (k *kit) place(ctx context.Context) error {
	options := k.app.home.Options()
	options.Dir, options.Log = server.Cwd(), nil
	set, err := config.Load(ctx, options)
	if err != nil {
		return err
	}
	defer set.Close()
	here, err := realPath(options.Dir)
	if err != nil {
		return err
	}
	if user, err := realPath(set.UserDir); err == nil && inside(user, here) {
		return fmt.Errorf("%s is the folder of your own configuration; a hook is written into a workspace, from where you may move it", here)
	}
	if k.root = set.Workspace; k.root == "" {
		k.root = options.Dir
	}
	for _, p := range set.Problems {
		if filepath.Dir(p.File) == k.root && (filepath.Base(p.File) == "hookway.yaml" || filepath.Base(p.File) == "hookway.yml") {
			return fmt.Errorf("%s; mend it first, then run this again", p.String())
		}
	}
	for _, h := range set.Hooks {
		id := strings.TrimPrefix(h.ID, config.LayerWorkspace+"/")
		if h.Layer == config.LayerWorkspace && slices.Contains(k.lang.ids(k.name), id) {
			return fmt.Errorf("there is a hook %s in %s already; choose another name with --name", id, h.File)
		}
	}
	if k.app.getenv("HOOKWAY_TRUST") == "1" { // what is it without?
		options.Dir, options.Getenv = k.root, func(name string) string {
			if name == "HOOKWAY_TRUST" {
				return ""
			}
			return k.app.getenv(name)
		}
		own, err := config.Load(ctx, options)
		if err != nil {
			return err
		}
		set.Trust = own.Trust
		if err := own.Close(); err != nil {
			return err
		}
	}
	k.trusted = set.Trust.State == trust.Given || set.Trust.State == trust.None
	return nil
}

// carryOut writes what was planned. If something cannot be written, nothing is.
func (k *kit) carryOut(ctx context.Context) (err error) {
	var done written
	defer func() {
		if err != nil {
			done.undo()
		}
	}()
	for _, f := range k.files {
		if f.last {
			continue
		}
		if err := done.write(f); err != nil {
			return err
		}
	}
	if err := k.build(ctx, &done); err != nil {
		return err
	}
	for _, f := range k.files {
		if f.last {
			if err := done.write(f); err != nil {
				return err
			}
		}
	}
	if !k.trusted || len(k.todo) > 0 {
		k.trusted = false
		return nil
	}
	options := k.app.home.Options()
	options.Dir = k.root
	if _, err := config.Trust(options); err != nil {
		return fmt.Errorf("the workspace cannot be trusted: %w", err)
	}
	return nil
}

// completeLang offers the languages.
func completeLang(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for _, l := range languages {
		out = append(out, l.name+"\t"+l.title)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// errTodo ends an init that leaves something to the user, who was told.
var errTodo = errors.New("the hook does not run before that")

func (k *kit) say() error {
	a := k.app
	var next [][2]string
	if len(k.todo) == 0 {
		next = k.next()
	}
	if a.json {
		steps := []map[string]string{}
		for _, step := range next {
			steps = append(steps, map[string]string{"command": step[0], "what": step[1]})
		}
		err := a.print(map[string]any{"lang": k.lang.name, "name": k.name, "workspace": k.root, "trusted": k.trusted,
			"written": k.paths(false), "changed": k.paths(true), "todo": append([]todo{}, k.todo...), "next": steps})
		if err == nil && len(k.todo) > 0 {
			err = &exit{code: exitFailure}
		}
		return err
	}
	out := visible.Writer{To: a.out}
	for _, path := range k.paths(false) {
		fmt.Fprintf(out, "wrote %s\n", path)
	}
	for _, path := range k.paths(true) {
		fmt.Fprintf(out, "added to %s\n", path)
	}
	for _, t := range k.todo {
		fmt.Fprintf(out, "\n%s was left alone: %s. Add these lines to its list %s:\n\n%s", t.File, t.Why, t.List, t.Lines)
	}
	if len(k.todo) > 0 {
		return &exit{code: exitFailure, err: fmt.Errorf("%w; then run hookway trust and hookway test", errTodo)}
	}
	if k.trusted {
		fmt.Fprintf(out, "\nThe hook %s is trusted as it is. Next:\n", k.name)
	} else {
		fmt.Fprintln(out, "\nThe other hooks here are not trusted as they are, so the new one does not run yet. Next:")
	}
	for _, step := range next {
		if len(step[0]) > 22 {
			fmt.Fprintf(out, "  %s\n%27s%s\n", step[0], "", step[1])
			continue
		}
		fmt.Fprintf(out, "  %-22s   %s\n", step[0], step[1])
	}
	return nil
}

// next are the steps that follow.
func (k *kit) next() [][2]string {
	var out [][2]string
	if !k.trusted {
		out = append(out, [2]string{"hookway list", "shows the hooks; look at all of them"}, [2]string{"hookway trust", "lets them run"})
	}
	out = append(out, [2]string{"hookway test", "runs the tests: it refuses one call and lets another pass"})
	if again := k.again(); again != "" {
		out = append(out, [2]string{again, "after you changed " + k.source()})
	}
	if k.trusted {
		out = append(out, [2]string{"hookway trust", "lets it run after you changed it"})
	}
	return append(out, [2]string{"hookway install claude", "brings Claude Code's events to it; other agents likewise"})
}
