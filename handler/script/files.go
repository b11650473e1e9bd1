package script

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"
)

// maxFile bounds what a script reads or writes at once.
const maxFile = 16 << 20

// fileOp is one thing that a script does with files. Relative names start from
// the folder in which the agent works.
type fileOp struct {
	grants []Grant
	call   string // of the system, as Node names it in errors
	paths  int    // how many arguments are names of files
	do     func(f *fileCall) (any, error)
}

// fileCall is a call of a fileOp.
type fileCall struct {
	m     *machine
	paths []string
	args  []json.RawMessage
}

func (f *fileCall) flag(i int) bool { return i < len(f.args) && string(f.args[i]) == "true" }

func (f *fileCall) number(i int) int64 {
	var n float64
	if i < len(f.args) {
		_ = json.Unmarshal(f.args[i], &n) // anything else is none
	}
	return int64(n)
}

var (
	reads  = []Grant{Read}
	writes = []Grant{Write}
	both   = []Grant{Read, Write}
)

// fileOps are all of them, by the names of node:fs.
func fileOps() map[string]fileOp {
	return map[string]fileOp{
		"readFile":   {reads, "open", 1, readFile},
		"readdir":    {reads, "scandir", 1, readDir},
		"stat":       {reads, "stat", 1, func(f *fileCall) (any, error) { return stated(os.Stat(f.paths[0])) }},
		"lstat":      {reads, "lstat", 1, func(f *fileCall) (any, error) { return stated(os.Lstat(f.paths[0])) }},
		"access":     {reads, "access", 1, access},
		"readlink":   {reads, "readlink", 1, func(f *fileCall) (any, error) { return os.Readlink(f.paths[0]) }},
		"realpath":   {reads, "realpath", 1, func(f *fileCall) (any, error) { return filepath.EvalSymlinks(f.paths[0]) }},
		"writeFile":  {writes, "open", 1, writeFile},
		"appendFile": {writes, "open", 1, writeFile},
		"mkdir":      {writes, "mkdir", 1, makeDir},
		"mkdtemp":    {writes, "mkdtemp", 1, makeTemp},
		"rm":         {writes, "rm", 1, remove},
		"rmdir":      {writes, "rmdir", 1, removeDir},
		"unlink":     {writes, "unlink", 1, unlink},
		"rename":     {writes, "rename", 2, func(f *fileCall) (any, error) { return nil, os.Rename(f.paths[0], f.paths[1]) }},
		"link":       {both, "link", 2, func(f *fileCall) (any, error) { return nil, os.Link(f.paths[0], f.paths[1]) }},
		"symlink":    {writes, "symlink", 2, func(f *fileCall) (any, error) { return nil, os.Symlink(str(f.args, 0), f.paths[1]) }},
		"copyFile":   {both, "copyfile", 2, copyFile},
		"cp":         {both, "cp", 2, copyAll},
		"chmod":      {writes, "chmod", 1, func(f *fileCall) (any, error) { return nil, os.Chmod(f.paths[0], fs.FileMode(f.number(1)).Perm()) }},
		"chown":      {writes, "chown", 1, func(f *fileCall) (any, error) { return nil, os.Chown(f.paths[0], int(f.number(1)), int(f.number(2))) }},
		"utimes":     {writes, "utime", 1, setTimes},
		"truncate":   {writes, "open", 1, func(f *fileCall) (any, error) { return nil, os.Truncate(f.paths[0], f.number(1)) }},
		"open":       {nil, "open", 1, openFile},
		"close":      {nil, "close", 0, ofOpen(closeFile)},
		"read":       {nil, "read", 0, ofOpen(readPart)},
		"write":      {nil, "write", 0, ofOpen(writePart)},
		"fstat":      {nil, "fstat", 0, ofOpen(func(_ *fileCall, file *os.File) (any, error) { return stated(file.Stat()) })},
		"ftruncate":  {nil, "ftruncate", 0, ofOpen(func(f *fileCall, file *os.File) (any, error) { return nil, file.Truncate(f.number(1)) })},
		"fsync":      {nil, "fsync", 0, ofOpen(func(_ *fileCall, file *os.File) (any, error) { return nil, file.Sync() })},
	}
}

