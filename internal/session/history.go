package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/terminal"
)

const (
	historyHalf    = 8 << 20            // bytes of each of the two files that are kept
	historyPending = 1 << 20            // bytes that may wait for the disk
	historyAge     = 7 * 24 * time.Hour // after which files are removed
	historyEnd     = 2 * time.Second    // for the disk to take the rest

	historyNow = ".out"     // ends the name of the file that is written
	historyOld = ".out.old" // and of the one that was full
)

// history keeps the finished lines of the program's output on disk, for those who
// ask for them: in two files, of which the older one makes room when the newer
// one is full. Adding never waits. The zero value keeps nothing.
type history struct {
	path   string // without its ending; "" keeps nothing
	failed func(error)
	wake   chan struct{} // holds one token while there is news
	over   chan struct{} // closed when the last is written

	mu      sync.Mutex
	pending []byte
	lost    int // lines for which there was no room
	closed  bool

	disk    sync.Mutex // held while reading and writing files; guards what follows
	spare   []byte
	file    *os.File // nil until the first line, and after an error
	size    int64
	written time.Time
	broken  error
}

// newHistory keeps a session's output in a folder. The file comes with the first
// line, and what is too old in the folder goes.
func newHistory(dir, session string, failed func(error)) *history {
	h := &history{failed: failed, wake: make(chan struct{}, 1), over: make(chan struct{})}
	if dir == "" {
		return h
	}
	h.path = HistoryFile(dir, session)
	go h.run(dir)
	return h
}

