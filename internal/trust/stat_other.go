//go:build !linux && !darwin

package trust

import "io/fs"

// ChangeTime is not known here, so that contents are compared instead.
func ChangeTime(fs.FileInfo) int64 { return 0 }
