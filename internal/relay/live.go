package relay

import (
	"context"
	"os"
	"time"

	"github.com/hookway/hookway/internal/sqlite"
)

// live is a consumer, and the last sign of life of its process, if that has ended.
type live struct {
	id, agent, session string
	heard              time.Time
}

// present gives the consumers of an agent, or with "" of all, that are alive, and those
// that are not.
func (a access) present(agent string) (alive, gone []live, err error) {
	query, args := "SELECT id, agent, session FROM seat", []any(nil)
	if agent != "" {
		query, args = query+" WHERE agent = ?", []any{agent}
	}
	var one live
	var all []live
	if err := a.each([]any{&one.id, &one.agent, &one.session}, func() error { all = append(all, one); return nil }, query, args...); err != nil {
		return nil, nil, err
	}
	for _, consumer := range all {
		ok, heard, err := a.s.alive(consumer.id)
		if err != nil {
			return nil, nil, err
		}
		if ok {
			alive = append(alive, consumer)
		} else {
			consumer.heard = heard
			gone = append(gone, consumer)
		}
	}
	return alive, gone, nil
}

// running tells of an agent, or with "" of all, whether a session of theirs is alive.
func (a access) running(agent string) (map[string]bool, error) {
	alive, _, err := a.present(agent)
	running := map[string]bool{}
	for _, consumer := range alive {
		running[consumer.agent] = true
	}
	return running, err
}

// reap removes the consumers of processes that have ended without giving them back.
func (s *Store) reap(ctx context.Context) error {
	_, gone, err := s.read(ctx).present("")
	if len(gone) == 0 || err != nil {
		return err
	}
	return s.write(ctx, func(a access) error {
		for _, consumer := range gone {
			if err := a.unregister(consumer.id, time.Time{}); err != nil {
				return err
			}
		}
		return nil
	})
}

// unregister removes a consumer that is not alive. It has ended at its last sign of life, if
// it is not known better.
func (a access) unregister(id string, ended time.Time) error {
	alive, heard, err := a.s.alive(id)
	if alive || err != nil {
		return err
	}
	if ended.IsZero() {
		ended = heard
	}
	var agent string
	known, err := a.get([]any{&agent}, "SELECT agent FROM seat WHERE id = ?", id)
	if !known || err != nil {
		return err
	}
	if _, err := a.exec("DELETE FROM seat WHERE id = ?", id); err != nil {
		return err
	}
	running, err := a.running(agent)
	if err != nil {
		return err
	}
	if !running[agent] {
		if _, err := a.exec("UPDATE agent SET since = max(since, ?1), seen = max(seen, ?1) WHERE key = ?2", sqlite.Micros(ended), agent); err != nil {
			return err
		}
	}
	_ = os.Remove(a.s.consumerFile(id)) // it says nothing any more
	return nil
}