var plainID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$`) })

// HistoryFile is where a session's output is kept in the folder of Config.History,
// without the ending. An id that cannot name a file is replaced by its hash.
func HistoryFile(dir, session string) string {
	if !plainID().MatchString(session) {
		sum := sha256.Sum256([]byte(session))
		session = "id-" + hex.EncodeToString(sum[:16])
	}
	return filepath.Join(dir, session)
}

// add keeps lines. Those that do not fit are counted.
func (h *history) add(lines []terminal.Line) {
	if h.path == "" {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, line := range lines {
		switch {
		case line.Echo || line.Partial:
		case len(h.pending)+len(line.Text) >= historyPending:
			h.lost++
		default:
			h.pending = append(append(h.pending, line.Text...), '\n')
		}
	}
	h.ring()
}

func (h *history) ring() {
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// close writes the rest. A disk that hangs is not waited for.
func (h *history) close() {
	if h.path == "" {
		return
	}
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.ring()
	select {
	case <-h.over:
	case <-time.After(historyEnd):
	}
}

// run writes until close.
func (h *history) run(dir string) {
	defer close(h.over)
	removeOld(dir, time.Now().Add(-historyAge))
	for range h.wake {
		h.mu.Lock()
		last := h.closed
		h.mu.Unlock()
		h.drain()
		if last {
			h.disk.Lock()
			defer h.disk.Unlock()
			h.shut()
			return
		}
	}
}

// drain writes what waits.
func (h *history) drain() {
	h.disk.Lock()
	defer h.disk.Unlock()
	h.mu.Lock()
	text, lost := h.pending, h.lost
	h.pending, h.lost = h.spare[:0], 0
	h.mu.Unlock()
	h.spare = text
	if h.broken != nil || len(text) == 0 && lost == 0 {
		return
	}
	if lost > 0 {
		text = fmt.Appendf(text, "[hookway: %d lines came too fast to be kept]\n", lost)
	}
	if err := h.write(text); err != nil {
		h.broken = err
		h.shut()
		h.failed(fmt.Errorf("the output of the program is not kept: %w", err))
	}
}

// write appends to the file. The lock of the disk is held.
func (h *history) write(text []byte) error {
	if time.Since(h.written) > time.Hour { // it may have been old enough to be removed
		h.shut()
	}
	if h.file != nil && h.size+int64(len(text)) > historyHalf {
		h.shut()
		if err := os.Rename(h.path+historyNow, h.path+historyOld); err != nil {
			return err
		}
	}
	if h.file == nil {
		if err := h.open(); err != nil {
			return err
		}
	}
	n, err := h.file.Write(text)
	h.size += int64(n)
	h.written = time.Now()
	return err
}

func (h *history) open() error {
	if err := os.MkdirAll(filepath.Dir(h.path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(h.path+historyNow, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	h.file, h.size = f, info.Size()
	return nil
}

func (h *history) shut() {
	if h.file != nil {
		_ = h.file.Close()
		h.file = nil
	}
}

// read gives the last lines, or with 0 all that is kept.
func (h *history) read(lines int) (io.ReadCloser, int64, error) {
	if h.path == "" {
		return nil, 0, errors.New("the output of this session is not kept")
	}
	h.drain()
	h.disk.Lock()
	defer h.disk.Unlock()
	if h.broken != nil {
		return nil, 0, fmt.Errorf("the output of this session is not kept: %w", h.broken)
	}
	return ReadHistory(h.path, lines)
}

// ReadHistory reads what HistoryFile names: the last lines, or with 0 all. A
// session that has printed nothing yet has no files.
func ReadHistory(path string, lines int) (text io.ReadCloser, size int64, err error) {
	var p pages
	for _, end := range []string{historyOld, historyNow} {
		f, err := os.Open(path + end)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			p.files = append(p.files, f)
			err = p.measure(f)
		}
		if err != nil {
			return nil, 0, errors.Join(err, p.Close())
		}
	}
	start, err := p.tail(lines)
	if err != nil {
		return nil, 0, errors.Join(err, p.Close())
	}
	p.Reader = io.NewSectionReader(&p, start, p.size()-start)
	return &p, p.size() - start, nil
}

// removeOld removes files without changes since then.
func removeOld(dir string, since time.Time) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), historyNow) && !strings.HasSuffix(f.Name(), historyOld) {
			continue
		}
		if info, err := f.Info(); err == nil && info.Mode().IsRegular() && info.ModTime().Before(since) {
			_ = os.Remove(filepath.Join(dir, f.Name()))
		}
	}
}

// pages are files read as one, as long as each was when it was measured.
type pages struct {
	io.Reader
	files []*os.File
	sizes []int64
}

func (p *pages) measure(f *os.File) error {
	info, err := f.Stat()
	if err == nil {
		p.sizes = append(p.sizes, info.Size())
	}
	return err
}

func (p *pages) size() (sum int64) {
	for _, n := range p.sizes {
		sum += n
	}
	return sum
}

// ReadAt reads across the files.
func (p *pages) ReadAt(b []byte, off int64) (n int, err error) {
	for i, f := range p.files {
		if off >= p.sizes[i] {
			off -= p.sizes[i]
			continue
		}
		part := b[n:]
		part = part[:min(int64(len(part)), p.sizes[i]-off)]
		m, err := f.ReadAt(part, off)
		n += m
		if err != nil && !(errors.Is(err, io.EOF) && m == len(part)) {
			return n, err
		}
		if off = 0; n == len(b) {
			return n, nil
		}
	}
	return n, io.EOF
}

// Close closes the files.
func (p *pages) Close() error {
	var errs []error
	for _, f := range p.files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// tail finds where the last lines begin; 0 lines are all.
func (p *pages) tail(lines int) (int64, error) {
	if lines <= 0 {
		return 0, nil
	}
	block := make([]byte, 64<<10)
	for end := p.size(); end > 0; {
		from := max(0, end-int64(len(block)))
		b := block[:end-from]
		if n, err := p.ReadAt(b, from); err != nil && n < len(b) {
			return 0, err
		}
		if end == p.size() && b[len(b)-1] == '\n' {
			b = b[:len(b)-1] // it ends the last line and begins none
		}
		for {
			at := bytes.LastIndexByte(b, '\n')
			if at < 0 {
				break
			}
			if lines--; lines == 0 {
				return from + int64(at) + 1, nil
			}
			b = b[:at]
		}
		end = from
	}
	return 0, nil
}
