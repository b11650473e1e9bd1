package script

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"modernc.org/quickjs"
)

// What a plugin's services do is work of the script itself and of no event: it goes
// on as long as the machine that has them.

// stopTime is how long services may take to end with their program.
const stopTime = 2 * time.Second

// aparts are what a machine's services need of the host.
type aparts struct {
	serves bool                  // there is something to stop
	gates  map[int]chan struct{} // for events that wait until services have begun
	ended  chan struct{}         // closed when they are stopped
	before []*machine            // that had the program before: their services end first
	stop   sync.Once             // the services
	left   chan struct{}         // closed when there are none any more
	leaves bool                  // they are being ended, since the machine was stopped
}

// hostApart has the script called back as work of its own.
func (m *machine) hostApart() (any, error) {
	id, o, err := m.begun(func() {})
	if err != nil {
		return nil, err
	}
	o.c, m.aparts.serves = nil, true
	before := m.aparts.before
	m.aparts.before = nil
	if len(before) == 0 {
		m.settle(id, "", nil)
		return id, nil
	}
	m.ending.Go(func() {
		for _, other := range before {
			select {
			case <-other.aparts.left:
			case <-other.over:
			case <-m.life.Done():
				return
			}
		}
		m.settle(id, "", nil)
	})
	return id, nil
}

// gate is what the script opens when its services have begun.
func (m *machine) gate(args []json.RawMessage) chan struct{} {
	var id int
	if len(args) > 0 {
		_ = json.Unmarshal(args[0], &id) // it is our own number
	}
	if m.aparts.gates == nil {
		m.aparts.gates = map[int]chan struct{}{}
	}
	if m.aparts.gates[id] == nil {
		m.aparts.gates[id] = make(chan struct{})
	}
	return m.aparts.gates[id]
}

// opened lets the events go on that wait at a gate.
func opened(m *machine, args []json.RawMessage) (any, error) {
	gate := m.gate(args)
	select {
	case <-gate:
	default:
		close(gate)
	}
	return nil, nil
}

// gated waits at a gate.
func (m *machine) gated(args json.RawMessage) work {
	gate := m.gate(texts(args))
	return func(ctx context.Context, _ *Program, _ json.RawMessage) (any, error) {
		select {
		case <-gate:
			return nil, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// together keeps all events of the program in one machine: what they share is there.
func together(m *machine, _ []json.RawMessage) (any, error) {
	m.p.single.Store(true)
	return nil, nil
}

// stopped hears that the services have ended.
func stopped(m *machine, _ []json.RawMessage) (any, error) {
	if m.aparts.ended != nil {
		close(m.aparts.ended)
		m.aparts.ended = nil
	}
	return nil, nil
}

// retires has a machine that takes no more calls end: after the last of those that it
// has, and after its services.
func (m *machine) retires() {
	if !m.finished {
		return
	}
	if !m.aparts.leaves {
		m.aparts.leaves = true
		if !m.aparts.serves || m.spoiled {
			m.aparts.stop.Do(func() { close(m.aparts.left) })
		} else {
			m.gone.Go(func() {
				m.dispose()
				m.post(task{do: func() {}}) // looks here again
			})
		}
	}
	select {
	case <-m.aparts.left:
	default:
		if !m.spoiled {
			return
		}
	}
	if len(m.calls) == 0 {
		m.close()
	}
}

// dispose ends the services of a machine that is about to be closed, for a bounded time.
// It waits also where another one does it.
func (m *machine) dispose() {
	m.aparts.stop.Do(func() {
		defer close(m.aparts.left)
		m.stopServices()
	})
}

func (m *machine) stopServices() {
	ended := make(chan struct{})
	limit := time.NewTimer(m.p.stopTime)
	defer limit.Stop()
	ok := m.post(task{do: func() {
		if !m.aparts.serves || m.spoiled || m.js == nil {
			close(ended)
			return
		}
		m.aparts.ended = ended
		m.limit(nil)
		_, err := m.fns[4].Call(quickjs.UndefinedValue)
		if err == nil {
			err = m.drain(nil)
		}
		if err != nil {
			m.say(m.p.explain(err, nil).Error())
		}
	}})
	if !ok {
		return
	}
	select {
	case <-ended:
	case <-m.over:
	case <-limit.C:
		m.p.log(fmt.Sprintf("%s: its services did not stop within %v, and are ended", m.p.label(), m.p.stopTime))
		m.close()
		select {
		case <-m.over:
		case <-time.After(m.p.stopTime): // something of the host's hangs
		}
	}
}
