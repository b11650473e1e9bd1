package config

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/strict"
	"go.yaml.in/yaml/v4"
)

// Claude Code keeps hooks of its own in settings.json. With `import: claude` they
// run here, under every agent but itself, where they would run twice.

// importClaude is the word for Claude Code's hooks.
const importClaude = "claude"

// claudeReaders are the agents that run imported hooks themselves, as the source
// of their events names them. Copilot CLI is none: it runs those of a workspace in
// its terminal and not with -p, which its events do not tell. Twice is better than
// not at all.
var claudeReaders = []string{"claude"}

// maxImports is how many settings files one layer can import.
const maxImports = 2

// claudeFile is one of Claude Code's settings files.
type claudeFile struct {
	path   string
	prefix string // of the ids of its hooks
}

// claudeFiles lists the files of a layer, in the order of their hooks. Of those
// in a workspace the later one's settings go before the earlier one's.
func (l *loader) claudeFiles(src source) []claudeFile {
	if src.layer == LayerWorkspace {
		dir := filepath.Join(src.dir, ".claude")
		return []claudeFile{{filepath.Join(dir, "settings.json"), "claude"}, {filepath.Join(dir, "settings.local.json"), "claude-local"}}
	}
	dir := l.opts.getenv("CLAUDE_CONFIG_DIR")
	if !filepath.IsAbs(dir) {
		home := l.opts.home()
		if home == "" {
			return nil
		}
		dir = filepath.Join(home, ".claude")
	}
	return []claudeFile{{filepath.Join(dir, "settings.json"), "claude"}}
}

// importHooks reads the hooks that a hookway.yaml imports. A file with mistakes
// is left out whole; the others are used.
func (l *loader) importHooks(into *layer, src source, spec *fileSpec, check func(string, fs.FileInfo) error) {
	if !slices.Contains(spec.imports, importClaude) {
		return
	}
	disabled := false
	var imported []*found
	for i, f := range l.claudeFiles(src) {
		l.set.imported = append(l.set.imported, f.path)
		if !exists(f.path) {
			continue
		}
		l.set.Files = append(l.set.Files, f.path)
		var err error
		if check != nil {
			err = checkPath(filepath.Dir(f.path), check)
		}
		var data []byte
		if err == nil {
			data, err = l.readFile(src, f.path, check)
		}
		if err != nil {
			l.problem(f.path, err.Error(), "")
			continue
		}
		from := src
		from.path, from.rank = f.path, src.rank+1+i
		if src.layer == LayerUser {
			from.dir = filepath.Dir(filepath.Dir(f.path))
		}
		s := &settings{reader: reader{file: f.path}, loader: l, known: l.known(), prefix: f.prefix, source: &from}
		s.read(data)
		if problems := s.problems.sorted(); len(problems) > 0 { // it is no settings file
			l.set.Problems = append(l.set.Problems, problems...)
			l.set.failed = append(l.set.failed, f.path)
			continue
		}
		into.imports = append(into.imports, &from)
		l.checkTools(f.path, s.tools)
		l.set.Warnings = append(l.set.Warnings, s.warnings...)
		if s.disabled != nil {
			disabled = *s.disabled
		}
		imported = append(imported, s.found...)
	}
	for _, f := range imported {
		f.spec.disabled = disabled
	}
	into.found = append(into.found, imported...)
}

// settings reads one settings.json. Keys that are not about hooks, and what a
// newer Claude Code adds to hooks, are none of our business.
type settings struct {
	reader
	loader   *loader
	known    *hook.Engine
	prefix   string
	source   *source
	found    []*found
	warnings Problems
	disabled *bool // disableAllHooks, if it is said
}

func (s *settings) read(data []byte) {
	root, problems := jsonDocument(s.file, data)
	if s.problems = problems; root == nil {
		return
	}
	for _, p := range s.object(root, "the file") {
		switch p.Key.Value {
		case "disableAllHooks":
			if v, ok := s.boolean(p.Value, "disableAllHooks"); ok {
				s.disabled = &v
			}
		case "hooks":
			for _, event := range s.object(p.Value, "hooks") {
				s.leftOut(func() { s.event(event) })
			}
		}
	}
}

// leftOut reads a part of the file whose mistakes are its own: they take out no
// other, and are told.
func (s *settings) leftOut(read func()) {
	before := len(s.problems)
	read()
	for _, p := range s.problems[before:] {
		p.Message += "; it is left out"
		s.warnings = append(s.warnings, p)
	}
	s.problems = s.problems[:before]
}

// object lists the entries of a map, or reports that there is none.
func (s *settings) object(n *yaml.Node, what string) []strict.Pair {
	if n.Kind != yaml.MappingNode {
		s.fail(n, "", "%s must be an object, not %s", what, describe(n))
		return nil
	}
	return s.pairs(n)
}

// items lists the entries of a list, or reports that there is none.
func (s *settings) items(n *yaml.Node, what string) []*yaml.Node {
	if n.Kind != yaml.SequenceNode {
		s.fail(n, "", "%s must be a list, not %s", what, describe(n))
		return nil
	}
	return n.Content
}

// event reads the hooks of one event. They are numbered as they stand there,
// also those that are not used, so that their ids stay.
func (s *settings) event(p strict.Pair) {
	name, number := p.Key.Value, 0
	info, err := s.known.Lookup(name)
	if err != nil || badName(name) != "" {
		message, hint, _ := strings.Cut(fmt.Sprint(err), "; ")
		s.warn(p.Key, message+"; its hooks are left out", hint)
		return
	}
	for _, group := range s.items(p.Value, name) {
		matcher := (*yaml.Node)(nil)
		var hooks *yaml.Node
		for _, q := range s.object(group, "an entry of "+name) {
			switch q.Key.Value {
			case "matcher":
				matcher = q.Value
			case "hooks":
				hooks = q.Value
			}
		}
		if hooks == nil {
			if group.Kind == yaml.MappingNode {
				s.fail(group, "write {\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"…\"}]}", "an entry of %s has no hooks", name)
			}
			continue
		}
		for _, n := range s.items(hooks, "hooks") {
			number++
			s.hook = fmt.Sprintf("%s:%s:%d", s.prefix, name, number)
			s.entry(n, importedEvent{name, info}, matcher)
			s.hook = ""
		}
	}
}

func (s *settings) warn(n *yaml.Node, message, hint string) {
	s.warnings = append(s.warnings, Problem{File: s.file, Line: n.Line, Column: n.Column, Hook: s.hook, Message: clipLine(message), Hint: hint})
}
