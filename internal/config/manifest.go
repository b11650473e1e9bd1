package config

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/disk"
)

// Bounds of what is hashed. More than that is no set of hooks.
const (
	maxPinnedFiles = 4096
	maxPinnedSize  = 256 << 20 // of one file, and of all that lie in a folder of hooks
	maxPinnedTotal = 512 << 20
	maxPinnedDepth = 16
	maxPinnedTime  = 10 * time.Second // to look through one folder of hooks
)

// manifest is what a workspace can run or be configured by: for each file, by
// its path from the workspace with slashes, what it held. The value also says
// whether it may be executed. A symbolic link counts with the content of its target.
type manifest map[string]string

// hash is the manifest in one text.
func (m manifest) hash() string {
	h := sha256.New()
	for _, path := range slices.Sorted(maps.Keys(m)) {
		fmt.Fprintf(h, "%d:%s %d:%s\n", len(path), path, len(m[path]), m[path])
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// Change is one file that is not as it was trusted.
type Change struct {
	Path string `json:"path"`
	Kind string `json:"kind"` // added, changed or removed
}

// changes lists what differs from an older manifest, by path.
func (m manifest) changes(old manifest) []Change {
	var out []Change
	for path, value := range m {
		if was, ok := old[path]; !ok {
			out = append(out, Change{path, "added"})
		} else if was != value {
			out = append(out, Change{path, "changed"})
		}
	}
	for path := range old {
		if _, ok := m[path]; !ok {
			out = append(out, Change{path, "removed"})
		}
	}
	slices.SortFunc(out, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// pin is a file as it was hashed.
type pin struct {
	path  string
	value string // as in a manifest
	info  fs.FileInfo
}

// value writes what a file held and whether it may be executed.
func value(sum []byte, info fs.FileInfo) string {
	v := "sha256:" + hex.EncodeToString(sum)
	if info.Mode()&0o111 != 0 {
		v += " x"
	}
	return v
}

// buffers are what files are read through.
var buffers = sync.Pool{New: func() any { b := make([]byte, 32<<10); return &b }}

// hashFile reads a file once, through symbolic links. A file that cannot be read
// has a pin all the same, whose value says so.
func hashFile(path string) (pin, error) {
	fail := func(err error) (pin, error) {
		return pin{path: path, value: "unreadable"}, fmt.Errorf("%s cannot be read: %w", path, cause(err))
	}
	f, err := disk.Open(path)
	if err != nil {
		return fail(err)
	}
	defer f.Close()
	info := f.Info()
	if info.Size() > maxPinnedSize {
		return fail(fmt.Errorf("it has more than %d MiB", maxPinnedSize>>20))
	}
	h := sha256.New()
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	n, err := io.CopyBuffer(h, io.LimitReader(f, maxPinnedSize+1), *buffer)
	if err == nil && n > maxPinnedSize {
		err = fmt.Errorf("it grows; it has more than %d MiB", maxPinnedSize>>20)
	}
	if err != nil {
		return fail(err)
	}
	return pin{path, value(h.Sum(nil), info), info}, nil
}

// cause drops the operation and path of a file error, which our message has.
func cause(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}

// unread is a file that hooks would run, and that cannot be pinned.
type unread struct {
	path string
	err  error
}

// collector gathers the manifest of a workspace.
type collector struct {
	root  string
	files manifest
	pins  map[string]pin // by absolute path
	known map[string]pin // files that were hashed just before
	only  manifest       // unless nil: files of folders that are not in it count by name alone
	bytes int64          // of the files that were hashed
	errs  []unread

	home    string                       // what ~ means to hooks, or ""
	loose   func(place, id, word string) // is told what a hook's line runs and cannot be pinned at all
	doubts  []Doubt                      // what hooks may run besides
	awaited []string                     // what would be pinned if it were there, and folders whose names matter
}

// name is a path as the manifest has it: from the workspace if it lies inside.
func (c *collector) name(path string) string {
	if rel, err := filepath.Rel(c.root, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(path)
}

// add puts a file into the manifest.
func (c *collector) add(path string) pin {
	if p, ok := c.pins[path]; ok {
		return p
	}
	p, err := c.hash(path)
	if err != nil {
		c.errs = append(c.errs, unread{path, err})
	}
	c.put(p)
	return p
}

// hash is hashFile within the bound of all files together.
func (c *collector) hash(path string) (pin, error) {
	info, err := os.Stat(path)
	if known, ok := c.known[path]; ok && err == nil && known.info != nil && sameFile(known, info) {
		return known, nil
	}
	if err == nil && info.Mode().IsRegular() && info.Size() <= maxPinnedSize {
		if c.bytes += info.Size(); c.bytes > maxPinnedTotal {
			return pin{path: path, value: "unreadable"}, fmt.Errorf("%s cannot be read: the files that hooks could run have more than %d MiB together; take some out", path, maxPinnedTotal>>20)
		}
	}
	return hashFile(path)
}

func (c *collector) put(p pin) {
	if c.pins == nil {
		c.pins, c.files = map[string]pin{}, manifest{}
	}
	c.pins[p.path] = p
	c.files[c.name(p.path)] = p.value
}

// take puts a file into the manifest that was read just now.
func (c *collector) take(path string, data []byte, info fs.FileInfo) {
	sum := sha256.Sum256(data)
	c.put(pin{path, value(sum[:], info), info})
}

// addFolder puts all files of a folder into the manifest, those of folders in it
// too, because hooks may load them. A missing folder is fine. A link to a folder
// outside of the workspace is not followed.
func (c *collector) addFolder(path string) {
	err := walkHooks(c.root, path, func(e disk.Entry) error {
		switch {
		case e.Err != nil:
			c.broken(e.Path, e.Err)
		case e.Loop:
			c.put(pin{path: e.Path, value: "link " + c.name(e.Real)})
		case e.Info.IsDir() && e.Out:
			c.broken(e.Path, fmt.Errorf("it is a link to the folder %s, which lies outside of the workspace; put a copy of it there", e.Real))
		case e.Info.IsDir():
		case e.Info.Mode().IsRegular() && c.only != nil && c.only[c.name(e.Path)] == "":
			c.put(pin{path: e.Path, value: "new"})
		case e.Info.Mode().IsRegular():
			c.add(e.Path)
		default:
			c.put(pin{path: e.Path, value: disk.Kind(e.Info.Mode())})
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.broken(path, err)
	}
}

// walkHooks visits what is in a folder of hooks, within bounds.
func walkHooks(workspace, path string, visit func(disk.Entry) error) error {
	return disk.Walk(context.Background(), path, disk.Limits{
		Files: maxPinnedFiles, Bytes: maxPinnedSize, Depth: maxPinnedDepth, Time: maxPinnedTime, Within: workspace,
	}, visit)
}

func (c *collector) broken(path string, err error) {
	c.put(pin{path: path, value: "unreadable"})
	c.errs = append(c.errs, unread{path, fmt.Errorf("%s cannot be read: %w", path, cause(err))})
}
