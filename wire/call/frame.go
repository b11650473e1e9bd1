package call

import (
	"errors"
	"io"
	"strconv"
	"time"
)

// Protocol is the version of the frames. Both sides must speak the same.
const Protocol = 1

// Bounds of what is sent. A reader refuses more before it takes the memory for it.
const (
	MaxStdin  = 64 << 20
	MaxOutput = 64 << 20 // stdout, and stderr, of a reply
	MaxEnv    = 8 << 20  // the whole environment
	MaxText   = 64 << 10 // any other text

	// MaxEvent is an event of an agent. To read one takes several times its size, and
	// many agents share the daemon.
	MaxEvent = 16 << 20

	// MaxShared is a request that is answered in the process that others share. What is
	// larger is left to a process of its own, so that nobody else waits for it.
	MaxShared = 1 << 20

	maxBody = MaxStdin + MaxOutput + MaxEnv + 16*MaxText
)

// A frame begins with a header that no version may change: the magic, the
// version of what follows, what it is, and its length.
const (
	magic      = "HKWY"
	headerSize = len(magic) + 2 + 1 + 1 + 4 // magic, version, kind of frame, flags, length
	flagsAt    = len(magic) + 3

	frameRequest = 'Q'
	frameReply   = 'A'

	flagAsk = 1 // of a reply: Ask
)

// Magic is how every frame begins, whatever its version: who reads other languages
// on the same stream tells them apart by it.
const Magic = magic

// VersionError says that the other side speaks another version of the protocol:
// two versions of hookway run at once.
type VersionError struct{ Theirs, Ours int }

func (e *VersionError) Error() string {
	return "the other side speaks version " + strconv.Itoa(e.Theirs) + " of the protocol, this one " + strconv.Itoa(e.Ours) +
		": two versions of hookway run at once; end the daemon with hookway stop"
}

// Errors of frames. A stream on which one was met is of no more use.
var (
	ErrNoFrame   = errors.New("not a frame of hookway: something else listens or talks here")
	ErrMalformed = errors.New("the frame is damaged")
	ErrTooLarge  = errors.New("the call is too large")
)

// WriteRequest sends a request. What is too large is refused before a byte is sent.
func WriteRequest(w io.Writer, r *Request) error {
	size := 0
	for _, kv := range r.Env {
		size += len(kv) + 4
	}
	switch {
	case len(r.Stdin) > MaxStdin, size > MaxEnv,
		len(r.Version) > MaxText, len(r.Agent) > MaxText, len(r.Event) > MaxText, len(r.Policy) > MaxText, len(r.Dir) > MaxText:
		return ErrTooLarge
	}
	b := newFrame(frameRequest, size+1024+len(r.Dir))
	b = append(b, byte(r.Kind))
	b = put64(b, uint64(r.Timeout))
	for _, s := range [...]string{r.Version, r.Agent, r.Event, r.Policy, r.Dir} {
		b = putString(b, s)
	}
	b = put32(b, len(r.Env))
	for _, kv := range r.Env {
		b = putString(b, kv)
	}
	return send(w, put32(b, len(r.Stdin)), r.Stdin)
}

// GaveUp tells the daemon that the sender of the request before waits no more.
func GaveUp(w io.Writer, e *GaveUpError) error {
	return WriteRequest(w, &Request{Kind: KindGaveUp, Event: e.Why[:min(len(e.Why), maxReason)], Policy: e.Policy})
}

// KindAt is the kind of the request whose frame begins with these bytes, of which
// there are KindSize; 0 if they begin no request.
func KindAt(b []byte) Kind {
	if len(b) < KindSize || string(b[:len(magic)]) != magic || b[len(magic)+2] != frameRequest {
		return 0
	}
	return Kind(b[headerSize])
}

// KindSize is how many bytes of a frame tell the kind of its request.
const KindSize = headerSize + 1

// SizeAt is the length of the frame that begins so, all of it; 0 if it is no frame of ours.
func SizeAt(b []byte) int64 {
	if KindAt(b) == 0 {
		return 0
	}
	return int64(headerSize) + int64(get32(b[headerSize-4:]))
}

// ReadRequest reads the next request. io.EOF means that there is none: the other
// side closed the connection between two of them.
func ReadRequest(r io.Reader) (*Request, error) {
	f, err := readFrame(r, frameRequest)
	if err != nil {
		return nil, err
	}
	req := &Request{Kind: Kind(f.byte()), Timeout: time.Duration(f.uint64())}
	for _, s := range [...]*string{&req.Version, &req.Agent, &req.Event, &req.Policy, &req.Dir} {
		*s = string(f.bytes(MaxText))
	}
	n := f.uint32()
	if n > len(f.rest)/4 { // each takes four bytes at least
		return nil, ErrMalformed
	}
	if n > 0 {
		req.Env = make([]string, n)
	}
	for i := range req.Env {
		req.Env[i] = string(f.bytes(MaxEnv))
	}
	req.Stdin = f.bytes(MaxStdin)
	return req, f.end()
}

