//go:build ollama && unix

package memory

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"strings"
)

// tinyModel is a model of the kind of nomic-embed-text in the file format of
// Ollama: one layer, letters for words, and random weights. What it says means
// nothing, but it comes the whole way that a real model's vectors come.
func tinyModel(seed uint64, dims int) []byte {
	const heads, hidden = 12, 128
	words := vocabulary()
	kinds := make([]int32, len(words))
	for i := range kinds {
		kinds[i] = 1
		if i < 5 {
			kinds[i] = 3 // it controls
		}
	}
	var f gguf
	f.pairs = []pair{
		{"general.architecture", "nomic-bert"}, {"general.file_type", uint32(0)},
		{"nomic-bert.context_length", uint32(2048)}, {"nomic-bert.embedding_length", uint32(dims)}, {"nomic-bert.block_count", uint32(1)},
		{"nomic-bert.feed_forward_length", uint32(hidden)}, {"nomic-bert.attention.head_count", uint32(heads)},
		{"nomic-bert.attention.layer_norm_epsilon", float32(1e-12)}, {"nomic-bert.attention.causal", false},
		{"nomic-bert.pooling_type", uint32(1)}, {"nomic-bert.rope.freq_base", float32(1000)},
		{"tokenizer.ggml.model", "bert"}, {"tokenizer.ggml.tokens", words}, {"tokenizer.ggml.token_type", kinds},
		{"tokenizer.ggml.scores", make([]float32, len(words))}, {"tokenizer.ggml.token_type_count", uint32(2)},
		{"tokenizer.ggml.padding_token_id", uint32(0)}, {"tokenizer.ggml.unknown_token_id", uint32(1)},
		{"tokenizer.ggml.bos_token_id", uint32(2)}, {"tokenizer.ggml.cls_token_id", uint32(2)},
		{"tokenizer.ggml.eos_token_id", uint32(3)}, {"tokenizer.ggml.seperator_token_id", uint32(3)}, {"tokenizer.ggml.mask_token_id", uint32(4)},
	}
	f.random = rand.New(rand.NewPCG(seed, 7))
	f.tensor("token_embd.weight", dims, len(words))
	f.tensor("token_types.weight", dims, 2)
	f.norm("token_embd_norm", dims)
	f.tensor("blk.0.attn_qkv.weight", dims, 3*dims)
	f.tensor("blk.0.attn_output.weight", dims, dims)
	f.norm("blk.0.attn_output_norm", dims)
	f.tensor("blk.0.ffn_up.weight", dims, hidden)
	f.tensor("blk.0.ffn_gate.weight", dims, hidden)
	f.tensor("blk.0.ffn_down.weight", hidden, dims)
	f.norm("blk.0.layer_output_norm", dims)
	return f.bytes()
}

// vocabulary is the five signs that a model of this kind has, and letters: at the
// beginning of a word and within.
func vocabulary() []string {
	words := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
	for _, r := range "abcdefghijklmnopqrstuvwxyz0123456789.,:;!?_-'" {
		words = append(words, "▁"+string(r), string(r))
	}
	for _, w := range strings.Fields("the of and to in is on for with what which who when where how user agent test build") {
		words = append(words, "▁"+w)
	}
	return words
}

type pair struct {
	key   string
	value any
}

type tensor struct {
	name string
	dims []int
	data []float32
}

// gguf is a file of a model: pairs, then what the tensors are called, then their
// numbers.
type gguf struct {
	pairs   []pair
	tensors []tensor
	random  *rand.Rand
}

func (f *gguf) tensor(name string, dims ...int) {
	n := 1
	for _, d := range dims {
		n *= d
	}
	t := tensor{name, dims, make([]float32, n)}
	for i := range t.data {
		t.data[i] = float32(f.random.NormFloat64()) * 0.05
	}
	f.tensors = append(f.tensors, t)
}

func (f *gguf) norm(name string, dims int) {
	for _, part := range []string{".weight", ".bias"} {
		t := tensor{name + part, []int{dims}, make([]float32, dims)}
		if part == ".weight" {
			for i := range t.data {
				t.data[i] = 1
			}
		}
		f.tensors = append(f.tensors, t)
	}
}

func (f *gguf) bytes() []byte {
	var b bytes.Buffer
	put := func(values ...any) {
		for _, v := range values {
			if s, is := v.(string); is {
				_ = binary.Write(&b, binary.LittleEndian, uint64(len(s))) // a buffer takes all
				b.WriteString(s)
				continue
			}
			_ = binary.Write(&b, binary.LittleEndian, v)
		}
	}
	b.WriteString("GGUF")
	put(uint32(3), uint64(len(f.tensors)), uint64(len(f.pairs)))
	for _, p := range f.pairs {
		put(p.key)
		switch v := p.value.(type) {
		case uint32:
			put(uint32(4), v)
		case float32:
			put(uint32(6), v)
		case bool:
			put(uint32(7), v)
		case string:
			put(uint32(8), v)
		case []string:
			put(uint32(9), uint32(8), uint64(len(v)))
			for _, s := range v {
				put(s)
			}
		case []int32:
			put(uint32(9), uint32(5), uint64(len(v)), v)
		case []float32:
			put(uint32(9), uint32(6), uint64(len(v)), v)
		}
	}
	offset := 0
	for _, t := range f.tensors {
		put(t.name, uint32(len(t.dims)))
		for _, d := range t.dims {
			put(uint64(d))
		}
		put(uint32(0), uint64(offset))
		offset += (4*len(t.data) + 31) / 32 * 32
	}
	pad := func() {
		for b.Len()%32 != 0 {
			b.WriteByte(0)
		}
	}
	pad()
	for _, t := range f.tensors {
		put(t.data)
		pad()
	}
	return b.Bytes()
}
