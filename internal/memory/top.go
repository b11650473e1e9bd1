package memory

import "slices"

// top keeps the n first of many in an order, without sorting all of them.
type top[T any] struct {
	n     int
	less  func(a, b T) int // as slices.SortFunc has it
	list  []T
	worst T // of the first n, when there were as many
	full  bool
}

func (t *top[T]) add(v T) {
	if t.full && t.less(v, t.worst) >= 0 {
		return
	}
	if t.list = append(t.list, v); len(t.list) >= 4*t.n+64 {
		t.sorted()
	}
}

// sorted gives the first ones so far.
func (t *top[T]) sorted() []T {
	slices.SortFunc(t.list, t.less)
	if len(t.list) >= t.n && t.n > 0 {
		t.list = t.list[:t.n]
		t.worst, t.full = t.list[t.n-1], true
	}
	return t.list
}
