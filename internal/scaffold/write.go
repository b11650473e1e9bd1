package scaffold

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/hookway/hookway/internal/disk"
)

// written is what init has made so far, to take it back if the rest fails.
type written struct {
	files, folders []string
	before         []planned // the files that were there, as they were
}

// write makes a file that must not be there yet, or puts a new text in the place
// of one that is.
func (w *written) write(f planned) error {
	if f.old {
		before, err := disk.Read(f.path, maxGrown)
		if err != nil {
			return fmt.Errorf("the file cannot be read: %w", err)
		}
		if !bytes.Equal(before, f.was) {
			return fmt.Errorf("%s has just been changed by somebody else; run this again", f.path)
		}
		if err := replace(f.path, f.text); err != nil {
			return err
		}
		w.before = append(w.before, planned{path: f.path, text: before})
		return nil
	}
	if err := w.folder(filepath.Dir(f.path)); err != nil {
		return err
	}
	out, err := os.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, f.mode)
	if err != nil {
		return fmt.Errorf("the file cannot be written: %w", err)
	}
	w.files = append(w.files, f.path)
	_, err = out.Write(f.text)
	if err = errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("the file cannot be written: %w", err)
	}
	return nil
}

// folder makes a folder, with those above it.
func (w *written) folder(path string) error {
	for missing := path; ; missing = filepath.Dir(missing) {
		if _, err := os.Lstat(missing); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		w.folders = append(w.folders, missing)
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		return fmt.Errorf("the folder cannot be made: %w", err)
	}
	return nil
}

// undo takes everything back, as far as it goes.
func (w *written) undo() {
	for _, f := range w.before {
		_ = replace(f.path, f.text)
	}
	slices.SortFunc(w.folders, func(a, b string) int { return len(b) - len(a) }) // those within first
	for _, path := range slices.Concat(w.files, w.folders) {
		_ = os.Remove(path) // a folder stays if there is something else in it
	}
}

// replace puts a new text in the place of a file's in one step, where the file lies: a
// link to it stays.
func replace(path string, text []byte) error {
	path = disk.Real(path)
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("the file cannot be changed: %w", err)
	}
	if err := disk.Replace(path, text, info.Mode().Perm()); err != nil {
		return fmt.Errorf("the file cannot be changed: %w", err)
	}
	return nil
}
