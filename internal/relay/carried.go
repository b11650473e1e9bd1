package relay

import "context"

// Uncarried reports whether there is a message or receipt that somebody must carry:
// it is in no stream yet, or it is for this machine, which has not taken it in.
func (s *Store) Uncarried(ctx context.Context) (bool, error) {
	left, err := s.read(ctx).get([]any{new(int)}, "SELECT 1 FROM outbox WHERE published = 0 UNION ALL SELECT 1 FROM outbox WHERE machine = '' LIMIT 1")
	return left, s.explain("read", err)
}
