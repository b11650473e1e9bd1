package api

import "os"

// alone reports whether a file is the user's: on Windows, the folder sees to it.
func alone(os.FileInfo) bool { return true }
