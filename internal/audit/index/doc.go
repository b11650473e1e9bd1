// Package index answers questions about the audit log: pages of what is wanted of it, one
// record, and figures. It never writes to the log.
package index
