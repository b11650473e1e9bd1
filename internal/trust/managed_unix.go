//go:build unix

package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/shell"
)

// ManagedDir is where an administrator keeps what holds for all users of a machine. No
// variable says it: an agent could set one.
func ManagedDir() string { return "/etc/hookway" }

// CheckManaged finds files that others than the administrator could have written, or put
// in the place of his: the file, each folder on the way to it, and where links lead.
func CheckManaged(path string, info fs.FileInfo) error {
	if err := checkRoot(path, info); err != nil {
		return err
	}
	rest, at := strings.Split(strings.Trim(filepath.Clean(path), "/"), "/"), "/"
	for links := 0; len(rest) > 0; {
		next := filepath.Join(at, rest[0])
		info, err := os.Lstat(next)
		if err != nil {
			return fmt.Errorf("%s cannot be looked at: %w", next, disk.Cause(err))
		}
		rest = rest[1:]
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(next)
			if links++; err != nil || links > 40 {
				return fmt.Errorf("the link %s cannot be followed", next)
			}
			if filepath.IsAbs(to) {
				at = "/"
			}
			rest = append(strings.Split(strings.Trim(to, "/"), "/"), rest...)
		case len(rest) == 0: // the file itself
			at = next
		default:
			if err := checkRoot(next, info); err != nil {
				return err
			}
			at = next
		}
	}
	return nil
}

// checkRoot reports what is not root's, or what others may write. In a folder with the
// sticky bit they may only add.
func checkRoot(path string, info fs.FileInfo) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return errors.New("its owner cannot be found out")
	case st.Uid != 0:
		return fmt.Errorf("%s belongs to user %d, and not to root; run chown root %s", path, st.Uid, shell.Quote(path))
	case info.Mode().Perm()&0o022 != 0 && (!info.IsDir() || info.Mode()&fs.ModeSticky == 0):
		return fmt.Errorf("others than root can write %s (mode %04o); run chmod go-w %s", path, info.Mode().Perm(), shell.Quote(path))
	}
	return nil
}
