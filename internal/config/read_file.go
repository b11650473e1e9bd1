package config

import (
	"fmt"
	"io"
	"io/fs"

	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/trust"
)

// pin puts a file of the workspace into its manifest.
func (l *loader) pin(src source, path string) {
	if src.layer == LayerWorkspace {
		l.pinned.Add(path)
	}
}

// readFile reads a configuration once; what is parsed is what is hashed.
func (l *loader) readFile(src source, path string, check func(string, fs.FileInfo) error) ([]byte, error) {
	return l.readUpTo(strict.MaxFile, src, path, check)
}

// readUpTo reads a file, and one byte more than the limit of one that is larger.
func (l *loader) readUpTo(limit int64, src source, path string, check func(string, fs.FileInfo) error) ([]byte, error) {
	fail := func(err error) ([]byte, error) {
		if src.layer == LayerWorkspace {
			l.pinned.Put(trust.Pin{Path: path, Value: "unreadable"})
		}
		return nil, fmt.Errorf("the file cannot be read: %w", trust.Cause(err))
	}
	f, err := disk.Open(path)
	if err != nil {
		return fail(err)
	}
	defer f.Close()
	info := f.Info()
	if check != nil {
		if err := check(path, info); err != nil {
			return nil, err
		}
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return fail(err)
	}
	if src.layer == LayerWorkspace {
		l.pinned.Take(path, data, info)
	}
	return data, nil
}

func (l *loader) problem(file, message, hint string) {
	l.set.Problems = append(l.set.Problems, Problem{File: file, Message: strict.Line(message), Hint: hint})
	l.set.failed = append(l.set.failed, file)
}

func (l *loader) warn(file, id, message, hint string) {
	l.set.Warnings = append(l.set.Warnings, Problem{File: file, Hook: id, Message: message, Hint: hint})
}
