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
	"slices"
)

// record is what is noted of a file that hookway was written into, so that it can
// be given back as it was.
type record struct {
	Path    string   `json:"path"`
	Scope   string   `json:"scope"`
	Created bool     `json:"created,omitempty"` // the file was not there
	Dirs    []string `json:"dirs,omitempty"`    // folders that were not there, outermost first
	Before  []byte   `json:"before"`
	After   string   `json:"after"` // hash of the file as it was written

	// Wrote are the hashes of what hookway wrote before that, the newest last: a
	// backup of one of these says nothing of anybody else's.
	Wrote []string `json:"wrote,omitempty"`
}

// maxWrote bounds how many are remembered; more backups are never kept.
const maxWrote = 2 * backups

// ours reports whether hookway itself wrote a text.
func (r *record) ours(text []byte) bool {
	return r != nil && (r.After == hash(text) || slices.Contains(r.Wrote, hash(text)))
}

// recordFile is where the record of a file is. A file may have one for each
// scope: the approvals of both are in Codex's one config.toml.
func recordFile(state string, scope Scope, path string) string {
	return filepath.Join(state, "install", hash([]byte(scope.String() + " " + path))[:32]+".json")
}

func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// readRecord gives the record of a file; nil if there is none that can be used.
func readRecord(state string, scope Scope, path string) *record {
	text, err := os.ReadFile(recordFile(state, scope, path))
	if err != nil {
		return nil
	}
	var r record
	if json.Unmarshal(text, &r) != nil || r.Path != path || r.Scope != scope.String() {
		return nil
	}
	return &r
}

func (r *record) write(state string, scope Scope) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	file := recordFile(state, scope, r.Path)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("what was there before cannot be noted: %w", err)
	}
	return replace(file, text, 0o600)
}

func dropRecord(state string, scope Scope, path string) error {
	err := os.Remove(recordFile(state, scope, path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
