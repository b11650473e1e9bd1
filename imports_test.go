// Package hookway_test holds what must be true of the source tree as a whole.
package hookway_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/hookway/hookway/"

// rooms is the map of the house: each room, and the rooms it may import. Arrows
// go down only. "handler/*" is every handler; the standard library is free, and
// outside packages are weighed in docs/dependencies.md.
var rooms = map[string][]string{
	"hook":                     {},
	"facts":                    {"hook", "internal/shell"},
	"internal/guards":          {"internal/stack", "hook", "facts", "internal/disk", "internal/visible"},
	"internal/where":           {"hook"},
	"internal/directive":       {},
	"internal/disk":            {},
	"internal/procgroup":       {},
	"internal/patch":           {},
	"internal/strict":          {"hook", "internal/visible"},
	"internal/agenterr":        {},
	"internal/visible":         {},
	"internal/code":            {},
	"internal/shell":           {},
	"internal/tmux":            {"internal/visible"},
	"internal/backoff":         {},
	"internal/stack":           {},
	"internal/logline":         {"hook"},
	"internal/sqlite":          {"internal/disk"},
	"internal/approve":         {"facts", "hook", "internal/disk", "internal/shell", "internal/sqlite", "internal/trust", "internal/visible"},
	"internal/owner":           {"internal/process"},
	"internal/pin":             {"internal/sqlite"},
	"internal/notify":          {"hook", "handler/web", "internal/approve", "internal/backoff", "internal/visible", "internal/webhook"},
	"internal/process":         {},
	"internal/relay":           {"internal/logline", "internal/disk", "internal/sqlite", "internal/visible"},
	"internal/relay/bus":       {"internal/logline", "internal/loopback", "internal/backoff", "internal/relay", "internal/disk"},
	"internal/delivery":        {"internal/logline", "hook", "internal/directive", "internal/disk", "internal/environ", "internal/relay", "internal/backoff", "internal/visible"},
	"internal/gateway":         {"internal/logline", "hook", "internal/disk", "internal/webhook"},
	"internal/gateway/spool":   {"internal/logline", "internal/backoff", "hook", "internal/disk", "internal/sqlite", "internal/webhook"},
	"internal/memory/exam":     {},
	"internal/memory":          {"internal/logline", "internal/backoff", "internal/disk", "internal/sqlite"},
	"internal/memory/remote":   {"hook", "internal/memory", "internal/backoff"},
	"internal/memory/mem0":     {"internal/memory", "internal/memory/remote", "internal/backoff"},
	"internal/memory/qdrant":   {"internal/logline", "internal/memory", "internal/memory/remote"},
	"internal/memory/custom":   {"hook", "internal/memory"},
	"internal/memory/recall":   {"hook", "internal/memory", "internal/disk", "internal/visible"},
	"internal/memory/backends": {}, // tests only
	"internal/transcript":      {"internal/disk", "internal/sqlite"},
	"internal/chance":          {},
	"internal/keep":            {"hook", "facts", "internal/chance", "internal/logline", "internal/disk"},
	"internal/replay":          {"hook", "facts", "wire", "handler/command", "internal/adapter", "internal/audit", "internal/cases", "internal/chance", "internal/config", "internal/disk", "internal/environ", "internal/guards", "internal/keep", "internal/transcript", "internal/visible"},
	"internal/suggest":         {"hook", "facts", "internal/audit", "internal/guards", "internal/visible", "internal/where"},
	"internal/roster":          {"hook", "internal/disk", "internal/backoff"},
	"internal/terminal":        {"internal/procgroup", "internal/visible"},
	"internal/faketui":         {},
	"internal/fakentfy":        {},
	"internal/eventually":      {},
	"internal/golden":          {},
	"internal/fulldisk":        {},
	"internal/bench/client":    {},
	"internal/bench/model":     {},
	"docs/schema":              {},
	"wire":                     {"hook", "internal/visible"},
	"wire/call":                {"internal/backoff"},
	"hooktest":                 {"internal/logline", "hook"},
	"handler/command":          {"hook", "wire", "internal/environ", "internal/procgroup", "internal/backoff"},
	"internal/webhook":         {"internal/disk"},
	"internal/bundle":          {"internal/disk"},
	"handler/web":              {"internal/loopback", "hook", "wire", "internal/environ", "internal/backoff", "internal/webhook"},
	"internal/environ":         {},
	"internal/loopback":        {},
	"internal/fetch":           {},
	"handler/wasm":             {"hook", "wire", "internal/chance", "internal/disk", "internal/fetch", "internal/backoff"},
	"handler/script":           {"hook", "wire", "internal/chance", "internal/bundle", "internal/disk", "internal/environ", "internal/procgroup", "internal/fetch"},
	"handler/rpc":              {"internal/loopback", "internal/backoff", "hook", "wire", "internal/environ", "proto/hookway/v1"},
	"proto/hookway/v1":         {},
	"internal/api":             {"internal/memory", "internal/replay", "internal/explain", "internal/guards", "internal/approve", "internal/audit", "internal/audit/index", "internal/timeline", "internal/logline", "internal/loopback", "hook", "wire", "docs/schema", "handler/rpc", "internal/daemon", "internal/delivery", "internal/gateway", "internal/judge", "internal/relay", "proto/hookway/v1", "internal/visible"},
	"internal/page":            {"internal/disk", "internal/logline", "internal/loopback", "internal/visible"},
	"internal/guardset":        {"hook", "internal/config", "internal/guards", "internal/scaffold", "internal/trust"},
	"internal/explain":         {"hook", "facts", "internal/audit", "internal/config", "internal/guards"},
	"internal/adapter":         {"hook", "wire", "internal/process", "internal/visible"},
	"internal/install":         {"wire/call", "internal/adapter", "internal/disk", "internal/shell", "internal/visible"},
	"internal/cases":           {"hook", "wire", "internal/disk", "internal/strict", "internal/visible", "internal/shell"},
	"internal/trust":           {"hook", "internal/code", "internal/disk", "internal/shell", "internal/visible"},
	"internal/claudehooks":     {"hook", "wire", "internal/shell", "internal/patch", "internal/environ", "internal/trust", "internal/disk", "internal/strict"},
	"internal/config":          {"internal/loopback", "hook", "internal/guards", "wire", "handler/*", "internal/bundle", "internal/disk", "internal/environ", "internal/shell", "internal/strict", "internal/gateway", "internal/gateway/spool", "sdk/typescript", "internal/trust", "internal/claudehooks", "internal/where", "internal/visible"},
	"internal/judge": {"internal/approve", "internal/process", "internal/keep", "internal/logline", "hook", "wire", "wire/call", "handler/command", "internal/adapter", "internal/agenterr", "internal/audit", "internal/config", "internal/delivery", "internal/disk",
		"internal/environ", "internal/gateway/spool", "internal/guards", "internal/relay", "internal/trust", "internal/visible"},
	"internal/daemon": {"internal/stack", "internal/logline", "hook", "wire/call", "internal/procgroup", "internal/backoff", "internal/disk"},
	"internal/bench":  {"hook", "internal/audit", "internal/bench/client", "internal/bench/model", "internal/config", "internal/daemon", "internal/guards", "internal/install", "internal/backoff", "wire/call"},
	"internal/doctor": {"hook", "wire/call", "internal/adapter", "internal/audit", "internal/config", "internal/daemon", "internal/install",
		"internal/trust", "internal/visible"},
	"internal/session": {"hook", "internal/directive", "internal/terminal", "internal/transcript", "internal/relay", "internal/delivery", "internal/backoff", "internal/visible"},
	"internal/mcp":     {"hook", "internal/memory", "internal/relay", "internal/delivery", "internal/roster", "internal/visible"},
	"internal/server": {"internal/keep", "internal/approve", "internal/notify", "handler/web", "internal/process", "internal/logline", "internal/guards", "internal/backoff", "hook", "wire", "wire/call", "handler/command", "handler/rpc", "internal/adapter", "internal/api", "internal/audit", "internal/audit/index", "internal/timeline", "internal/cases", "internal/config", "internal/daemon", "internal/delivery", "internal/disk", "internal/explain", "internal/guardset", "internal/replay", "internal/doctor", "internal/trust", "internal/visible",
		"internal/environ", "internal/gateway", "internal/gateway/spool", "internal/judge", "internal/memory", "internal/memory/custom", "internal/memory/mem0", "internal/memory/qdrant",
		"internal/memory/recall", "internal/memory/remote", "internal/page", "internal/pin", "internal/relay", "internal/relay/bus", "internal/roster", "internal/session", "internal/webhook", "internal/strict"},
	"internal/scaffold":    {"hook", "docs/schema", "handler/script", "internal/cases", "internal/config", "internal/disk", "internal/strict", "internal/trust"},
	"internal/audit":       {"internal/stack", "facts", "wire", "internal/keep", "internal/logline", "internal/backoff", "hook", "internal/disk", "internal/visible"},
	"internal/timeline":    {"internal/audit", "internal/transcript", "internal/visible"},
	"internal/audit/index": {"hook", "internal/audit", "internal/disk", "internal/logline", "internal/sqlite"},
	"examples/agentloop":   {"proto/hookway/v1"},
	"e2e":                  {}, // tests only
	"e2e/public":           {}, // tests only
	"e2e/page":             {}, // tests only
	"sdk/internal/outline": {"docs/schema"},
	"sdk/python":           {}, // tests only
	"sdk/typescript":       {},
	"tools/bench":          {"*"},
	"tools/vet":            {},
	"tools/testall":        {},
	"tools/proof":          {},
	"tools/house":          {},
	"cmd/hookway":          {"*"},
	"cmd/hookway-hook":     {"internal/backoff", "wire/call"},
}

