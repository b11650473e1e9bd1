package hook

import "sync/atomic"

// memo is one value that is made when it is first asked for. Two who ask at the
// same time may both make it; all get the same one.
type memo struct{ made atomic.Pointer[memoValue] }

type memoValue struct {
	value any
	err   error
}

func (m *memo) get(build func() (any, error)) (any, error) {
	if v := m.made.Load(); v != nil {
		return v.value, v.err
	}
	value, err := build()
	m.made.CompareAndSwap(nil, &memoValue{value, err})
	v := m.made.Load()
	return v.value, v.err
}
