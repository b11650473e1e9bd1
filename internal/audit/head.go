package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/disk"
)

// headName is the file that says from where to where the log goes.
const headName = "head"

// headForm is what the head says.
type headForm struct {
	First  int64  `json:"first"`  // number of the first record that was not removed for its age
	Anchor string `json:"anchor"` // hash of the record before it
	Seq    int64  `json:"seq"`    // up to here the log is on the disk
	Hash   string `json:"hash"`
}

// readHead gives the head; nil and an error if it is missing or broken.
func readHead(dir string) (*headForm, error) {
	text, err := os.ReadFile(filepath.Join(dir, headName))
	if err != nil {
		return nil, err
	}
	var h headForm
	if err := json.Unmarshal(text, &h); err != nil || h.First < 1 || h.Seq < 0 {
		return nil, fmt.Errorf("%s is damaged", filepath.Join(dir, headName))
	}
	return &h, nil
}

// Span is from which record to which a log goes, as far as its head says; zero if nothing
// is known.
func Span(dir string) (first, last int64) {
	h, err := readHead(dir)
	if err != nil {
		return 0, 0
	}
	return h.First, h.Seq
}

// writeHead replaces the head. The caller holds the lock.
func writeHead(dir string, h *headForm) error {
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	return disk.Replace(filepath.Join(dir, headName), append(text, '\n'), 0o600)
}

const fileEnd = ".jsonl"

// fileName is the name of the file that begins with a record.
func fileName(seq int64) string { return fmt.Sprintf("%016d%s", seq, fileEnd) }

// firstOf is the number of the record that a file begins with.
func firstOf(name string) int64 {
	digits, ok := strings.CutSuffix(name, fileEnd)
	if !ok || len(digits) < 16 {
		return 0
	}
	seq, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || seq < 1 || fileName(seq) != name {
		return 0
	}
	return seq
}

// fileNames lists the files of a log, oldest first.
func fileNames(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if firstOf(e.Name()) > 0 && !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	slices.SortFunc(names, func(a, b string) int { return int(firstOf(a) - firstOf(b)) })
	return names, nil
}

// sweep removes files that are too old, or too many. The head says first where
// the log begins from now on, so that Verify knows that it may.
func (s *store) sweep(now time.Time) error {
	names, err := fileNames(s.config.Dir)
	if err != nil {
		return err
	}
	infos := make([]os.FileInfo, len(names))
	total := int64(0)
	for i, name := range names {
		if infos[i], err = os.Stat(filepath.Join(s.config.Dir, name)); err != nil {
			return err
		}
		total += infos[i].Size()
	}
	old := 0
	for old < len(names)-1 { // the last is being written
		if total <= s.config.KeepSize && now.Sub(infos[old].ModTime()) <= s.config.KeepAge {
			break
		}
		total -= infos[old].Size()
		old++
	}
	head, err := readHead(s.config.Dir)
	if err != nil {
		return err
	}
	if old > 0 {
		if err := s.beginAt(head, names[old]); err != nil {
			return err
		}
	}
	for _, name := range names[:old] {
		err = errors.Join(err, os.Remove(filepath.Join(s.config.Dir, name)))
	}
	return err
}

// beginAt notes in the head that the log begins with a file.
func (s *store) beginAt(head *headForm, name string) error {
	path := filepath.Join(s.config.Dir, name)
	if path == s.path && s.size == 0 {
		head.First, head.Anchor = s.end.seq+1, s.end.hash
		return writeHead(s.config.Dir, head)
	}
	first, err := readFirst(path)
	if err != nil {
		return fmt.Errorf("%s has no record: %w", path, err)
	}
	head.First, head.Anchor = first.Seq, first.Prev
	return writeHead(s.config.Dir, head)
}
