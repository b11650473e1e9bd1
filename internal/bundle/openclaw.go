package bundle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookway/hookway/internal/disk"
	"go.yaml.in/yaml/v4"
)

// Plugin is what a package of OpenClaw says of itself: openclaw.plugin.json,
// package.json, or HOOK.md.
type Plugin struct {
	ID     string          // "" if it does not say
	Schema json.RawMessage // of its settings; nil: any
}

// unit is one file of a program, with what its package says of it.
type unit struct {
	file  string
	about *about // nil: it is of no package
}

// about is what the file of a package learns about itself.
type about struct {
	ID          string    `json:"id,omitempty"`
	Name        string    `json:"name,omitempty"`
	Version     string    `json:"version,omitempty"`
	Description string    `json:"description,omitempty"`
	Source      string    `json:"source"`
	RootDir     string    `json:"rootDir"`
	Packaged    bool      `json:"packaged"`
	Hook        *hookFile `json:"hook,omitempty"`
}

// plan is what a program is made of.
type plan struct {
	units  []unit
	files  []string // that say what it is; they are of the program, too
	notes  []string
	plugin *Plugin // nil: it is not a package
}

// Sources lists the files in which a program begins, as far as is known without
// reading it: the file itself, or those that the package in a folder names.
func Sources(path string) []string {
	p, err := planOf(path)
	if err != nil {
		return []string{path}
	}
	out := append([]string(nil), p.files...)
	for _, u := range p.units {
		out = append(out, u.file)
	}
	return out
}

const (
	manifestName = "openclaw.plugin.json"
	hookFileName = "HOOK.md"
)

// packageJSON is what package.json says of an OpenClaw plugin.
type packageJSON struct {
	Name, Version, Description, Main, Module string

	OpenClaw *struct {
		Extensions        []string
		RuntimeExtensions []string
		Hooks             []string
	}
}

// planOf finds out what a path is: a file, or the folder of a package.
func planOf(path string) (*plan, error) {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		switch filepath.Base(path) {
		case manifestName, hookFileName, "package.json":
			return folderPlan(filepath.Dir(path))
		}
		return filePlan(path), nil
	}
	if err == nil {
		return folderPlan(path)
	}
	return &plan{units: []unit{{file: path}}}, nil // that it is missing is reported when it is read
}

// filePlan is the plan of a file, which may be one of a package.
func filePlan(path string) *plan {
	p := &plan{units: []unit{{file: path}}}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		manifest, pkg := filepath.Join(dir, manifestName), filepath.Join(dir, "package.json")
		if disk.IsFile(manifest) || disk.IsFile(pkg) {
			if disk.IsFile(manifest) || openClawPackage(pkg) != nil {
				if found, err := readPlugin(dir); err == nil {
					p.plugin, p.files = found.plugin, found.files
					p.units[0].about = found.about(path)
				}
			}
			return p
		}
		if dir == filepath.Dir(dir) || filepath.Base(dir) == "node_modules" {
			return p
		}
	}
}

func openClawPackage(path string) *packageJSON {
	var p packageJSON
	data, err := disk.Read(path, maxSetting)
	if err != nil || json.Unmarshal(data, &p) != nil || p.OpenClaw == nil {
		return nil
	}
	return &p
}

// folderPlan is the plan of a folder: a plugin, a hook, or a pack of hooks.
func folderPlan(dir string) (*plan, error) {
	if disk.IsFile(filepath.Join(dir, hookFileName)) {
		p := &plan{plugin: &Plugin{}}
		return p, p.addHook(dir, nil)
	}
	found, err := readPlugin(dir)
	if err != nil {
		return nil, err
	}
	p := &plan{plugin: found.plugin, files: found.files}
	for _, hook := range found.hooks {
		if err := p.addHook(filepath.Join(dir, filepath.FromSlash(hook)), found); err != nil {
			return nil, err
		}
	}
	entries, err := found.entries()
	if err != nil {
		return nil, err
	}
	for _, file := range entries {
		p.units = append(p.units, unit{file, found.about(file)})
	}
	if len(p.units)+len(p.notes) == 0 {
		return nil, fmt.Errorf("%s is not a plugin: name its file, or put openclaw: {\"extensions\": [\"./index.ts\"]} into its package.json", dir)
	}
	return p, nil
}

// found is a package that was read.
type foundPlugin struct {
	dir         string
	plugin      *Plugin
	files       []string
	says        about
	extensions  []string
	built       []string // the extensions as they are published
	hooks       []string
	main        []string // where it may begin if it does not say so
	hasManifest bool
}

