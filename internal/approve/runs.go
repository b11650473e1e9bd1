package approve

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/shell"
	"github.com/hookway/hookway/internal/trust"
)

// A call names scripts, and what they do is not in its input. A yes to it is one to what
// they hold at that time. Facts tell only a part of that: none of what a script of Python
// does, say, and of a shell's not what a variable is. So it is with what a program finds
// by itself, as make does its Makefile.

// Bounds of the files of one call that are read. Of those beyond, size and time tell that
// they were changed. A call with more of them than that is let through by nobody.
const (
	mostRun   = 64 << 20 // bytes of one file
	mostRuns  = 128 << 20
	mostFiles = 50_000
	mostNames = 100_000 // in the folders whose files all count
)

// leftOut are folders in a folder whose files all count: what lies there is not the call's
// own, or not to be found through.
var leftOut = []string{".git", "node_modules"}

// bound is what the files hold that a call runs, or takes code from. known is false if it
// may run others, too.
type bound struct {
	parts [][]byte
	known bool
	err   error
}

// running looks at the files, once for each [Store.Ask] and [Store.Use].
func (c *Call) running() *bound {
	if c.bound != nil {
		return c.bound
	}
	files, known, err := c.runs()
	c.bound = &bound{known: known, err: err}
	left := int64(mostRuns)
	for _, file := range files {
		if what := holds(file, &left); what != "" {
			c.bound.parts = append(c.bound.parts, []byte(file), []byte(what))
		}
	}
	return c.bound
}

// runs are the files that the call may run, or take code from. known is false if it may
// run others, too.
func (c *Call) runs() (files []string, known bool, err error) {
	folder := c.folder()
	known = true
	names := mostNames
	for _, name := range lines {
		reading, ok := read(c.Input[name], folder)
		if !ok {
			continue
		}
		known = known && len(reading.Unknown) == 0
		if reading.More {
			return nil, false, &UnboundError{Why: "it names more files than are looked at"}
		}
		for _, n := range slices.Concat(reading.Runs, reading.Sources) {
			switch {
			case !filepath.IsAbs(n.Path): // a program that is looked up has no folder
			case !n.Tree:
				files = append(files, n.Path)
			default:
				files = below(files, n, &names)
			}
			if len(files) > mostFiles || names < 0 {
				return nil, false, &UnboundError{Why: "it runs more files than are looked at"}
			}
		}
	}
	slices.Sort(files)
	return slices.Compact(files), known, nil
}

// below adds the files of a folder.
func below(files []string, tree shell.Name, left *int) []string {
	_ = filepath.WalkDir(tree.Path, func(path string, d fs.DirEntry, err error) error {
		switch *left--; {
		case *left < 0 || len(files) > mostFiles:
			return fs.SkipAll
		case err != nil: // it is not there, or not to be read: so for what runs it
		case d.IsDir() && path != tree.Path && slices.Contains(leftOut, d.Name()):
			return fs.SkipDir
		case !d.IsDir() && shell.Matches(tree.Match, d.Name()):
			files = append(files, path)
		}
		return nil
	})
	return files
}

// lines are the members of inputs that are lines of a shell, or programs with arguments.
var lines = written[:3]

// read reads a line, and the scripts that it names, without running anything.
func read(line any, folder string) (shell.Reading, bool) {
	r := shell.Reader{Dirs: []string{folder}, Open: once(begins), List: once(listed), Chosen: true, Code: trust.Programs}
	switch line := line.(type) {
	case string:
		return r.Line(line), true
	case []any:
		var words []string
		for _, w := range line {
			words = append(words, fmt.Sprint(w))
		}
		return r.Words(words), true
	}
	return shell.Reading{}, false
}

// once gives what is at a path again as it was found first: a line is read in several rounds.
func once[T any](look func(path string) (T, error)) func(path string) (T, error) {
	type found struct {
		what T
		err  error
	}
	all := map[string]found{}
	return func(path string) (T, error) {
		f, ok := all[path]
		if !ok {
			f.what, f.err = look(path)
			all[path] = f
		}
		return f.what, f.err
	}
}

// begins is as much of a file as is read for scripts.
func begins(path string) ([]byte, error) {
	return disk.Begin(path, shell.MaxText+1)
}

// listed are the names in a folder.
func listed(dir string) ([]string, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(mostFiles)
	if errors.Is(err, io.EOF) { // it is empty
		err = nil
	}
	return names, err
}

// holds tells what a file holds; "" is that it is not there.
func holds(path string, left *int64) string {
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return ""
	}
	if size := info.Size(); size <= min(mostRun, *left) {
		if sum, ok := summed(path, size); ok {
			*left -= size
			return sum
		}
	}
	if !info.Mode().IsRegular() { // /dev/stdin is something else in each process
		return "no file"
	}
	return fmt.Sprintf("%d bytes, of %d", info.Size(), info.ModTime().UnixNano())
}

// summed is a hash of a file.
func summed(path string, size int64) (string, bool) {
	f, err := disk.Open(path)
	if err != nil {
		return "", false
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(f, size+1))
	return string(h.Sum(nil)), err == nil && n <= size
}
