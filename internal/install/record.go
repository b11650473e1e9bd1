package install

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// record is what is noted of a file that hookway was written into, so that it can
// be given back as it was.
type record struct {
	Path    string   `json:"path"`
	Created bool     `json:"created,omitempty"` // the file was not there
	Dirs    []string `json:"dirs,omitempty"`    // folders that were not there, outermost first
	Before  []byte   `json:"before"`
	After   string   `json:"after"` // hash of the file as it was written
}

// recordFile is where the record of a file is.
func recordFile(state, path string) string {
	return filepath.Join(state, "install", hash([]byte(path))[:32]+".json")
}

func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// readRecord gives the record of a file; nil if there is none that can be used.
func readRecord(state, path string) *record {
	text, err := os.ReadFile(recordFile(state, path))
	if err != nil {
		return nil
	}
	var r record
	if json.Unmarshal(text, &r) != nil || r.Path != path {
		return nil
	}
	return &r
}

func (r *record) write(state string) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	file := recordFile(state, r.Path)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("what was there before cannot be noted: %w", err)
	}
	return writeAtomic(file, text, 0o600)
}

func dropRecord(state, path string) error {
	err := os.Remove(recordFile(state, path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