// readPlugin reads what a folder says of itself.
func readPlugin(dir string) (*foundPlugin, error) {
	f := &foundPlugin{dir: dir, plugin: &Plugin{}}
	var manifest struct {
		ID, Name, Version, Description, Main, Entry string
		ConfigSchema                                json.RawMessage
	}
	path := filepath.Join(dir, manifestName)
	switch data, err := disk.Read(path, maxSetting); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read: %w", path, disk.Cause(err))
	default:
		if err := json.Unmarshal(withoutComments(data), &manifest); err != nil {
			return nil, fmt.Errorf("%s is not JSON of a plugin: %w", path, err)
		}
		f.files, f.hasManifest = append(f.files, path), true
	}
	var pkg packageJSON
	path = filepath.Join(dir, "package.json")
	if data, err := disk.Read(path, maxSetting); err == nil {
		if err := json.Unmarshal(data, &pkg); err != nil {
			return nil, fmt.Errorf("%s is not JSON of a package: %w", path, err)
		}
		f.files = append(f.files, path)
	}
	if s := string(manifest.ConfigSchema); s != "" && s != "null" {
		f.plugin.Schema = manifest.ConfigSchema
	}
	f.plugin.ID = manifest.ID
	f.says = about{ID: manifest.ID, Name: first(manifest.Name, pkg.Name), Version: first(manifest.Version, pkg.Version), Description: first(manifest.Description, pkg.Description), RootDir: dir, Packaged: true}
	if pkg.OpenClaw != nil {
		f.extensions, f.built, f.hooks = pkg.OpenClaw.Extensions, pkg.OpenClaw.RuntimeExtensions, pkg.OpenClaw.Hooks
	}
	f.main = []string{manifest.Entry, manifest.Main, "index", pkg.Module, pkg.Main, "src/index", "dist/index"}
	if !f.hasManifest && pkg.OpenClaw == nil && !disk.IsFile(plainFile(filepath.Join(dir, "index"))) {
		return nil, fmt.Errorf("%s is not a plugin of OpenClaw: it has no %s, no openclaw in package.json and no %s", dir, manifestName, hookFileName)
	}
	return f, nil
}

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// entries are the files in which the package begins.
func (f *foundPlugin) entries() ([]string, error) {
	var out []string
	for i, name := range f.extensions {
		names := []string{name, "dist/" + strings.TrimPrefix(strings.TrimSuffix(name, filepath.Ext(name)), "./")}
		if i < len(f.built) {
			names = append(names, f.built[i])
		}
		file := ""
		for _, name := range names {
			at := filepath.Join(f.dir, filepath.FromSlash(name))
			if !disk.Inside(f.dir, at) {
				return nil, fmt.Errorf("%s: the extension %s is not in its folder", filepath.Join(f.dir, "package.json"), name)
			}
			if file = first(plainFile(at), plainFile(filepath.Join(at, "index"))); file != "" {
				break
			}
		}
		if file == "" {
			return nil, fmt.Errorf("%s names the extension %s, and there is no such file; build the plugin, or install it anew", filepath.Join(f.dir, "package.json"), name)
		}
		out = append(out, file)
	}
	if len(out) > 0 || len(f.hooks) > 0 {
		return out, nil
	}
	for _, name := range f.main {
		if name == "" {
			continue
		}
		at := filepath.Join(f.dir, filepath.FromSlash(name))
		if file := plainFile(at); file != "" && disk.Inside(f.dir, at) {
			return []string{file}, nil
		}
	}
	return nil, nil
}

// about is what a file of the package learns.
func (f *foundPlugin) about(file string) *about {
	a := f.says
	a.Source = file
	return &a
}

// entryOf is the text that makes a program of a plan.
func (p *plan) entryOf(path string) string {
	if p.plugin == nil {
		return entry(path)
	}
	var head, body strings.Builder
	for i, u := range p.units {
		said, _ := json.Marshal(u.about) // of texts
		fmt.Fprintf(&head, "import * as script%d from %s;\n", i, quote(u.file))
		fmt.Fprintf(&body, "__hookway.load(script%d, %s, %s);\n", i, quote(baseOf(path)), said)
	}
	return head.String() + body.String()
}

// hookFile is what the frontmatter of a HOOK.md says.
type hookFile struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Events      []string `json:"events"`
	Export      string   `json:"export,omitempty"`
}

// requirements are what a HOOK.md needs of the machine.
type requirements struct {
	OS       []string
	Always   bool
	Requires struct {
		Bins, AnyBins, Env, Config []string
	}
	Events []string
	Export string
}

