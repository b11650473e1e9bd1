package audit

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
	"sync"
	"time"
	"unicode/utf8"

	"context"

	"github.com/hookway/hookway/internal/disk"
)

// The namespaces of directives that no hook took are remembered, so that a misspelt one
// can be found: the directive itself is left alone. They are one small file in the state
// folder, one JSON object per line, the newest first. Sessions write it together; each
// holds a lock while it reads, adds and puts the new file in the old one's place.

// MostNamespaces is how many namespaces are remembered. Older ones make room.
const MostNamespaces = 100

const (
	namespaceMaxName  = 64      // of a namespace, in bytes
	namespaceMaxText  = 1 << 10 // of the other texts
	namespaceMaxFile  = 2 << 20 // a larger file is not ours
	namespaceMaxCount = 1 << 40
)

// Namespace is a namespace that no hook took, in one working directory.
type Namespace struct {
	Name  string    `json:"namespace"`
	Count int       `json:"count"` // of directives
	Last  time.Time `json:"last"`
	Dir   string    `json:"dir"`   // where the session ran
	Agent string    `json:"agent"` // who printed the last one
}

// NamespacesPath is where the file is in the state folder.
func NamespacesPath(state string) string { return filepath.Join(state, "unknown-namespaces.jsonl") }

// ReadNamespaces lists what the file holds, the newest first. Lines that mean nothing are
// passed over; no file is an empty list.
func ReadNamespaces(path string) ([]Namespace, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the list of unknown namespaces cannot be read: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, namespaceMaxFile))
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", path, err)
	}
	return parseNamespaces(data), nil
}

func parseNamespaces(data []byte) []Namespace {
	var all []Namespace
	for line := range bytes.Lines(data) {
		var n Namespace
		if json.Unmarshal(line, &n) == nil && n.valid() {
			all = append(all, n)
		}
	}
	return newestNamespaces(all)
}

// valid reports whether an entry may have been written by us.
func (n *Namespace) valid() bool {
	return isName(n.Name) && n.Count > 0 && n.Count <= namespaceMaxCount && !n.Last.IsZero() && len(n.Dir) <= namespaceMaxText && len(n.Agent) <= namespaceMaxText
}

func isName(s string) bool {
	return s != "" && len(s) <= namespaceMaxName && strings.IndexFunc(s, func(r rune) bool {
		return r >= utf8.RuneSelf || r != '_' && r != '-' && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
	}) < 0
}

// clipName makes a text one that the file can hold.
func clipName(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), namespaceMaxText)], "")
}

// newestNamespaces puts the list into order, and keeps one entry of a namespace in a
// directory and MostNamespaces in all.
func newestNamespaces(all []Namespace) []Namespace {
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
	return all[:min(len(all), MostNamespaces)]
}

// writeNamespaces puts the list in the file's place.
func writeNamespaces(path string, all []Namespace) error {
	var text bytes.Buffer
	lines := json.NewEncoder(&text)
	for _, n := range all {
		if err := lines.Encode(n); err != nil {
			return err
		}
	}
	return disk.ReplaceUnsynced(path, text.Bytes(), 0o600)
}

const (
	namespaceEvery = time.Second     // a flood of directives is not a flood of writes
	namespaceWait  = 5 * time.Second // for Close; Note does not wait
)

// Namespaces is where one session notes the namespaces that no hook took. Its
// methods may be called by several goroutines at once.
type Namespaces struct {
	Path  string // see NamespacesPath
	Dir   string // of the session
	Agent string

	mu      sync.Mutex
	noted   map[string]*Namespace // not written yet
	written time.Time
	err     error // the last one
}

// Note counts a directive of the namespace. It does not wait for anybody: what
// cannot be written now is written by a later call, or by Close.
func (b *Namespaces) Note(namespace string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	n := b.noted[namespace]
	switch {
	case n != nil:
	case !isName(namespace) || len(b.noted) >= MostNamespaces:
		return
	default:
		if b.noted == nil {
			b.noted = map[string]*Namespace{}
		}
		n = &Namespace{Name: namespace, Dir: clipName(b.Dir), Agent: clipName(b.Agent)}
		b.noted[namespace] = n
	}
	n.Count, n.Last = n.Count+1, now.UTC()
	if now.Sub(b.written) >= namespaceEvery {
		b.written = now
		b.err = b.flush(0)
	}
}

// Close writes what is not written yet. The error is that of the last try.
func (b *Namespaces) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.noted) > 0 {
		b.err = b.flush(namespaceWait)
	}
	if b.err != nil {
		return fmt.Errorf("unknown namespaces could not be noted for hookway doctor: %w", b.err)
	}
	return nil
}

// flush adds what was noted to the file. mu is held.
func (b *Namespaces) flush(wait time.Duration) error {
	if err := os.MkdirAll(filepath.Dir(b.Path), 0o700); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	unlock, err := disk.LockFile(ctx, b.Path+".lock")
	if errors.Is(err, disk.ErrHeld) && wait == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	defer unlock()
	all, err := ReadNamespaces(b.Path)
	if err != nil {
		return err
	}
	for _, n := range b.noted {
		i := slices.IndexFunc(all, func(old Namespace) bool { return old.Name == n.Name && old.Dir == n.Dir })
		if i < 0 {
			all = append(all, *n)
			continue
		}
		all[i].Count = min(all[i].Count+n.Count, namespaceMaxCount)
		all[i].Last, all[i].Agent = n.Last, n.Agent
	}
	if err := writeNamespaces(b.Path, newestNamespaces(all)); err != nil {
		return err
	}
	b.noted = nil
	return nil
}
