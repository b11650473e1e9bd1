package recall

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/visible"
)

// notes are what is known of one session: a small file, since each event may be
// answered by another process. What cannot be read is nothing.
type notes struct {
	path string
	page page
}

type page struct {
	Told   []string `json:"told,omitempty"`   // ids
	Kept   []string `json:"kept,omitempty"`   // sums of texts
	Prompt string   `json:"prompt,omitempty"` // the last one
}

// Bounds of the notes.
const (
	mostNoted  = 2000
	mostPage   = 1 << 20
	keptNotes  = 7 * 24 * time.Hour
	lastPrompt = 200 // bytes
)

func (r *Recall) notes(session string) *notes {
	n := &notes{}
	if session == "" || r.Notes == "" {
		return n
	}
	n.path = filepath.Join(r.Notes, sum(session)+".json")
	n.read()
	return n
}

// read reads the file, if there is one.
func (n *notes) read() {
	if info, err := os.Stat(n.path); err != nil || info.Size() > mostPage {
		return
	}
	if data, err := os.ReadFile(n.path); err == nil {
		n.page = page{}
		if json.Unmarshal(data, &n.page) != nil {
			n.page = page{}
		}
	}
}

// changing is held by who changes notes.
var changing sync.Mutex

// change changes what is noted now: a save may have taken long, and others have
// noted something meanwhile.
func (n *notes) change(do func(*page)) error {
	changing.Lock()
	defer changing.Unlock()
	if n.path != "" {
		n.read()
	}
	do(&n.page)
	return n.write()
}

func sum(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:12])
}

func (n *notes) was(id string) bool { return slices.Contains(n.page.Told, id) }

func (n *notes) kept(text string) bool { return slices.Contains(n.page.Kept, sum(text)) }

func (n *notes) prompt() string { return n.page.Prompt }

// prompted notes what the user asked last. It is of no weight if it cannot be.
func (n *notes) prompted(text string) {
	_ = n.change(func(p *page) { p.Prompt = visible.ClipBytes(text, lastPrompt) })
}

func (n *notes) forget() {
	_ = n.change(func(p *page) { p.Told = nil })
}

func (n *notes) add(ids []string) error {
	return n.change(func(p *page) { p.Told = last(append(p.Told, ids...)) })
}

func (n *notes) keep(text string) error {
	return n.change(func(p *page) { p.Kept = last(append(p.Kept, sum(text))) })
}

func last(list []string) []string { return list[max(0, len(list)-mostNoted):] }

// write replaces the file as a whole. A new one takes the oldest away.
func (n *notes) write() error {
	if n.path == "" {
		return nil
	}
	fail := func(err error) error {
		return fmt.Errorf("what the session was told cannot be noted: %w", err)
	}
	data, err := json.Marshal(n.page)
	if err != nil {
		return fail(err)
	}
	dir := filepath.Dir(n.path)
	if _, err := os.Stat(n.path); err != nil {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fail(err)
		}
		sweep(dir)
	}
	if err := disk.ReplaceUnsynced(n.path, data, 0o600); err != nil {
		return fail(err)
	}
	return nil
}

// sweep takes away the notes of sessions that ended long ago.
func sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > keptNotes {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
