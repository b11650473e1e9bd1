package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/bench"
	"github.com/hookway/hookway/internal/memory"
	"github.com/hookway/hookway/internal/memory/exam"
)

// workspace is where all that is measured is remembered.
const workspace = "/bench"

// memoryStep is one step: the store is in the file, and what is to be imported
// beside it.
func memoryStep(ctx context.Context, step, file string, runs int) (row memoryMeasure, err error) {
	store, err := memory.Open(ctx, file)
	if err != nil {
		return row, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	switch step {
	case "fill":
		err = row.fill(ctx, store, filepath.Join(filepath.Dir(file), "lines"), runs)
	case "embed":
		store.Use(madeUp{}, memory.Space{Model: "made up"})
		began := time.Now()
		err = store.Embed(ctx, nil)
		row.EmbedMS = bench.Milliseconds(time.Since(began))
	case "vectors":
		store.Use(madeUp{}, memory.Space{Model: "made up"})
		err = row.search(ctx, store, runs)
	case "words":
		err = row.search(ctx, store, runs)
	}
	return row, err
}

// fill imports, and then saves one after the other.
func (m *memoryMeasure) fill(ctx context.Context, store *memory.Store, lines string, runs int) error {
	f, err := os.Open(lines)
	if err != nil {
		return err
	}
	defer f.Close()
	began := time.Now()
	if _, err := store.Import(ctx, f, memory.Memory{Workspace: workspace}); err != nil {
		return err
	}
	m.ImportMS = bench.Milliseconds(time.Since(began))
	var took []time.Duration
	for i := range runs {
		began := time.Now()
		if _, err := store.Save(ctx, memory.Memory{Text: fmt.Sprintf("The user wants number %d", i), Workspace: workspace}); err != nil {
			return err
		}
		took = append(took, time.Since(began))
	}
	m.Save = bench.NewMeasure("save", took)
	return nil
}

// search asks questions, the first of which makes the index.
func (m *memoryMeasure) search(ctx context.Context, store *memory.Store, runs int) error {
	_, asked, err := exam.Built()
	if err != nil {
		return err
	}
	var took []time.Duration
	for i := range runs + 1 {
		began := time.Now()
		if _, err := store.Search(ctx, asked[i*7%len(asked)].Text, 10, memory.View{Workspace: workspace}); err != nil {
			return err
		}
		took = append(took, time.Since(began))
	}
	m.First = bench.Milliseconds(took[0])
	m.Search = bench.NewMeasure("search", took[1:])
	m.SearchBytes = bench.ResidentPeak(os.Getpid())
	return nil
}

// writeMemories writes lines to import, of words in the order of chance: those of
// the set, the first ones more often than the last, and names of things.
func writeMemories(file string, n int) error {
	notes, _, err := exam.Built()
	if err != nil {
		return err
	}
	var pool []string
	for _, note := range notes {
		pool = append(pool, strings.Fields(note.Text)...)
	}
	for i := range 20_000 {
		pool = append(pool, fmt.Sprintf("thing%d", i))
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(f)
	enc := json.NewEncoder(out)
	chance := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		var text []string
		for range 8 + chance.IntN(20) {
			text = append(text, pool[int(float64(len(pool))*chance.Float64()*chance.Float64())])
		}
		err = errors.Join(err, enc.Encode(memory.Memory{
			ID: fmt.Sprint("b", i), Text: strings.Join(text, " "), Agent: notes[i%len(notes)].Agent, Session: fmt.Sprint("s", i/20),
			Time: time.Unix(int64(1.7e9)+int64(i)*60, 0).UTC(),
		}))
	}
	return errors.Join(err, out.Flush(), f.Close())
}

// noteLines are the notes of a set as they are imported.
func noteLines(notes []exam.Note) ([]byte, error) {
	var lines bytes.Buffer
	enc := json.NewEncoder(&lines)
	for _, n := range notes {
		if err := enc.Encode(memory.Memory{ID: n.ID, Text: n.Text, Agent: n.Agent, Session: n.Session, Time: n.Time, Tags: n.Tags}); err != nil {
			return nil, err
		}
	}
	return lines.Bytes(), nil
}

// madeUp is an embedder without a model: each word has a direction. It is as much
// work for a store as any other of its size.
type madeUp struct{}

const madeUpDims = 768

func (madeUp) Embed(_ context.Context, texts []string, _ bool) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		v := make([]float32, madeUpDims)
		v[0] = 0.1 // a text may have no word
		for word := range strings.FieldsSeq(strings.ToLower(text)) {
			h := fnv.New64a()
			h.Write([]byte(word))
			n := h.Sum64()
			for j := range v {
				n = n*6364136223846793005 + 1442695040888963407
				v[j] += float32(int8(n>>56)) / 128
			}
		}
		out[i] = v
	}
	return out, nil
}
