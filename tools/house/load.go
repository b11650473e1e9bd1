package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// room is a package, with its tests.
type room struct {
	*packages.Package
	path  string // within the module; "" is its root
	files []file
}

// The kinds of files.
const (
	product = "product"
	aside   = "aside" // tools, examples and what only tests need
	test    = "test"
)

type file struct {
	path     string // within the module
	kind     string
	syntax   *ast.File
	lines    []string // as they are read, without comments and blank ones
	code     int
	comments int // lines that hold nothing else
	length   int
}

// load reads all rooms of a tree. The types are those of the product; of tests only
// the text is read.
func load(dir string) ([]room, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	config := &packages.Config{Mode: packages.LoadSyntax | packages.NeedModule, Dir: dir, Fset: token.NewFileSet()}
	found, err := packages.Load(config, "./...")
	if err != nil {
		return nil, err
	}
	var rooms []room
	for _, p := range found {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("%s: %w", p.PkgPath, errors.Join(slices.Collect(problems(p))...))
		}
		if p.Module == nil {
			continue
		}
		r := room{Package: p, path: strings.TrimPrefix(strings.TrimPrefix(p.PkgPath, p.Module.Path), "/")}
		for i, name := range p.CompiledGoFiles {
			if err := r.add(dir, name, p.Syntax[i]); err != nil {
				return nil, err
			}
		}
		tests, err := filepath.Glob(filepath.Join(dir, r.path, "*_test.go"))
		if err != nil {
			return nil, err
		}
		for _, name := range tests {
			if err := r.add(dir, name, nil); err != nil {
				return nil, err
			}
		}
		rooms = append(rooms, r)
	}
	return rooms, nil
}

func problems(p *packages.Package) func(func(error) bool) {
	return func(yield func(error) bool) {
		for _, e := range p.Errors {
			if !yield(e) {
				return
			}
		}
	}
}

// add reads a file of the room. What a program wrote is not counted.
func (r *room) add(dir, name string, syntax *ast.File) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	path, err := filepath.Rel(dir, name)
	if err != nil || strings.HasPrefix(path, "..") {
		return err // made by the build
	}
	f := file{path: filepath.ToSlash(path), kind: product, syntax: syntax, length: strings.Count(string(text), "\n")}
	switch top, _, _ := strings.Cut(f.path, "/"); {
	case strings.HasSuffix(name, "_test.go"):
		f.kind = test
	case slices.Contains([]string{"tools", "e2e", "examples", "demo"}, top),
		strings.HasPrefix(f.path, "internal/faketui/"), strings.HasPrefix(f.path, "internal/eventually/"), strings.HasPrefix(f.path, "internal/golden/"):
		f.kind = aside
	}
	if syntax != nil && ast.IsGenerated(syntax) {
		return nil
	}
	f.count(text)
	r.files = append(r.files, f)
	return nil
}

// count tells code from comments, by tokens: a line of a string is code.
func (f *file) count(text []byte) {
	fset := token.NewFileSet()
	at := fset.AddFile("", fset.Base(), len(text))
	var s scanner.Scanner
	s.Init(at, text, nil, scanner.ScanComments)
	code, comment := map[int]bool{}, map[int]bool{}
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			break
		}
		if tok == token.SEMICOLON && literal == "\n" {
			continue
		}
		lines := code
		if tok == token.COMMENT {
			lines = comment
		}
		first := at.Line(pos)
		for i := range 1 + strings.Count(literal, "\n") {
			lines[first+i] = true
		}
	}
	for i, line := range strings.Split(string(text), "\n") {
		switch {
		case code[i+1]:
			f.code++
			f.lines = append(f.lines, strings.TrimSpace(line))
		case comment[i+1]:
			f.comments++
		}
	}
}
