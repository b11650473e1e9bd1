package script

import (
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
		if near := nearOption(name, named); near != "" {
			line, column := p.exportPlace(name)
			errs = append(errs, &Mistake{File: p.label(), Line: line, Column: column, Text: fmt.Sprintf("it exports %s, which is not an option of a hook; did you mean %s? If it is your own, give it another name or do not export it", name, near)})
		}
	}
	return errors.Join(errs...)
}

// nearOption returns the option that a name was meant for, or "". The shorter the
// option, the more other words are near it.
func nearOption(name string, named []string) string {
	for edits := range 3 {
		long := slices.DeleteFunc(slices.Clone(named), func(option string) bool {
			return edits > 0 && len(option) < 4 || edits > 1 && len(option) < 7
		})
		if near := hook.NearestWithin(edits, name, long); near != "" && near[0] == name[0]|0x20 {
			return near
		}
	}
	for _, option := range named { // two letters in each other's place
		if option[0] == name[0] && letters(option) == letters(name) {
			return option
		}
	}
	return ""
}

// letters are those of a word, in order.
func letters(word string) string {
	all := strings.Split(hook.Normal(word), "")
	slices.Sort(all)
	return strings.Join(all, "")
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
