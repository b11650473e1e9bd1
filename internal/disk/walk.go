package disk

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Names lists a folder by name, through links. Of one with more names than the
// bound it gives the first that the system told, sorted, and an error that wraps
// [ErrTooMany].
func Names(dir string, most int) ([]string, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, notFolder(dir, info)
	}
	f, err := os.OpenFile(dir, os.O_RDONLY|withoutWaiting, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err = f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, notFolder(dir, info)
	case madeByKernel(f):
		return nil, refuse(dir, ErrNotFolder, "the system makes it up, as /proc; put a folder there, or take it away")
	}
	names, err := f.Readdirnames(most + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	err = nil
	if len(names) > most {
		names = names[:most]
		err = refuse(dir, ErrTooMany, "it holds more than %d names; take some out", most)
	}
	slices.Sort(names)
	return names, err
}

func notFolder(path string, info fs.FileInfo) error {
	return refuse(path, ErrNotFolder, "it is %s, not a folder; put a folder there, or take it away", Kind(info.Mode()))
}

// Limits bound a [Walk]. All must be set, but for Within.
type Limits struct {
	Files int           // names of all kinds
	Bytes int64         // of all regular files together, by their sizes
	Depth int           // of folders; those right under the root have depth 1
	Time  time.Duration // of all of it
	// Within is the folder that links may not lead out of. Empty is the root itself.
	Within string
}

// Entry is one thing that a [Walk] found.
type Entry struct {
	Path string      // from the walk's root on, as the names are
	Info fs.FileInfo // of what the path leads to; nil if Err is set
	Real string      // of a link to a folder or out: where it leads to
	// Out is of a link that leads out of the folder Within. A folder behind it is
	// not entered.
	Out bool
	// Loop is of a link to a folder that the walk is in. It is not entered.
	Loop bool
	Err  error // it cannot be looked at or listed
}

// Walk visits what is in a folder and in the folders in it, in the order of names,
// folders before what is in them. Links are followed as far as they stay within
// the limits' folder; what leads out is told, and not entered. It ends with the
// first error of visit, or when a limit is reached, with an error that says which.
// A root that does not exist is an error that wraps [fs.ErrNotExist].
func Walk(ctx context.Context, root string, most Limits, visit func(Entry) error) error {
	w := &walk{ctx: ctx, root: root, most: most, visit: visit, begun: time.Now()}
	within := most.Within
	if within == "" {
		within = root
	}
	var err error
	if w.within, err = filepath.EvalSymlinks(within); err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return err
	}
	if !Inside(w.within, real) {
		return refuse(root, ErrOutside, "it leads out of the folder %s, to %s; put a folder with a copy of its files there", within, real)
	}
	return w.folder(root, []string{real})
}

type walk struct {
	ctx    context.Context
	root   string
	within string
	most   Limits
	visit  func(Entry) error
	files  int
	bytes  int64
	begun  time.Time
}

// folder visits what is in a folder; above are the real paths from the root to it.
func (w *walk) folder(path string, above []string) error {
	names, err := Names(path, w.most.Files-w.files)
	if err != nil {
		if errors.Is(err, ErrTooMany) || path == w.root {
			return err
		}
		return w.visit(Entry{Path: path, Err: err})
	}
	for _, name := range names {
		if err := w.entry(filepath.Join(path, name), above); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) entry(path string, above []string) error {
	if w.ctx.Err() != nil {
		return context.Cause(w.ctx)
	}
	if time.Since(w.begun) > w.most.Time {
		return refuse(w.root, ErrTooMany, "to look through it takes more than %s; take files out of it", w.most.Time)
	}
	if w.files++; w.files > w.most.Files {
		return refuse(w.root, ErrTooMany, "it holds more than %d files; take some out", w.most.Files)
	}
	e := Entry{Path: path}
	named, err := os.Lstat(path)
	if err != nil {
		e.Err = err
		return w.visit(e)
	}
	real := filepath.Join(above[len(above)-1], filepath.Base(path))
	if e.Info = named; named.Mode()&fs.ModeSymlink != 0 {
		if real, e.Err = filepath.EvalSymlinks(path); e.Err == nil {
			e.Info, e.Err = os.Lstat(real)
		}
		if e.Err != nil {
			e.Info = nil
			return w.visit(e)
		}
		e.Real, e.Out = real, !Inside(w.within, real)
		e.Loop = e.Info.IsDir() && slices.Contains(above, real)
	}
	if e.Info.Mode().IsRegular() {
		if w.bytes += e.Info.Size(); w.bytes > w.most.Bytes {
			return refuse(w.root, ErrTooBig, "its files have more than %s together; take some out", size(w.most.Bytes))
		}
	}
	if err := w.visit(e); err != nil || !e.Info.IsDir() || e.Out || e.Loop {
		return err
	}
	if len(above) > w.most.Depth {
		return refuse(path, ErrTooDeep, "its folders nest more than %d deep; take some out", w.most.Depth)
	}
	return w.folder(path, append(slices.Clone(above), real))
}
