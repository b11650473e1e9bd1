//go:build unix

package disk

import "syscall"

// withoutWaiting opens a pipe at once, which is then refused.
const withoutWaiting = syscall.O_NONBLOCK | syscall.O_NOCTTY
