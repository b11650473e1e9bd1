package hook

import "sync"

// memo is one value that is made at most once.
type memo struct {
	once  sync.Once
	value any
	err   error
}
