//go:build !linux && !darwin

package config

import "io/fs"

// changeTime is not known here, so that contents are compared instead.
func changeTime(fs.FileInfo) int64 { return 0 }
