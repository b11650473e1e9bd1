// Package disk reads what others put on the disk: files and folders that came with
// a clone, or that another program writes. Whatever lies there, a read ends and is
// bounded. Only regular files are opened, without waiting; a pipe, a device, a
// socket and what the kernel makes up (as in /proc) are refused before and after.
//
// [Open] and [Read] take one file, [Names] lists one folder, [Walk] visits a tree.
// A [Root] does the first two for files that may not lead out of a folder.
// [Replace] writes: it puts a file into place in one step. [LockFile] and [TryLock]
// lock files between processes; [Kept] is a value that several of them change.
package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
)

// What is refused. The errors that wrap these name the path, and say what to do.
var (
	// ErrNotRegular is of what is not a regular file: to read it might never end.
	ErrNotRegular = errors.New("not a regular file")
	// ErrNotFolder is of what should be listed and is not a folder.
	ErrNotFolder = errors.New("not a folder")
	// ErrTooBig is of a file with more bytes than are read of it, or a tree with
	// more than are visited.
	ErrTooBig = errors.New("too big")
	// ErrTooMany is of a folder or a tree with more names than are listed.
	ErrTooMany = errors.New("too many files")
	// ErrTooDeep is of a tree that nests too deeply.
	ErrTooDeep = errors.New("too deep")
	// ErrOutside is of a file that lies outside of the folder it was named in.
	ErrOutside = errors.New("outside of the folder")
	// ErrChanged is of a file that became another while it was opened.
	ErrChanged = errors.New("changed while it was opened")
)

// refusal is one of the errors above, in words for this case.
type refusal struct {
	kind error
	text string
}

func (r *refusal) Error() string { return r.text }
func (r *refusal) Unwrap() error { return r.kind }

func refuse(path string, kind error, format string, args ...any) error {
	return &fs.PathError{Op: "read", Path: path, Err: &refusal{kind, fmt.Sprintf(format, args...)}}
}

// read counts the bytes that were read of files.
var read atomic.Int64

// Count is how many bytes this process has read of files through this package.
func Count() int64 { return read.Load() }

// Real is a path with links followed, or the path itself where that cannot be done.
func Real(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// IsDir reports whether a path leads to a folder.
func IsDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Cause is the error of a file without its path, for a message that has it already.
func Cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// Kind says in a word what a file is: a file, a folder, a named pipe, a socket, a
// symbolic link or a device.
func Kind(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "a file"
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	}
	return "a device"
}

// Stat looks at what a path leads to, and refuses all but a regular file.
func Stat(path string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, notRegular(path, info)
	}
	return info, nil
}

func notRegular(path string, info fs.FileInfo) error {
	return refuse(path, ErrNotRegular, "it is %s, not a file; put a regular file there, or take it away", Kind(info.Mode()))
}
