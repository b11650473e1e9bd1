package config

import "io/fs"

// checkOwner has nothing to check: on Windows the user's own folders, in which
// these files are, give others no access unless the user says so.
func checkOwner(string, fs.FileInfo) error { return nil }
