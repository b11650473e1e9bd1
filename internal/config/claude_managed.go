package config

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/trust"
)

// managedDir is where an organisation keeps settings of Claude Code that hold for all.
func (l *loader) managedDir() string {
	switch {
	case l.opts.managedClaude != "":
		return l.opts.managedClaude
	case runtime.GOOS == "darwin":
		return "/Library/Application Support/ClaudeCode"
	case runtime.GOOS == "windows":
		return `C:\Program Files\ClaudeCode`
	}
	return "/etc/claude-code"
}

// importManaged reads the managed settings, for the first layer that imports hooks:
// they are nobody's to trust. Those of the folder managed-settings.d follow the file,
// by their names.
func (l *loader) importManaged(into *layer, src source) {
	if l.claude.managed {
		return
	}
	l.claude.managed = true
	dir := l.managedDir()
	files := []string{filepath.Join(dir, "managed-settings.json")}
	names, _ := disk.Names(filepath.Join(dir, "managed-settings.d"), trust.MaxListed) // there need be none
	slices.Sort(names)
	for _, name := range names {
		if strings.HasSuffix(name, ".json") && !strings.HasPrefix(name, ".") {
			files = append(files, filepath.Join(dir, "managed-settings.d", name))
		}
	}
	own := source{layer: LayerUser, dir: dir, home: src.home, runs: true, rank: src.rank}
	theirs := layer{}
	for i, path := range files {
		f := claudeFile{path: path, prefix: "claude-managed", scope: scopeManaged}
		if i > 0 {
			f.prefix += "/" + strings.TrimSuffix(filepath.Base(path), ".json")
		}
		if badName(f.prefix) != "" {
			f.prefix = "claude-managed"
		}
		from := own
		from.path = path
		theirs.found = append(theirs.found, l.importFile(&theirs, from, f, trust.CheckOwner)...)
	}
	l.importPlugins(&theirs, own, scopeManaged)
	into.found = append(into.found, theirs.found...)
	l.claude.theirs = theirs.found
}
