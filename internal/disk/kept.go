package disk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Kept is a value that lies in a file as JSON, for its owner alone. Several processes may
// read and change it.
type Kept[T any] struct {
	Path   string
	Most   int64  // bytes that are read
	What   string // it is, for people: "what is kept of the page"
	Rescue string // what its owner can do where it cannot be read, behind "remove FILE"
}

// Read reads the value; where there is no file, it is the zero value.
func (k Kept[T]) Read() (value T, err error) {
	text, err := Read(k.Path, k.Most)
	if errors.Is(err, fs.ErrNotExist) {
		return value, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &value)
	}
	if err != nil {
		var none T
		return none, fmt.Errorf("%s cannot be read; remove %s, %s: %w", k.What, k.Path, k.Rescue, err)
	}
	return value, nil
}

// Change changes the value, and makes the folder and the file if there are none. Only one
// process does so at a time. If change fails, all stays as it was.
func (k Kept[T]) Change(ctx context.Context, change func(value *T) error) error {
	if err := os.MkdirAll(filepath.Dir(k.Path), 0o700); err != nil {
		return err
	}
	unlock, err := LockFile(ctx, k.Path+".lock")
	if err != nil {
		return err
	}
	defer unlock()
	value, err := k.Read()
	if err != nil {
		return err
	}
	if err := change(&value); err != nil {
		return err
	}
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return Replace(k.Path, append(text, '\n'), 0o600)
}
