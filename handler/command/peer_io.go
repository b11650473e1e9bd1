package command

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/hookway/hookway/hook"
)

// write sends requests and cancels until the process is over. A process that
// does not read holds up this goroutine only.
func (p *peer) write() {
	for {
		var id int64
		var f frame
		select {
		case r := <-p.frames:
			id, f = r.id, requestFrame(r.id, r.event)
		case cancelled := <-p.cancels:
			f = cancelFrame(cancelled)
		case <-p.over:
			return
		}
		p.sends(id)
		if err := p.send(f); err != nil { // it cannot have read the end of this line
			p.settleRequest(id, answer{err: errUnsent})
			close(p.broken)
			return
		}
		p.isSent(id, true)
	}
}

// sendNow sends a short frame if that needs no waiting; it saves the way over
// the writing goroutine.
func (p *peer) sendNow(f frame) bool {
	if size(f) > atomicWrite() || !p.writing.TryLock() {
		return false
	}
	defer p.writing.Unlock()
	return writeNow(p.proc.stdin, p.join(f))
}

// longFrame is the size from which the parts of a frame are not joined.
const longFrame = 64 << 10

func (p *peer) send(f frame) error {
	p.writing.Lock()
	defer p.writing.Unlock()
	if size(f) <= longFrame {
		f = frame{p.join(f)}
	}
	for _, part := range f {
		if _, err := p.proc.stdin.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// join puts the parts of a frame together, for one call of the system. The
// caller holds writing as long as it uses the line.
func (p *peer) join(f frame) []byte {
	p.line = p.line[:0]
	for _, part := range f {
		p.line = append(p.line, part...)
	}
	return p.line
}

// settleRequest ends an open request.
func (p *peer) settleRequest(id int64, a answer) {
	p.mu.Lock()
	request, open := p.open[id]
	delete(p.open, id)
	p.mu.Unlock()
	if open {
		request.answers <- a
	}
	p.stopIfIdle()
}

func size(parts [][]byte) int {
	n := 0
	for _, part := range parts {
		n += len(part)
	}
	return n
}

// read takes answers until stdout ends or is of no use any more.
func (p *peer) read() {
	r := bufio.NewReaderSize(p.proc.stdout, 64<<10)
	for {
		line, err := readLine(r, maxAnswer)
		if errors.Is(err, errLongLine) {
			p.mu.Lock()
			p.noise = fmt.Errorf("the worker printed a line of more than %d MiB; it is started anew", maxAnswer>>20)
			p.mu.Unlock()
			return
		}
		line = bytes.TrimSpace(line)
		if err != nil && !json.Valid(line) { // it ended in the middle of a line
			p.mu.Lock()
			p.cut = quoted(line)
			p.mu.Unlock()
			return
		}
		if len(line) > 0 {
			p.take(line)
		}
		if err != nil {
			return
		}
	}
}

// take handles one line.
func (p *peer) take(line []byte) {
	p.mu.Lock()
	p.lastRead = time.Now()
	p.mu.Unlock()
	r, err := parseReply(line)
	switch {
	case err != nil:
		p.w.count(func(s *Stats) { s.Noise++ })
		p.w.c.log(p.w.c.label() + ": " + err.Error())
		p.failAll(err)
	case r.Method != "": // a notification of its own: nothing that we know
		p.w.c.log(p.w.c.label() + ": " + quoted(line))
	default:
		p.deliver(&r, line)
	}
}

// deliver hands an answer to the call that waits for it.
func (p *peer) deliver(r *reply, line []byte) {
	id, ok := r.number()
	if !ok && r.Error != nil { // it could not even read a request
		p.failAll(r.Error)
		return
	}
	p.mu.Lock()
	request, open := p.open[id]
	_, late := p.dropped[id]
	delete(p.open, id)
	delete(p.dropped, id)
	p.mu.Unlock()
	switch {
	case open && request.failure != nil: // it failed before
		request.answers <- answer{err: request.failure}
		p.w.count(func(s *Stats) { s.Late++ })
		p.stopIfIdle()
	case open:
		request.answers <- r.answer()
		p.w.answered()
		p.stopIfIdle()
	case late:
		p.w.count(func(s *Stats) { s.Late++ })
	default:
		p.w.count(func(s *Stats) { s.Unmatched++ })
		p.w.c.log(fmt.Sprintf("%s: the worker answered twice, or what it was not asked: %s", p.w.c.label(), quoted(line)))
	}
}

func (r *reply) answer() answer {
	switch {
	case r.Error != nil:
		return answer{err: r.Error}
	case r.Result == nil:
		return answer{err: errors.New("the worker's answer has neither a result nor an error")}
	}
	return answer{result: r.Result}
}

// readStderr logs what the process prints beside its answers. Of a line that is
// too long, the beginning is logged and the rest dropped.
func (p *peer) readStderr() {
	r := bufio.NewReaderSize(p.proc.stderr, 16<<10)
	rest := false
	for {
		line, err := readLine(r, 8<<10)
		if !rest {
			p.said(hook.LogLine(string(line)), informative(line))
		}
		rest = errors.Is(err, errLongLine)
		if err != nil && !rest {
			return
		}
	}
}

// said logs a line, and keeps it in case it is the last one that tells something.
func (p *peer) said(text string, informative bool) {
	if text == "" {
		return
	}
	p.mu.Lock()
	if informative || p.last == "" {
		p.last = text
	}
	p.mu.Unlock()
	p.w.c.log(text)
}

// informative reports whether a line may say what went wrong. What is indented
// belongs to a line above it, and Node ends with a brace and its version.
func informative(line []byte) bool {
	return len(line) > 0 && line[0] != ' ' && line[0] != '\t' && line[0] != '}' && !bytes.HasPrefix(line, []byte("Node.js v"))
}

// errLongLine means that a line was cut; the next call goes on behind the cut.
var errLongLine = errors.New("the line is too long")

// readLine reads a line of at most so many bytes, without its end.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if err == nil || !errors.Is(err, bufio.ErrBufferFull) {
			if line == nil {
				line = bytes.Clone(part)
			} else {
				line = append(line, part...)
			}
			if len(line) > limit {
				return line[:limit], errLongLine
			}
			if errors.Is(err, io.EOF) || err != nil {
				return line, err
			}
			return line[:len(line)-1], nil
		}
		if line = append(line, part...); len(line) > limit {
			return line[:limit], errLongLine
		}
	}
}
