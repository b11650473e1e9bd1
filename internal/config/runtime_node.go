package config

import (
	"embed"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookway/hookway/internal/bundle"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/shell"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/trust"
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
			word, _ := r.Choice(n, "runtime", "embedded", "node")
			h.byNode = word == "node"
		}}
}

// onNode makes a command of a script that Node runs.
func (r *reader) onNode(h *hookSpec) {
	if n := h.keys["runtime"]; n != nil && h.keys["script"] == nil {
		r.Fail(n, "take it out", "runtime belongs to script, which the hook does not have")
		return
	}
	if !h.byNode {
		return
	}
	if h.keys["on"] == nil {
		r.Fail(h.keys["runtime"], "name its events, as in on: [PreToolUse]", "a script that Node runs is asked as one hook, for the events that on names")
	}
	if n := h.keys["allow"]; n != nil && h.grants != nil {
		r.Fail(n, "take it out: under Node the script may do all that you may", "grants are not enforced by Node")
	}
	if n := h.keys["config"]; n != nil {
		r.Fail(n, "take runtime: node out", "config is for plugins of OpenClaw, which only the built-in runtime has")
	}
	if h.handler.kind == "script" && h.handler.script != nil {
		h.handler.kind, h.worker = "command", true
		h.handler.argv = []strict.Entry{{Text: "node", Node: h.handler.script.Node}, *h.handler.script}
	}
}

// nodeScript looks at a script that Node shall run. It reports whether it can.
func (l *scripts) nodeScript(f *found) bool {
	n := f.spec.handler.script.Node
	file := shell.Under(f.source.dir, f.spec.handler.script.Text)
	problem := Problem{File: f.file, Line: n.Line, Column: n.Column, Hook: f.spec.id, Message: "there is no script " + file, Hint: "create it or correct the name; it starts from the folder of this file"}
	if disk.Exists(file) {
		program, err := bundle.ForNode(file)
		if err == nil {
			f.spec.worker = !program
			f.node = bundle.FilesForNode(file)
			return true
		}
		problem.Message, problem.Hint = strict.Line(err.Error()), ""
	}
	l.set.Problems = append(l.set.Problems, problem)
	return false
}

// pinForNode pins what Node will load for a script, beyond what its command shows.
func (l *pinner) pinForNode(f *found) (files []string) {
	for _, path := range f.node {
		if !slices.Contains(f.command.files, path) && trust.Pinnable(l.workspace, shell.Name{Path: path, Word: path}, true) {
			l.pinned.Add(path)
			files = append(files, path)
		}
	}
	return files
}

// nodeArgv is how Node is started for a script, and what has to be there for that.
func (l *builder) nodeArgv(f *found) ([]string, nodeFiles, error) {
	file := f.command.argv[1]
	typed := strings.HasSuffix(strings.TrimSuffix(filepath.Ext(file), "x"), "ts")
	if !f.spec.worker && !typed {
		return []string{"node", file}, nodeFiles{}, nil
	}
	if err := trust.PrivateDir(l.stateDir); err != nil {
		return nil, nodeFiles{}, err
	}
	n := nodeFiles{dir: filepath.Join(l.stateDir, "node")}
	if typed {
		plain, err := bundle.PlainForNode(file, f.node)
		if err != nil {
			l.set.Warn(f.place(), f.spec.id, strict.Line(fmt.Sprintf("only Node 22.18 or newer, which reads TypeScript itself, can run it: %v", err)), "an older one needs a file that can be bundled")
		}
		n.plain = plain
	}
	driver, plain, err := n.write()
	if err != nil {
		return nil, n, fmt.Errorf("what runs the script by Node cannot be written: %w", err)
	}
	thinNode(n.dir)
	kind := "program"
	if f.spec.worker {
		kind = "hooks"
	}
	argv := []string{"node", driver, kind, file}
	if plain != "" {
		argv = append(argv, plain)
	}
	return argv, n, nil
}
