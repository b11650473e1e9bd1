package config

import (
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
)

// Bounds of what is hashed. More than that is no set of hooks.
const (
	maxPinnedFiles = 4096
	maxPinnedSize  = 256 << 20
	maxPinnedDepth = 16
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
	f, info, err := openRegular(path)
	if err != nil {
		return fail(err)
	}
	defer f.Close()
	if info.Size() > maxPinnedSize {
		return fail(fmt.Errorf("it has more than %d MiB", maxPinnedSize>>20))
	}
	h := sha256.New()
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	if _, err := io.CopyBuffer(h, io.LimitReader(f, maxPinnedSize+1), *buffer); err != nil {
		return fail(err)
	}
	return pin{path, value(h.Sum(nil), info), info}, nil
}

// openRegular opens a file that is neither a folder nor a pipe nor a device:
// opening those could wait for ever.
func openRegular(path string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("it is %s, not a file", kindOf(info.Mode()))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a file")
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}

// cause drops the operation and path of a file error, which our message has.
func cause(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}

// collector gathers the manifest of a workspace.
type collector struct {
	root  string
	files manifest
	pins  map[string]pin // by absolute path
	errs  []error
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
	p, err := hashFile(path)
	if err != nil {
		c.errs = append(c.errs, err)
	}
	c.put(p)
	return p
}

func (c *collector) put(p pin) {
	if c.pins == nil {
		c.pins, c.files = map[string]pin{}, manifest{}
	}
	c.pins[p.path] = p
	c.files[c.name(p.path)] = p.value
}

// addFolder puts all files of a folder into the manifest, those of folders in it
// too, because hooks may load them. A missing folder is fine.
func (c *collector) addFolder(path string) {
	c.walk(path, nil)
}

func (c *collector) walk(path string, above []string) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			c.broken(path, err)
		}
		return
	}
	if slices.Contains(above, real) { // a link to a folder that we are in
		c.put(pin{path: path, value: "link " + c.name(real)})
		return
	}
	if len(above) > maxPinnedDepth || len(c.files) > maxPinnedFiles {
		c.broken(path, errors.New("the hook folders nest too deeply or hold too many files; keep only hooks in them"))
		return
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		c.broken(path, err)
		return
	}
	for _, e := range entries {
		full := filepath.Join(path, e.Name())
		info, err := os.Stat(full)
		switch {
		case err != nil:
			c.broken(full, err)
		case info.IsDir():
			c.walk(full, append(slices.Clone(above), real))
		case info.Mode().IsRegular():
			c.add(full)
		default:
			c.put(pin{path: full, value: kindOf(info.Mode())})
		}
	}
}

func (c *collector) broken(path string, err error) {
	c.put(pin{path: path, value: "unreadable"})
	c.errs = append(c.errs, fmt.Errorf("%s cannot be read: %w", path, cause(err)))
}
