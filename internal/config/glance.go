package config

import (
	"io/fs"
	"path/filepath"

	"github.com/hookway/hookway/internal/trust"
)

// glimpse is what a file looked like.
type glimpse struct {
	changed  int64 // by the kernel's word, as far as it gives it
	modified int64
	size     int64
	mode     uint32 // as the system has it
	folder   bool
}

func glimpseOf(info fs.FileInfo) glimpse {
	return glimpse{trust.ChangeTime(info), info.ModTime().UnixNano(), info.Size(), uint32(info.Mode()), info.IsDir()}
}

// Glances are the files that were looked at for one call, each once: what was written
// before the call is seen. It is for one goroutine. Nil looks each time.
type Glances struct{ seen []glanced }

type glanced struct {
	path  string
	is    glimpse
	there bool
}

func (g *Glances) at(path string) (glimpse, bool) {
	if g == nil {
		return glance(path)
	}
	for i := range g.seen {
		if one := &g.seen[i]; one.path == path {
			return one.is, one.there
		}
	}
	is, there := glance(path)
	g.seen = append(g.seen, glanced{path, is, there})
	return is, there
}

// Folder reports whether an absolute path is a folder, or leads to one.
func (g *Glances) Folder(path string) bool {
	if !filepath.IsAbs(path) {
		return false
	}
	is, there := g.at(path)
	return there && is.folder
}
