package shell

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/hookway/hookway/internal/code"
)

// root is where the lines of the tests run.
var root = filepath.FromSlash("/w")

// files are what lies there.
var files = fstest.MapFS{}

func init() {
	for name, text := range map[string]string{
		"x.sh": "echo x\n", "lib.sh": "", "sub/x.sh": "", "sub/y.sh": "", "d/a.sh": "", "d/b.sh": "", "d/c.txt": "", "events.log": "", "out.log": "",
		"mod.py": "", "p.py": "", "pkg/__main__.py": "", "a.js": "", "l/b.js": "", "idx/index.js": "", "prog.awk": "", "prog.sed": "", "Makefile": "", "other.mk": "",
		"my dir/g.sh": "", "line\nfeed.sh": "", "tool": "#!/bin/sh\n. ./lib.sh\n", "bin/guard": "#!/usr/bin/env bash\n", "r.rb": "", "lib/r.rb": "", "lib/M.pm": "", "s.pl": "",
		"t.ts": "", "list": "", "data.json": "", "noext": "",
		"calls.sh":  "#!/bin/sh\ncd \"$(dirname \"$0\")\" || exit\n. ./lib.sh\nsh \"$1\"\n",
		"first.sh":  ". ${0%/*}/sub/y.sh\n",
		"bash.sh":   "#!/bin/bash\nsource \"${BASH_SOURCE[0]%/*}/sub/x.sh\"\n",
		"vars":      "D=sub\n",
		"loop.sh":   "sh loop.sh; sh x.sh\n",
		"param.sh":  "exec \"$@\"\n",
		"imp.py":    "import json, helper\nfrom pk import inner\nfrom .near import x\n",
		"helper.py": "import second as s\n", "second.py": "", "pk/__init__.py": "", "pk/inner.py": "", "near.py": "",
		"imp.js":            "const a = require('./l/b'); import x from \"./idx\"\n",
		"pyrun":             "#!/usr/bin/env python3\nimport helper\n",
		"python.py":         "import os\nos.system('sh x.sh')\n",
		"own":               "#!./x.sh -a\n",
		"given":             "#!/usr/bin/env -S sh lib.sh\n",
		"twice":             "#!./twice\n",
		"pk/rel.py":         "from . import inner\nimport second\n",
		"req.pl":            "require './s.pl';\n",
		"made/package.json": `{"main": "./main"}`, "made/main.js": "require('../a.js')\n",
		"bad.sh": "if then ( x.sh\n",
	} {
		files[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o755}
	}
}

func local(path string) (string, error) {
	rel, err := filepath.Rel(root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", errors.New("not here")
	}
	return filepath.ToSlash(rel), nil
}

// reader reads lines that run there.
func reader() Reader {
	return Reader{
		Env:  map[string]string{"HOOKWAY_PROJECT_DIR": root, "X": "./lib.sh", "HOME": filepath.FromSlash("/home/u")},
		Dirs: []string{root},
		Open: func(path string) ([]byte, error) {
			rel, err := local(path)
			if err != nil {
				return nil, err
			}
			data, err := fs.ReadFile(files, rel)
			return data[:min(len(data), MaxText+1)], err
		},
		Code: func(p Program) (out []Use, whole bool) {
			uses, whole := code.Read(code.Program(p))
			for _, u := range uses {
				one := Use{Kind: int(u.Kind), Dir: u.Dir, Src: u.Src}
				for _, w := range u.Words {
					one.Words, one.Known = append(one.Words, w.Text), append(one.Known, w.Known)
				}
				out = append(out, one)
			}
			return out, whole
		},
		List: func(dir string) (names []string, err error) {
			rel, err := local(dir)
			if err != nil {
				return nil, err
			}
			entries, err := fs.ReadDir(files, rel)
			for _, e := range entries {
				names = append(names, e.Name())
			}
			return names, err
		},
	}
}

// needs are the files that a reading says are run, sourced or read.
func needs(r Reading) []string {
	var out []string
	for _, n := range slices.Concat(r.Runs, r.Sources, r.Reads) {
		rel, err := local(n.Path)
		if err != nil || !isPath(n.Path) {
			continue
		}
		if !n.Tree {
			if info, err := fs.Stat(files, rel); err == nil && !info.IsDir() {
				out = append(out, rel)
			}
			continue
		}
		_ = fs.WalkDir(files, rel, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && Matches(n.Match, d.Name()) {
				out = append(out, path)
			}
			return nil
		})
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func words(us []Unknown) string {
	var out []string
	for _, u := range us {
		word := u.Word
		if u.Loose {
			word = "loose " + word
		}
		out = append(out, word)
	}
	return strings.Join(out, " | ")
}
