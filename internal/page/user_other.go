//go:build !linux

package page

import "net/http"

// ofThisUser lets everybody try: elsewhere links are not among the arguments of browsers,
// or other users do not see those.
func ofThisUser(*http.Request) error { return nil }
