package script

import (
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

var fileOps map[string]fileOp

func init() {
	fileOps = map[string]fileOp{
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
		"close":      {nil, "close", 0, closeFile},
		"read":       {nil, "read", 0, readPart},
		"write":      {nil, "write", 0, writePart},
		"fstat":      {nil, "fstat", 0, statFile},
		"ftruncate":  {nil, "ftruncate", 0, truncateFile},
		"fsync":      {nil, "fsync", 0, syncFile},
	}
}

// now does it at once. What fails is thrown with its code, by the script.
func (op fileOp) now(name string) func(*machine, []json.RawMessage) (any, error) {
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
	for _, g := range op.grants {
		if err := m.p.need(g, name); err != nil {
			return nil, err
		}
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

// body is what is written: {text} or {base64}.
func (f *fileCall) body(i int) ([]byte, error) {
	var body struct{ Text, Base64 string }
	if i < len(f.args) {
		if err := json.Unmarshal(f.args[i], &body); err != nil {
			return nil, err
		}
	}
	if body.Base64 != "" {
		return base64.StdEncoding.DecodeString(body.Base64)
	}
	return []byte(body.Text), nil
}

func writeFile(f *fileCall) (any, error) {
	data, err := f.body(1)
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
