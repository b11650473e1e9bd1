package wasm

import (
	"io/fs"
	"os"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental/sys"
	"github.com/tetratelabs/wazero/experimental/sysfs"
)

// A guest sees folders and regular files only: opening a named pipe waits
// for the other end, which no limit of time stops.

// readable are the files below a folder, to read. Links do not lead out of it.
type readable struct{ root *os.Root }

func (r readable) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	if info, err := r.root.Stat(name); err == nil && !ordinary(info.Mode()) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return r.root.Open(name)
}

// writable are the files below a folder, to read and to write.
type writable struct{ sys.FS }

func (w writable) OpenFile(path string, flag sys.Oflag, perm fs.FileMode) (sys.File, sys.Errno) {
	if info, errno := w.Stat(path); errno == 0 && !ordinary(info.Mode) {
		return nil, sys.EACCES
	}
	return w.FS.OpenFile(path, flag, perm)
}

// Symlink is refused: a guest that could make links would have all of the user's files.
func (w writable) Symlink(string, string) sys.Errno { return sys.EPERM }

func ordinary(mode fs.FileMode) bool { return mode.IsRegular() || mode.IsDir() }

// mount returns an instance the folder as its "/", as far as it may see files.
func (i *instance) mount(e *engine, c wazero.ModuleConfig) wazero.ModuleConfig {
	switch {
	case i.h.c.Write:
		mounts, ok := wazero.NewFSConfig().(sysfs.FSConfig)
		if !ok {
			return c // wazero has changed, and files are not to be seen without bounds
		}
		return c.WithFSConfig(mounts.WithSysFSMount(writable{sysfs.DirFS(i.h.c.Root)}, "/"))
	case e.root != nil:
		return c.WithFSConfig(wazero.NewFSConfig().WithFSMount(readable{e.root}, "/"))
	}
	return c
}
