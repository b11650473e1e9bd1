package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"
)

// listing is a package as go list tells it; with tests there are several of one
// import path.
type listing struct {
	ImportPath   string
	Name         string
	Dir          string
	Standard     bool
	ForTest      string
	GoFiles      []string
	OtherFiles   []string `json:"SFiles"`
	IgnoredFiles []string `json:"IgnoredGoFiles"`
	Imports      []string
	ImportMap    map[string]string
	Module       *struct {
		Path, Version, GoVersion string
		Main                     bool
	}
	Error *struct{ Err string }
}

func (l listing) ours() bool { return l.Module != nil && l.Module.Main }

// list returns all packages of the tree and what they need, what is needed first.
func list(system string) ([]listing, error) {
	cmd := exec.Command("go", "list", "-deps", "-test", "-json=ImportPath,Name,Dir,Standard,ForTest,GoFiles,SFiles,IgnoredGoFiles,Imports,ImportMap,Module,Error", "./...")
	cmd.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
	var told bytes.Buffer
	cmd.Stderr = &told
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, told.Bytes())
	}
	var all []listing
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listing
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if l.Error != nil {
			return nil, errors.New(l.Error.Err)
		}
		if strings.HasSuffix(l.ImportPath, ".test") { // the main that go test makes
			continue
		}
		all = append(all, l)
	}
}

// loaded is a package that others can wait for.
type loaded struct {
	*packages.Package
	done chan struct{}
}

// load checks the types of all packages, and returns those of the tree.
func load(listed []listing) ([]*packages.Package, error) {
	var (
		fset    = token.NewFileSet()
		all     = make(map[string]*loaded, len(listed))
		workers = make(chan struct{}, runtime.GOMAXPROCS(0))
		running sync.WaitGroup
		ours    []*packages.Package
	)
	for _, l := range listed {
		p := &loaded{&packages.Package{ID: l.ImportPath, Name: l.Name, Fset: fset, Imports: map[string]*packages.Package{}}, make(chan struct{})}
		all[l.ImportPath] = p
		if l.ours() {
			ours = append(ours, p.Package)
		}
		needed := map[string]*loaded{}
		for _, id := range l.Imports {
			if id == "unsafe" || id == "C" {
				continue
			}
			if all[id] == nil {
				return nil, fmt.Errorf("%s imports %s, which go list did not tell", l.ImportPath, id)
			}
			needed[id] = all[id]
		}
		running.Go(func() {
			defer close(p.done)
			for _, n := range needed {
				<-n.done
			}
			workers <- struct{}{}
			defer func() { <-workers }()
			p.fill(l, needed)
		})
	}
	running.Wait()
	return ours, nil
}

// fill reads a package and checks its types.
func (p *loaded) fill(l listing, needed map[string]*loaded) {
	mode := parser.SkipObjectResolution
	if l.ours() {
		mode |= parser.ParseComments
	}
	for _, name := range l.GoFiles {
		file, err := parser.ParseFile(p.Fset, filepath.Join(l.Dir, name), nil, mode)
		if err != nil {
			p.Errors = append(p.Errors, packages.Error{Msg: err.Error()})
		}
		p.Syntax = append(p.Syntax, file)
	}
	path, _, _ := strings.Cut(l.ImportPath, " ")
	p.PkgPath = path
	p.TypesSizes = types.SizesFor("gc", runtime.GOARCH)
	config := types.Config{
		Importer:         importer{l.ImportMap, needed},
		Sizes:            p.TypesSizes,
		IgnoreFuncBodies: !l.ours(),
		Error: func(err error) {
			p.Errors = append(p.Errors, packages.Error{Msg: err.Error()})
		},
	}
	if l.ours() {
		p.TypesInfo = &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Instances: map[*ast.Ident]types.Instance{},
			Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{},
			Implicits: map[ast.Node]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{},
			Scopes: map[ast.Node]*types.Scope{}, FileVersions: map[*ast.File]string{},
		}
		config.GoVersion = "go" + l.Module.GoVersion
		p.Module = &packages.Module{Path: l.Module.Path, Version: l.Module.Version, GoVersion: l.Module.GoVersion}
		p.OtherFiles, p.IgnoredFiles = within(l.Dir, l.OtherFiles), within(l.Dir, l.IgnoredFiles)
		for id, n := range needed {
			if n.Module != nil { // facts are made of the tree alone
				p.Imports[id] = n.Package
			}
		}
	}
	p.Types, _ = config.Check(path, p.Fset, p.Syntax, p.TypesInfo)
	if !l.ours() {
		p.Syntax, p.Errors = nil, nil // its makers check it
	}
}

func within(dir string, names []string) []string {
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = filepath.Join(dir, name)
	}
	return paths
}

// importer finds what a package imports among what is loaded.
type importer struct {
	renamed map[string]string
	needed  map[string]*loaded
}

func (i importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	id := path
	if to, ok := i.renamed[path]; ok {
		id = to
	}
	if p := i.needed[id]; p != nil && p.Types != nil {
		return p.Types, nil
	}
	return nil, fmt.Errorf("%s is not there", path)
}
