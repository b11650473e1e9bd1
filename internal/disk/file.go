package disk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// File is an open regular file. Its reads are counted. It is no [os.File], so that
// nothing reads it past its methods; an [io.SectionReader] seeks in it.
type File struct {
	f    *os.File
	info fs.FileInfo
}

// Open opens a regular file, through links. It never waits, as for the writer of a
// pipe, and opens no device.
func Open(path string) (*File, error) {
	before, err := Stat(path)
	if err != nil {
		return nil, err
	}
	return open(path, before)
}

// open opens what was looked at before.
func open(path string, before fs.FileInfo) (*File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|withoutWaiting, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = notRegular(path, info)
	case !os.SameFile(before, info):
		err = refuse(path, ErrChanged, "it became another file while it was opened; run the command again")
	case madeByKernel(f):
		err = refuse(path, ErrNotRegular, "the system makes it up, as what is in /proc; put a regular file there, or take it away")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &File{f, info}, nil
}

// Info is what the file was when it was opened.
func (f *File) Info() fs.FileInfo { return f.info }

// Stat is what the file is now.
func (f *File) Stat() (fs.FileInfo, error) { return f.f.Stat() }

// Name is the path under which it was opened.
func (f *File) Name() string { return f.f.Name() }

// Close closes it.
func (f *File) Close() error { return f.f.Close() }

// Read reads on.
func (f *File) Read(p []byte) (int, error) {
	n, err := f.f.Read(p)
	read.Add(int64(n))
	return n, err
}

// ReadAt reads from a place in the file.
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.f.ReadAt(p, off)
	read.Add(int64(n))
	return n, err
}

// All reads the rest of a file that must have no more than a number of bytes.
func (f *File) All(most int64) ([]byte, error) {
	size := f.info.Size()
	if size > most {
		return nil, tooBig(f.Name(), most)
	}
	var b bytes.Buffer
	b.Grow(int(size) + bytes.MinRead)
	n, err := b.ReadFrom(io.LimitReader(f, most+1)) // it may have grown
	if err == nil && n > most {
		err = tooBig(f.Name(), most)
	}
	if err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func tooBig(path string, most int64) error {
	return refuse(path, ErrTooBig, "it has more than %s; make it smaller, or take it away", size(most))
}

// size writes a bound for people.
func size(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	} else if n >= 1<<10 {
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// Read reads a regular file that must have no more than a number of bytes. Of a
// larger one it reads at most one byte more.
func Read(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.All(most)
}

// Begin reads the first bytes of a regular file, at most so many.
func Begin(path string, most int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

// Root is a folder out of which no file may lead.
type Root string

// Open opens a file of the folder. A link is followed if it stays inside.
func (r Root) Open(path string) (*File, error) {
	for range 3 { // it may be replaced meanwhile
		real, err := r.Real(path)
		if err != nil {
			return nil, err
		}
		before, err := os.Lstat(real)
		if err != nil {
			return nil, err
		}
		if !before.Mode().IsRegular() {
			return nil, notRegular(path, before)
		}
		if f, err := open(real, before); err == nil || !errors.Is(err, ErrChanged) {
			return f, err
		}
	}
	return nil, refuse(path, ErrChanged, "it became another file each time it was opened; run the command again")
}

// Read is [Read] of a file of the folder.
func (r Root) Read(path string, most int64) ([]byte, error) {
	f, err := r.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.All(most)
}

// Real is where a path of the folder leads to, without links. A relative one
// starts from the folder.
func (r Root) Real(path string) (string, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(string(r), path)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	root, err := filepath.EvalSymlinks(string(r))
	if err != nil {
		return "", err
	}
	if !Inside(root, real) {
		return "", refuse(path, ErrOutside, "it leads out of the folder %s, to %s; put a copy of it inside", r, real)
	}
	return real, nil
}

// Inside reports whether a path is a folder or lies in it, by their names.
func Inside(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

// Exists reports whether there is anything of a name, a broken link too.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// IsFile reports whether a name is, or leads to, a regular file.
func IsFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
