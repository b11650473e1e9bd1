package audit

import "iter"

// roomAhead is how many records are read before they are wanted.
const roomAhead = 64

// ahead reads on while what was read is used: reading and using take two processors.
func ahead[T any](in iter.Seq2[T, error]) iter.Seq2[T, error] {
	type item struct {
		value T
		err   error
	}
	return func(yield func(T, error) bool) {
		items, enough := make(chan item, roomAhead), make(chan struct{})
		defer func() { // it has ended when this has: it may read a file that is to go
			close(enough)
			for range items {
			}
		}()
		go func() {
			defer close(items)
			for value, err := range in {
				select {
				case items <- item{value, err}:
				case <-enough:
					return
				}
			}
		}()
		for i := range items {
			if !yield(i.value, i.err) {
				return
			}
		}
	}
}
