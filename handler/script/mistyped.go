package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/bundle"
	"github.com/hookway/hookway/internal/disk"
)

// mistyped finds exports that nearly have the name of a hook's option: a hook
// without its timeout, or its lane, would be another one. What is near nothing is
// the author's own.
func (p *Program) mistyped(exported, named []string) error {
	var errs []error
	for _, name := range exported {
		if name == "" || slices.Contains(named, name) {
			continue
		}
		if near := hook.Misspelt(name, named); near != "" {
			line, column := p.exportPlace(name)
			errs = append(errs, &Mistake{File: p.label(), Line: line, Column: column, Text: fmt.Sprintf("it exports %s, which is not an option of a hook; did you mean %s? If it is your own, give it another name or do not export it", name, near)})
		}
	}
	return errors.Join(errs...)
}

// near is hook.Misspelt for a script: [name, options].
func near(_ *machine, args []json.RawMessage) (any, error) {
	var options []string
	if len(args) != 2 || json.Unmarshal(args[1], &options) != nil {
		return nil, errors.New("what a name is near to cannot be read")
	}
	return hook.Misspelt(str(args, 0), options), nil
}

// exportPlace is where the file exports a name, if it says so plainly.
func (p *Program) exportPlace(name string) (line, column int) {
	text, err := disk.Read(p.b.File, bundle.MaxSource)
	if err != nil {
		return 0, 0
	}
	at := regexp.MustCompile(`(?m)^[ \t]*export\s+(?:const|let|var)\s+(?:[^;=\n]*,\s*)?(` + regexp.QuoteMeta(name) + `)\b`).FindSubmatchIndex(text)
	if at == nil {
		return 0, 0
	}
	before := string(text[:at[2]])
	return strings.Count(before, "\n") + 1, len([]rune(before[strings.LastIndexByte(before, '\n')+1:])) + 1
}
