package claudehooks

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
func (i *Import) registry(name string) *yaml.Node {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(i.Plugins, name)
	}
	if root, ok := i.registries[path]; ok {
		return root
	}
	if i.registries == nil {
		i.registries = map[string]*yaml.Node{}
	}
	i.registries[path] = nil
	i.Report.Watched = append(i.Report.Watched, path)
	if !disk.Exists(path) {
		return nil
	}
	err := trust.CheckPath(path)
	var data []byte
	if err == nil {
		data, err = trust.Read(path, strict.MaxFile, nil, nil)
	}
	if err != nil {
		i.Report.Warn(path, "", strict.Line(err.Error()), "plugins are looked for without it")
		return nil
	}
	root, problems := strict.JSON(path, data)
	if len(problems) > 0 {
		problems[0].Hint = "plugins are looked for without it"
		i.Report.Warnings = append(i.Report.Warnings, problems[0])
		return nil
	}
	i.registries[path] = root
	return root
}

// marketplace is the folder of a marketplace and its list of plugins.
func (i *Import) marketplace(name string) (dir string, list *yaml.Node) {
	dir = member(in(i.registry("known_marketplaces.json"), name), "installLocation")
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(i.Plugins, "marketplaces", name)
	}
	return dir, in(i.registry(filepath.Join(dir, ".claude-plugin", "marketplace.json")), "plugins")
}

// listed is what a marketplace says of a plugin, or nil. Of two of one name the
// first counts.
func (i *Import) listed(id string) (dir string, entry *yaml.Node) {
	parts := pluginID().FindStringSubmatch(id)
	dir, list := i.marketplace(parts[2])
	if list == nil {
		return dir, nil
	}
	for _, n := range list.Content {
		if member(n, "name") != parts[1] {
			continue
		}
		if entry != nil {
			file := filepath.Join(dir, ".claude-plugin", "marketplace.json")
			p := strict.Problem{File: file, Line: n.Line, Column: n.Column, Message: "two plugins have the id " + id + "; the first is used"}
			if !slices.Contains(i.Report.Warnings, p) {
				i.Report.Warnings = append(i.Report.Warnings, p)
			}
			continue
		}
		entry = n
	}
	return dir, entry
}

// inMarketplace is where a marketplace has a plugin's own files, or "".
func (i *Import) inMarketplace(id string) string {
	dir, entry := i.listed(id)
	rel := member(entry, "source")
	if rel == "" || !filepath.IsLocal(filepath.FromSlash(rel)) {
		return ""
	}
	return filepath.Join(dir, filepath.FromSlash(rel))
}

// marketplaceHooks are hooks that stand in a marketplace's list itself, and the file.
func (i *Import) marketplaceHooks(id string) (file string, hooks *yaml.Node) {
	dir, entry := i.listed(id)
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
