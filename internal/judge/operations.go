package judge

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/disk"
)

// Operations keeps in a folder what hooks set in the metadata for the later events
// of their operation: a small file for each session, from the first that is set to
// the end of the run. So it outlives the daemon, and processes that answer one event
// each share it.
func Operations(dir string, log *slog.Logger) *hook.Operations {
	return &hook.Operations{Store: &operationFiles{dir: dir, log: log}}
}

const (
	keepOperations = 7 * 24 * time.Hour // after the last change: the agent was killed
	mostOperations = 8 << 20            // bytes of a file
	operationsLock = 2 * time.Second    // that another process may hold the lock, for one small write
)

type operationFiles struct {
	dir string
	log *slog.Logger

	mu    sync.Mutex
	swept bool
}

func (s *operationFiles) file(session string) string {
	sum := sha256.Sum256([]byte(session))
	return filepath.Join(s.dir, hex.EncodeToString(sum[:12]))
}

// Load gives what is kept for a session. What cannot be read says nothing.
func (s *operationFiles) Load(session string) []byte {
	text, err := readOperations(s.file(session))
	if err != nil {
		return nil
	}
	return text
}

// Update changes what is kept for a session. What cannot be kept is told: the
// event is judged all the same.
func (s *operationFiles) Update(session string, edit func([]byte) []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.update(s.file(session), edit); err != nil && s.log != nil {
		s.log.Warn(fmt.Sprintf("what hooks set in the metadata cannot be kept for the events that follow: %v", err))
	}
}

func readOperations(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil || info.Size() > mostOperations {
		return nil, err
	}
	return os.ReadFile(file)
}

func (s *operationFiles) update(file string, edit func([]byte) []byte) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	if !s.swept {
		s.swept = true
		s.sweep()
	}
	before, err := readOperations(file)
	if err != nil {
		before = nil
	}
	after := edit(before)
	switch {
	case bytes.Equal(before, after):
		return nil
	case after == nil:
		return os.Remove(file)
	}
	return disk.WriteState(file, after)
}

// lock keeps other processes away.
func (s *operationFiles) lock() (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(context.Background(), operationsLock)
	defer cancel()
	return disk.LockFile(ctx, filepath.Join(s.dir, "lock"))
}

// sweep removes the files of runs whose end did not come. The lock is held.
func (s *operationFiles) sweep() {
	files, _ := os.ReadDir(s.dir)
	for _, f := range files {
		if info, err := f.Info(); err == nil && f.Name() != "lock" && time.Since(info.ModTime()) > keepOperations {
			_ = os.Remove(filepath.Join(s.dir, f.Name()))
		}
	}
}
