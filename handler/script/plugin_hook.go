package script

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookway/hookway/internal/disk"
	"go.yaml.in/yaml/v4"
)

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
		return fmt.Errorf("%s cannot be read: %w", path, cause(err))
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
	if len(r.OS) > 0 && !slices.Contains(r.OS, platform()) {
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
