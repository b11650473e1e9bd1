//go:build unix

package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/hookway/hookway/internal/shell"
)

// CheckOwner finds files that somebody else could have written: what they say
// is then not the user's word.
func CheckOwner(path string, info fs.FileInfo) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return errors.New("its owner cannot be found out")
	}
	if uid := os.Geteuid(); int(st.Uid) != uid && st.Uid != 0 {
		return fmt.Errorf("it belongs to user %d, not to you (%d); take it over with chown", st.Uid, uid)
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("others can write it (mode %04o); run chmod go-w %s", info.Mode().Perm(), shell.Quote(path))
	}
	return nil
}
