package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/trust"
)

// describeKey names a cached description after all that it depends on.
func describeKey(file, value string, argv []string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "1 %q %q %q", file, value, argv))
	return hex.EncodeToString(sum[:])
}

// failureKept is how long an executable that did not describe itself is left
// alone. What it lacked may be installed meanwhile, without a change of its file.
const failureKept = 10 * time.Minute

// askedAgain is the hint at such an executable.
const askedAgain = "mend it; it is asked again when the file changes, or after 10 minutes"

// noAnswer is the error of an executable that did not describe itself.
type noAnswer struct{ error }

// described is an answer in the cache: a description, or why there is none.
type described struct {
	command.Description
	Failure  string `json:",omitempty"`
	Modified int64  `json:",omitempty"` // when the file was that failed: touch has it asked again
}

// failed is the failure as an error, or nil.
func (d *described) failed() error {
	if d.Failure == "" {
		return nil
	}
	return errors.New(d.Failure)
}

// readDescription gives the cached answer of a file.
func readDescription(path, file string) (d described, ok bool) {
	f, err := disk.Open(path)
	if err != nil {
		return d, false
	}
	defer f.Close()
	info := f.Info()
	if trust.CheckOwner(path, info) != nil {
		return d, false
	}
	ok = json.NewDecoder(io.LimitReader(f, trust.MaxState)).Decode(&d) == nil && (len(d.Events) > 0) != (d.Failure != "")
	if ok && d.Failure != "" {
		age := time.Since(info.ModTime())
		ok = age >= 0 && age < failureKept && d.Modified == modified(file)
	}
	if string(d.Match) == "null" { // as a nil one is written
		d.Match = nil
	}
	return d, ok
}

// modified is when a file was modified, or 0.
func modified(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return info.ModTime().UnixNano()
}

// maxDescriptions bounds the cache: versions of hooks that are gone are never
// looked for again.
const maxDescriptions = 512

// prune takes the older half of a cache away that has grown too large.
func prune(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) <= maxDescriptions {
		return
	}
	age := map[string]int64{}
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			age[e.Name()] = info.ModTime().UnixNano()
		}
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return int(min(1, max(-1, age[a.Name()]-age[b.Name()]))) })
	for _, e := range entries[:len(entries)-maxDescriptions/2] {
		_ = os.Remove(filepath.Join(dir, e.Name())) // what stays is asked for next time
	}
}
