package relay

import (
	"context"
	"fmt"
	"os"
	"strings"
)

const longestMachine = 32

// Machine is what other machines call this one.
func (s *Store) Machine() string { return s.machine }

// CleanMachine makes the name of a machine out of any text: what is before the
// first dot, in lower case, with '-' for any other character than an ASCII letter, digit or '_'.
func CleanMachine(text string) string {
	text, _, _ = strings.Cut(strings.ToLower(text), ".")
	var b strings.Builder
	for _, r := range text {
		if !machineRune(r) {
			r = '-'
		}
		if b.Len() < longestMachine && (r != '-' || !strings.HasSuffix(b.String(), "-")) {
			b.WriteRune(r)
		}
	}
	if name := strings.Trim(b.String(), "-"); name != "" {
		return name
	}
	return "here"
}

func machineRune(r rune) bool {
	return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '_' || r == '-'
}

func validMachine(name string) bool {
	return name != "" && len(name) <= longestMachine && strings.IndexFunc(name, func(r rune) bool { return !machineRune(r) }) < 0
}

// ValidMachine reports whether a machine can be called so.
func ValidMachine(name string) bool { return validMachine(name) }

// pinMachine settles the name of this machine. It outlives a change of the host's
// name: other machines have messages for it.
func (s *Store) pinMachine(ctx context.Context, wanted string) error {
	wanted = strings.ToLower(wanted)
	if wanted != "" && !validMachine(wanted) {
		return &refusal{fmt.Sprintf("%q cannot be the name of a machine: use up to %d of a-z, 0-9, - and _ (such as %s)", wanted, longestMachine, CleanMachine(wanted))}
	}
	var pinned string
	if _, err := s.read(ctx).get([]any{&pinned}, "SELECT value FROM fact WHERE name = 'machine'"); err != nil {
		return err
	}
	if wanted == "" {
		wanted = pinned
	}
	if wanted == "" {
		host, _ := os.Hostname() // without one, any name will do
		wanted = CleanMachine(host)
	}
	s.machine = wanted
	if wanted == pinned {
		return nil
	}
	return s.write(ctx, func(a access) error {
		_, err := a.exec("INSERT OR REPLACE INTO fact (name, value) VALUES ('machine', ?)", wanted)
		return err
	})
}
