package hook

import (
	"sync"
	"sync/atomic"
)

// memo is one value that is made when it is first asked for, once. It is one
// word, because every event has one and few are asked for it.
type memo struct{ made atomic.Pointer[memoValue] }

type memoValue struct {
	once  sync.Once
	value any
	err   error
}

func (m *memo) get(build func() (any, error)) (any, error) {
	v := m.made.Load()
	if v == nil {
		m.made.CompareAndSwap(nil, new(memoValue))
		v = m.made.Load()
	}
	v.once.Do(func() { v.value, v.err = build() })
	return v.value, v.err
}
