package config

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/internal/claudehooks"
	"github.com/hookway/hookway/internal/shell"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/trust"
)

// pinner pins what the workspace's hooks could run.
type pinner struct {
	*load
	scripts *scripts
	wraps   []trust.Wrap // what trust tells of the programs that scripts wrap
}

// pinWorkspace hashes all that the workspace could run.
func (l *pinner) pinWorkspace() {
	if l.workspace == "" || l.opts.File != "" {
		return
	}
	for _, f := range workspaceFolders {
		l.pinned.AddFolder(filepath.Join(l.workspace, filepath.FromSlash(f.path)))
	}
	l.readCommands()
	for _, u := range l.pinned.Unread {
		said := func(p Problem) bool { return p.File == u.Path }
		asked := func(f *folderSource) bool { return slices.Contains(f.files, u.Path) } // then that fails
		if !slices.ContainsFunc(l.set.Warnings, said) && !slices.ContainsFunc(l.set.Problems, said) && !slices.ContainsFunc(l.work.folders, asked) {
			l.set.Warn(u.Path, "", strict.Line(strings.TrimPrefix(u.Err.Error(), u.Path+" ")), "")
		}
	}
}

// readCommands reads the commands of the workspace's hooks, and pins the files that
// they run, source or read.
func (l *pinner) readCommands() {
	for _, f := range l.work.found {
		if f.spec.handler.kind == "command" && !f.spec.disabled && f.source.layer == LayerWorkspace {
			f.command.files = append(l.readCommand(f), l.pinForNode(f)...)
		}
	}
	l.readVariables()
	l.scripts.eachScript(&l.work, l.readWrapped)
	for _, folder := range l.work.folders {
		for _, file := range folder.files {
			l.pinned.Command(shell.Reader{Dirs: []string{l.workspace}}, filepath.Base(file), file, func(r shell.Reader) shell.Reading { return r.Words([]string{file}) })
		}
	}
}

// readCommand reads the command of one hook.
func (l *pinner) readCommand(f *found) []string {
	return l.pinned.Command(shell.Reader{Env: f.environment(), Dirs: l.dirs(f)}, f.spec.id, f.place(), f.reading)
}

// readVariables pins what the variables of the workspace's settings name, for they
// reach the user's own hooks of Claude Code: files that programs load, folders of PATH,
// and every file that a value names, which a hook's line may run.
func (l *pinner) readVariables() {
	env := trust.AsMap(l.claude.Variables(claudehooks.Project, claudehooks.Local))
	if len(env) == 0 {
		return
	}
	const id = "claude:env"
	place := filepath.Join(l.workspace, ".claude")
	words := []string{"true"}
	for name, value := range env {
		if words = append(words, value); name == "PATH" {
			l.readPath(value, id, place)
		}
	}
	slices.Sort(words[1:])
	l.pinned.Command(shell.Reader{Env: env, Dirs: []string{l.workspace}}, id, place, func(r shell.Reader) shell.Reading { return r.Words(words) })
	for _, f := range l.user.found {
		if c := f.spec.claude; c != nil && c.Kind == "command" && !c.Managed {
			l.readReached(f, env)
		}
	}
}

// readReached pins what a hook of the user runs, sources or reads only because of the
// variables of the workspace's settings. What else it does is the user's own.
func (l *pinner) readReached(f *found, env map[string]string) {
	own := trust.AsMap(slices.Concat(l.claude.Variables(claudehooks.User, claudehooks.Managed), f.spec.env))
	all := trust.AsMap(slices.Concat(l.claude.Variables(claudehooks.User, claudehooks.Project, claudehooks.Local, claudehooks.Managed), f.spec.env))
	if maps.Equal(own, all) {
		return
	}
	before := f.reading(l.pinned.Equipped(shell.Reader{Env: own, Dirs: []string{l.workspace}}))
	l.pinned.Command(shell.Reader{Env: all, Dirs: []string{l.workspace}}, f.spec.id, f.place(), func(r shell.Reader) shell.Reading {
		return without(f.reading(r), before, env)
	})
}

// readPath pins the programs in the folders of a PATH.
func (l *pinner) readPath(path, id, place string) {
	for _, dir := range filepath.SplitList(path) {
		if full := shell.Under(l.workspace, dir); !trust.System(full) {
			l.pinned.PinTree(shell.Name{Path: full, Word: "PATH=" + path, Tree: true}, id, place)
		}
	}
}

// pinForNode pins what Node will load for a script, beyond what its command shows.
func (l *pinner) pinForNode(f *found) (files []string) {
	for _, path := range f.node {
		if !slices.Contains(f.command.files, path) && trust.Pinnable(l.workspace, shell.Name{Path: path, Word: path}, true) {
			l.pinned.Add(path)
			files = append(files, path)
		}
	}
	return files
}

// readWrapped pins what the programs that a script wraps run, as it does for commands.
func (l *pinner) readWrapped(src *source, file *scriptFile) {
	plain, computed := file.bundle.Wraps()
	name := src.shown(file.path)
	for _, words := range plain {
		l.wraps = append(l.wraps, trust.Wrap{File: name, Command: strings.Join(words, " ")})
		l.pinned.Command(shell.Reader{Dirs: []string{l.workspace}}, "relay.wrap", filepath.Base(file.path), readsLine(words))
	}
	if computed {
		l.pinned.Doubt(trust.Doubt{Hook: "relay.wrap", Origin: file.path, Word: "wrap(…)", Why: "which program hookway run runs is only known when the script runs"})
	}
}

// without is what a reading has and another one has not. A word that nobody can know
// stays if a variable is in it.
func without(r, other shell.Reading, env map[string]string) shell.Reading {
	more := func(names, before []shell.Name) []shell.Name {
		return slices.DeleteFunc(names, func(n shell.Name) bool {
			return slices.ContainsFunc(before, func(b shell.Name) bool { return b.Path == n.Path && b.Tree == n.Tree && b.Match == n.Match })
		})
	}
	r.Runs, r.Sources, r.Reads = more(r.Runs, other.Runs), more(r.Sources, other.Sources), more(r.Reads, other.Reads)
	r.Folders = slices.DeleteFunc(r.Folders, func(dir string) bool { return slices.Contains(other.Folders, dir) })
	r.Unknown = slices.DeleteFunc(r.Unknown, func(u shell.Unknown) bool {
		return slices.Contains(other.Unknown, u) && !slices.ContainsFunc(variableIn().FindAllStringSubmatch(u.Word, -1), func(m []string) bool {
			_, set := env[m[1]]
			return set
		})
	})
	return r
}

// variableIn is a variable in a shell's word.
var variableIn = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{?[#!]?([A-Za-z_][A-Za-z0-9_]*)`) })
