package config

import (
	"path/filepath"
	"slices"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/shell"
	"github.com/hookway/hookway/internal/trust"
)

// pinner pins what the workspace's hooks could run.
type pinner struct {
	*load
	scripts *scripts
	wraps   []trust.Wrap // what trust tells of the programs that scripts wrap
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

// reading reads the hook's command.
func (f *found) reading(r shell.Reader) shell.Reading {
	if f.spec.handler.shell != nil {
		return r.Line(f.spec.handler.shell.Text)
	}
	var words []string
	for _, e := range f.spec.handler.argv {
		words = append(words, e.Text)
	}
	return r.Words(words)
}

// dirs are the folders from which names of a hook's command start, for trust.
func (l *load) dirs(f *found) []string {
	out := []string{f.source.dir}
	if f.spec.cwd != "" {
		out = append(out, shell.Under(f.source.dir, f.spec.cwd))
	}
	if !slices.Contains(out, l.workspace) {
		out = append(out, l.workspace)
	}
	return out
}

// environment is what a hook adds to its environment.
func (f *found) environment() map[string]string { return trust.AsMap(f.spec.env) }

// away is nil if nothing in a hook's command depends on the folder where it runs.
func (l *builder) away(f *found, lane hook.Lane) *trust.Away {
	if f.spec.handler.kind != "command" || !f.source.pinned || f.spec.cwd != "" || f.spec.worker {
		return nil
	}
	return trust.NewAway(&l.pinned, lane, f.environment(), l.dirs(f), func(r shell.Reader) shell.Reading {
		if f.command.shell != "" {
			return r.Line(f.command.shell)
		}
		return r.Words(f.command.argv)
	})
}
