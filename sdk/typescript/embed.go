// Package typescript holds the package hookway for Node, as npm publishes it: scripts
// that Node runs are given it.
package typescript

import "embed"

// Files are the package's modules.
//
//go:embed package.json index.js client.js lib
var Files embed.FS
