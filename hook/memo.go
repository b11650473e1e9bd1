package hook

import (
	"errors"
	"sync"
	"sync/atomic"
)

// memo is one value that is made when it is first asked for, once. It is one
// word, because every event has one and few are asked for it.
type memo struct{ made atomic.Pointer[memoValue] }

// memoValue is the value with the lock that makes it once.
type memoValue struct {
	once  sync.Once
	value any
	err   error
}

// errMemo is the error of a memo whose build panicked.
var errMemo = errors.New("it could not be made: making it panicked the first time")

// get gives the value. Callers that come while it is made wait for it.
func (m *memo) get(build func() (any, error)) (any, error) {
	v := m.made.Load()
	if v == nil {
		m.made.CompareAndSwap(nil, new(memoValue))
		v = m.made.Load()
	}
	v.once.Do(func() {
		v.err = errMemo // for later callers, if build panics
		v.value, v.err = build()
	})
	return v.value, v.err
}
