// Command vet does what go vet does for other systems than this one, without
// compiling: go run ./tools/vet darwin windows
// It also finds assertions of tests that have too many conditions to say which failed.
//
// Whoever vets for another system with the go command compiles all that the
// tree links for it, which costs minutes when nothing is cached. Only types are
// needed: so what comes from outside is read without the bodies of functions,
// and the tree itself is checked whole, its tests as well.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/suite/vet"
	"golang.org/x/tools/go/packages"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: vet SYSTEM...")
		os.Exit(2)
	}
	for _, system := range os.Args[1:] {
		if err := check(system); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", system, err)
			os.Exit(1)
		}
	}
}

// check vets the tree below the working directory as a system builds it.
func check(system string) error {
	listed, err := list(system)
	if err != nil {
		return err
	}
	ours, err := load(listed)
	if err != nil {
		return err
	}
	var found []string
	for _, p := range ours {
		for _, e := range p.Errors {
			found = append(found, e.Error())
		}
	}
	if len(found) == 0 {
		found, err = vetted(ours)
	}
	if err == nil && len(found) > 0 {
		slices.Sort(found)
		err = errors.New(strings.Join(slices.Compact(found), "\n"))
	}
	if err == nil {
		fmt.Printf("%s: %d packages are sound\n", system, len(ours))
	}
	return err
}

// analyzers are those that go vet has; newer ones would say of other systems what
// nobody hears of this one.
func analyzers() ([]*analysis.Analyzer, error) {
	help, err := exec.Command("go", "tool", "vet", "help").Output()
	if err != nil {
		return nil, fmt.Errorf("go tool vet help: %w", err)
	}
	has := map[string]bool{}
	for line := range strings.Lines(string(help)) {
		if name, _, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			has[name] = true
		}
	}
	var list []*analysis.Analyzer
	for _, a := range vet.Suite {
		if has[a.Name] {
			list = append(list, a)
		}
	}
	if len(list) < len(vet.Suite)/2 {
		return nil, errors.New("go tool vet help does not name its analyzers")
	}
	return append(list, assertion), nil
}

// vetted runs vet's analyzers and returns what they say.
func vetted(ours []*packages.Package) ([]string, error) {
	list, err := analyzers()
	if err != nil {
		return nil, err
	}
	graph, err := checker.Analyze(list, ours, nil)
	if err != nil {
		return nil, err
	}
	var said []string
	for _, act := range graph.Roots {
		if act.Err != nil {
			return nil, act.Err
		}
		for _, d := range act.Diagnostics {
			said = append(said, fmt.Sprintf("%s: %s (%s)", act.Package.Fset.Position(d.Pos), d.Message, act.Analyzer))
		}
	}
	return said, nil
}
