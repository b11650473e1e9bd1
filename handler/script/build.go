package script

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hookway/hookway/internal/bundle"
)

// Grant is something that a script may do beyond computing.
type Grant = bundle.Grant

// The grants.
const (
	Exec  = bundle.Exec  // run programs
	Read  = bundle.Read  // read files
	Write = bundle.Write // write files
	Net   = bundle.Net   // use the network
)

// Grants lists all that there are.
func Grants() []Grant { return bundle.Grants() }

// ParseGrant reads a grant's name.
func ParseGrant(name string) (Grant, error) { return bundle.ParseGrant(name) }

// Bundle is a script with all that it imports, as one text.
type Bundle = bundle.Bundle

// Mistake is one thing that is wrong with a script.
type Mistake = bundle.Mistake

// Build bundles a file. It does not run any of it. The error names each mistake
// with file, line and column, the paths from root. What it takes in from outside
// of root must be code, unless it may read; allow is what it may do, and nil is
// what it asks for.
//
// A file that is written as a program, and exports no hook, becomes one.
func Build(file, root string, allow ...Grant) (*Bundle, error) {
	return bundle.Build(file, bundle.Options{Root: root, Allow: allow, Exports: exports})
}

// BuildProgram bundles a file that is run as a program, as Node runs it.
func BuildProgram(file, root string, allow ...Grant) (*Bundle, error) {
	return bundle.Build(file, bundle.Options{Root: root, Allow: allow, Program: true, Exports: exports})
}

// need fails unless a grant was given.
func (p *Program) need(g Grant, what string) error {
	if slices.Contains(p.c.Allow, g) {
		return nil
	}
	return fmt.Errorf("%s needs the grant %s, which the hook does not have; write allow: [%s] beside its script:, or export const allow = [%q] in the file", what, g, join(append(slices.Clone(p.c.Allow), g)), g)
}

// needAll fails unless all of these were given.
func (p *Program) needAll(grants []Grant, what string) error {
	for _, g := range grants {
		if err := p.need(g, what); err != nil {
			return err
		}
	}
	return nil
}

func join(grants []Grant) string {
	words := make([]string, len(grants))
	for i, g := range grants {
		words[i] = string(g)
	}
	return strings.Join(words, ", ")
}

// NodeVersion is the version of Node whose modules scripts find.
const NodeVersion = "v22.12.0"
