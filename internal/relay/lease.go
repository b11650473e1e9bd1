package relay

import (
	"context"
	"os"
	"time"

	"github.com/hookway/hookway/internal/sqlite"
)

// Leads reports whether the consumer has the inbox of its name, and takes it if no consumer
// has it any more.
func (consumer *Consumer) Leads(ctx context.Context) (bool, error) {
	leads, err := consumer.leads(ctx)
	return leads, consumer.s.explain("read", err)
}

// leads also holds for a consumer of the session that has the inbox: the same agent is
// there, whether it is written to or asks.
func (consumer *Consumer) leads(ctx context.Context) (bool, error) {
	consumer.touch()
	consumer.mu.Lock()
	if consumer.lease != nil || consumer.closed {
		defer consumer.mu.Unlock()
		return !consumer.closed, nil
	}
	file, err := lockFile(consumer.s.leaseFile(consumer.agent))
	if err != nil {
		consumer.mu.Unlock()
		return false, err
	}
	consumer.lease = file
	p := consumer.p
	consumer.mu.Unlock()
	if file != nil {
		err := consumer.s.write(ctx, func(a access) error { return a.lead(consumer, p) })
		if err != nil {
			consumer.yield(file)
		}
		return err == nil, err
	}
	// The one that has the lease may not have said so yet: then the one before it is
	// noted still, which has ended.
	var lead, session string
	_, err = consumer.s.read(ctx).get([]any{&lead, &session}, "SELECT seat.id, seat.session FROM agent JOIN seat ON seat.id = agent.lead WHERE key = ?", consumer.agent)
	if err != nil || session != p.Session {
		return false, err
	}
	alive, _, err := consumer.s.alive(lead)
	return alive, err
}

// yield returns an inbox that could not be reported: at the next call it is
// taken again, and noted.
func (consumer *Consumer) yield(file *os.File) {
	consumer.mu.Lock()
	defer consumer.mu.Unlock()
	if consumer.lease == file { // else Close has it
		consumer.lease = nil
		_ = file.Close()
	}
}

// lead notes which consumer has the inbox of its agent.
func (a access) lead(consumer *Consumer, p Presence) error {
	_, err := a.exec("UPDATE agent SET lead = ?, program = ?, cwd = ?, kind = ?, seen = ? WHERE key = ?",
		consumer.id, p.Program, p.CWD, p.Kind, sqlite.Micros(a.s.now()), consumer.agent)
	return err
}

// touch notes on the lock's file that the session lives: should its process be
// killed, that is its last sign of life.
func (consumer *Consumer) touch() {
	consumer.mu.Lock()
	defer consumer.mu.Unlock()
	now := consumer.s.now()
	if now.Sub(consumer.noted) < 10*time.Second || consumer.closed {
		return
	}
	consumer.noted = now
	_ = os.Chtimes(consumer.s.consumerFile(consumer.id), now, now)
}
