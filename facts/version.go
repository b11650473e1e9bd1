package facts

import (
	_ "embed"
	"strings"
)

//go:embed version.txt
var version string

// Version names the analysis: where it is the same, the same call in the same world has
// the same facts. Nobody counts it up: it is a hash of the code of this package without
// its comments, of its tables, and of what is said of a fixed list of calls, which rests
// on the code of others too. A test holds it.
func Version() string { return strings.TrimSpace(version) }
