package index

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"sync/atomic"
)

// Bounds of a block.
const (
	blockRows  = 1024
	blockBytes = 2 << 20 // of its lines
	blockTexts = 1 << 20 // of its list of texts
)

// head is what is known of a block without reading it.
type head struct {
	id          int64 // in the file; 0: it is not there
	file        int64
	at, end     int64 // of its lines
	n           int64 // records
	first, last int64 // the lowest and the highest number
	from, until int64 // the earliest and the latest time
	said        signature
	sum         string // hash of the last record
}

// block is the rows of some lines that follow each other. What was added to it stays as it
// is, so that a copy of it can be read while more is added.
type block struct {
	head
	texts []string
	rows  []byte // without steps
	steps []byte

	summed *summed
}

// summed are the sessions of a block, once somebody has asked for them.
type summed = atomic.Pointer[map[sessionKey]*Session]

// builder makes blocks.
type builder struct {
	block
	reader reader
	before row // for what is left out
}

func newBuilder(file, at int64) *builder {
	b := &builder{}
	b.reader.signer = new(signer)
	b.begin(file, at)
	return b
}

// begin begins a block.
func (b *builder) begin(file, at int64) {
	b.reader.texts = newTexts()
	b.block = block{head: head{file: file, at: at, end: at, first: math.MaxInt64, from: math.MaxInt64, until: math.MinInt64}}
	b.before = row{}
}

// full reports whether the block has enough.
func (b *builder) full() bool {
	return b.n >= blockRows || b.end-b.at >= blockBytes || b.reader.texts.size >= blockTexts
}

// add adds a row.
func (b *builder) add(r *row) {
	out := b.rows
	out = binary.AppendVarint(out, r.at-b.before.at-b.before.size)
	out = binary.AppendUvarint(out, uint64(r.size))
	out = binary.AppendVarint(out, r.seq-b.before.seq)
	out = binary.AppendVarint(out, r.time-b.before.time)
	changed := uint64(0)
	for i := range columns {
		if r.texts[i] != b.before.texts[i] {
			changed |= 1 << i
		}
	}
	out = binary.AppendUvarint(out, changed)
	for i := range columns {
		if changed&(1<<i) != 0 {
			out = binary.AppendUvarint(out, uint64(r.texts[i]))
		}
	}
	b.rows = out
	b.addSteps(r.steps)
	b.before = *r
	b.before.steps = nil
	b.n++
	b.first, b.last = min(b.first, r.seq), max(b.last, r.seq)
	b.from, b.until = min(b.from, r.time), max(b.until, r.time)
	b.texts = b.reader.texts.list
}

func (b *builder) addSteps(steps []step) {
	out := binary.AppendUvarint(b.steps, uint64(len(steps)))
	for i := range steps {
		s := &steps[i]
		out = binary.AppendUvarint(out, uint64(s.hook))
		out = binary.AppendUvarint(out, uint64(s.action))
		out = append(out, s.flags)
		out = binary.AppendVarint(out, int64(s.bucket))
		out = binary.AppendUvarint(out, uint64(s.rule))
		if s.flags&stepOnTrial != 0 {
			out = binary.AppendUvarint(out, uint64(s.would))
			out = binary.AppendUvarint(out, uint64(s.wouldRule))
		}
	}
	b.steps = out
}

// seal gives the block, signed, and begins the next one.
func (b *builder) seal() *block {
	done := b.block
	done.said, done.summed = b.reader.signer.sign(), new(summed)
	b.begin(done.file, done.end)
	return &done
}

// errBlock is of a block that is not as it was written.
var errBlock = errors.New("a block of the index cannot be read")

// decoder reads numbers. What is missing is an error at the end.
type decoder struct {
	in  []byte
	bad bool
}

func (d *decoder) unsigned() uint64 {
	if len(d.in) > 0 && d.in[0] < 0x80 {
		n := d.in[0]
		d.in = d.in[1:]
		return uint64(n)
	}
	n, size := binary.Uvarint(d.in)
	if size <= 0 {
		d.bad, d.in = true, nil
		return 0
	}
	d.in = d.in[size:]
	return n
}

func (d *decoder) signed() int64 {
	n := d.unsigned()
	return int64(n>>1) ^ -int64(n&1)
}

