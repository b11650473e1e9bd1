//go:build unix

package bus

import (
	"fmt"
	"io/fs"
)

// private says what is wrong with a file that holds a secret.
func private(path string, info fs.FileInfo) error {
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("others may read the token in %s; run chmod 600 on it", path)
	}
	return nil
}
