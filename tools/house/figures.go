package main

import (
	"fmt"
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
)

// count is how many rooms have files of the product.
func count(rooms []room) int {
	n := 0
	for _, r := range rooms {
		if slices.ContainsFunc(r.files, func(f file) bool { return f.kind == product }) {
			n++
		}
	}
	return n
}

// longest is the longest way down through the imports of the product, room by room.
func longest(rooms []room) []string {
	byPath := map[string]room{}
	for _, r := range rooms {
		byPath[r.PkgPath] = r
	}
	known := map[string][]string{}
	var down func(string) []string
	down = func(path string) []string {
		if way, ok := known[path]; ok {
			return way
		}
		var best []string
		for to := range byPath[path].Imports {
			if _, ours := byPath[to]; ours {
				if way := down(to); len(way) > len(best) || len(way) == len(best) && strings.Join(way, " ") < strings.Join(best, " ") {
					best = way
				}
			}
		}
		known[path] = append([]string{byPath[path].path}, best...)
		return known[path]
	}
	var best []string
	for _, r := range rooms {
		if way := down(r.PkgPath); len(way) > len(best) {
			best = way
		}
	}
	return best
}

// largestType is the type with the most methods, of all its files.
func largestType(rooms []room) (methods int, name string) {
	for _, r := range rooms {
		for _, name2 := range r.Types.Scope().Names() {
			named, ok := r.Types.Scope().Lookup(name2).Type().(*types.Named)
			if !ok || named.Obj().Pkg() != r.Types {
				continue
			}
			if n := named.NumMethods(); n > methods {
				methods, name = n, r.path+"."+named.Obj().Name()
			}
		}
	}
	return methods, name
}

type sizes struct {
	median int
	long   []string
}

func fileSizes(rooms []room) sizes {
	var all []int
	var s sizes
	for _, r := range rooms {
		for _, f := range r.files {
			if f.kind != product {
				continue
			}
			all = append(all, f.length)
			if f.length > 600 {
				s.long = append(s.long, f.path)
			}
		}
	}
	slices.Sort(all)
	if len(all) > 0 {
		s.median = all[len(all)/2]
	}
	return s
}

// longFunctions counts functions of the product that are longer than a page.
func longFunctions(rooms []room) (n int, longestOne string) {
	most := 0
	for _, r := range rooms {
		for _, f := range r.files {
			if f.kind != product || f.syntax == nil {
				continue
			}
			for _, d := range f.syntax.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				lines := r.Fset.Position(fn.End()).Line - r.Fset.Position(fn.Pos()).Line + 1
				if lines <= 60 {
					continue
				}
				n++
				if lines > most {
					most, longestOne = lines, fmt.Sprintf("%s in %s: %d", fn.Name.Name, f.path, lines)
				}
			}
		}
	}
	return n, longestOne
}

// block is how many lines of code, one after the other, make a repeated block.
const block = 5

// repeated counts places of the product where a block stands that stood before.
// Lines that only close something, and imports, make no block.
func repeated(rooms []room) int {
	seen := map[string]bool{}
	n := 0
	for _, r := range rooms {
		for _, f := range r.files {
			if f.kind != product {
				continue
			}
			var lines []string
			for _, l := range f.lines {
				if strings.Trim(l, "(){}[],") != "" && !strings.HasPrefix(l, `"`) {
					lines = append(lines, l)
				}
			}
			for i := 0; i+block <= len(lines); i++ {
				key := strings.Join(lines[i:i+block], "\n")
				if seen[key] {
					n++
					i += block - 1
				}
				seen[key] = true
			}
		}
	}
	return n
}

// comments is how many of a room's lines are comments, in percent, to a tenth; of
// all rooms if it has no name.
func comments(rooms []room, name string) float64 {
	code, said := 0, 0
	for _, r := range rooms {
		if name != "" && r.path != name {
			continue
		}
		for _, f := range r.files {
			if f.kind == product {
				code += f.code
				said += f.comments
			}
		}
	}
	if code+said == 0 {
		return 0
	}
	return float64(said*1000/(code+said)) / 10
}

// examples counts the examples that go doc shows.
func examples(rooms []room) int {
	n := 0
	for _, r := range rooms {
		for _, f := range r.files {
			if f.kind != test || !strings.Contains(filepath.Base(f.path), "example") {
				continue
			}
			for _, l := range f.lines {
				if strings.HasPrefix(l, "func Example") {
					n++
				}
			}
		}
	}
	return n
}
