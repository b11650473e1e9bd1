package script

import (
	"fmt"
	"time"

	"modernc.org/quickjs"
	"modernc.org/quickjs/intl"
)

// load makes the virtual machine and runs the script's top level.
func (m *machine) load() (err error) {
	if m.prog == nil {
		if err := m.p.failedBefore(); err != nil {
			return err
		}
	}
	ours, err := preludeCode()
	if err != nil {
		return err
	}
	code, err := m.p.compiled()
	if err != nil {
		return err
	}
	if err := m.engine(ours); err != nil {
		return err
	}
	js := m.js
	if m.p.b.Intl {
		if err := intl.Register(js); err != nil {
			return fmt.Errorf("%s: Intl cannot be set up: %w", m.p.label(), err)
		}
	}
	if m.prog != nil {
		return m.loadProgram(code)
	}
	if m.p.b.Later {
		m.reading = time.AfterFunc(m.p.loadTime, func() {
			m.post(task{do: func() {
				m.read(fmt.Errorf("%s: %w in %v", m.p.label(), errLate, m.p.loadTime))
			}})
		})
	}
	if err = m.eval(code); err == nil {
		err = m.p.explain(m.drain(nil), nil)
	}
	if err != nil && m.loadErr == nil { // else the script itself said more
		m.read(err)
		return err
	}
	return m.loadErr
}

// loadProgram runs a program's first lines to their end.
func (m *machine) loadProgram(code []byte) error {
	if err := m.prog.enter(m); err != nil {
		return err
	}
	m.limit(m.runs)
	err := m.eval(code)
	if err == nil {
		err = m.p.explain(m.drain(m.runs), m.runs)
	}
	if m.prog.exited {
		return nil
	}
	return err
}

// engine makes the virtual machine, with what is ours.
func (m *machine) engine(ours []byte) error {
	js, err := quickjs.NewVM()
	if err != nil {
		return fmt.Errorf("the script engine cannot start: %w", err)
	}
	limit := uintptr(memoryLimit)
	if m.prog != nil && m.prog.Memory != 0 {
		limit = m.prog.Memory
	}
	js.SetMemoryLimit(limit)
	m.mu.Lock()
	m.js = js
	m.mu.Unlock()
	if err := m.host(); err != nil {
		return err
	}
	_ = js.SetEvalTimeout(m.reads())
	if err := m.eval(ours); err != nil {
		return err
	}
	return m.entrances()
}

// reads is how long reading the file may take: no longer than the event that
// waits for it, so that its failure says where the file was.
func (m *machine) reads() time.Duration {
	if m.cur == nil || m.cur.until.IsZero() {
		return m.p.loadTime
	}
	return max(min(m.p.loadTime, time.Until(m.cur.until)), time.Millisecond)
}

// eval runs bytecode.
func (m *machine) eval(code []byte) error {
	v, err := m.js.EvalBytecodeValue(code)
	if err != nil {
		return m.p.explain(err, nil)
	}
	v.Free()
	return nil
}

// entrances finds the functions of the prelude through which hookway calls.
func (m *machine) entrances() error {
	global := m.js.GlobalObject()
	defer global.Free()
	ours, err := property(m.js, global, "__hookway")
	if err != nil {
		return err
	}
	defer ours.Free()
	for i, name := range []string{"call", "settle", "abort", "describe", "close"} {
		if m.fns[i], err = property(m.js, ours, name); err != nil {
			return err
		}
	}
	return nil
}

func property(js *quickjs.VM, of quickjs.Value, name string) (quickjs.Value, error) {
	atom, err := js.NewAtom(name)
	if err != nil {
		return quickjs.Value{}, fmt.Errorf("the script engine: %w", err)
	}
	v, err := of.GetPropertyValue(atom)
	if err != nil {
		return v, fmt.Errorf("the script engine: %w", err)
	}
	return v, nil
}

// compiled gives the program's bytecode, made once.
func (p *Program) compiled() ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bytecode == nil {
		code, err := compile(p.b, p.c.Cache)
		if err != nil {
			return nil, p.explain(err, nil)
		}
		p.bytecode = code
	}
	return p.bytecode, nil
}
