package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/hookway/hookway/internal/cases"
	"github.com/hookway/hookway/internal/server"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/visible"
)

type testOptions struct {
	only    string
	verbose bool
}

func testCommand(a *app) *cobra.Command {
	var t testOptions
	cmd := &cobra.Command{
		Use:   "test [DIR | FILE]",
		Short: "Run the tests of this workspace's hooks: hooks_test.yaml",
		Long: `Run the tests of the workspace of DIR, or of the current folder.

They are the cases of hooks_test.yaml, or of any *_test.yaml, beside hookway.yaml
and in .hookway. Each fires an event and says what the hooks must make of it:

  cases:
    - name: rm -rf is refused
      event: PreToolUse
      payload: {tool_name: Bash, tool_input: {command: rm -rf /}}
      expect: {action: block, by: no-force-delete}

Under expect may stand action, reason, reason_matches, by, modified, payload,
inject, inject_matches, user_message, result, retry_delay_ms, steps and error.
Only the workspace's hooks run, not the user's own, so that a test says the same
on every machine. Exit code: 0 if all cases passed, otherwise 1.`,
		Example: `  hookway test
  hookway test ./service --run 'rm|delete' -v
  HOOKWAY_TRUST=1 hookway test --json`,
		Args: atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runTests(cmd.Context(), a, strings.Join(args, ""), t)
		},
	}
	cmd.Flags().StringVar(&t.only, "run", "", "run only the cases whose names match this `REGEXP`")
	cmd.Flags().BoolVarP(&t.verbose, "verbose", "v", false, "show the steps of cases that passed, too")
	return cmd
}

func runTests(ctx context.Context, a *app, where string, t testOptions) error {
	var only *regexp.Regexp
	if t.only != "" {
		var err error
		if only, err = regexp.Compile(t.only); err != nil {
			return fmt.Errorf("--run: %w", err)
		}
	}
	bed, err := a.home.OpenTestbed(ctx, where)
	if err != nil {
		return err
	}
	report, err := runCases(ctx, a, bed, only, t)
	if closed := bed.Close(); closed != nil {
		a.warn("%v", closed)
	}
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return fmt.Errorf("interrupted: %s not run", visible.Count(report.NotRun, "case was", "cases were"))
	case len(report.Results) == 0:
		return fmt.Errorf("no case has a name that matches --run %s", t.only)
	case !report.Passed():
		return &exit{code: exitFailure}
	}
	return nil
}

// runCases reads the test files, runs them and prints the report.
func runCases(ctx context.Context, a *app, b *server.Testbed, only *regexp.Regexp, t testOptions) (*cases.Report, error) {
	here, err := filepath.Abs(".")
	if err == nil {
		here, err = filepath.EvalSymlinks(here)
	}
	if err != nil {
		here = ""
	}
	style := cases.Style{Colour: a.colour(), Verbose: t.verbose, Here: here, Root: b.Root}
	problems := b.Problems()
	mistaken := "the configuration"
	var list []*cases.Case
	if len(problems) == 0 {
		mistaken = "the tests"
		list, problems = b.Read()
		for _, p := range problems { // those of the configuration were printed when it was read
			fmt.Fprintln(a.err, p)
		}
	}
	report := &cases.Report{}
	if len(problems) == 0 {
		report = cases.Run(ctx, list, only, b.Run)
	}
	if err := printReport(a, report, problems, style); err != nil {
		return nil, err
	}
	if len(problems) > 0 {
		return nil, fmt.Errorf("nothing was tested: %s in %s; mend them and try again", visible.Count(len(problems), "mistake"), mistaken)
	}
	return report, nil
}

func printReport(a *app, report *cases.Report, problems strict.Problems, style cases.Style) error {
	if !a.json {
		if len(problems) > 0 || len(report.Results) == 0 {
			return nil // the error says it all
		}
		return report.Write(a.out, style)
	}
	text, err := report.JSON(problems, style)
	if err != nil {
		return err
	}
	return a.printJSON(text)
}

// colour reports whether the output is read by somebody who sees colours.
func (a *app) colour() bool {
	f, ok := a.out.(*os.File)
	return ok && a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))
}
