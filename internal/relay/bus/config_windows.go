package bus

import "io/fs"

// private says nothing here, where the rights of a file are not bits.
func private(string, fs.FileInfo) error { return nil }