// addHook adds the hook of a folder with a HOOK.md. What it needs and is not there
// leaves it out, with a note.
func (p *plan) addHook(dir string, of *foundPlugin) error {
	if of != nil && !disk.Inside(of.dir, dir) {
		return fmt.Errorf("%s: the hook %s is not in its folder", of.dir, dir)
	}
	path := filepath.Join(dir, hookFileName)
	data, err := disk.Read(path, maxSetting)
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", path, disk.Cause(err))
	}
	p.files = append(p.files, path)
	said, needs, err := readHookFile(data)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if said.Name == "" {
		said.Name = filepath.Base(dir)
	}
	if len(said.Events) == 0 {
		return fmt.Errorf("%s names no events; write metadata: {\"openclaw\": {\"events\": [\"message:received\"]}} between its lines of ---", path)
	}
	if missing := needs.missing(); missing != "" {
		p.notes = append(p.notes, fmt.Sprintf("%s does not run: %s", said.Name, missing))
		return nil
	}
	for _, name := range []string{"handler", "index"} {
		if file := plainFile(filepath.Join(dir, name)); file != "" {
			p.units = append(p.units, unit{file, &about{ID: said.Name, Name: said.Name, Description: said.Description, Source: file, RootDir: dir, Packaged: true, Hook: said}})
			return nil
		}
	}
	return fmt.Errorf("%s has no handler.ts", dir)
}

// readHookFile reads the frontmatter.
func readHookFile(data []byte) (*hookFile, *requirements, error) {
	data = bytes.ReplaceAll(bytes.TrimPrefix(data, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
	_, rest, ok := bytes.Cut(data, []byte("---\n"))
	front, _, closed := bytes.Cut(rest, []byte("\n---"))
	if !ok || !closed || !bytes.HasPrefix(data, []byte("---\n")) {
		return nil, nil, fmt.Errorf("it does not begin with --- and the lines that say what it is")
	}
	var head struct {
		Name, Description string
		Metadata          any
		Events            any
	}
	if err := yaml.Unmarshal(front, &head); err != nil {
		return nil, nil, fmt.Errorf("its first lines are not YAML: %w", err)
	}
	needs := new(requirements)
	if meta := ofOpenClaw(head.Metadata); meta != nil {
		text, err := json.Marshal(meta)
		if err == nil {
			err = json.Unmarshal(text, needs)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("its metadata cannot be read: %w", err)
		}
	}
	if len(needs.Events) == 0 {
		needs.Events = eventList(head.Events)
	}
	return &hookFile{Name: head.Name, Description: head.Description, Events: needs.Events, Export: needs.Export}, needs, nil
}

// ofOpenClaw finds what metadata says of OpenClaw: as YAML, or as JSON in a text.
func ofOpenClaw(metadata any) any {
	if text, ok := metadata.(string); ok {
		var value any
		if json.Unmarshal([]byte(text), &value) != nil {
			return nil
		}
		metadata = value
	}
	fields, ok := metadata.(map[string]any)
	if !ok {
		return nil
	}
	for _, name := range []string{"openclaw", "clawdbot", "moltbot"} {
		if fields[name] != nil {
			return fields[name]
		}
	}
	return fields
}

func eventList(value any) []string {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, one := range v {
			if text, ok := one.(string); ok {
				out = append(out, text)
			}
		}
		return out
	}
	return nil
}

// missing says what is not there, or "".
func (r *requirements) missing() string {
	if r.Always {
		return ""
	}
	if len(r.OS) > 0 && !slices.Contains(r.OS, Platform()) {
		return "it is for " + strings.Join(r.OS, ", ") + " only"
	}
	there := func(bin string) bool { _, err := exec.LookPath(bin); return err == nil }
	for _, bin := range r.Requires.Bins {
		if !there(bin) {
			return "it needs the program " + bin + ", which is not there"
		}
	}
	if any := r.Requires.AnyBins; len(any) > 0 && !slices.ContainsFunc(any, there) {
		return "it needs one of the programs " + strings.Join(any, ", ") + ", and none is there"
	}
	for _, name := range r.Requires.Env {
		if os.Getenv(name) == "" {
			return "it needs the variable " + name + ", which is not set"
		}
	}
	for _, path := range r.Requires.Config {
		if !strings.HasPrefix(path, "workspace.") && !strings.HasPrefix(path, "hooks.") && !strings.HasPrefix(path, "agents.") {
			return "it needs the setting " + path + " of an OpenClaw gateway"
		}
	}
	return ""
}
