//go:build !linux

package owner

// alone is not told here.
func alone() bool { return false }

// inUsersPrograms is not told here.
func inUsersPrograms() bool { return false }
