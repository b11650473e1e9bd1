package relay

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/sqlite"
)

// Exists reports whether there is a store in a folder: somebody has used the relay.
func Exists(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, fileName))
	return err == nil
}

// Open opens the store in a folder, and makes it if there is none.
func Open(ctx context.Context, dir string, o Options) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	s := &Store{
		dir: dir, limits: o.Limits.orDefault(), log: logline.Or(o.Log), now: time.Now,
		writing: make(chan struct{}, 1), outgoing: newSignal(), forgetting: newSignal(), consumers: map[*Consumer]bool{},
		waker: waker{wake: o.Wake},
	}
	if s.file, err = sqlite.Open(ctx, filepath.Join(dir, fileName), form); err != nil {
		return nil, err
	}
	s.opened, _ = os.Stat(s.file.Path())
	if err := s.begin(ctx, o.Machine); err != nil {
		return nil, errors.Join(s.explain("opened", err), s.file.Close())
	}
	return s, nil
}

// begin does what an open file needs to be a store.
func (s *Store) begin(ctx context.Context, machine string) error {
	for _, folder := range []string{s.consumerFolder(), s.leaseFolder()} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return err
		}
	}
	if err := s.pinMachine(ctx, machine); err != nil {
		return err
	}
	if err := s.drain(ctx); err != nil {
		s.log.Warn(s.explain("changed", err).Error()) // a full disk, perhaps: it waits, and can be read
	}
	return s.sweep(ctx)
}

// Close closes the store and the consumers that are still taken.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	var left []*Consumer
	for consumer := range s.consumers {
		left = append(left, consumer)
	}
	s.mu.Unlock()
	var errs []error
	for _, consumer := range left {
		errs = append(errs, consumer.Close())
	}
	s.waker.wait()
	return errors.Join(append(errs, s.file.Close())...)
}

// Gone reports whether the file was moved away or removed since it was opened, so that
// what others send is in another one.
func (s *Store) Gone() bool {
	now, err := os.Stat(s.file.Path())
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return s.opened != nil && !os.SameFile(s.opened, now)
}

// fileName is the store's file in its folder.
const fileName = "relay.db"

// Notify looks for what came by other processes: it wakes the consumers of this one, and
// the daemon that carries.
func (s *Store) Notify(ctx context.Context) error {
	s.notifyAgents(func(string) bool { return true })
	s.NotifyOutgoing()
	return s.explain("changed", s.drain(ctx))
}
