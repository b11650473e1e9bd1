package script

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// maxOpen bounds the files that a machine has open.
const maxOpen = 256

// firstFile is the number of the first file that a script opens.
const firstFile = 3

// openFile opens a file, and gives its number.
func openFile(f *fileCall) (any, error) {
	flags := flagsOf(f.number(1))
	needs := []Grant{Read}
	switch {
	case flags&os.O_RDWR != 0:
		needs = both
	case flags&os.O_WRONLY != 0:
		needs = writes
	}
	if err := f.m.p.needAll(needs, "open"); err != nil {
		return nil, err
	}
	if len(f.m.files) >= maxOpen {
		return nil, syscall.EMFILE
	}
	if err := plain(f.paths[0]); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(f.paths[0], flags, fs.FileMode(f.number(2)).Perm())
	if err != nil {
		return nil, err
	}
	number := firstFile
	for f.m.files[number] != nil {
		number++
	}
	if f.m.files == nil {
		f.m.files = map[int]*os.File{}
	}
	f.m.files[number] = file
	return number, nil
}

// ofOpen does something with the open file whose number is the first argument.
func ofOpen(do func(*fileCall, *os.File) (any, error)) func(*fileCall) (any, error) {
	return func(f *fileCall) (any, error) {
		file := f.m.files[int(f.number(0))]
		if file == nil {
			return nil, badFD
		}
		return do(f, file)
	}
}

func closeFile(f *fileCall, file *os.File) (any, error) {
	delete(f.m.files, int(f.number(0)))
	return nil, file.Close()
}

// closeFiles closes what a script has left open.
func (m *machine) closeFiles() {
	for _, file := range m.files {
		_ = file.Close() // there is no caller to report it to
	}
	m.files = nil
}

func readPart(f *fileCall, file *os.File) (any, error) {
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return nil, isDir
	}
	data := make([]byte, max(0, min(f.number(1), maxFile)))
	n, err := 0, error(nil)
	if at := f.number(2); at >= 0 {
		n, err = file.ReadAt(data, at)
	} else {
		n, err = file.Read(data)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return base64.StdEncoding.EncodeToString(data[:n]), nil
}

func writePart(f *fileCall, file *os.File) (any, error) {
	data, err := f.body()
	if err != nil {
		return nil, err
	}
	if at := f.number(2); at >= 0 {
		return file.WriteAt(data, at)
	}
	return file.Write(data)
}

// standardPaths are the names of what a program reads and writes.
var standardPaths = map[string]int{
	"/dev/stdin": 0, "/dev/fd/0": 0, "/proc/self/fd/0": 0, "/dev/stdout": 1, "/dev/fd/1": 1, "/proc/self/fd/1": 1, "/dev/stderr": 2, "/dev/fd/2": 2, "/proc/self/fd/2": 2,
}

// standard reports whether a call is about a program's stdin, stdout or stderr.
func (m *machine) standard(name string, args []json.RawMessage) (int, bool) {
	if len(args) == 0 {
		return 0, false
	}
	var number int
	if json.Unmarshal(args[0], &number) == nil {
		return number, number < firstFile || name == "readFile" || name == "writeFile" || name == "appendFile"
	}
	fd, ok := standardPaths[str(args, 0)]
	return fd, ok && m.prog != nil
}

// standardFile does something with a program's stdin, stdout or stderr, or reads
// and writes a whole file by its number.
func (m *machine) standardFile(name string, op fileOp, fd int, args []json.RawMessage) (any, error) {
	f := &fileCall{m: m, args: args}
	if file := m.files[fd]; file != nil {
		return wholeFile(f, file, name)
	}
	if m.prog == nil || fd < 0 || fd >= firstFile {
		return nil, fileError(fileOp{call: op.call}, nil, badFD)
	}
	switch name {
	case "readFile", "read":
		return m.readStandard(f, name, fd)
	case "writeFile", "appendFile", "write":
		data, err := f.body()
		if err != nil {
			return nil, err
		}
		return len(data), m.prog.print(fd, data)
	case "open":
		return fd, nil
	case "close", "fsync", "access":
		return nil, nil
	case "fstat", "stat", "lstat":
		return standardStat, nil
	case "realpath":
		return str(args, 0), nil
	}
	return nil, fileError(fileOp{call: op.call}, nil, badFD)
}

// standardStat is what stdin, stdout and stderr look like: a pipe.
var standardStat = map[string]any{"kind": "pipe", "mode": 0o10600, "size": 0, "nlink": 1, "blksize": 4096}

func (m *machine) readStandard(f *fileCall, name string, fd int) (any, error) {
	if fd != 0 {
		return nil, fileError(fileOp{call: "read"}, nil, badFD)
	}
	if name == "readFile" {
		return readAll(m.prog.stdin(), "stdin")
	}
	data := make([]byte, max(0, min(f.number(1), maxFile)))
	n, err := m.prog.stdin().Read(data)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fileError(fileOp{call: "read"}, nil, err)
	}
	return base64.StdEncoding.EncodeToString(data[:n]), nil
}

// wholeFile reads or writes all of a file that is open.
func wholeFile(f *fileCall, file *os.File, name string) (any, error) {
	if name == "readFile" {
		return readAll(file, file.Name())
	}
	data, err := f.body()
	if err != nil {
		return nil, err
	}
	return file.Write(data)
}