// now does it at once. What fails is thrown with its code, by the script.
func (op fileOp) now(name string) answer {
	return func(m *machine, args []json.RawMessage) (any, error) {
		value, err := m.file(name, op, args)
		if err != nil {
			return map[string]any{"error": json.RawMessage(failure(err))}, nil
		}
		return map[string]any{"value": value}, nil
	}
}

// file does something with files, within the grants. What a program has as stdin,
// stdout and stderr needs none.
func (m *machine) file(name string, op fileOp, args []json.RawMessage) (any, error) {
	if fd, ok := m.standard(name, args); ok {
		return m.standardFile(name, op, fd, args)
	}
	if err := m.p.needAll(op.grants, name); err != nil {
		return nil, err
	}
	f := &fileCall{m: m, args: args}
	for i := range op.paths {
		path := str(args, i)
		if path == "" {
			return nil, fileError(op, args, fs.ErrNotExist)
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(m.folder(), filepath.FromSlash(path))
		}
		if isOurs(path) {
			return nil, fileError(op, args, fs.ErrPermission)
		}
		f.paths = append(f.paths, path)
	}
	value, err := op.do(f)
	var thrown *scriptError
	if err == nil || errors.As(err, &thrown) {
		return value, err
	}
	return nil, fileError(op, args, err)
}

