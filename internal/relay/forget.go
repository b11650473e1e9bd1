package relay

import (
	"context"
	"fmt"
	"strings"
)

// machineForgotten is why a message did not reach another machine.
const machineForgotten = "the machine was forgotten"

// A machine that was forgotten is a fact until it comes back, so that nothing makes
// its stream again: one of what it has sent may be injected years later.
const (
	forgotten = "forgotten " // and the machine: the name of the fact
	going     = 1            // its stream may be there
	gone      = 2
)

// ForgetMachine removes another machine that does not come back, with its agents and
// what has not reached them, whose senders are notified. It refuses while there is such,
// unless force is set. If the machine does come back, it is known again.
func (s *Store) ForgetMachine(ctx context.Context, machine string, force bool) error {
	machine = strings.ToLower(strings.TrimSpace(machine))
	switch machine {
	case "": // so it is noted for what stays here
		return &refusal{"the name of the machine to forget is missing"}
	case s.machine:
		return &refusal{fmt.Sprintf("%s is this machine", machine)}
	}
	err := s.write(ctx, func(a access) error {
		if err := a.knownMachine(machine); err != nil {
			return err
		}
		var d delivery
		var waiting []delivery
		err := a.each(d.fields(), func() error { waiting = append(waiting, d); return nil },
			"SELECT "+deliveryColumns+" FROM delivery d WHERE d.machine = ? AND d.machine <> '' AND d.state < 3", machine)
		if err != nil {
			return err
		}
		var toMany int // which have no receivers there before the machine has them
		if _, err := a.get([]any{&toMany}, "SELECT count(*) FROM outbox WHERE machine = ? AND message <> '' AND agent = ''", machine); err != nil {
			return err
		}
		if n := len(waiting) + toMany; n > 0 && !force {
			return &refusal{fmt.Sprintf("what has not reached the agents of %s (%d) would be given up: --force forgets it", machine, n)}
		}
		for _, d := range waiting {
			d.stage, d.reason = refused, machineForgotten
			if err := a.move(d); err != nil {
				return err
			}
		}
		for _, table := range []string{"outbox", "peer_agent", "peer_channel", "peer"} {
			if _, err := a.exec("DELETE FROM "+table+" WHERE machine = ?", machine); err != nil {
				return err
			}
		}
		_, err = a.exec("INSERT OR REPLACE INTO fact (name, value) VALUES (?, ?)", forgotten+machine, going)
		return err
	})
	s.NotifyOutgoing()
	return s.explain("changed", err)
}

// Machines gives the other machines that are known.
func (s *Store) Machines(ctx context.Context) ([]string, error) {
	all, err := s.read(ctx).strings("SELECT machine FROM peer ORDER BY machine")
	return all, s.explain("read", err)
}

// knownMachine is an error unless there is such a machine, or something for it.
func (a access) knownMachine(machine string) error {
	known, err := a.get([]any{new(int)}, "SELECT 1 FROM peer WHERE machine = ?1 UNION ALL SELECT 1 FROM outbox WHERE machine = ?1 LIMIT 1", machine)
	if known || err != nil {
		return err
	}
	all, err := a.strings("SELECT machine FROM peer")
	return unknownOr(err, "machine", machine, nearest(machine, all))
}

// Forgotten waits until there are machines that were forgotten, whose stream may be
// there, and that need not be passed over, and gives them.
func (s *Store) Forgotten(ctx context.Context, passOver func(machine string) bool) (machines []string, err error) {
	err = s.forgetting.until(ctx, func() (bool, error) {
		machines = nil
		all, err := s.read(ctx).strings("SELECT name FROM fact WHERE name > '"+forgotten+"' AND name < 'forgotten!' AND value = ?", going)
		for _, name := range all {
			if machine := strings.TrimPrefix(name, forgotten); !passOver(machine) {
				machines = append(machines, machine)
			}
		}
		return len(machines) > 0, err
	})
	return machines, s.explain("read", err)
}

// Dropped says that the stream of a machine that was forgotten is gone.
func (s *Store) Dropped(ctx context.Context, machine string) error {
	return s.explain("changed", s.write(ctx, func(a access) error {
		_, err := a.exec("UPDATE fact SET value = ? WHERE name = ?", gone, forgotten+machine)
		return err
	}))
}

// away reports whether a machine was forgotten and has not come back.
func (a access) away(machine string) (bool, error) {
	return a.get([]any{new(int)}, "SELECT 1 FROM fact WHERE name = ?", forgotten+machine)
}

// back notes that a machine is there, whether it was forgotten or not.
func (a access) back(machine string) error {
	_, err := a.exec("DELETE FROM fact WHERE name = ?", forgotten+machine)
	return err
}
