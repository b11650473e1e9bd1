package disk

import (
	"fmt"
	"os"
)

// Private makes a folder that only the user can read, with those above it, or makes it
// so. what names it in errors.
func Private(dir, what string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("%s cannot be made: %w", what, err)
	}
	info, err := os.Stat(dir)
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		err = os.Chmod(dir, 0o700)
	}
	if err != nil {
		return fmt.Errorf("%s cannot be used: %w", what, err)
	}
	return nil
}
