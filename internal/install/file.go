package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/disk"
)

// bom begins files that some editors on Windows write. It stays where it is.
var bom = []byte("\xef\xbb\xbf")

// File is one file of a change.
type File struct {
	Path   string // as the agent names it
	Before []byte
	After  []byte
	Existed,
	Remove bool

	real string // Path without symbolic links
	mode fs.FileMode
	note *record                  // what is noted when it is written; nil: what was noted is dropped
	dirs []string                 // that were made for it
	says func(backup []byte) bool // whether a backup is superfluous once hookway is out
}

// readFile reads a file that is going to be changed.
func readFile(path string) (*File, error) {
	f := &File{Path: path, mode: 0o600}
	var err error
	if f.real, err = behind(path); err != nil {
		return nil, err
	}
	info, err := os.Stat(f.real)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, nil
	case err != nil:
		return nil, fmt.Errorf("%s cannot be read: %w", path, disk.Cause(err))
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file; move it away", path)
	case info.Size() > maxConfig:
		return nil, fmt.Errorf("%s is larger than %d MiB, which no agent's configuration is", path, maxConfig>>20)
	}
	if f.Before, err = disk.Read(f.real, maxConfig); err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", path, disk.Cause(err))
	}
	f.Existed, f.mode, f.After = true, info.Mode().Perm(), f.Before
	return f, nil
}

// maxLinks bounds how many symbolic links are followed.
const maxLinks = 40

// behind follows symbolic links to the file that is meant, which need not exist.
func behind(path string) (string, error) {
	for range maxLinks {
		target, err := os.Readlink(path)
		if err != nil {
			return path, nil // no link
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return "", fmt.Errorf("%s: the symbolic links go round in a circle", path)
}

// text is what is in the file, without the mark that some editors begin it with.
func (f *File) text() []byte { return bytes.TrimPrefix(f.Before, bom) }

// set gives the file a new text.
func (f *File) set(text []byte) { f.After = f.marked(text) }

// marked gives a text the mark that the file begins with, if it does.
func (f *File) marked(text []byte) []byte {
	if bytes.HasPrefix(f.Before, bom) {
		return slices.Concat(bom, text)
	}
	return text
}

// Changed reports whether anything is to be written or removed.
func (f *File) Changed() bool {
	return f.Remove && f.Existed || !f.Remove && (!bytes.Equal(f.Before, f.After) || !f.Existed && f.After != nil)
}

// write does what the file says, if it is still as it was when it was read.
func (f *File) write(now time.Time) (backup string, err error) {
	current, err := readFile(f.Path)
	if err != nil {
		return "", err
	}
	if current.Existed != f.Existed || !bytes.Equal(current.Before, f.Before) {
		return "", fmt.Errorf("%s was changed by somebody else just now; run the command again", f.Path)
	}
	if f.Remove { // nothing was in it but ours
		if err := os.Remove(f.real); err != nil {
			return "", fmt.Errorf("%s cannot be removed: %w", f.Path, disk.Cause(err))
		}
		f.tidy()
		return "", nil
	}
	if f.Existed {
		if backup, err = f.backUp(now); err != nil {
			return "", err
		}
	}
	if f.dirs, err = makeDirs(filepath.Dir(f.real)); err != nil {
		return backup, err
	}
	if err := replace(f.real, f.After, f.mode); err != nil {
		return backup, err
	}
	if f.note == nil {
		f.tidy()
	}
	if _, err := os.Stat(backup); err != nil {
		backup = ""
	}
	return backup, nil
}

// tidy removes the backups that say nothing that the file does not say itself.
func (f *File) tidy() {
	for _, b := range backupsOf(f.real) {
		if text, err := disk.Read(b, maxConfig); err == nil && f.says != nil && f.says(text) {
			os.Remove(b)
		}
	}
}

// makeDirs makes a folder, and tells which ones were not there.
func makeDirs(dir string) (made []string, err error) {
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(d); err == nil || d == filepath.Dir(d) {
			break
		}
		made = append([]string{d}, made...)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("the folder %s cannot be made: %w", dir, disk.Cause(err))
	}
	return made, nil
}

// replace puts a file into place in one step.
func replace(path string, text []byte, mode fs.FileMode) error {
	if err := disk.Replace(path, text, mode); err != nil {
		return fmt.Errorf("%s cannot be written: %w", path, disk.Cause(err))
	}
	return nil
}

// Backups of a file lie beside it, the newest few.
const (
	backupMark = ".hookway-backup-"
	backups    = 3
)

// backUp keeps a copy of the file as it is.
func (f *File) backUp(now time.Time) (string, error) {
	name := f.real + backupMark + now.UTC().Format("20060102T150405.000000Z")
	if err := replace(name, f.Before, f.mode); err != nil {
		return "", fmt.Errorf("no backup can be made, so nothing was changed: %w", err)
	}
	olds := backupsOf(f.real)
	for len(olds) > backups {
		os.Remove(olds[0])
		olds = olds[1:]
	}
	return name, nil
}

// backupsOf lists the backups of a file, oldest first.
func backupsOf(file string) []string {
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil {
		return nil
	}
	var found []string
	for _, e := range entries { // sorted by name, which is by time
		if strings.HasPrefix(e.Name(), filepath.Base(file)+backupMark) {
			found = append(found, filepath.Join(filepath.Dir(file), e.Name()))
		}
	}
	return found
}
