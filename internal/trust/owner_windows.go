package trust

import "io/fs"

// CheckOwner has nothing to check: on Windows the user's own folders, in which
// these files are, give others no access unless the user says so.
func CheckOwner(string, fs.FileInfo) error { return nil }
