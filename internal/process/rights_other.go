//go:build !linux

package process

// IsPseudo is not told here.
func IsPseudo(int) bool { return false }

// Rights are not told here.
func Rights(int) (user int, raised, ok bool) { return 0, false, false }

// TellsHolders is false here.
func TellsHolders() bool { return false }
