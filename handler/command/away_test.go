//go:build unix

package command

import (
	"testing"

	"github.com/hookway/hookway/hooktest"
)

func TestProgramThatCannotBeStarted(t *testing.T) {
	for name, c := range map[string]Config{
		"a program": {Argv: []string{"/nowhere/guard"}},
		"a worker":  {Argv: []string{"/nowhere/guard"}, Worker: true},
	} {
		t.Run(name, func(t *testing.T) { hooktest.Away(t, newHandler(t, c)) })
	}
}
