//go:build unix

package procgroup

import "sync"

// MaxLeft bounds the groups that may be left to themselves at a time.
const MaxLeft = 64

var left struct {
	sync.Mutex
	groups map[int]struct{}
}

// Leave lets a group live on, whatever becomes of this process. It reports false if
// too many do already: then the caller answers for it as before.
func Leave(group int) bool {
	left.Lock()
	defer left.Unlock()
	if _, known := left.groups[group]; !known && living() >= MaxLeft {
		return false
	}
	if left.groups == nil {
		left.groups = map[int]struct{}{}
	}
	left.groups[group] = struct{}{}
	Forget(group)
	return true
}

// Left is how many groups live on that were left to themselves.
func Left() int {
	left.Lock()
	defer left.Unlock()
	return living()
}

// living forgets the groups that have ended, and counts the others.
func living() int {
	for group := range left.groups {
		if !Populated(group) {
			delete(left.groups, group)
		}
	}
	return len(left.groups)
}
