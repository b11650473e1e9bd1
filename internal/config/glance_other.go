//go:build !linux

package config

import "os"

// glance looks at a file, or at what a link leads to.
func glance(path string) (glimpse, bool) {
	info, err := os.Stat(path)
	if err != nil {
		return glimpse{}, false
	}
	return glimpseOf(info), true
}