// readFile reads a file by its name or its number.
func readFile(f *fileCall) (any, error) {
	path := f.paths[0]
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, &scriptError{Message: "EISDIR: illegal operation on a directory, read", More: map[string]any{"code": "EISDIR", "errno": -21, "syscall": "read"}}
	}
	if !info.Mode().IsRegular() && path != os.DevNull {
		return nil, fmt.Errorf("%s is not a file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readAll(file, path)
}

func readAll(from io.Reader, path string) (any, error) {
	data, err := io.ReadAll(io.LimitReader(from, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s has more than %d MiB", path, maxFile>>20)
	}
	return textOrBytes(data), nil
}

func textOrBytes(data []byte) map[string]string {
	if utf8.Valid(data) {
		return map[string]string{"text": string(data)}
	}
	return map[string]string{"base64": base64.StdEncoding.EncodeToString(data)}
}

// maxEntries bounds what a folder, with what is below it, may have.
const maxEntries = 100_000

type dirEntry struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
}

func readDir(f *fileCall) (any, error) {
	list := []dirEntry{}
	var add func(below string) error
	add = func(below string) error {
		entries, err := os.ReadDir(filepath.Join(f.paths[0], below))
		if err != nil {
			return err
		}
		for _, e := range entries {
			name := filepath.Join(below, e.Name())
			if list = append(list, dirEntry{filepath.ToSlash(name), kindOf(e.Type())}); len(list) > maxEntries {
				return fmt.Errorf("%s has more than %d entries", f.paths[0], maxEntries)
			}
			if f.flag(1) && e.IsDir() {
				if err := add(name); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if err := add(""); err != nil {
		return nil, err
	}
	return list, nil
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "file"
	case mode.IsDir():
		return "folder"
	case mode&fs.ModeSymlink != 0:
		return "link"
	case mode&fs.ModeNamedPipe != 0:
		return "pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	}
	return "device"
}

func access(f *fileCall) (any, error) {
	info, err := os.Stat(f.paths[0])
	if err != nil {
		return nil, err
	}
	return nil, mayAccess(f.paths[0], info, f.number(1))
}

// body is what is written, the second argument: {text} or {base64}.
func (f *fileCall) body() ([]byte, error) {
	var body struct{ Text, Base64 string }
	if len(f.args) > 1 {
		if err := json.Unmarshal(f.args[1], &body); err != nil {
			return nil, err
		}
	}
	if body.Base64 != "" {
		return base64.StdEncoding.DecodeString(body.Base64)
	}
	return []byte(body.Text), nil
}

func writeFile(f *fileCall) (any, error) {
	data, err := f.body()
	if err != nil {
		return nil, err
	}
	if err := plain(f.paths[0]); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(f.paths[0], flagsOf(f.number(2)), fs.FileMode(f.number(3)).Perm())
	if err != nil {
		return nil, err
	}
	_, err = file.Write(data)
	return nil, errors.Join(err, file.Close())
}

// plain refuses pipes: one would keep the script, which nothing could stop then.
func plain(path string) error {
	if info, err := os.Stat(path); err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0 {
		return fmt.Errorf("%s is not a file", path)
	}
	return nil
}

// nodeFlags are the bits of open as Linux has them, by which Node's constants go here.
var nodeFlags = []struct {
	bit int64
	own int
}{{1, os.O_WRONLY}, {2, os.O_RDWR}, {64, os.O_CREATE}, {128, os.O_EXCL}, {512, os.O_TRUNC}, {1024, os.O_APPEND}, {1052672, os.O_SYNC}}

func flagsOf(given int64) int {
	flags := os.O_RDONLY
	for _, f := range nodeFlags {
		if given&f.bit == f.bit {
			flags |= f.own
		}
	}
	return flags
}

// isOurs reports whether a path leads into this process, by way of /proc: its
// memory, its environment, its own open files.
func isOurs(path string) bool {
	if runtime.GOOS != "linux" {
		return false
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		if real, err = filepath.EvalSymlinks(filepath.Dir(path)); err != nil {
			real = filepath.Clean(path)
		}
		if link, err := os.Readlink(path); err == nil {
			real = link
		}
	}
	own := fmt.Sprintf("/proc/%d", os.Getpid())
	return slices.ContainsFunc([]string{"/proc/self", "/proc/thread-self", own}, func(at string) bool {
		return real == at || strings.HasPrefix(real, at+"/")
	})
}

func makeDir(f *fileCall) (any, error) {
	mode := fs.FileMode(f.number(2)).Perm()
	if !f.flag(1) {
		return nil, os.Mkdir(f.paths[0], mode)
	}
	first := "" // the first folder that was not there
	for at := f.paths[0]; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); err == nil || at == filepath.Dir(at) {
			break
		}
		first = at
	}
	if err := os.MkdirAll(f.paths[0], mode); err != nil {
		return nil, err
	}
	if first == "" {
		return nil, nil
	}
	return first, nil
}

func makeTemp(f *fileCall) (any, error) {
	path := f.paths[0]
	if strings.HasSuffix(str(f.args, 0), "/") {
		path += string(filepath.Separator)
	}
	name := path + rand.Text()[:6]
	return name, os.Mkdir(name, 0o700)
}

// remove takes away a file, or a folder with what is in it.
func remove(f *fileCall) (any, error) {
	path, force, recursive := f.paths[0], f.flag(1), f.flag(2)
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && force:
		return nil, nil
	case err != nil:
		return nil, err
	case recursive:
		return nil, os.RemoveAll(path)
	case info.IsDir():
		return nil, &scriptError{Name: "SystemError", Message: fmt.Sprintf("Path is a directory: rm returned EISDIR (is a directory) %s", path), More: map[string]any{"code": "ERR_FS_EISDIR", "errno": 21, "syscall": "rm", "path": path}}
	}
	return nil, os.Remove(path)
}

func removeDir(f *fileCall) (any, error) {
	info, err := os.Lstat(f.paths[0])
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, notDir
	}
	if f.flag(1) {
		return nil, os.RemoveAll(f.paths[0])
	}
	return nil, os.Remove(f.paths[0])
}

