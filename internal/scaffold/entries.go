package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/strict"
)

// AddEntries reads a YAML file, which need not be there, and adds entries, written with two
// blanks before the dash, to the end of the list under a key. Everything else stays as it
// is written. Write writes it.
func AddEntries(path, key, entries string) (*GuardFile, error) {
	f := &GuardFile{Path: path}
	var err error
	if f.Was, err = disk.Read(path, strict.MaxFile); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s cannot be read: %w", path, err)
	}
	if f.Text, err = appended(f.Was, key, entries); err != nil {
		return nil, fmt.Errorf("%s was left alone: %w; add the entry by hand", path, err)
	}
	return f, nil
}

// Undo puts what was read in the place of what was written, if nobody else has changed it
// since.
func (f *GuardFile) Undo() error {
	if f.Was == nil {
		if err := os.Remove(f.Path); err != nil {
			return fmt.Errorf("the file cannot be taken back: %w", err)
		}
		return nil
	}
	back := GuardFile{Path: f.Path, Was: f.Text, Text: f.Was}
	return back.Write()
}
