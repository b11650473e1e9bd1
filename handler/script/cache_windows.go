package script

import "io/fs"

// ownersOnly trusts the user's profile, in which the folder lies.
func ownersOnly(fs.FileInfo) bool { return true }
