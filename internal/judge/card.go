package judge

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/hookway/hookway/internal/disk"
)

// card is what must outlive the daemon of an agent that nobody has wrapped. It is a
// small file beside the messages, one for each session.
type card struct {
	Name     string    `json:"name,omitempty"`     // what others call it
	Answered string    `json:"answered,omitempty"` // sum of the last event that was answered with messages
	At       time.Time `json:"at,omitzero"`        // when
}

const (
	cardFolder = "guests"
	keepCards  = 90 * 24 * time.Hour // after the last change
	mostCard   = 4 << 10             // bytes of one
)

func (j *Judge) cardOf(g *guest) string {
	sum := sha256.Sum256([]byte(g.p.Program + "\x00" + g.p.Session))
	return filepath.Join(j.Relay.Dir, cardFolder, hex.EncodeToString(sum[:12]))
}

// readCard gives what is known; nothing is no error. A file that is damaged says
// nothing.
func readCard(file string) (c card, err error) {
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() > mostCard {
		return c, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return c, fmt.Errorf("what is known of a session cannot be read: %w", err)
	}
	_ = json.Unmarshal(text, &c)
	return c, nil
}

func (c card) write(file string) error {
	text, err := json.Marshal(c)
	if err == nil {
		err = replace(file, text)
	}
	if err != nil {
		return fmt.Errorf("what is known of a session cannot be kept: %w", err)
	}
	return nil
}

// replace writes a file of a running session, and makes its folder.
func replace(file string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return disk.ReplaceUnsynced(file, text, 0o600)
}

// sweepCards removes the files of sessions that ended long ago.
func sweepCards(dir string) {
	files, _ := os.ReadDir(filepath.Join(dir, cardFolder))
	for _, f := range files {
		if info, err := f.Info(); err == nil && time.Since(info.ModTime()) > keepCards {
			_ = os.Remove(filepath.Join(dir, cardFolder, f.Name()))
		}
	}
}
