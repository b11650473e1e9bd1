package config

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookway/hookway/handler/script"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/shell"
	"github.com/hookway/hookway/sdk/typescript"
	"go.yaml.in/yaml/v4"
)

// A script with runtime: node is a command that Node runs: a worker, with the package
// hookway, or, if it is written as a program, a process for each event. No grants are
// enforced there, and trust is that of a command.

//go:embed onnode
var onNode embed.FS

func runtimeKey() key[hookSpec] {
	return key[hookSpec]{name: "runtime", doc: "script: embedded (default) runs it inside hookway; node by Node, as a command, where no grants are enforced.", shape: choiceShape("embedded", "node"),
		read: func(r *reader, n *yaml.Node, h *hookSpec) {
			word, _ := r.choice(n, "runtime", "embedded", "node")
			h.byNode = word == "node"
		}}
}

// onNode makes a command of a script that Node runs.
func (r *reader) onNode(h *hookSpec) {
	if n := h.keys["runtime"]; n != nil && h.keys["script"] == nil {
		r.fail(n, "take it out", "runtime belongs to script, which the hook does not have")
		return
	}
	if !h.byNode {
		return
	}
	if h.keys["on"] == nil {
		r.fail(h.keys["runtime"], "name its events, as in on: [PreToolUse]", "a script that Node runs is asked as one hook, for the events that on names")
	}
	if n := h.keys["allow"]; n != nil && h.grants != nil {
		r.fail(n, "take it out: under Node the script may do all that you may", "grants are not enforced by Node")
	}
	if n := h.keys["config"]; n != nil {
		r.fail(n, "take runtime: node out", "config is for plugins of OpenClaw, which only the built-in runtime has")
	}
	if h.handler.kind == "script" && h.handler.script != nil {
		h.handler.kind, h.worker = "command", true
		h.handler.argv = []entry{{"node", h.handler.script.node}, *h.handler.script}
		if h.description == "" {
			h.description = "run by Node: no grants are enforced"
		}
	}
}

// nodeScript looks at a script that Node shall run. It reports whether it can.
func (l *loader) nodeScript(f *found) bool {
	n := f.spec.handler.script.node
	file := under(f.source.dir, f.spec.handler.script.text)
	problem := Problem{File: f.file, Line: n.Line, Column: n.Column, Hook: f.spec.id, Message: "there is no script " + file, Hint: "create it or correct the name; it starts from the folder of this file"}
	if exists(file) {
		program, err := script.ForNode(file)
		if err == nil {
			f.spec.worker = !program
			f.node = script.FilesForNode(file)
			return true
		}
		problem.Message, problem.Hint = clipLine(err.Error()), ""
	}
	l.set.Problems = append(l.set.Problems, problem)
	return false
}

// pinForNode pins what Node will load for a script, beyond what its command shows.
func (l *loader) pinForNode(f *found) (files []string) {
	for _, path := range f.node {
		if !slices.Contains(f.command.files, path) && pinnable(l.workspace, shell.Name{Path: path, Word: path}, true) {
			l.pinned.add(path)
			files = append(files, path)
		}
	}
	return files
}

// nodeArgv is how Node is started for a script.
func (l *loader) nodeArgv(f *found) ([]string, error) {
	file := f.command.argv[1]
	typed := strings.HasSuffix(strings.TrimSuffix(filepath.Ext(file), "x"), "ts")
	if !f.spec.worker && !typed {
		return []string{"node", file}, nil
	}
	dir := filepath.Join(l.stateDir, "node")
	if err := errors.Join(privateDir(l.stateDir), os.MkdirAll(dir, 0o700)); err != nil {
		return nil, err
	}
	driver, err := writeDriver(dir)
	if err != nil {
		return nil, fmt.Errorf("what runs the script by Node cannot be written: %w", err)
	}
	kind := "program"
	if f.spec.worker {
		kind = "hooks"
	}
	argv := []string{"node", driver, kind, file}
	if !typed {
		return argv, nil
	}
	plain, err := script.PlainForNode(file, f.node)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(plain)
	bundle := filepath.Join(dir, hex.EncodeToString(sum[:])+".mjs")
	return append(argv, bundle), writeOnce(bundle, plain)
}

// writeDriver writes the package hookway and what starts it, and gives the file to run.
func writeDriver(dir string) (string, error) {
	files := map[string][]byte{}
	for _, from := range []fs.FS{onNode, typescript.Files} {
		err := fs.WalkDir(from, ".", func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			data, err := fs.ReadFile(from, name)
			files[strings.TrimPrefix(name, "onnode/")] = data
			return err
		})
		if err != nil {
			return "", err
		}
	}
	h := sha256.New()
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(h, "%q %d\n%s", name, len(files[name]), files[name])
	}
	into := filepath.Join(dir, "sdk-"+hex.EncodeToString(h.Sum(nil))[:16])
	for _, name := range names {
		to := filepath.Join(into, filepath.FromSlash(name))
		if path.Dir(name) != "." || name == names[0] {
			if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
				return "", err
			}
		}
		if err := writeOnce(to, files[name]); err != nil {
			return "", err
		}
	}
	return filepath.Join(into, "run.mjs"), nil
}

// writeOnce writes a file unless it is there as it should be.
func writeOnce(file string, data []byte) error {
	if old, err := os.ReadFile(file); err == nil && bytes.Equal(old, data) {
		return nil
	}
	return disk.ReplaceUnsynced(file, data, 0o600)
}
