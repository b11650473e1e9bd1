package relay

import "time"

// SetNow sets the clock of a store.
func (s *Store) SetNow(now func() time.Time) { s.now = now }

// Exec changes the file as no method does.
func (s *Store) Exec(text string, args ...any) error {
	_, err := s.file.Exec(text, args...)
	return err
}

// OneConn lets a store have one connection, so that what is set for it holds.
func (s *Store) OneConn() { s.file.SetMaxOpenConns(1) }

// Key, Nearest and ReadEnvelope are tested by themselves.
var (
	Key          = key
	Nearest      = nearest
	ReadEnvelope = func(data []byte) error { _, err := readEnvelope(data); return err }
)
