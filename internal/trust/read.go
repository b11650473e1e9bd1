package trust

import (
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/hookway/hookway/internal/disk"
)

// Read reads a file that configures or runs something, once: what is parsed is what is
// pinned, if there are pins. It gives one byte more than the limit of a file that is
// larger. check, if it is not nil, may refuse the file.
func Read(path string, limit int64, check func(string, fs.FileInfo) error, pins *Pins) ([]byte, error) {
	fail := func(err error) ([]byte, error) {
		if pins != nil {
			pins.Put(Pin{Path: path, Value: "unreadable"})
		}
		return nil, fmt.Errorf("the file cannot be read: %w", disk.Cause(err))
	}
	f, err := disk.Open(path)
	if err != nil {
		return fail(err)
	}
	defer f.Close()
	info := f.Info()
	if check != nil {
		if err := check(path, info); err != nil {
			return nil, err
		}
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return fail(err)
	}
	if pins != nil {
		pins.Take(path, data, info)
	}
	return data, nil
}

// CheckPath is CheckOwner of a file, or a folder, by its name.
func CheckPath(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", path, disk.Cause(err))
	}
	return CheckOwner(path, info)
}
