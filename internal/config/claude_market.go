package config

import (
	"path/filepath"
	"slices"

	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/trust"
	"go.yaml.in/yaml/v4"
)

// registry reads a file in which Claude Code keeps account of plugins, once. One
// with a mistake is told, and is as if it were not there.
func (l *loader) registry(name string) *yaml.Node {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(l.pluginsDir(), name)
	}
	if root, ok := l.claude.registries[path]; ok {
		return root
	}
	if l.claude.registries == nil {
		l.claude.registries = map[string]*yaml.Node{}
	}
	l.claude.registries[path] = nil
	l.set.imported = append(l.set.imported, path)
	if !disk.Exists(path) {
		return nil
	}
	err := checkPath(path, trust.CheckOwner)
	var data []byte
	if err == nil {
		data, err = l.readUpTo(strict.MaxFile, source{layer: LayerUser}, path, nil)
	}
	if err != nil {
		l.warn(path, "", strict.Line(err.Error()), "plugins are looked for without it")
		return nil
	}
	root, problems := strict.JSON(path, data)
	if len(problems) > 0 {
		problems[0].Hint = "plugins are looked for without it"
		l.set.Warnings = append(l.set.Warnings, problems[0])
		return nil
	}
	l.claude.registries[path] = root
	return root
}

// marketplace is the folder of a marketplace and its list of plugins.
func (l *loader) marketplace(name string) (dir string, list *yaml.Node) {
	dir = member(in(l.registry("known_marketplaces.json"), name), "installLocation")
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(l.pluginsDir(), "marketplaces", name)
	}
	return dir, in(l.registry(filepath.Join(dir, ".claude-plugin", "marketplace.json")), "plugins")
}

// listed is what a marketplace says of a plugin, or nil. Of two of one name the
// first counts.
func (l *loader) listed(id string) (dir string, entry *yaml.Node) {
	parts := pluginID.FindStringSubmatch(id)
	dir, list := l.marketplace(parts[2])
	if list == nil {
		return dir, nil
	}
	for _, n := range list.Content {
		if member(n, "name") != parts[1] {
			continue
		}
		if entry != nil {
			file := filepath.Join(dir, ".claude-plugin", "marketplace.json")
			p := Problem{File: file, Line: n.Line, Column: n.Column, Message: "two plugins have the id " + id + "; the first is used"}
			if !slices.Contains(l.set.Warnings, p) {
				l.set.Warnings = append(l.set.Warnings, p)
			}
			continue
		}
		entry = n
	}
	return dir, entry
}

// inMarketplace is where a marketplace has a plugin's own files, or "".
func (l *loader) inMarketplace(id string) string {
	dir, entry := l.listed(id)
	rel := member(entry, "source")
	if rel == "" || !filepath.IsLocal(filepath.FromSlash(rel)) {
		return ""
	}
	return filepath.Join(dir, filepath.FromSlash(rel))
}

// marketplaceHooks are hooks that stand in a marketplace's list itself, and the file.
func (l *loader) marketplaceHooks(id string) (file string, hooks *yaml.Node) {
	dir, entry := l.listed(id)
	if hooks = in(entry, "hooks"); hooks == nil || hooks.Kind != yaml.MappingNode {
		return "", nil
	}
	return filepath.Join(dir, ".claude-plugin", "marketplace.json"), hooks
}

// in is the value of a key, or nil. Of several the last counts.
func in(n *yaml.Node, key string) (value *yaml.Node) {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			value = n.Content[i+1]
		}
	}
	return value
}

// member is a text under a key, or "".
func member(n *yaml.Node, key string) string {
	if v := in(n, key); v != nil && strict.IsText(v) {
		return v.Value
	}
	return ""
}
