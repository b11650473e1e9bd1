package config

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/hook"
)

// describeKey names a cached description after all that it depends on.
func describeKey(file, value string, argv []string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "1 %q %q %q", file, value, argv))
	return hex.EncodeToString(sum[:])
}

func readDescription(path string) (d command.Description, ok bool) {
	f, info, err := openRegular(path)
	if err != nil {
		return d, false
	}
	defer f.Close()
	if checkOwner(path, info) != nil {
		return d, false
	}
	ok = json.NewDecoder(f).Decode(&d) == nil && len(d.Events) > 0
	if string(d.Match) == "null" { // as a nil one is written
		d.Match = nil
	}
	return d, ok
}

// keepDescription caches an answer. Without a state folder it is asked again.
func (l *loader) keepDescription(path string, d command.Description) {
	data, err := json.Marshal(d)
	if err == nil {
		err = errors.Join(privateDir(l.stateDir), os.MkdirAll(filepath.Dir(path), 0o700))
	}
	if err == nil {
		err = writeFile(path, data)
	}
	if err != nil && l.opts.Log != nil {
		l.opts.Log(hook.LogLine("a hook's description could not be kept: " + err.Error()))
	}
	prune(filepath.Dir(path))
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
