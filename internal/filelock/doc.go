// Package filelock locks open files between processes. The system gives a lock
// back when its file is closed, also because the process died: no lock is stale.
package filelock
