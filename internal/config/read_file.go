package config

import (
	"io/fs"

	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/trust"
)

// pins are those of the workspace, if a source is part of it.
func (l *load) pins(src source) *trust.Pins {
	if src.layer == LayerWorkspace {
		return &l.pinned
	}
	return nil
}

// read reads a configuration once; what is parsed is what is hashed.
func (l *load) read(src source, path string, check func(string, fs.FileInfo) error) ([]byte, error) {
	return trust.Read(path, strict.MaxFile, check, l.pins(src))
}
