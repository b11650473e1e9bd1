package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// Errors that a system may give by other names.
var (
	isDir  error = syscall.EISDIR
	notDir error = syscall.ENOTDIR
	badFD  error = syscall.EBADF
)

// fileCodes are errors as Node has them: by what they are here, their codes, numbers and words.
var fileCodes = []struct {
	is    error
	code  string
	errno int
	words string
}{
	{syscall.ENOTEMPTY, "ENOTEMPTY", -39, "directory not empty"},
	{fs.ErrNotExist, "ENOENT", -2, "no such file or directory"},
	{fs.ErrExist, "EEXIST", -17, "file already exists"},
	{syscall.EPERM, "EPERM", -1, "operation not permitted"},
	{fs.ErrPermission, "EACCES", -13, "permission denied"},
	{syscall.ENOTDIR, "ENOTDIR", -20, "not a directory"},
	{syscall.EISDIR, "EISDIR", -21, "illegal operation on a directory"},
	{syscall.EBADF, "EBADF", -9, "bad file descriptor"},
	{fs.ErrClosed, "EBADF", -9, "bad file descriptor"},
	{syscall.ELOOP, "ELOOP", -40, "too many symbolic links encountered"},
	{syscall.EXDEV, "EXDEV", -18, "cross-device link not permitted"},
	{syscall.EINVAL, "EINVAL", -22, "invalid argument"},
	{syscall.EMFILE, "EMFILE", -24, "too many open files"},
	{syscall.ENOSPC, "ENOSPC", -28, "no space left on device"},
	{syscall.EROFS, "EROFS", -30, "read-only file system"},
	{syscall.EBUSY, "EBUSY", -16, "resource busy or locked"},
	{syscall.ENAMETOOLONG, "ENAMETOOLONG", -36, "name too long"},
	{syscall.ENXIO, "ENXIO", -6, "no such device or address"},
}

// fileError is an error as Node tells it: ENOENT: no such file or directory, open 'a.txt'.
func fileError(op fileOp, args []json.RawMessage, err error) error {
	code, errno, words := "EIO", -5, err.Error()
	for _, c := range fileCodes {
		if errors.Is(err, c.is) {
			code, errno, words = c.code, c.errno, c.words
			break
		}
	}
	more := map[string]any{"code": code, "errno": errno, "syscall": op.call}
	text := fmt.Sprintf("%s: %s, %s", code, words, op.call)
	if op.paths > 0 {
		path := str(args, 0)
		if op.call == "mkdtemp" {
			path += "XXXXXX"
		}
		text += " '" + path + "'"
		more["path"] = path
	}
	if op.paths > 1 {
		text += " -> '" + str(args, 1) + "'"
		more["dest"] = str(args, 1)
	}
	return &scriptError{Message: text, More: more}
}