func unlink(f *fileCall) (any, error) {
	info, err := os.Lstat(f.paths[0])
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, isDir
	}
	return nil, os.Remove(f.paths[0])
}

func setTimes(f *fileCall) (any, error) {
	return nil, os.Chtimes(f.paths[0], time.UnixMilli(f.number(1)), time.UnixMilli(f.number(2)))
}

const onlyNew = 1 // COPYFILE_EXCL

func copyFile(f *fileCall) (any, error) {
	return nil, copied(f.paths[0], f.paths[1], f.number(2)&onlyNew != 0)
}

func copied(from, to string, onlyNew bool) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return isDir
	}
	if err := errors.Join(plain(from), plain(to)); err != nil {
		return err
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if onlyNew {
		flags |= os.O_EXCL
	}
	if other, err := os.Stat(to); err == nil && os.SameFile(info, other) {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, flags, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, io.LimitReader(in, maxCopied))
	return errors.Join(err, out.Close())
}

// maxCopied bounds what is copied of a file; a device would have no end.
const maxCopied = 1 << 30

// copyAll copies a file, or a folder with what is in it.
func copyAll(f *fileCall) (any, error) {
	from, to := f.paths[0], f.paths[1]
	info, err := os.Stat(from)
	if err != nil {
		return nil, err
	}
	recursive, force, strict := f.flag(2), f.flag(3), f.flag(4)
	if !info.IsDir() {
		return nil, copiedOver(from, to, force, strict)
	}
	if !recursive {
		return nil, &scriptError{Name: "SystemError", Message: fmt.Sprintf("Recursive option not enabled, cannot copy a directory: cp returned EISDIR (%s is a directory (not copied)) %s", from, from), More: map[string]any{"code": "ERR_FS_EISDIR"}}
	}
	if rel, err := filepath.Rel(from, to); err == nil && filepath.IsLocal(rel) {
		return nil, &scriptError{Message: fmt.Sprintf("Cannot copy %s to a subdirectory of self %s", from, to), More: map[string]any{"code": "ERR_FS_CP_EINVAL"}}
	}
	count := 0
	return nil, filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if count++; count > maxEntries {
			return fmt.Errorf("%s has more than %d entries", from, maxEntries)
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case e.IsDir():
			return os.MkdirAll(target, 0o777)
		case e.Type()&fs.ModeSymlink != 0:
			link, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(link, target)
		case e.Type().IsRegular():
			return copiedOver(path, target, force, strict)
		}
		return nil
	})
}

func copiedOver(from, to string, force, strict bool) error {
	if _, err := os.Lstat(to); err == nil && !force {
		if strict {
			return fs.ErrExist
		}
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	return copied(from, to, false)
}

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

// stated is what a file is, as Node's Stats have it.
func stated(info fs.FileInfo, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	at := float64(info.ModTime().UnixMicro()) / 1000
	s := map[string]any{
		"kind": kindOf(info.Mode().Type()), "size": info.Size(), "mode": modeOf(info.Mode()), "mtimeMs": at, "atimeMs": at, "ctimeMs": at, "birthtimeMs": at,
		"dev": 0, "ino": 0, "nlink": 1, "uid": 0, "gid": 0, "rdev": 0, "blksize": 4096, "blocks": (info.Size() + 511) / 512,
	}
	addSystem(s, info)
	return s, nil
}

// modeOf is a mode as Unix has it.
func modeOf(mode fs.FileMode) uint32 {
	kinds := map[string]uint32{"file": 0o100000, "folder": 0o040000, "link": 0o120000, "pipe": 0o010000, "socket": 0o140000, "device": 0o020000}
	bits := uint32(mode.Perm()) | kinds[kindOf(mode.Type())]
	for bit, own := range map[fs.FileMode]uint32{fs.ModeSetuid: 0o4000, fs.ModeSetgid: 0o2000, fs.ModeSticky: 0o1000} {
		if mode&bit != 0 {
			bits |= own
		}
	}
	return bits
}
