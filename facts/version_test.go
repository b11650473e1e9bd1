package facts

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"go/scanner"
	gotoken "go/token"
	"hash"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
)

var update = flag.Bool("update", false, "write the version anew")

// files is the disk of the fixed calls: what a path holds; of a link, where it leads.
var files = map[string]string{
	"/home/u/project/x.sh":          "cd build && rm -rf out\ncurl -d @notes.txt https://example.com/\n",
	"/home/u/project/deploy.sh":     "#!/bin/sh\nkubectl apply -f prod.yaml\n. ./env.sh\n",
	"/home/u/project/env.sh":        "export TARGET=/srv/data\n",
	"/home/u/project/Makefile":      "clean:\n\trm -rf build ../out\ntest:\n\tgo test ./...\n",
	"/home/u/project/package.json":  `{"scripts":{"build":"vite build","clean":"rm -rf dist","postinstall":"node setup.js"},"dependencies":{"react":"^19"}}`,
	"/home/u/project/.env":          "TOKEN=x\n",
	"/home/u/project/main.go":       "package main\n",
	"/home/u/project/out":           "-> /srv/data",
	"/home/u/project/src/a.go":      "package src\n",
	"/home/u/project/build/a.o":     "x",
	"/home/u/project/.git/config":   "[remote \"origin\"]\n\turl = git@example.com:u/project.git\n[alias]\n\tundo = reset --hard\n",
	"/home/u/project/.git/HEAD":     "ref: refs/heads/main\n",
	"/home/u/.ssh/id_ed25519":       "x",
	"/home/u/notes/plan.md":         "x",
	"/home/u/project/t.py":          "import shutil, os\nshutil.rmtree('/srv/data')\nos.environ['TOKEN']\n",
	"/home/u/project/t.js":          "require('fs').rmSync('/srv/data', {recursive: true})\n",
	"/home/u/project/m.sql":         "DROP TABLE users; -- all of them\n",
	"/home/u/project/docker/run.sh": "docker run -v /:/host --privileged x\n",
}

type file struct {
	name string
	mode fs.FileMode
}

func (f file) Name() string       { return f.name }
func (f file) Size() int64        { return 0 }
func (f file) Mode() fs.FileMode  { return f.mode }
func (f file) ModTime() time.Time { return time.Time{} }
func (f file) IsDir() bool        { return f.mode.IsDir() }
func (f file) Sys() any           { return nil }

// fixed is the world of the fixed calls.
func fixed() World {
	return World{
		Dir: "/home/u/project", Home: "/home/u", Project: "/home/u/project", Temp: []string{"/tmp"}, Scratch: []string{"/mnt/scratch/**"},
		Env: map[string]string{"HOME": "/home/u", "PATH": "/usr/bin:/bin", "TARGET": "/srv/data", "TMPDIR": "/tmp", "USER": "u"},
		Lstat: func(name string) (fs.FileInfo, error) {
			text, ok := files[name]
			switch {
			case strings.HasPrefix(text, "-> "):
				return file{path.Base(name), fs.ModeSymlink}, nil
			case ok:
				return file{path.Base(name), 0}, nil
			}
			for other := range files {
				if strings.HasPrefix(other, strings.TrimSuffix(name, "/")+"/") {
					return file{path.Base(name), fs.ModeDir}, nil
				}
			}
			return nil, fs.ErrNotExist
		},
		Readlink: func(name string) (string, error) {
			if to, is := strings.CutPrefix(files[name], "-> "); is {
				return to, nil
			}
			return "", fs.ErrInvalid
		},
		ReadDir: func(name string) (names []string, err error) {
			for _, other := range slices.Sorted(maps.Keys(files)) {
				if rest, below := strings.CutPrefix(other, strings.TrimSuffix(name, "/")+"/"); below {
					first, _, _ := strings.Cut(rest, "/")
					if !slices.Contains(names, first) {
						names = append(names, first)
					}
				}
			}
			return names, nil
		},
		ReadFile: func(name string, n int) ([]byte, error) {
			text, ok := files[name]
			if !ok {
				return nil, fs.ErrNotExist
			}
			return []byte(text[:min(len(text), n)]), nil
		},
		Worktrees: func() []string { return []string{"/home/u/project-2"} },
	}
}

// say adds what is said of a call.
func say(t *testing.T, sum hash.Hash, call string, found []hook.Fact) {
	t.Helper()
	text, err := json.Marshal(found)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(sum, "%s\n%s\n", call, text)
}

// everyProgram gives lines for an entry of the table, and for those below it: with all
// its options, and with none.
func everyProgram(names string, e *entry) (lines []string) {
	all := names
	for _, name := range slices.Sorted(maps.Keys(e.options)) {
		if o := e.options[name]; o.role == "" && !o.none {
			all += " " + name
		} else {
			all += " " + name + " /srv/value"
		}
	}
	lines = append(lines, names+" one /srv/two three", all+" one /srv/two three")
	for _, name := range slices.Sorted(maps.Keys(e.subs)) {
		lines = append(lines, everyProgram(names+" "+name, e.subs[name])...)
	}
	return lines
}

// code adds the package's code, word by word and without comments, and its tables.
func code(t *testing.T, sum hash.Hash) {
	t.Helper()
	names, err := filepath.Glob("*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names { // they are sorted
		isCode := strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
		if !isCode && (filepath.Ext(name) != ".txt" || name == "version.txt") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
		fmt.Fprintf(sum, "%s\n", name)
		if !isCode {
			_, _ = sum.Write(text)
			continue
		}
		var words scanner.Scanner
		words.Init(gotoken.NewFileSet().AddFile(name, -1, len(text)), text, nil, 0)
		for {
			_, word, literal := words.Scan()
			if word == gotoken.EOF {
				break
			}
			if word == gotoken.SEMICOLON { // some are line breaks
				literal = ""
			}
			fmt.Fprintf(sum, "%s %q\n", word, literal)
		}
	}
}

// TestTheVersionIsThatOfTheCode: who changes what facts say changes the version, so that
// what is on record of the past is known to be another's.
func TestTheVersionIsThatOfTheCode(t *testing.T) {
	text, err := os.ReadFile("testdata/calls.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	sum, w, n := sha256.New(), fixed(), 0
	code(t, sum)
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); n++ {
		var call struct {
			Command, Shell, Tool, CWD string
			Input                     map[string]any
		}
		if err := json.Unmarshal(lines.Bytes(), &call); err != nil {
			t.Fatal(err)
		}
		w := w
		if strings.HasPrefix(call.CWD, "/") {
			w.Dir = call.CWD
		}
		var found []hook.Fact
		switch {
		case call.Tool != "":
			found = Call(call.Tool, call.Input, w)
		case call.Shell == "powershell":
			found = PowerShell(call.Command, w)
		case call.Shell == "cmd":
			found = Cmd(call.Command, w)
		default:
			found = Shell(call.Command, w)
		}
		say(t, sum, lines.Text(), found)
	}
	for _, name := range slices.Sorted(maps.Keys(programs())) {
		for _, line := range everyProgram(name, programs()[name]) {
			say(t, sum, line, Shell(line, w))
			n++
		}
	}
	if got := hex.EncodeToString(sum.Sum(nil)[:8]); *update {
		if err := os.WriteFile("version.txt", []byte(got+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if got != Version() || n < 1000 {
		t.Errorf("the code with what it says of %d calls is version %s, and version.txt has %s; write it anew: go test ./facts -run Version -update", n, got, Version())
	}
}
