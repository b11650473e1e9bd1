package config

import (
	"path/filepath"
	"slices"

	"github.com/hookway/hookway/internal/shell"
	"github.com/hookway/hookway/internal/trust"
)

// readVariables pins what the variables of the workspace's settings name, for they
// reach the user's own hooks of Claude Code: files that programs load, folders of PATH,
// and every file that a value names, which a hook's line may run.
func (l *loader) readVariables() {
	env := trust.AsMap(l.claude.variables(scopeProject, scopeLocal))
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
}

// readPath pins the programs in the folders of a PATH.
func (l *loader) readPath(path, id, place string) {
	for _, dir := range filepath.SplitList(path) {
		if full := shell.Under(l.workspace, dir); !trust.System(full) {
			l.pinned.PinTree(shell.Name{Path: full, Word: "PATH=" + path, Tree: true}, id, place)
		}
	}
}