// standardOnly are the rooms that Go programs import for their own use: they
// must not bring other modules along.
var standardOnly = []string{"hook", "wire", "wire/call", "internal/directive", "internal/disk", "internal/procgroup", "internal/loopback", "internal/environ", "internal/backoff", "handler/command", "handler/web", "internal/webhook", "hooktest", "cmd/hookway-hook", "internal/visible"}

// nowhere are names of rooms that say nothing.
var nowhere = []string{"util", "utils", "common", "types", "helpers", "core", "misc", "shared"}

// exceptions are the imports that a room of standardOnly has all the same, each
// with its reason.
var exceptions = map[string]map[string]string{
	"handler/command": {"golang.org/x/sys/windows": "job objects, which end a whole process tree; syscall has none"},
}

// systems are the systems that hookway is built for: each has files of its own,
// which import on their own account.
var systems = []string{"linux", "darwin", "windows"}

type pkg struct {
	ImportPath string
	Doc        string // the first sentence of its comment
	Imports    []string
	Dir        string
	GoFiles    []string
}

// packages lists the packages of this module by room, as a system builds them.
func packages(t *testing.T, system string) map[string]pkg {
	t.Helper()
	list := exec.Command("go", "list", "-json=ImportPath,Doc,Imports,Dir,GoFiles", "./...")
	list.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
	out, err := list.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %v\n%s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	all := map[string]pkg{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		if room, ok := strings.CutPrefix(p.ImportPath, module); ok {
			all[room] = p
		}
	}
}

