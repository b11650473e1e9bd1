// Package memory is being built.
package memory

import _ "modernc.org/sqlite" // the driver
