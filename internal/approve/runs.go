package approve

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/shell"
)

// A call names scripts, and what they do is not in its input. A yes to it is one to what
// they hold at that time. Facts tell only a part of that: none of what a script of Python
// does, say, and of a shell's not what a variable is.

// Bounds of the files of one call that are read. Of a larger file, and of those beyond,
// size and time tell that it was changed; more than mostFiles are not looked at.
const (
	mostRun   = 4 << 20 // bytes of one file
	mostRuns  = 16 << 20
	mostFiles = 1000
)

// running adds what the files hold that the call runs, or takes code from, if there are any.
func (c *Call) running(parts ...[]byte) [][]byte {
	left := int64(mostRuns)
	files, _ := c.runs()
	for _, file := range files {
		if what := holds(file, &left); what != "" {
			parts = append(parts, []byte(file), []byte(what))
		}
	}
	return parts
}

// runs are the files that the call may run, or take code from. known is false if it may
// run others, too, as what lies in a folder.
func (c *Call) runs() (files []string, known bool) {
	folder := c.folder()
	known = true
	for _, name := range lines {
		reading, ok := read(c.Input[name], folder)
		if !ok {
			continue
		}
		known = known && len(reading.Unknown) == 0
		for _, n := range slices.Concat(reading.Runs, reading.Sources) {
			if !n.Tree && filepath.IsAbs(n.Path) { // a program that is looked up has no folder
				files = append(files, n.Path)
			}
		}
	}
	slices.Sort(files)
	files = slices.Compact(files)
	return files[:min(len(files), mostFiles)], known && len(files) <= mostFiles
}

// lines are the members of inputs that are lines of a shell, or programs with arguments.
var lines = written[:3]

// read reads a line, and the scripts that it names, without running anything.
func read(line any, folder string) (shell.Reading, bool) {
	r := shell.Reader{Dirs: []string{folder}, Open: begins}
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

// begins is as much of a file as is read for scripts.
func begins(path string) ([]byte, error) {
	f, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, shell.MaxText+1))
}

// holds tells what a file holds; "" is that it is not there.
func holds(path string, left *int64) string {
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return ""
	}
	if text, err := disk.Read(path, min(mostRun, *left)); err == nil {
		*left -= int64(len(text))
		h := sha256.Sum256(text)
		return string(h[:])
	}
	if !info.Mode().IsRegular() { // /dev/stdin is something else in each process
		return "no file"
	}
	return fmt.Sprintf("%d bytes, of %d", info.Size(), info.ModTime().UnixNano())
}
