package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/shell"
)

// maxListed bounds a folder in which a pattern of a command is looked up.
const maxListed = 4096

// Doubt is a word of a hook, or of a script that it runs, that decides what runs in a
// way that only shows when it runs: trust cannot pin that.
type Doubt struct {
	Hook   string `json:"hook"`
	Origin string `json:"origin"` // where the hook is written
	Word   string `json:"word"`
	Why    string `json:"why"`
	Script string `json:"script,omitempty"` // in which the word stands, if not in the hook
}

// command pins what a reading names, and notes what it could not know.
func (c *collector) command(r shell.Reader, id, place string, read func(shell.Reader) shell.Reading) (files []string) {
	reading := read(c.equipped(r))
	for _, u := range reading.Unknown {
		if u.Loose {
			c.loose(place, id, u.Word)
			continue
		}
		c.doubt(Doubt{Hook: id, Origin: place, Word: u.Word, Why: u.Why, Script: u.Script})
	}
	code := slices.Concat(reading.Runs, reading.Sources)
	for i, n := range slices.Concat(code, reading.Reads) {
		if !filepath.IsAbs(n.Path) || i >= len(code) && n.Script != "" {
			continue // a program on PATH, or data of a script, which it may keep there itself
		}
		if n.Tree {
			files = append(files, c.pinTree(n, id, place)...)
			continue
		}
		if isCode := i < len(code); pinnable(c.root, n, isCode) {
			c.add(n.Path)
			files = append(files, n.Path)
		} else if isCode && !system(n.Path) {
			c.unopened(n.Path)
			c.awaited = append(c.awaited, n.Path)
		}
	}
	c.awaited = append(c.awaited, reading.Folders...)
	slices.Sort(files)
	return slices.Compact(files)
}

// equipped gives a reader what a hook's process will have.
func (c *collector) equipped(r shell.Reader) shell.Reader {
	if r.Env == nil {
		r.Env = map[string]string{}
	}
	r.Env["HOOKWAY_PROJECT_DIR"], r.Env["CLAUDE_PROJECT_DIR"] = c.root, c.root
	if c.home != "" && r.Env["HOME"] == "" {
		r.Env["HOME"] = c.home
	}
	r.Open, r.List = openScript, listFolder
	return r
}

func (c *collector) doubt(d Doubt) {
	if !slices.Contains(c.doubts, d) {
		c.doubts = append(c.doubts, d)
	}
}

// pinTree pins the files of a folder of which a command takes all.
func (c *collector) pinTree(n shell.Name, id, place string) (files []string) {
	if !disk.Inside(c.root, n.Path) || n.Path == c.root && (n.Match == "" || n.Match == "*") {
		c.doubt(Doubt{Hook: id, Origin: place, Word: n.Word, Why: "it takes every file of " + n.Path})
		return nil
	}
	c.awaited = append(c.awaited, n.Path)
	err := walkHooks(c.root, n.Path, func(e disk.Entry) error {
		switch {
		case e.Err != nil || e.Loop:
		case e.Info.IsDir() && e.Out:
			c.doubt(Doubt{Hook: id, Origin: place, Word: n.Word, Why: "there is a link in it that leads out of the workspace, to " + e.Real})
		case e.Info.IsDir():
			c.awaited = append(c.awaited, e.Path)
		case e.Info.Mode().IsRegular() && shell.Matches(n.Match, filepath.Base(e.Path)):
			c.add(e.Path)
			files = append(files, e.Path)
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.doubt(Doubt{Hook: id, Origin: place, Word: n.Word, Why: fmt.Sprintf("the files in it cannot all be pinned: %v", err)})
	}
	return files
}

// unopened notes what stands in the place of a script and is none, as a pipe.
func (c *collector) unopened(path string) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		c.broken(path, fmt.Errorf("it is %s", disk.Kind(info.Mode())))
	}
}

// unreadable tells of the files that hooks would run and that nobody can look at.
func (c *collector) unreadable() (out []string) {
	for _, u := range c.errs {
		text := u.err.Error()
		if name := c.name(u.path); strings.HasPrefix(text, u.path) {
			text = name + strings.TrimPrefix(text, u.path)
		}
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// asMap is an environment by its names. The last of equal ones counts.
func asMap(env []string) map[string]string {
	out := map[string]string{}
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		out[name] = value
	}
	return out
}

// pinnable reports whether a file counts for trust: each in the workspace, and of
// those outside the scripts that are run, and what is named from here. Programs that
// are installed elsewhere are as much the user's as those on PATH.
func pinnable(workspace string, n shell.Name, code bool) bool {
	if !disk.IsFile(n.Path) {
		return false
	}
	if disk.Inside(workspace, n.Path) {
		return true
	}
	if real, err := filepath.EvalSymlinks(n.Path); err == nil && disk.Inside(workspace, real) {
		return true
	}
	if !code || system(n.Path) {
		return false
	}
	return strings.HasPrefix(n.Word, "..") || !isProgram(n.Path)
}

// systemFolders hold what comes with the system or its package managers.
var systemFolders = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/nix", "/snap", "/etc", "/dev", "/proc", "/sys", "/run",
	"/System", "/Library", "/Applications", `C:\Windows`, `C:\Program Files`, `C:\Program Files (x86)`, `C:\ProgramData`}

func system(path string) bool {
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
	if system(path) {
		return nil, fs.ErrNotExist
	}
	f, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, shell.MaxText+1))
}

// listFolder gives what is in a folder.
func listFolder(dir string) ([]string, error) { return disk.Names(dir, maxListed) }
