package config

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/environ"
	"github.com/hookway/hookway/internal/shell"
)

// Imported hooks are often lines such as node guard.js. Where Node is not installed,
// hookway runs the file itself: behind all other folders of the hook's PATH stands one
// that has a program node, which is hookway node. The line, what is pinned of it and
// what it may do stay as they are.

// withoutNode has a hook find hookway's own node where there is no other.
type withoutNode struct {
	next     hook.Handler
	standIn  func() (dir string, err error)
	tellOnce func()
}

// Handle runs the hook.
func (w withoutNode) Handle(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
	environment := command.Environ(ctx)
	path, ok := environ.Lookup(environment, "PATH")
	if _, err := command.LookPath(ctx, "node"); err == nil || !ok || path == "" {
		return w.next.Handle(ctx, ev)
	}
	dir, err := w.standIn()
	if err != nil {
		return hook.Decision{}, fmt.Errorf("node is not on PATH, and hookway's own cannot be put there: %w", err)
	}
	w.tellOnce()
	path += string(os.PathListSeparator) + dir
	return w.next.Handle(command.WithEnviron(ctx, append(slices.Clip(environment), "PATH="+path)), ev)
}

// asksNode reports whether an imported hook runs Node: its line has the word node, or
// a file that says in its first line that Node runs it.
func (f *found) asksNode() bool {
	if f.spec.claude == nil || f.spec.handler.kind != "command" || runtime.GOOS == "windows" {
		return false
	}
	words := f.command.argv
	if f.command.shell != "" {
		words = shell.Split(f.command.shell)
	}
	return slices.ContainsFunc(words, func(w string) bool {
		return w == "node" || slices.Contains([]string{".js", ".mjs", ".cjs"}, filepath.Ext(w))
	})
}

// standsIn reports whether hookway can stand in for Node.
func (l *builder) standsIn(f *found) bool { return l.opts.Self != "" && f.asksNode() }

// tellOfNode warns, once, that there is no Node where programs are looked for.
func (l *builder) tellOfNode(f *found) {
	if l.nodeTold || !l.standsIn(f) {
		return
	}
	ctx := context.Background()
	if l.opts.Environ != nil {
		ctx = command.WithEnviron(ctx, l.opts.Environ)
	}
	if _, err := command.LookPath(ctx, "node"); err == nil {
		return
	}
	l.nodeTold = true
	l.set.Warnings = append(l.set.Warnings, Problem{File: f.file, Line: f.spec.node.Line, Column: f.spec.node.Column, Hook: f.spec.id,
		Message: "Node is not installed, so what it has Node run, and other imported hooks have, hookway runs itself", Hint: "try it by hand with hookway node FILE; install Node if something of it is missed"})
}

// withNode gives a hook hookway's node, should there be no other when it runs.
func (l *builder) withNode(next hook.Handler) hook.Handler {
	if l.standIn == nil {
		dir, self := filepath.Join(l.stateDir, "node", "bin"), l.opts.Self
		l.standIn = sync.OnceValues(func() (string, error) { return dir, writeStandIn(dir, self) })
		l.toldOfNode = sync.OnceFunc(func() {
			if l.opts.Log != nil {
				l.opts.Log("node is not on PATH: hooks that call it are run by hookway itself (hookway node)")
			}
		})
	}
	return withoutNode{next: next, standIn: l.standIn, tellOnce: l.toldOfNode}
}

// writeStandIn writes the program node that is hookway.
func writeStandIn(dir, self string) error {
	if strings.ContainsRune(dir, os.PathListSeparator) {
		return errors.New("the name of hookway's state folder cannot stand in PATH: " + dir)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	file := filepath.Join(dir, "node")
	text := "#!/bin/sh\nexec '" + strings.ReplaceAll(self, "'", `'\''`) + "' node \"$@\"\n"
	if old, err := os.ReadFile(file); err == nil && string(old) == text {
		return nil
	}
	return disk.ReplaceUnsynced(file, []byte(text), 0o700)
}