func TestEveryRoomImportsOnlyWhatItMay(t *testing.T) {
	used, permissions := map[string]bool{}, map[string]bool{}
	for _, system := range systems {
		for room, p := range packages(t, system) {
			allowed, known := rooms[room]
			if !known {
				t.Errorf("%s: %s is no room of the table; add it there, with what it may import", system, room)
				continue
			}
			for _, imported := range p.Imports {
				to, ours := strings.CutPrefix(imported, module)
				by, ok := permitted(allowed, to)
				permissions[room+" "+by] = ours && ok || permissions[room+" "+by]
				if ours && !ok {
					t.Errorf("%s: %s must not import %s: its arrows go to %v only", system, room, to, allowed)
				}
				if ours || !strings.Contains(imported, ".") || !slices.Contains(standardOnly, room) {
					continue
				}
				if _, excepted := exceptions[room][imported]; !excepted {
					t.Errorf("%s: %s must not import %s: whoever imports the room would get that module too", system, room, imported)
				}
				used[room+" "+imported] = true
			}
		}
	}
	for room, allowed := range rooms {
		for _, a := range allowed {
			if !permissions[room+" "+a] {
				t.Errorf("%s may import %s and does not; take the permission out", room, a)
			}
		}
	}
	for room, imports := range exceptions {
		for imported := range imports {
			if !used[room+" "+imported] {
				t.Errorf("%s does not import %s any more; take the exception out", room, imported)
			}
		}
	}
}

