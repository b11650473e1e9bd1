package script

import "io/fs"

func addSystem(map[string]any, fs.FileInfo) {}

const mayWrite = 2

// mayAccess reports whether a file may be written, if that is asked.
func mayAccess(_ string, info fs.FileInfo, mode int64) error {
	if mode&mayWrite != 0 && info.Mode().Perm()&0o200 == 0 {
		return fs.ErrPermission
	}
	return nil
}
