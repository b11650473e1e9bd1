package script

import (
	"context"
	"encoding/json"
	"fmt"
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
}

// hostApart has the script called back as work of its own.
func (m *machine) hostApart() (any, error) {
	id, o, err := m.begun(func() {})
	if err != nil {
		return nil, err
	}
	o.c, m.aparts.serves = nil, true
	m.settle(id, "", nil)
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

// dispose ends the services of a machine that is about to be closed, for a bounded time.
func (m *machine) dispose() {
	ended := make(chan struct{})
	limit := time.NewTimer(stopTime)
	defer limit.Stop()
	ok := m.post(task{do: func() {
		if !m.aparts.serves || m.finished || m.js == nil {
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
		m.p.log(fmt.Sprintf("%s: its services did not stop within %v, and are ended", m.p.label(), stopTime))
	}
}
