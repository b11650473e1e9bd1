package relay

import (
	"context"
	"fmt"

	"golang.org/x/text/unicode/norm"
)

// Stranger says why a message from outside cannot bear a name that it gives itself:
// an agent is known by it, here or on another machine, or it is reserved.
func (s *Store) Stranger(ctx context.Context, name string) error {
	if err := Reserved(name); err != nil {
		return err
	}
	known, err := s.read(ctx).get([]any{new(int)},
		"SELECT 1 FROM agent WHERE key = ?1 UNION ALL SELECT 1 FROM peer_agent WHERE key = ?1 LIMIT 1", key(norm.NFC.String(name)))
	if err != nil {
		return s.explain("read", err)
	}
	if known {
		return &refusal{fmt.Sprintf("%s is an agent; what comes from outside has another name, unless the configuration says it", name)}
	}
	return nil
}