// WriteReply sends a reply.
func WriteReply(w io.Writer, r *Reply) error {
	if len(r.Stdout) > MaxOutput || len(r.Stderr) > MaxOutput || len(r.Err) > MaxText {
		return ErrTooLarge
	}
	b := newFrame(frameReply, 256+len(r.Err)+len(r.Stderr))
	if r.Ask {
		b[flagsAt] = flagAsk
	}
	b = put32(b, r.ExitCode)
	b = putString(b, r.Err)
	b = append(put32(b, len(r.Stderr)), r.Stderr...)
	return send(w, put32(b, len(r.Stdout)), r.Stdout)
}

// ReadReply reads the reply to a request.
func ReadReply(r io.Reader) (*Reply, error) {
	f, err := readFrame(r, frameReply)
	if err == io.EOF { //nolint:errorlint // readFrame gives it unwrapped, and only between frames
		return nil, io.ErrUnexpectedEOF // a request has a reply
	} else if err != nil {
		return nil, err
	}
	reply := &Reply{Ask: f.flags == flagAsk, ExitCode: int(int32(f.uint32()))} //nolint:gosec // written as such
	reply.Err = string(f.bytes(MaxText))
	reply.Stderr = f.bytes(MaxOutput)
	reply.Stdout = f.bytes(MaxOutput)
	return reply, f.end()
}

func newFrame(kind byte, room int) []byte {
	b := make([]byte, 0, headerSize+room)
	b = append(b, magic...)
	b = append(b, Protocol>>8, Protocol&0xff, kind, 0)
	return append(b, 0, 0, 0, 0) // the length: see send
}

// send completes a frame, whose last field is the tail, and writes it. A short
// tail goes with the rest in one write.
func send(w io.Writer, b, tail []byte) error {
	put32(b[:headerSize-4], len(b)-headerSize+len(tail))
	if len(tail) <= 64<<10 {
		b, tail = append(b, tail...), nil
	}
	if _, err := w.Write(b); err != nil || len(tail) == 0 {
		return err
	}
	_, err := w.Write(tail)
	return err
}

func put32(b []byte, n int) []byte {
	return append(b, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
}

func put64(b []byte, n uint64) []byte {
	return put32(put32(b, int(n>>32)), int(n&0xffffffff)) //nolint:gosec // halves
}

func putString(b []byte, s string) []byte { return append(put32(b, len(s)), s...) }

func get32(b []byte) uint32 {
	return uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
}

// readFrame reads a whole frame of one kind.
func readFrame(r io.Reader, kind byte) (*fields, error) {
	header := make([]byte, headerSize)
	if _, err := io.ReadFull(r, header); err != nil {
		return nil, err // io.EOF only if not a byte came
	}
	if string(header[:len(magic)]) != magic {
		return nil, ErrNoFrame
	}
	header = header[len(magic):]
	if v := int(header[0])<<8 | int(header[1]); v != Protocol {
		return nil, &VersionError{Theirs: v, Ours: Protocol}
	}
	flags := header[3]
	if header[2] != kind || flags != 0 && (kind != frameReply || flags != flagAsk) {
		return nil, ErrMalformed
	}
	size := int64(get32(header[4:]))
	if size > maxBody {
		return nil, ErrTooLarge
	}
	body, err := readBody(r, int(size))
	if err != nil {
		return nil, err
	}
	return &fields{rest: body, flags: flags}, nil
}

// readBody reads so many bytes. The memory grows with what has come, so that a
// header alone costs nothing; after some of it, all is believed, so that a large
// body is not copied again and again.
func readBody(r io.Reader, size int) ([]byte, error) {
	const step, believed = 1 << 20, 4 << 20
	body := make([]byte, min(size, step))
	for at := 0; ; {
		n, err := io.ReadFull(r, body[at:])
		if err == io.EOF { //nolint:errorlint // ReadFull gives it unwrapped
			err = io.ErrUnexpectedEOF
		}
		if at += n; err != nil && n < len(body[at-n:]) {
			return nil, err
		}
		if at == size {
			return body, nil
		}
		room := min(size, 4*at)
		if at >= believed {
			room = size
		}
		bigger := make([]byte, room)
		copy(bigger, body)
		body = bigger
	}
}

// fields takes a body apart. The first mistake makes all that follow empty.
type fields struct {
	rest  []byte
	bad   bool
	flags byte // of the frame
}

func (f *fields) take(n int) []byte {
	if f.bad || n < 0 || n > len(f.rest) {
		f.bad, f.rest = true, nil
		return nil
	}
	taken := f.rest[:n:n]
	f.rest = f.rest[n:]
	return taken
}

func (f *fields) byte() byte {
	if b := f.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (f *fields) uint32() int {
	if b := f.take(4); b != nil {
		return int(get32(b))
	}
	return 0
}

func (f *fields) uint64() uint64 {
	high, low := f.uint32(), f.uint32()
	return uint64(high)<<32 | uint64(low) //nolint:gosec // both have 32 bits
}

// bytes takes a field with its length before it; an empty one is nil.
func (f *fields) bytes(most int) []byte {
	n := f.uint32()
	if n > most {
		f.bad = true
	}
	if n == 0 {
		return nil
	}
	return f.take(n)
}

// end says whether the body was whole, with nothing after it.
func (f *fields) end() error {
	if f.bad || len(f.rest) > 0 {
		return ErrMalformed
	}
	return nil
}
