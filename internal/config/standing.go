package config

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/trust"
)

// settled reports whether the workspace may be read in full. If nobody trusts it,
// or it is not as it was trusted, and only what is trusted shall be parsed, then
// what is known of it without that is in the set, and nothing more is done.
func (l *load) settled() bool {
	if l.workspace == "" || !l.opts.TrustedOnly || l.opts.File != "" || l.opts.getenv("HOOKWAY_TRUST") == "1" {
		return true
	}
	l.set.Trust.Workspace = l.workspace
	entry, ok := l.trust.Workspaces[l.workspace]
	if !ok {
		if l.hasHooks() {
			l.set.Unread, l.set.Trust.State = true, trust.Missing
		}
		return false
	}
	now := l.standing(entry)
	l.pinned.Known = now.Files
	status := l.trust.Status(l.workspace, now.Manifest)
	if status.State == trust.Given || l.brokenYAML(status.Changes) {
		return true
	}
	l.set.Unread, l.set.Trust = true, status
	now.Home, now.Loose = l.pinned.Home, l.pinned.Loose
	l.pinned = now // a change back is noticed
	return false
}

// hasHooks reports whether there is anything in the workspace that could run.
func (l *load) hasHooks() bool {
	for _, m := range markers {
		path := filepath.Join(l.workspace, filepath.FromSlash(m.path))
		if !m.dir && disk.Exists(path) && !isGraphQLRelay(path) {
			return true
		}
		if m.dir {
			if names, err := disk.Names(path, 1); len(names) > 0 || err != nil && disk.Exists(path) {
				return true
			}
		}
	}
	return false
}

// standing is what the files are now that were trusted. What was added to the
// folders of hooks is there by name alone.
func (l *load) standing(entry trust.Entry) trust.Pins {
	now := trust.Pins{Root: l.workspace}
	for name, was := range entry.Files {
		path := filepath.FromSlash(name)
		if !filepath.IsAbs(path) {
			path = filepath.Join(l.workspace, path)
		}
		if strings.HasPrefix(was, "sha256:") && disk.Exists(path) || was == "unreadable" {
			now.Add(path)
		}
	}
	for _, name := range slices.Concat(scriptNames, []string{fileName, fileNameYML}) {
		if path := filepath.Join(l.workspace, name); disk.Exists(path) && entry.Files[name] == "" && !isGraphQLRelay(path) {
			now.Put(trust.Pin{Path: path, Value: "new"})
		}
	}
	for _, f := range workspaceFolders {
		folder := trust.Pins{Root: l.workspace, Known: now.Files, Only: entry.Files, Hashed: now.Hashed}
		folder.AddFolder(filepath.Join(l.workspace, filepath.FromSlash(f.path)))
		for _, p := range folder.Files {
			now.Put(p)
		}
		now.Hashed = folder.Hashed
	}
	return now
}

// brokenYAML reports whether hookway.yaml alone has changed, and has a mistake: a
// bad file does not disable the hooks of a good one.
func (l *load) brokenYAML(changes []trust.Change) bool {
	if len(changes) != 1 || changes[0].Kind != "changed" || changes[0].Path != fileName && changes[0].Path != fileNameYML {
		return false
	}
	path := filepath.Join(l.workspace, changes[0].Path)
	data, err := disk.Read(path, strict.MaxFile)
	if err != nil {
		return true
	}
	_, problems := parse(path, data, l.known())
	return len(problems) > 0
}
