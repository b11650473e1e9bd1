package trust

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
	"github.com/hookway/hookway/internal/shell"
	"github.com/hookway/hookway/internal/visible"
)

// Bounds of what is hashed. More than that is no set of hooks.
const (
	MaxPinnedFiles = 4096
	maxPinnedSize  = 256 << 20 // of one file, and of all that lie in a folder of hooks
	maxPinnedTotal = 512 << 20
	maxPinnedDepth = 16
	maxPinnedTime  = 10 * time.Second // to look through one folder of hooks
)

// Manifest is what a workspace can run or be configured by: for each file, by
// its path from the workspace with slashes, what it held. The value also says
// whether it may be executed. A symbolic link counts with the content of its target.
type Manifest map[string]string

// Hash is the manifest in one text.
func (m Manifest) Hash() string {
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

// Changes lists what differs from an older manifest, by path.
func (m Manifest) Changes(old Manifest) []Change {
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

// Pin is a file as it was hashed.
type Pin struct {
	Path  string
	Value string // as in a manifest
	Info  fs.FileInfo
}

// executable stands behind the sum of a file that may be executed.
const executable = " x"

// value writes what a file held and whether it may be executed.
func value(sum []byte, info fs.FileInfo) string {
	v := "sha256:" + hex.EncodeToString(sum)
	if info.Mode()&0o111 != 0 {
		v += executable
	}
	return v
}

// textSum is the value of a text that may not be executed.
func textSum(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// buffers are what files are read through.
var buffers = sync.Pool{New: func() any { b := make([]byte, 32<<10); return &b }}

// HashFile reads a file once, through symbolic links. A file that cannot be read
// has a pin all the same, whose value says so.
func HashFile(path string) (Pin, error) {
	fail := func(err error) (Pin, error) {
		return Pin{Path: path, Value: "unreadable"}, fmt.Errorf("%s cannot be read: %w", path, disk.Cause(err))
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
	return Pin{path, value(h.Sum(nil), info), info}, nil
}

// Unread is a file that hooks would run, and that cannot be pinned.
type Unread struct {
	Path string
	Err  error
}

// Pins gathers the manifest of a workspace.
type Pins struct {
	Root     string
	Manifest Manifest
	Files    map[string]Pin // by absolute path
	Known    map[string]Pin // files that were hashed just before
	Only     Manifest       // unless nil: files of folders that are not in it count by name alone
	Hashed   int64          // of the files that were hashed
	Unread   []Unread

	Home    string                       // what ~ means to hooks, or ""
	Loose   func(place, id, word string) // is told what a hook's line runs and cannot be pinned at all
	Doubts  []Doubt                      // what hooks may run besides
	Awaited []string                     // what would be pinned if it were there, and folders whose names matter
}

// name is a path as the manifest has it: from the workspace if it lies inside.
func (c *Pins) name(path string) string {
	if rel, err := filepath.Rel(c.Root, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(path)
}

// Add puts a file into the manifest.
func (c *Pins) Add(path string) Pin {
	if p, ok := c.Files[path]; ok {
		return p
	}
	p, err := c.hash(path)
	if err != nil {
		c.Unread = append(c.Unread, Unread{path, err})
	}
	c.Put(p)
	return p
}

// hash is hashFile within the bound of all files together.
func (c *Pins) hash(path string) (Pin, error) {
	info, err := os.Stat(path)
	if known, ok := c.Known[path]; ok && err == nil && known.Info != nil && SameFile(known, info) {
		return known, nil
	}
	if err == nil && info.Mode().IsRegular() && info.Size() <= maxPinnedSize {
		if c.Hashed += info.Size(); c.Hashed > maxPinnedTotal {
			return Pin{Path: path, Value: "unreadable"}, fmt.Errorf("%s cannot be read: the files that hooks could run have more than %d MiB together; take some out", path, maxPinnedTotal>>20)
		}
	}
	return HashFile(path)
}

func (c *Pins) Put(p Pin) {
	if c.Files == nil {
		c.Files, c.Manifest = map[string]Pin{}, Manifest{}
	}
	c.Files[p.Path] = p
	c.Manifest[c.name(p.Path)] = p.Value
}

// Take puts a file into the manifest that was read just now.
func (c *Pins) Take(path string, data []byte, info fs.FileInfo) {
	sum := sha256.Sum256(data)
	c.Put(Pin{path, value(sum[:], info), info})
}

// AddFolder puts all files of a folder into the manifest, those of folders in it
// too, because hooks may load them. A missing folder is fine. A link to a folder
// outside of the workspace is not followed.
func (c *Pins) AddFolder(path string) {
	err := WalkHooks(c.Root, path, func(e disk.Entry) error {
		switch {
		case e.Err != nil:
			c.broken(e.Path, e.Err)
		case e.Loop:
			c.Put(Pin{Path: e.Path, Value: "link " + c.name(e.Real)})
		case e.Info.IsDir() && e.Out:
			c.broken(e.Path, fmt.Errorf("it is a link to the folder %s, which lies outside of the workspace; put a copy of it there", e.Real))
		case e.Info.IsDir():
		case e.Info.Mode().IsRegular() && c.Only != nil && c.Only[c.name(e.Path)] == "":
			c.Put(Pin{Path: e.Path, Value: "new"})
		case e.Info.Mode().IsRegular():
			c.Add(e.Path)
		default:
			c.Put(Pin{Path: e.Path, Value: disk.Kind(e.Info.Mode())})
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.broken(path, err)
	}
}

// WalkHooks visits what is in a folder of hooks, within bounds.
func WalkHooks(workspace, path string, visit func(disk.Entry) error) error {
	return disk.Walk(context.Background(), path, disk.Limits{
		Files: MaxPinnedFiles, Bytes: maxPinnedSize, Depth: maxPinnedDepth, Time: maxPinnedTime, Within: workspace,
	}, visit)
}

func (c *Pins) broken(path string, err error) {
	c.Put(Pin{Path: path, Value: "unreadable"})
	c.Unread = append(c.Unread, Unread{path, fmt.Errorf("%s cannot be read: %w", path, disk.Cause(err))})
}

// MaxListed bounds a folder in which a pattern of a command is looked up.
const MaxListed = 4096

// Doubt is a word of a hook, or of a script that it runs, that decides what runs in a
// way that only shows when it runs: trust cannot pin that.
type Doubt struct {
	Hook   string `json:"hook"`
	Origin string `json:"origin"` // where the hook is written
	Word   string `json:"word"`
	Why    string `json:"why"`
	Script string `json:"script,omitempty"` // in which the word stands, if not in the hook
}

// Bounds of what a Doubt shows, in characters.
const (
	maxWord = 200
	maxWhy  = 400
)

// Command pins what a reading names, and notes what it could not know.
func (c *Pins) Command(r shell.Reader, id, place string, read func(shell.Reader) shell.Reading) (files []string) {
	reading := read(c.Equipped(r))
	for _, u := range reading.Unknown {
		word := visible.Clip(u.Word, maxWord)
		if u.Loose {
			c.Loose(place, id, word)
			continue
		}
		c.Doubt(Doubt{Hook: id, Origin: place, Word: word, Why: visible.Clip(u.Why, maxWhy), Script: u.Script})
	}
	code := slices.Concat(reading.Runs, reading.Sources)
	for i, n := range slices.Concat(code, reading.Reads) {
		if !filepath.IsAbs(n.Path) || i >= len(code) && n.Script != "" {
			continue // a program on PATH, or data of a script, which it may keep there itself
		}
		if n.Tree {
			files = append(files, c.PinTree(n, id, place)...)
			continue
		}
		if isCode := i < len(code); Pinnable(c.Root, n, isCode) {
			c.Add(n.Path)
			files = append(files, n.Path)
		} else if isCode && !System(n.Path) {
			c.unopened(n.Path)
			c.Awaited = append(c.Awaited, n.Path)
		}
	}
	c.Awaited = append(c.Awaited, reading.Folders...)
	slices.Sort(files)
	return slices.Compact(files)
}

// Equipped gives a reader what a hook's process will have.
func (c *Pins) Equipped(r shell.Reader) shell.Reader {
	if r.Env = maps.Clone(r.Env); r.Env == nil { // calls that run side by side share one
		r.Env = map[string]string{}
	}
	r.Env["HOOKWAY_PROJECT_DIR"], r.Env["CLAUDE_PROJECT_DIR"] = c.Root, c.Root
	if c.Home != "" && r.Env["HOME"] == "" {
		r.Env["HOME"] = c.Home
	}
	r.Open, r.List, r.Code = openScript, listFolder, Programs
	return r
}

func (c *Pins) Doubt(d Doubt) {
	if !slices.Contains(c.Doubts, d) {
		c.Doubts = append(c.Doubts, d)
	}
}

// PinTree pins the files of a folder of which a command takes all.
func (c *Pins) PinTree(n shell.Name, id, place string) (files []string) {
	if !disk.Inside(c.Root, n.Path) || n.Path == c.Root && (n.Match == "" || n.Match == "*") {
		c.Doubt(Doubt{Hook: id, Origin: place, Word: n.Word, Why: "it takes every file of " + n.Path})
		return nil
	}
	c.Awaited = append(c.Awaited, n.Path)
	err := WalkHooks(c.Root, n.Path, func(e disk.Entry) error {
		switch {
		case e.Err != nil || e.Loop:
		case e.Info.IsDir() && e.Out:
			c.Doubt(Doubt{Hook: id, Origin: place, Word: n.Word, Why: "there is a link in it that leads out of the workspace, to " + e.Real})
		case e.Info.IsDir():
			c.Awaited = append(c.Awaited, e.Path)
		case e.Info.Mode().IsRegular() && shell.Matches(n.Match, filepath.Base(e.Path)):
			c.Add(e.Path)
			files = append(files, e.Path)
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.Doubt(Doubt{Hook: id, Origin: place, Word: n.Word, Why: fmt.Sprintf("the files in it cannot all be pinned: %v", err)})
	}
	return files
}

// unopened notes what stands in the place of a script and is none, as a pipe.
func (c *Pins) unopened(path string) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		c.broken(path, fmt.Errorf("it is %s", disk.Kind(info.Mode())))
	}
}

// Unreadable tells of the files that hooks would run and that nobody can look at.
func (c *Pins) Unreadable() (out []string) {
	for _, u := range c.Unread {
		text := u.Err.Error()
		if name := c.name(u.Path); strings.HasPrefix(text, u.Path) {
			text = name + strings.TrimPrefix(text, u.Path)
		}
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// AsMap is an environment by its names. The last of equal ones counts.
func AsMap(env []string) map[string]string {
	out := map[string]string{}
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		out[name] = value
	}
	return out
}

// Pinnable reports whether a file counts for trust: each in the workspace, and of
// those outside the scripts that are run, and what is named from here. Programs that
// are installed elsewhere are as much the user's as those on PATH.
func Pinnable(workspace string, n shell.Name, code bool) bool {
	if !disk.IsFile(n.Path) {
		return false
	}
	if disk.Inside(workspace, n.Path) {
		return true
	}
	if real, err := filepath.EvalSymlinks(n.Path); err == nil && disk.Inside(workspace, real) {
		return true
	}
	if !code || System(n.Path) {
		return false
	}
	return strings.HasPrefix(n.Word, "..") || !isProgram(n.Path)
}

// systemFolders hold what comes with the system or its package managers.
var systemFolders = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/nix", "/snap", "/etc", "/dev", "/proc", "/sys", "/run",
	"/System", "/Library", "/Applications", `C:\Windows`, `C:\Program Files`, `C:\Program Files (x86)`, `C:\ProgramData`}

func System(path string) bool {
	return slices.ContainsFunc(systemFolders, func(dir string) bool { return disk.Inside(filepath.FromSlash(dir), path) })
}

// isProgram reports whether a file is in machine code, by its first bytes.
func isProgram(path string) bool {
	f, err := disk.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var first [4]byte
	n, _ := io.ReadFull(f, first[:])
	head := string(first[:n])
	return strings.HasPrefix(head, "\x7fELF") || strings.HasPrefix(head, "MZ") ||
		slices.Contains([]string{"\xfe\xed\xfa\xce", "\xfe\xed\xfa\xcf", "\xce\xfa\xed\xfe", "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe"}, head)
}

// openScript gives the beginning of a script, but of none that came with the system.
func openScript(path string) ([]byte, error) {
	if System(path) {
		return nil, fs.ErrNotExist
	}
	return disk.Begin(path, shell.MaxText+1)
}

// listFolder gives what is in a folder.
func listFolder(dir string) ([]string, error) { return disk.Names(dir, MaxListed) }
