package script

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

func makeDir(f *fileCall) (any, error) {
	mode := fs.FileMode(f.number(2)).Perm()
	if !f.flag(1) {
		return nil, os.Mkdir(f.paths[0], mode)
	}
	first := "" // the first folder that was not there
	for at := f.paths[0]; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); err == nil || at == filepath.Dir(at) {
			break
		}
		first = at
	}
	if err := os.MkdirAll(f.paths[0], mode); err != nil {
		return nil, err
	}
	if first == "" {
		return nil, nil
	}
	return first, nil
}

func makeTemp(f *fileCall) (any, error) {
	path := f.paths[0]
	if strings.HasSuffix(str(f.args, 0), "/") {
		path += string(filepath.Separator)
	}
	name := path + rand.Text()[:6]
	return name, os.Mkdir(name, 0o700)
}

// remove takes away a file, or a folder with what is in it.
func remove(f *fileCall) (any, error) {
	path, force, recursive := f.paths[0], f.flag(1), f.flag(2)
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && force:
		return nil, nil
	case err != nil:
		return nil, err
	case recursive:
		return nil, os.RemoveAll(path)
	case info.IsDir():
		return nil, &scriptError{Name: "SystemError", Message: fmt.Sprintf("Path is a directory: rm returned EISDIR (is a directory) %s", path), More: map[string]any{"code": "ERR_FS_EISDIR", "errno": 21, "syscall": "rm", "path": path}}
	}
	return nil, os.Remove(path)
}

func removeDir(f *fileCall) (any, error) {
	info, err := os.Lstat(f.paths[0])
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, notDir
	}
	if f.flag(1) {
		return nil, os.RemoveAll(f.paths[0])
	}
	return nil, os.Remove(f.paths[0])
}

func unlink(f *fileCall) (any, error) {
	info, err := os.Lstat(f.paths[0])
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, isDir
	}
	return nil, os.Remove(f.paths[0])
}

func setTimes(f *fileCall) (any, error) {
	return nil, os.Chtimes(f.paths[0], time.UnixMilli(f.number(1)), time.UnixMilli(f.number(2)))
}

const onlyNew = 1 // COPYFILE_EXCL

func copyFile(f *fileCall) (any, error) {
	return nil, copied(f.paths[0], f.paths[1], f.number(2)&onlyNew != 0)
}

func copied(from, to string, onlyNew bool) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return isDir
	}
	if err := errors.Join(plain(from), plain(to)); err != nil {
		return err
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if onlyNew {
		flags |= os.O_EXCL
	}
	if other, err := os.Stat(to); err == nil && os.SameFile(info, other) {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, flags, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, io.LimitReader(in, maxCopied))
	return errors.Join(err, out.Close())
}

// maxCopied bounds what is copied of a file; a device would have no end.
const maxCopied = 1 << 30

// copyAll copies a file, or a folder with what is in it.
func copyAll(f *fileCall) (any, error) {
	from, to := f.paths[0], f.paths[1]
	info, err := os.Stat(from)
	if err != nil {
		return nil, err
	}
	recursive, force, strict := f.flag(2), f.flag(3), f.flag(4)
	if !info.IsDir() {
		return nil, copiedOver(from, to, force, strict)
	}
	if !recursive {
		return nil, &scriptError{Name: "SystemError", Message: fmt.Sprintf("Recursive option not enabled, cannot copy a directory: cp returned EISDIR (%s is a directory (not copied)) %s", from, from), More: map[string]any{"code": "ERR_FS_EISDIR"}}
	}
	if rel, err := filepath.Rel(from, to); err == nil && filepath.IsLocal(rel) {
		return nil, &scriptError{Message: fmt.Sprintf("Cannot copy %s to a subdirectory of self %s", from, to), More: map[string]any{"code": "ERR_FS_CP_EINVAL"}}
	}
	count := 0
	return nil, filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if count++; count > maxEntries {
			return fmt.Errorf("%s has more than %d entries", from, maxEntries)
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case e.IsDir():
			return os.MkdirAll(target, 0o777)
		case e.Type()&fs.ModeSymlink != 0:
			link, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(link, target)
		case e.Type().IsRegular():
			return copiedOver(path, target, force, strict)
		}
		return nil
	})
}

func copiedOver(from, to string, force, strict bool) error {
	if _, err := os.Lstat(to); err == nil && !force {
		if strict {
			return fs.ErrExist
		}
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	return copied(from, to, false)
}
