package config

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/sdk/typescript"
)

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
