// Package stack gives goroutines a stack of the size that they will need. A new one has
// little, and is copied each time when that is not enough.
package stack

// Grow8 makes a stack of 8 KiB of a goroutine's first one.
//
//go:noinline
func Grow8() { touch8(new([6 << 10]byte)) }

// Grow16 makes one of 16 KiB.
//
//go:noinline
func Grow16() { touch16(new([14 << 10]byte)) }

//go:noinline
func touch8(b *[6 << 10]byte) { b[0] = 1 }

//go:noinline
func touch16(b *[14 << 10]byte) { b[0] = 1 }
