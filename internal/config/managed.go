package config

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/trust"
	"go.yaml.in/yaml/v4"
)

// Managed is where an administrator keeps a hookway.yaml that holds for all users of a
// machine: nothing below makes it milder or switches it off.
type Managed struct {
	// Dir is its folder; empty is trust.ManagedDir. It is not part of the environment,
	// which an agent could change.
	Dir string

	// Check reports what others than the administrator could have written; nil is
	// trust.CheckManaged.
	Check func(path string, info fs.FileInfo) error
}

func (m *Managed) dir() string { return cmp.Or(m.Dir, trust.ManagedDir()) }

func (m *Managed) check(path string, info fs.FileInfo) error {
	if m.Check != nil {
		return m.Check(path, info)
	}
	return trust.CheckManaged(path, info)
}

// ownerCheck is what the files of a layer must pass; nil is nothing, for what trust pins.
func (l *load) ownerCheck(layer string) func(string, fs.FileInfo) error {
	switch layer {
	case LayerWorkspace:
		return nil
	case LayerManaged:
		return l.opts.Managed.check
	}
	return trust.CheckOwner
}

// readManaged reads the administrator's configuration, if it is the administrator's alone.
func (l *files) readManaged() {
	dir := l.opts.Managed.dir()
	if l.set.managedDir = dir; dir == "" {
		return
	}
	path := filepath.Join(dir, fileName)
	if _, err := os.Lstat(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.unread(LayerManaged, path)
		l.set.Fail(path, "it cannot be read: "+disk.Cause(err).Error(), "an administrator lets everybody read it")
		return
	}
	src := source{layer: LayerManaged, dir: dir, home: l.opts.otherHome(), runs: true, rank: 5}
	l.readFile(&l.managed, src, "", l.opts.Managed.check)
	if l.managed.file != nil {
		l.set.Managed = l.managed.yaml.path
	}
}

// foreign are the mistakes of a file that says what belongs in the user's.
func (l *files) foreign(src source, path string, f *fileSpec) (out Problems) {
	add := func(n *yaml.Node, message string) {
		p := Problem{File: path, Message: message, Hint: "put it into " + filepath.Join(l.userDir, fileName)}
		if n != nil {
			p.Line, p.Column = n.Line, n.Column
		}
		out = append(out, p)
	}
	if src.layer == LayerUser {
		return nil
	}
	managed := src.layer == LayerManaged
	if f.gateway != nil {
		add(f.gateway.node, "gateway is for the user's configuration alone: a workspace opens no way in, and sends nothing out by itself")
	}
	if f.relay != nil {
		add(f.relay.node, "relay belongs in the user's configuration: a workspace does not say where messages go")
	}
	if f.approvals != nil && !managed {
		add(f.approvals.node, "approvals belong in the user's configuration: a workspace does not say who answers for you")
	}
	if f.memory != nil && managed {
		add(f.memory.node, "memory belongs in the user's configuration, or a workspace's")
	}
	if len(f.imports) > 0 && managed {
		add(nil, "import belongs in the user's configuration, or a workspace's: what it reads is theirs")
	}
	if f.guards == nil {
		return out
	}
	if n := f.guards.keys["projects"]; n != nil && !managed {
		add(n, "projects of guards belong in the user's configuration: a workspace does not say what counts in others")
	}
	for _, p := range f.guards.projects {
		if n := p.keys["loosen"]; n != nil && managed {
			add(n, "loosen belongs in the user's configuration: nothing makes a managed one milder")
		}
	}
	return out
}
