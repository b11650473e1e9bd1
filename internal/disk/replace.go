package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Replace puts text into the place of a file in one step. Whoever reads it sees
// what it was or what it is now, whole, also after the machine lost its power. The
// folder must be there; the mode is the new file's. Several may replace one file at
// a time: one of them is the last. The error is a *fs.PathError with the path.
func Replace(path string, text []byte, mode fs.FileMode) error {
	return replace(path, text, mode, true)
}

// ReplaceUnsynced is Replace for what is made again if it is lost or damaged: it
// does not wait for the disk.
func ReplaceUnsynced(path string, text []byte, mode fs.FileMode) error {
	return replace(path, text, mode, false)
}

func replace(path string, text []byte, mode fs.FileMode, sync bool) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // mode 0600
	if err != nil {
		return replacing(path, err)
	}
	_, err = f.Write(text)
	if err == nil && mode != 0o600 {
		err = f.Chmod(mode)
	}
	if err == nil && sync {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return replacing(path, err)
	}
	if sync {
		syncFolder(filepath.Dir(path))
	}
	return nil
}

// replacing is an error in words about the file that was to be replaced, and not
// about the one beside it.
func replacing(path string, err error) error {
	return &fs.PathError{Op: "replace", Path: path, Err: Cause(err)}
}

// syncFolder makes a new name last. Where folders cannot be synced, as on Windows
// and some network disks, the file system sees to that itself, or nothing can.
func syncFolder(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		d.Close()
	}
}

// WriteState replaces a private file that is made again if it is lost, and makes its folder.
func WriteState(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return ReplaceUnsynced(path, text, 0o600)
}
