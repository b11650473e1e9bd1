package config

import (
	"bytes"
	"context"
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
	"sync/atomic"
	"time"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/environ"
	"github.com/hookway/hookway/sdk/typescript"
)

// A script with runtime: node is a command that Node runs: a worker, with the package
// hookway, or, if it is written as a program, a process for each event. No grants are
// enforced there, and trust is that of a command.

//go:embed onnode
var onNode embed.FS

// What Node needs to run scripts is kept in the folder node of the state folder, for
// all versions of them and of hookway. What was not used for long is taken out.

const (
	nodeFresh  = 2 * 24 * time.Hour  // used since then: it stays
	nodeStays  = 30 * 24 * time.Hour // not used since then: it goes
	nodeStales = 64                  // of those between
)

// nodeFiles are what has to be there when Node runs a script.
type nodeFiles struct {
	dir   string // empty: nothing
	plain []byte // the script as JavaScript; nil: Node reads it itself
}

// write writes them, unless they are there, and says that they are in use.
func (n nodeFiles) write() (driver, bundle string, err error) {
	if err := os.MkdirAll(n.dir, 0o700); err != nil {
		return "", "", err
	}
	if driver, err = writeDriver(n.dir); err != nil || n.plain == nil {
		return driver, "", err
	}
	sum := sha256.Sum256(n.plain)
	bundle = filepath.Join(n.dir, hex.EncodeToString(sum[:])+".mjs")
	if err = writeOnce(bundle, n.plain); err == nil {
		err = used(bundle)
	}
	return driver, bundle, err
}

// used keeps a file, or a folder, for as long as others may count on it.
func used(path string) error {
	now := time.Now()
	return os.Chtimes(path, now, now)
}

// byNode is a script that Node runs, with the files for that.
type byNode struct {
	next  hook.Handler
	files nodeFiles
	wrote atomic.Int64 // when, in UnixNano
}

func newByNode(next hook.Handler, files nodeFiles) *byNode {
	b := &byNode{next: next, files: files}
	b.wrote.Store(time.Now().UnixNano())
	return b
}

// Handle asks the script. Its files are there, however long it was not asked.
func (o *byNode) Handle(ctx context.Context, ev hook.AnyEvent) (hook.Decision, error) {
	if now := time.Now().UnixNano(); now-o.wrote.Load() > int64(nodeFresh/2) {
		if _, _, err := o.files.write(); err != nil {
			return hook.Decision{}, fmt.Errorf("what runs the script by Node cannot be written: %w", err)
		}
		o.wrote.Store(now)
	}
	return o.next.Handle(ctx, ev)
}

// thinNode takes out what nobody uses. What cannot be removed is tried again next time.
func thinNode(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	type stale struct {
		path string
		age  time.Duration
	}
	var found []stale
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !strings.HasPrefix(e.Name(), "sdk-") && filepath.Ext(e.Name()) != ".mjs" {
			continue
		}
		if age := time.Since(info.ModTime()); age > nodeFresh {
			found = append(found, stale{filepath.Join(dir, e.Name()), age})
		}
	}
	slices.SortFunc(found, func(a, b stale) int { return int(a.age - b.age) })
	for i, f := range found {
		if i >= nodeStales || f.age > nodeStays {
			_ = os.RemoveAll(f.path)
		}
	}
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
	if err := os.MkdirAll(into, 0o700); err != nil {
		return "", err
	}
	for _, name := range names {
		to := filepath.Join(into, filepath.FromSlash(name))
		if path.Dir(name) != "." {
			if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
				return "", err
			}
		}
		if err := writeOnce(to, files[name]); err != nil {
			return "", err
		}
	}
	return filepath.Join(into, "run.mjs"), used(into)
}

// writeOnce writes a file unless it is there as it should be.
func writeOnce(file string, data []byte) error {
	if old, err := os.ReadFile(file); err == nil && bytes.Equal(old, data) {
		return nil
	}
	return disk.ReplaceUnsynced(file, data, 0o600)
}

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