// each gives the rows, whose steps are not read, in their order. One may be used until the
// next; it ends where visit says false.
func (b *block) each(visit func(i int, r *row) bool) error {
	d, r := decoder{in: b.rows}, row{}
	for i := range int(b.n) {
		r.at += r.size + d.signed()
		r.size = int64(d.unsigned())
		r.seq += d.signed()
		r.time += d.signed()
		changed := d.unsigned()
		for c := 0; changed != 0; c, changed = c+1, changed>>1 {
			if changed&1 == 0 {
				continue
			}
			id := d.unsigned()
			if c >= columns || id >= uint64(len(b.texts)) {
				return errBlock
			}
			r.texts[c] = uint32(id)
		}
		if d.bad {
			return errBlock
		}
		if !visit(i, &r) {
			return nil
		}
	}
	return nil
}

// stepper gives the steps of the rows, one row after the other.
type stepper struct {
	decoder
	most  uint64 // texts
	steps []step
}

func (b *block) stepper() *stepper {
	return &stepper{decoder: decoder{in: b.steps}, most: uint64(len(b.texts))}
}

// next gives the steps of the next row, until they are asked for again.
func (s *stepper) next() ([]step, error) {
	s.steps = s.steps[:0]
	for range s.unsigned() {
		one := step{hook: s.text(), action: s.text()}
		if len(s.in) == 0 {
			return nil, errBlock
		}
		one.flags, s.in = s.in[0], s.in[1:]
		one.bucket = int16(s.signed())
		one.rule = s.text()
		if one.flags&stepOnTrial != 0 {
			one.would, one.wouldRule = s.text(), s.text()
		}
		if s.bad {
			return nil, errBlock
		}
		s.steps = append(s.steps, one)
	}
	if s.bad {
		return nil, errBlock
	}
	return s.steps, nil
}

func (s *stepper) text() uint32 {
	id := s.unsigned()
	if id >= s.most {
		s.bad = true
	}
	return uint32(id)
}

// encodeHead is the head as it is kept.
func (b *block) encodeHead() []byte {
	var out []byte
	for _, n := range []int64{b.file, b.at, b.end, b.n, b.first, b.last, b.from, b.until} {
		out = binary.AppendVarint(out, n)
	}
	out = append(out, b.sum...)
	return sealed(out)
}

func parseHead(text []byte) (h head, err error) {
	text, err = unsealed(text)
	d := decoder{in: text}
	for _, n := range []*int64{&h.file, &h.at, &h.end, &h.n, &h.first, &h.last, &h.from, &h.until} {
		*n = d.signed()
	}
	if h.sum = string(d.in); err == nil && (d.bad || h.file < 1 || h.at < 0 || h.end < h.at || h.n < 0 || h.n > blockRows) {
		err = errBlock
	}
	return h, err
}

// encodeRows are the texts and rows as they are kept.
func (b *block) encodeRows() []byte {
	out := binary.AppendUvarint(nil, uint64(len(b.texts)))
	for _, text := range b.texts {
		out = binary.AppendUvarint(out, uint64(len(text)))
		out = append(out, text...)
	}
	return sealed(append(out, b.rows...))
}

func (b *block) parseRows(text []byte) error {
	text, err := unsealed(text)
	if err != nil {
		return err
	}
	d := decoder{in: text}
	n := d.unsigned()
	if n > uint64(len(text)) {
		return errBlock
	}
	whole := string(text) // of which each text is a part
	b.texts = make([]string, 0, n)
	for range n {
		size := d.unsigned()
		if d.bad || size > uint64(len(d.in)) {
			return errBlock
		}
		at := len(whole) - len(d.in)
		b.texts = append(b.texts, whole[at:at+int(size)])
		d.in = d.in[size:]
	}
	if b.rows = d.in; d.bad || n == 0 {
		return errBlock
	}
	return nil
}

// sealed adds a checksum.
func sealed(text []byte) []byte {
	return binary.LittleEndian.AppendUint32(text, crc32.Checksum(text, castagnoli))
}

func unsealed(text []byte) ([]byte, error) {
	n := len(text) - 4
	if n < 0 || binary.LittleEndian.Uint32(text[n:]) != crc32.Checksum(text[:n], castagnoli) {
		return nil, errBlock
	}
	return text[:n], nil
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)
