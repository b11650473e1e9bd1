package keep

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// A block is a header and what it says, compressed.
const (
	magic      = "hwk1"
	headerSize = 20

	maxRaw   = 8 << 20           // of one block, in bytes
	maxSmall = maxRaw + maxRaw/8 // of the same, compressed
)

// header begins a block: magic, sizes, and checksums of what is compressed and of itself.
type header struct{ raw, small, sum uint32 }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (h header) append(b []byte) []byte {
	at := len(b)
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint32(b, h.raw)
	b = binary.LittleEndian.AppendUint32(b, h.small)
	b = binary.LittleEndian.AppendUint32(b, h.sum)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[at:], castagnoli))
}

// errNoHeader is a place where no block begins.
var errNoHeader = errors.New("no block begins here")

func parseHeader(b []byte) (h header, err error) {
	if len(b) < headerSize || string(b[:4]) != magic || crc32.Checksum(b[:headerSize-4], castagnoli) != binary.LittleEndian.Uint32(b[headerSize-4:]) {
		return h, errNoHeader
	}
	h = header{binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint32(b[8:]), binary.LittleEndian.Uint32(b[12:])}
	if h.raw > maxRaw || h.small > maxSmall {
		return h, errNoHeader
	}
	return h, nil
}

// entry is one event with the number of its record.
type entry struct {
	seq  int64
	text []byte
}

// appendEntry adds an entry to what will be a block.
func appendEntry(b []byte, e entry) []byte {
	b = binary.AppendUvarint(b, uint64(e.seq))
	b = binary.AppendUvarint(b, uint64(len(e.text)))
	return append(b, e.text...)
}

// parseEntries reads the entries of a block. Their texts are parts of it.
func parseEntries(raw []byte) (out []entry, err error) {
	for len(raw) > 0 {
		seq, n := binary.Uvarint(raw)
		if n <= 0 || seq == 0 || seq > 1<<62 {
			return out, errors.New("an entry has no number")
		}
		raw = raw[n:]
		size, n := binary.Uvarint(raw)
		if n <= 0 || size > uint64(len(raw)-n) {
			return out, errors.New("an entry is cut")
		}
		out = append(out, entry{int64(seq), raw[n : n+int(size)]})
		raw = raw[n+int(size):]
	}
	return out, nil
}

// packer compresses blocks. It is made when it is first used, and forgotten when it has
// nothing to do: it holds tables.
type packer struct{ enc *zstd.Encoder }

func (p *packer) pack(raw []byte) ([]byte, error) {
	if p.enc == nil {
		enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(256<<10),
			zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false), zstd.WithEncoderDictRaw(dictionaryID, []byte(dictionary)))
		if err != nil {
			return nil, err
		}
		p.enc = enc
	}
	out := p.enc.EncodeAll(raw, make([]byte, headerSize, headerSize+len(raw)/4))
	small := out[headerSize:]
	h := header{raw: uint32(len(raw)), small: uint32(len(small)), sum: crc32.Checksum(small, castagnoli)}
	h.append(out[:0])
	return out, nil
}

func (p *packer) forget() {
	if p.enc != nil {
		p.enc.Close()
		p.enc = nil
	}
}

var decoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(maxRaw), zstd.WithDecoderMaxWindow(maxRaw),
		zstd.WithDecoderDictRaw(dictionaryID, []byte(dictionary)))
})

// unpack gives the entries of a block.
func unpack(h header, small []byte) ([]entry, error) {
	if crc32.Checksum(small, castagnoli) != h.sum {
		return nil, errors.New("its checksum does not fit")
	}
	dec, err := decoder()
	if err != nil {
		return nil, err
	}
	raw, err := dec.DecodeAll(small, make([]byte, 0, h.raw))
	if err != nil {
		return nil, fmt.Errorf("it cannot be unpacked: %w", err)
	}
	if len(raw) != int(h.raw) {
		return nil, fmt.Errorf("it unpacks to %d bytes, not %d", len(raw), h.raw)
	}
	return parseEntries(raw)
}

// nextMagic is where the next block may begin; -1 if none does.
func nextMagic(b []byte) int { return bytes.Index(b, []byte(magic)) }
