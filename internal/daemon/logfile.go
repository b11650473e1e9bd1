package daemon

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/hookway/hookway/hook"
)

// maxLog is the size of a log at which it is put aside, in place of the one that
// was put aside before.
const maxLog = 1 << 20

// LogFile is the log of a daemon that has no terminal. Its methods may be called
// from many goroutines.
type LogFile struct {
	path  string
	limit int64

	mu   sync.Mutex
	file *os.File // nil: it cannot be opened
	size int64
	over bool
}

// OpenLog opens the log of a state folder, which is made if it is missing.
func OpenLog(dir string) (*LogFile, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	l := &LogFile{path: filepath.Join(dir, "daemon.log"), limit: maxLog}
	return l, l.open()
}

func (l *LogFile) open() error {
	f, err := os.OpenFile(l.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	l.file, l.size = f, info.Size()
	return nil
}

// File is the file as it is now, for what the runtime writes when it crashes.
func (l *LogFile) File() *os.File {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file
}

// Line writes a line with its time; what would be several is made one. A log that cannot be written, as on a full
// disk, loses lines; the daemon goes on.
func (l *LogFile) Line(line string) {
	text := time.Now().UTC().Format("2006-01-02T15:04:05.000Z ") + hook.LogLine(line) + "\n"
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return
	}
	if l.size+int64(len(text)) > l.limit {
		l.rotate()
	}
	if l.file == nil {
		return
	}
	n, _ := l.file.WriteString(text)
	l.size += int64(n)
}

func (l *LogFile) rotate() {
	if l.file != nil {
		l.file.Close() // Windows does not rename what is open
		l.file = nil
	}
	if err := os.Rename(l.path, l.path+".1"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		_ = os.Truncate(l.path, 0) // bounded, whatever it costs
	}
	if l.open() != nil {
		l.size = l.limit // the next line tries again
	}
}

// Close ends the log.
func (l *LogFile) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over = true; l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	return err
}
