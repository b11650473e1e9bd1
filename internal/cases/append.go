package cases

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/strict"
	"go.yaml.in/yaml/v4"
)

// New is a case that is yet to be written.
type New struct {
	Name   string
	Event  hook.AnyEvent
	Action string // that is expected
	By     string // the hook that decides; "" if nobody does
}

// Added says what became of cases that were to be added, by their names.
type Added struct {
	Added   []string
	Taken   []string // left out, because there is one of that name
	Failing []string // left out, because they do not pass
}

// ErrStyle is the error of a file whose cases nothing can be put behind.
var ErrStyle = errors.New("its cases are not a list with a dash before each; write them so, or name another folder")

// Append puts cases behind those of a test file, which is made if it is not there. What is
// in the file stays as it is, to the byte. A case whose name is taken is left out, and so
// is one that does not pass when fire fires it as it is written. The file is replaced in
// one step, and only if it can be read afterwards.
func Append(ctx context.Context, file string, options Options, list []New, fire Fire) (done Added, err error) {
	file = disk.Real(file)
	text, mode, err := readCases(file)
	if err != nil {
		return done, err
	}
	var have []*Case
	indent := "  "
	if text != nil {
		var problems strict.Problems
		if have, problems = Parse(file, text, options); len(problems) > 0 {
			return done, fmt.Errorf("no case is added to a file with mistakes:\n%s", problems)
		}
		if indent, err = indentOf(file, text); err != nil {
			return done, fmt.Errorf("%s: %w", file, err)
		}
	}
	out := slices.Clone(text)
	switch {
	case text == nil:
		out = []byte("cases:\n")
	case !bytes.HasSuffix(out, []byte("\n")):
		out = append(out, '\n')
	}
	for i := range list {
		c := &list[i]
		if slices.ContainsFunc(have, func(o *Case) bool { return o.Name == c.Name }) || slices.Contains(done.Added, c.Name) {
			done.Taken = append(done.Taken, c.Name)
			continue
		}
		one, err := c.yaml(indent, filepath.Dir(file))
		if err != nil {
			return Added{}, fmt.Errorf("case %q: %w", c.Name, err)
		}
		if !passes(ctx, file, one, options, fire) {
			done.Failing = append(done.Failing, c.Name)
			continue
		}
		out, done.Added = append(out, one...), append(done.Added, c.Name)
	}
	if len(done.Added) == 0 || ctx.Err() != nil {
		return done, context.Cause(ctx)
	}
	after, problems := Parse(file, out, options)
	if len(problems) > 0 || len(after) != len(have)+len(done.Added) {
		return Added{}, fmt.Errorf("%s: nothing is added: the cases cannot be read behind those that are there (%s)", file, problems)
	}
	if err := disk.Replace(file, out, mode); err != nil {
		return Added{}, fmt.Errorf("the cases cannot be written: %w", err)
	}
	return done, nil
}

// passes reports whether a case, as it is written, can be read and passes.
func passes(ctx context.Context, file string, text []byte, options Options, fire Fire) bool {
	list, problems := Parse(file, append([]byte("cases:\n"), text...), options)
	return len(problems) == 0 && Run(ctx, list, nil, fire).Passed()
}

// readCases reads a test file; nil if there is none.
func readCases(file string) (text []byte, mode fs.FileMode, err error) {
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0o644, nil
	}
	if err == nil {
		text, err = readUpTo(file, maxFile)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("%s cannot be read: %w", file, cause(err))
	}
	return text, info.Mode().Perm(), nil
}

// indentOf is what stands before the dash of each case.
func indentOf(file string, text []byte) (string, error) {
	root, problems := strict.DocumentUpTo(maxFile, file, text)
	if len(problems) > 0 || root == nil || root.Kind != yaml.MappingNode {
		return "", ErrStyle
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		list := root.Content[i+1]
		if root.Content[i].Value != "cases" || list.Kind != yaml.SequenceNode || list.Style&yaml.FlowStyle != 0 || len(list.Content) == 0 {
			continue
		}
		lines := strings.Split(string(text), "\n")
		if n := list.Content[0].Line; n >= 1 && n <= len(lines) {
			line := lines[n-1]
			if before, _, ok := strings.Cut(line, "-"); ok && strings.TrimLeft(before, " ") == "" {
				return before, nil
			}
		}
	}
	return "", ErrStyle
}

// YAML is the case as text, as it stands below cases: in a file in a folder.
func (c *New) YAML(folder string) (string, error) {
	text, err := c.yaml("  ", folder)
	return string(text), err
}

// yaml is the case as text, for a file in a folder.
func (c *New) yaml(indent, folder string) ([]byte, error) {
	payload, _, err := form(hook.Outcome[any]{Verdict: hook.Verdict{Event: c.Event.Info().Name}, Payload: c.Event.Body()})
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s- name: %s\n", indent, compact(c.Name))
	line := func(key, value string) { fmt.Fprintf(&b, "%s  %s: %s\n", indent, key, value) }
	line("event", c.Event.Info().Name)
	head := c.Event.Head()
	if head.Agent != "" {
		line("agent", compact(head.Agent))
	}
	if head.Source != "" {
		line("source", compact(head.Source))
	}
	if dir, ok := within(folder, head.CWD); ok && dir != "." {
		line("cwd", compact(dir))
	}
	line("payload", compact(payload))
	expect := map[string]any{"action": c.Action}
	if c.By != "" {
		expect["by"] = c.By
	}
	line("expect", compact(expect))
	return b.Bytes(), nil
}

// Within reports whether a folder lies in that of a test file: then a case can name it so
// that it means the same on another machine.
func Within(folder, cwd string) bool {
	_, ok := within(folder, cwd)
	return ok
}

// within is a folder as seen from another one that it lies in, as cases have it.
func within(folder, cwd string) (rel string, ok bool) {
	rel, err := filepath.Rel(unlinked(folder), unlinked(cwd))
	if err != nil || cwd == "" || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// unlinked is a path without links, as far as there is something at it.
func unlinked(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	for dir, rest := path, ""; ; {
		if found, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(found, rest)
		}
		if up := filepath.Dir(dir); up != dir {
			dir, rest = up, filepath.Join(filepath.Base(dir), rest)
			continue
		}
		return path
	}
}
