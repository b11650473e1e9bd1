package trust

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/visible"
)

// Bounds of the copies of what was trusted, and of what is shown of a difference.
const (
	maxCopy      = 256 << 10 // of one file
	maxCopies    = 8 << 20   // of one workspace
	maxDiffLines = 400       // of one file
	maxDiffLine  = 400       // characters
)

// Difference is what a file held when it was trusted, against what it holds now.
type Difference struct {
	Change
	Lines []string `json:"lines"` // as in a unified diff, or one in parentheses that says why there are none
}

// copies are the texts that were trusted, each under its hash.
type copies struct{ dir string }

func (s Store) copies() copies { return copies{filepath.Join(s.Dir, "trusted")} }

// sum is the hash of a value of a manifest, or "" if it has none.
func sum(value string) string {
	name, ok := strings.CutPrefix(value, "sha256:")
	name, _, _ = strings.Cut(name, " ")
	if !ok || len(name) != 2*sha256.Size {
		return ""
	}
	return name
}

// read gives a copy, if it is what it says.
func (c copies) read(value string) ([]byte, bool) {
	name := sum(value)
	if name == "" {
		return nil, false
	}
	data, err := disk.Read(filepath.Join(c.dir, name), maxCopy)
	return data, err == nil && hashOf(data) == name
}

func hashOf(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// keep copies the files of a manifest, those that are small, and forgets what no
// workspace needs any more. Without a copy a later change can only be named.
func (c copies) keep(pins map[string]Pin, t File) error {
	if err := PrivateDir(c.dir); err != nil {
		return err
	}
	var errs []error
	total := 0
	for path, p := range pins {
		name := sum(p.Value)
		if name == "" || p.Info == nil || p.Info.Size() > maxCopy || disk.Exists(filepath.Join(c.dir, name)) {
			continue
		}
		if total += int(p.Info.Size()); total > maxCopies {
			break
		}
		if data, err := disk.Read(path, maxCopy); err == nil && hashOf(data) == name {
			errs = append(errs, disk.Replace(filepath.Join(c.dir, name), data, 0o600))
		}
	}
	return errors.Join(append(errs, c.forget(t))...)
}

// forget removes the copies that no workspace needs.
func (c copies) forget(t File) error {
	needed := map[string]bool{}
	for _, w := range t.Workspaces {
		for _, value := range w.Files {
			needed[sum(value)] = true
		}
	}
	entries, err := os.ReadDir(c.dir)
	if err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("the copies of what was trusted cannot be listed: %w", err)
	}
	for _, e := range entries {
		if !needed[e.Name()] {
			err = errors.Join(err, os.Remove(filepath.Join(c.dir, e.Name())))
		}
	}
	return err
}

// Differences compares what was trusted with what is pinned now.
func (s Store) Differences(pinned *Pins, changes []Change, old Manifest) []Difference {
	var out []Difference
	for _, c := range changes {
		path := filepath.FromSlash(c.Path)
		if !filepath.IsAbs(path) {
			path = filepath.Join(pinned.Root, path)
		}
		now, was := pinned.Files[path].Value, old[c.Path]
		out = append(out, Difference{c, s.difference(path, was, now)})
	}
	return out
}

// difference is what changed in a file, of which trust knows two values.
func (s Store) difference(path, was, now string) []string {
	var before, after []byte
	if sum(was) != "" {
		data, ok := s.copies().read(was)
		if !ok {
			return []string{"(no copy was kept of what it was; look at it whole)"}
		}
		before = data
	} else if was != "" {
		return []string{"(it was " + was + ")"}
	}
	if sum(now) != "" {
		data, err := disk.Read(path, maxCopy)
		if err != nil {
			return []string{"(it has more than can be shown; look at it whole)"}
		}
		if hashOf(data) != sum(now) {
			return []string{"(it changes while it is looked at)"}
		}
		after = data
	} else if now != "" {
		return []string{"(it is " + now + ")"}
	}
	if !isPlain(before) || !isPlain(after) {
		return []string{fmt.Sprintf("(no text: %d bytes became %d)", len(before), len(after))}
	}
	if bytes.Equal(before, after) && was != "" && now != "" {
		return []string{"(only whether it may be executed changed)"}
	}
	return unified(string(before), string(after))
}

func isPlain(data []byte) bool { return utf8.Valid(data) && bytes.IndexByte(data, 0) < 0 }

// unified is the difference of two texts, bounded.
func unified(before, after string) []string {
	_, body, _ := strings.Cut(string(diff.Diff("", []byte(before), "", []byte(after))), "+++ \n")
	var out []string
	for line := range strings.Lines(body) {
		if len(out) >= maxDiffLines {
			return append(out, "(there is more; look at it whole)")
		}
		line = strings.TrimSuffix(line, "\n")
		out = append(out, visible.Clip(line, maxDiffLine))
	}
	return out
}
