package script

import (
	"fmt"
	"slices"
	"strings"
)

// Grant is something that a script may do beyond computing.
type Grant string

// The grants.
const (
	Exec  Grant = "exec"  // run programs
	Read  Grant = "read"  // read files
	Write Grant = "write" // write files
	Net   Grant = "net"   // use the network
)

// Grants lists all that there are.
func Grants() []Grant { return []Grant{Exec, Read, Write, Net} }

// ParseGrant reads a grant's name.
func ParseGrant(name string) (Grant, error) {
	if g := Grant(name); slices.Contains(Grants(), g) {
		return g, nil
	}
	return "", fmt.Errorf("there is no grant %q; use exec, read, write or net", name)
}

// need fails unless a grant was given.
func (p *Program) need(g Grant, what string) error {
	if slices.Contains(p.c.Allow, g) {
		return nil
	}
	return fmt.Errorf("%s needs the grant %s, which the hook does not have; write allow: [%s] beside its script:, or export const allow = [%q] in the file", what, g, join(append(slices.Clone(p.c.Allow), g)), g)
}

func join(grants []Grant) string {
	words := make([]string, len(grants))
	for i, g := range grants {
		words[i] = string(g)
	}
	return strings.Join(words, ", ")
}
