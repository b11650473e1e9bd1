package keep

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/hookway/hookway/internal/disk"
)

// Survey is what a store holds.
type Survey struct {
	Events int       `json:"events"`
	About  bool      `json:"about"` // not all were counted, so that the number is scaled
	Files  int       `json:"files"`
	Bytes  int64     `json:"bytes"`
	Oldest time.Time `json:"oldest,omitzero"` // when the oldest file was begun

	Torn    int    `json:"torn"`    // blocks over which a writer died
	Damaged int    `json:"damaged"` // blocks that cannot be read for another reason
	First   string `json:"first_damage,omitempty"`
	Fails   string `json:"fails,omitempty"` // why nothing more can be kept
}

// mostCounted bounds the bytes of a store whose events are counted one by one.
const mostCounted = 64 << 20

// TakeStock surveys a store. No folder holds nothing.
func TakeStock(ctx context.Context, dir string) (s Survey, err error) {
	there, err := files(dir)
	if errors.Is(err, os.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, fmt.Errorf("the kept events cannot be read: %w", err)
	}
	s.Fails = fails(dir)
	counted := int64(0)
	for i := len(there) - 1; i >= 0; i-- { // the newest are like those to come
		path := filepath.Join(dir, there[i].name)
		info, err := disk.Stat(path)
		if err != nil { // it went for its age meanwhile
			continue
		}
		s.Files, s.Bytes, s.Oldest = s.Files+1, s.Bytes+info.Size(), there[i].born
		if s.About = s.About || counted >= mostCounted; s.About {
			continue
		}
		counted += info.Size()
		for _, err := range entriesOf(path) {
			if ctx.Err() != nil {
				return s, ctx.Err()
			}
			s.count(err)
		}
	}
	if s.About {
		s.Events = int(float64(s.Events) * float64(s.Bytes) / float64(counted))
	}
	return s, nil
}

// entriesOf gives the entries of one file.
func entriesOf(path string) func(yield func(Entry, error) bool) {
	return func(yield func(Entry, error) bool) { readFile(path, yield) }
}

func (s *Survey) count(err error) {
	var d *Damage
	switch {
	case err == nil:
		s.Events++
		return
	case errors.As(err, &d) && d.Torn:
		s.Torn++
	default:
		s.Damaged++
	}
	if s.First == "" {
		s.First = err.Error()
	}
}

// fails says why nothing can be kept in a folder; "" if it can.
func fails(dir string) string {
	if key, err := disk.Read(filepath.Join(dir, keyName), keySize); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "the key of the placeholders cannot be used: " + err.Error()
	} else if err == nil && len(key) != keySize && len(key) > 0 {
		return fmt.Sprintf("the key of the placeholders in %s has %d bytes, not %d; remove it, and another is made", filepath.Join(dir, keyName), len(key), keySize)
	}
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR, 0o600)
	if errors.Is(err, os.ErrNotExist) {
		return ""
	}
	if err != nil {
		return "its files cannot be written: " + err.Error()
	}
	if err := f.Close(); err != nil {
		return "its files cannot be written: " + err.Error()
	}
	return ""
}
