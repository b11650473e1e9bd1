package qdrant

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/hookway/hookway/internal/memory"
)

// sparseName is what mem0 calls the vector of words.
const sparseName = "bm25"

// Of BM25, as mem0's encoder has them. How rare a word is Qdrant knows itself.
const (
	saturation = 1.2
	lengthPart = 0.75
	usualWords = 256
)

// sparse is a vector of words: hashes of their stems, and what each weighs.
type sparse struct {
	Indices []uint32  `json:"indices"`
	Values  []float64 `json:"values"`
}

// sparseOf gives the vector of a text that is stored, or of a query.
func sparseOf(text string, query bool) sparse {
	words := memory.Terms(text)
	count := map[uint32]float64{}
	for _, word := range words {
		count[hash(word)]++
	}
	v := sparse{Indices: make([]uint32, 0, len(count)), Values: make([]float64, 0, len(count))}
	for index := range count {
		v.Indices = append(v.Indices, index)
	}
	slices.Sort(v.Indices)
	for _, index := range v.Indices {
		weight := 1.0
		if n := count[index]; !query {
			weight = n * (saturation + 1) / (n + saturation*(1-lengthPart+lengthPart*float64(len(words))/usualWords))
		}
		v.Values = append(v.Values, weight)
	}
	return v
}

// hash is MurmurHash3 of 32 bits without its sign, as the encoder that mem0 uses
// numbers words.
func hash(word string) uint32 {
	const c1, c2 = 0xcc9e2d51, 0x1b873593
	data, h := []byte(word), uint32(0)
	mix := func(k uint32) uint32 { return bits.RotateLeft32(k*c1, 15) * c2 }
	for ; len(data) >= 4; data = data[4:] {
		h = bits.RotateLeft32(h^mix(binary.LittleEndian.Uint32(data)), 13)*5 + 0xe6546b64
	}
	var rest uint32
	for i := len(data) - 1; i >= 0; i-- {
		rest = rest<<8 | uint32(data[i])
	}
	if len(data) > 0 {
		h ^= mix(rest)
	}
	h ^= uint32(len(word))
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	h ^= h >> 16
	if n := int32(h); n < 0 {
		return uint32(-int64(n))
	}
	return h
}
