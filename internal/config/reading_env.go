package config

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/hookway/hookway/internal/claudehooks"
	"github.com/hookway/hookway/internal/shell"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/trust"
)

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
		return slices.Contains(other.Unknown, u) && !slices.ContainsFunc(variableIn.FindAllStringSubmatch(u.Word, -1), func(m []string) bool {
			_, set := env[m[1]]
			return set
		})
	})
	return r
}

// variableIn is a variable in a shell's word.
var variableIn = regexp.MustCompile(`\$\{?[#!]?([A-Za-z_][A-Za-z0-9_]*)`)

// readOwn reads, for trust, the user's hookway.yaml: its hooks of Claude Code and the
// variables of the user's settings meet those of the workspace. Mistakes there are told
// elsewhere.
func (l *files) readOwn() {
	if trust.CheckPath(l.userDir) == nil {
		l.readYAML(&l.user, source{layer: LayerUser, dir: l.userDir, home: l.opts.otherHome(), runs: true, rank: 10}, "", trust.CheckOwner)
		l.set.Report = strict.Report{}
	}
}

// readPath pins the programs in the folders of a PATH.
func (l *pinner) readPath(path, id, place string) {
	for _, dir := range filepath.SplitList(path) {
		if full := shell.Under(l.workspace, dir); !trust.System(full) {
			l.pinned.PinTree(shell.Name{Path: full, Word: "PATH=" + path, Tree: true}, id, place)
		}
	}
}
