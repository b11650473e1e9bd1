// Package unknown remembers the namespaces of directives that no hook took, so
// that a misspelt one can be found: the directive itself is left alone.
//
// They are one small file in the state folder, one JSON object per line, the
// newest first, at most Most of them. Sessions write it together; each holds a
// lock while it reads, adds and puts the new file in the old one's place.
package unknown

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hookway/hookway/internal/disk"
)

// Most is how many namespaces are remembered. Older ones make room.
const Most = 100

const (
	maxName  = 64      // of a namespace, in bytes
	maxText  = 1 << 10 // of the other texts
	maxFile  = 2 << 20 // a larger file is not ours
	maxCount = 1 << 40
)

// Namespace is a namespace that no hook took, in one working directory.
type Namespace struct {
	Name  string    `json:"namespace"`
	Count int       `json:"count"` // of directives
	Last  time.Time `json:"last"`
	Dir   string    `json:"dir"`   // where the session ran
	Agent string    `json:"agent"` // who printed the last one
}

// Path is where the file is in the state folder.
func Path(state string) string { return filepath.Join(state, "unknown-namespaces.jsonl") }

// Read lists what the file holds, the newest first. Lines that mean nothing are
// passed over; no file is an empty list.
func Read(path string) ([]Namespace, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the list of unknown namespaces cannot be read: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", path, err)
	}
	return parse(data), nil
}

func parse(data []byte) []Namespace {
	var all []Namespace
	for line := range bytes.Lines(data) {
		var n Namespace
		if json.Unmarshal(line, &n) == nil && n.valid() {
			all = append(all, n)
		}
	}
	return newest(all)
}

// valid reports whether an entry may have been written by us.
func (n *Namespace) valid() bool {
	return isName(n.Name) && n.Count > 0 && n.Count <= maxCount && !n.Last.IsZero() && len(n.Dir) <= maxText && len(n.Agent) <= maxText
}

func isName(s string) bool {
	return s != "" && len(s) <= maxName && strings.IndexFunc(s, func(r rune) bool {
		return r >= utf8.RuneSelf || r != '_' && r != '-' && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
	}) < 0
}

// clip makes a text one that the file can hold.
func clip(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), maxText)], "")
}

// newest puts the list into order, and keeps one entry of a namespace in a
// directory and Most in all.
func newest(all []Namespace) []Namespace {
	slices.SortStableFunc(all, func(a, b Namespace) int {
		return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Dir, b.Dir))
	})
	type key struct{ name, dir string }
	seen := map[key]bool{}
	all = slices.DeleteFunc(all, func(n Namespace) bool {
		k := key{n.Name, n.Dir}
		again := seen[k]
		seen[k] = true
		return again
	})
	return all[:min(len(all), Most)]
}

// write puts the list in the file's place.
func write(path string, all []Namespace) error {
	var text bytes.Buffer
	lines := json.NewEncoder(&text)
	for _, n := range all {
		if err := lines.Encode(n); err != nil {
			return err
		}
	}
	return disk.ReplaceUnsynced(path, text.Bytes(), 0o600)
}