// forTests are rooms, with those below them, that no program of the product links.
var forTests = []string{"hooktest", "internal/eventually", "internal/golden", "internal/fulldisk", "internal/faketui", "internal/fakentfy", "internal/memory/exam", "internal/memory/backends", "e2e", "examples", "tools"}

// forTestsElsewhere are modules that only tests may import.
var forTestsElsewhere = []string{"github.com/chromedp/"}

func TestTheProductLinksNoTestCode(t *testing.T) {
	for _, system := range systems {
		list := exec.Command("go", "list", "-deps", "./cmd/...")
		list.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		out, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		linked := strings.Fields(string(out))
		if !slices.Contains(linked, module+"hook") {
			t.Fatalf("%s: got %d packages, want the rooms of hookway among them", system, len(linked))
		}
		if slices.Contains(linked, "testing") {
			t.Errorf("%s: the product links testing", system)
		}
		for _, to := range linked {
			room := strings.TrimPrefix(to, module)
			if room != to && slices.ContainsFunc(forTests, func(one string) bool { return room == one || strings.HasPrefix(room, one+"/") }) {
				t.Errorf("%s: the product links %s, which is for tests and tools", system, room)
			}
			if slices.ContainsFunc(forTestsElsewhere, func(module string) bool { return strings.HasPrefix(to, module) }) {
				t.Errorf("%s: the product links %s, which is for tests", system, to)
			}
		}
	}
}

// permitted finds the permission by which a room may import another.
func permitted(allowed []string, to string) (by string, ok bool) {
	for _, a := range allowed {
		if ok, _ := filepath.Match(a, to); ok || a == "*" {
			return a, true
		}
	}
	return "", false
}

func TestEveryRoomHasOnePackageComment(t *testing.T) {
	for _, system := range systems {
		for room, p := range packages(t, system) {
			var commented []string
			for _, name := range p.GoFiles {
				file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.ParseComments|parser.PackageClauseOnly)
				if err != nil {
					t.Fatal(err)
				}
				if file.Doc != nil {
					commented = append(commented, name)
				}
			}
			if len(commented) != 1 && len(p.GoFiles) > 0 {
				t.Errorf("%s: %s has %d package comments (%v); a room says once what it is", system, room, len(commented), commented)
			}
			if slices.Contains(nowhere, filepath.Base(room)) {
				t.Errorf("%s says nothing; name the room after what is in it", room)
			}
		}
	}
}

// TestFilesStayReadable holds the hard bounds on the size of a file.
func TestFilesStayReadable(t *testing.T) {
	const most = 800
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if n := strings.Count(string(text), "\n"); n > most && !bytes.Contains(text, []byte("\n// Code generated ")) {
			t.Errorf("%s has %d lines; the bound is %d", path, n, most)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestNoReplaceLines: a replace in go.mod does not hold for those who install
// hookway with go install, so they would get another program than we test.
func TestNoReplaceLines(t *testing.T) {
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(strings.TrimSpace(line), "replace") {
			t.Errorf("go.mod: %s", line)
		}
	}
}
