package spool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/sqlite"
)

// setAside renames a damaged file, so that a new one is made, and removes the one that
// was set aside before. Another process may have done it already. The lock of opening
// is held; file is closed, if it is open.
func (s *Spool) setAside(ctx context.Context, file *sqlite.File, damage error) error {
	if file != nil {
		_ = file.Close() // it is damaged anyway
	}
	patient, cancel := context.WithTimeout(ctx, lockTime)
	defer cancel()
	unlock, err := disk.LockFile(patient, s.path()+".aside")
	if err != nil {
		return errors.Join(damage, err)
	}
	defer unlock()
	if !s.damaged(ctx) {
		return nil
	}
	old, _ := filepath.Glob(s.path() + ".broken-*")
	to := s.path() + ".broken-" + time.Now().UTC().Format("20060102T150405.000000")
	for _, part := range []string{"-wal", "-shm", ""} {
		if err := os.Rename(s.path()+part, to+part); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return errors.Join(damage, fmt.Errorf("it cannot be set aside: %w", err))
		}
	}
	for _, path := range old {
		_ = os.Remove(path) // it only takes room
	}
	s.log("messages for webhooks that were not sent yet are lost: %v; the file is now %s", damage, to)
	return nil
}

// damaged reports whether the file is still a damaged one.
func (s *Spool) damaged(ctx context.Context) bool {
	if !s.exists() {
		return false
	}
	file, err := sqlite.Open(ctx, s.path(), form)
	if err != nil {
		return errors.Is(err, sqlite.ErrDamaged)
	}
	defer file.Close()
	var says string
	err = file.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&says)
	return says != "ok" && (err == nil || errors.Is(file.Explain("read", err), sqlite.ErrDamaged))
}

// lockTime bounds how long another process may take with the file.
const lockTime = 10 * time.Second
