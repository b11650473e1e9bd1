package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/scaffold"
	"github.com/hookway/hookway/internal/server"
	"github.com/hookway/hookway/internal/visible"
)

// initOptions say which hook is written.
type initOptions struct {
	lang, name string
	user       bool
}

// initLang writes a hook in a language, with its tests.
func initLang(ctx context.Context, a *app, o initOptions) error {
	options := a.home.Options()
	options.Dir = server.Cwd()
	k, err := scaffold.New(o.lang, o.name, options)
	if err != nil {
		return err
	}
	if !a.json {
		k.Building = func(program string) { fmt.Fprintf(visible.Writer{To: a.out}, "building %s with go\n", program) }
	}
	if err := k.Write(ctx); err != nil {
		return err
	}
	return sayHook(a, k)
}

// completeLang offers the languages.
func completeLang(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for _, name := range scaffold.Languages() {
		out = append(out, name+"\t"+scaffold.Title(name))
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// errTodo ends an init that leaves something to the user, and has said so.
var errTodo = errors.New("the hook does not run before that")

// sayHook says what was written.
func sayHook(a *app, k *scaffold.Kit) error {
	var next [][2]string
	if len(k.Todo) == 0 {
		next = k.Next()
	}
	if a.json {
		steps := []map[string]string{}
		for _, step := range next {
			steps = append(steps, map[string]string{"command": step[0], "what": step[1]})
		}
		err := a.print(map[string]any{"lang": k.Lang(), "name": k.Name, "workspace": k.Root, "trusted": k.Trusted,
			"written": k.Paths(false), "changed": k.Paths(true), "todo": append([]scaffold.Todo{}, k.Todo...), "next": steps})
		if err == nil && len(k.Todo) > 0 {
			err = &exit{code: exitFailure}
		}
		return err
	}
	out := visible.Writer{To: a.out}
	for _, path := range k.Paths(false) {
		fmt.Fprintf(out, "wrote %s\n", path)
	}
	for _, path := range k.Paths(true) {
		fmt.Fprintf(out, "added to %s\n", path)
	}
	for _, t := range k.Todo {
		fmt.Fprintf(out, "\n%s was left alone: %s. Add these lines to its list %s:\n\n%s", t.File, t.Why, t.List, t.Lines)
	}
	if len(k.Todo) > 0 {
		return &exit{code: exitFailure, err: fmt.Errorf("%w; then run hookway trust and hookway test", errTodo)}
	}
	if k.Trusted {
		fmt.Fprintf(out, "\nThe hook %s is trusted as it is. Next:\n", k.Name)
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
