// Package fulldisk has tests meet a disk without room: no file of this process may grow
// beyond a size, so that writes fail as they do on a full disk, the last one in its middle.
// No product links this package.
package fulldisk

// Begin begins that, where the system can do it. room ends it.
func Begin(bytes uint64) (room func() error, err error) { return begin(bytes) }
