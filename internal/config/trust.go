package config

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/trust"
)

// onlyYAML reports whether hookway.yaml alone is not as it was trusted. If it has
// a mistake, the executables of the hook folders, which do not depend on it,
// still run: a bad file does not disable the hooks of a good one.
func (l *load) onlyYAML(trusted trust.Manifest) bool {
	isYAML := func(name string) bool { return name == fileName || name == fileNameYML }
	for name, value := range trusted {
		path := filepath.FromSlash(name)
		if !filepath.IsAbs(path) {
			path = filepath.Join(l.workspace, path)
		}
		if now, err := trust.HashFile(path); !isYAML(name) && (err != nil || now.Value != value) {
			return false
		}
	}
	for name := range l.pinned.Manifest {
		for _, f := range workspaceFolders {
			if _, known := trusted[name]; !known && strings.HasPrefix(name, f.path+"/") {
				return false
			}
		}
	}
	return true
}

// Trust pins what the workspace can run and be configured by, as it is now. The
// error is a Problems if its hookway.yaml has mistakes: what it would run is
// not known then.
func Trust(opts Options) (trust.Status, error) { return TrustIf(opts, nil) }

// TrustIf is Trust, if ask has nothing against it. What ask was shown is what is
// pinned, also when files change meanwhile.
func TrustIf(opts Options, ask func(trust.Status) error) (trust.Status, error) {
	l, err := newLoader(opts)
	if err != nil {
		return trust.Status{}, err
	}
	if l.workspace == "" {
		return trust.Status{State: trust.None}, fmt.Errorf("no workspace: neither %s nor a folder above it has a %s, %s, .hookway/hooks or .acai/hooks; run hookway init", l.dir, fileName, strings.Join(scriptNames, ", "))
	}
	defer l.scripts.closePrograms()
	l.scripts.asking = LayerWorkspace
	l.files.readOwn()
	l.files.readWorkspace()
	l.pinner.pinWorkspace()
	if err := l.set.Problems.Err(); err != nil {
		return trust.Status{Workspace: l.workspace, State: trust.Missing}, err
	}
	before, err := l.store.Read()
	if err != nil {
		return trust.Status{Workspace: l.workspace, State: trust.Missing}, err
	}
	status := before.Status(l.workspace, l.pinned.Manifest)
	status.Wishes = l.wishes(&l.work, before.Workspaces[l.workspace].Grants)
	status.Sees = l.sights(&l.work)
	status.Sends, status.Unknown, status.Unread, status.Wraps = l.destinations(), l.pinned.Doubts, l.pinned.Unreadable(), l.pinner.wraps
	if status.State == trust.Changed {
		status.Diffs = l.store.Differences(&l.pinned, status.Changes, before.Workspaces[l.workspace].Files)
	}
	if ask != nil {
		if err := ask(status); err != nil {
			return status, err
		}
	}
	entry := trust.Entry{Hash: status.Hash, Files: l.pinned.Manifest, Grants: given(status.Wishes), Since: time.Now().UTC().Truncate(time.Second)}
	entry.Seen = l.scripts.seenIn(&l.work, func(src *source, f *scriptFile) string { return src.shown(f.path) })
	if err := l.store.Trust(l.workspace, entry, l.pinned.Files); err != nil {
		return trust.Status{Workspace: l.workspace, State: trust.Missing}, err
	}
	status.State, status.Changes, status.Diffs = trust.Given, nil, nil
	return status, nil
}

// Untrust takes the trust back: of the nearest folder that has any, whose hooks
// are used. It reports the workspace, and whether there was any trust in it. Trust in a folder that has lost its hooks can be taken back too.
func Untrust(opts Options) (workspace string, was bool, err error) {
	l, err := newLoader(opts)
	if err != nil {
		return "", false, err
	}
	before, err := l.store.Read()
	if err != nil {
		return "", false, err
	}
	workspace = l.workspace
	for dir := l.dir; ; dir = filepath.Dir(dir) {
		if _, ok := before.Workspaces[dir]; ok {
			workspace = dir
			break
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	if _, ok := before.Workspaces[workspace]; !ok {
		return workspace, false, nil
	}
	was, err = l.store.Untrust(workspace)
	return workspace, was, err
}
