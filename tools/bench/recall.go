package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/bench"
	"github.com/hookway/hookway/internal/memory"
	"github.com/hookway/hookway/internal/memory/exam"
)

// recallMeasure is how much is found, in percent.
type recallMeasure struct {
	By     string        `json:"by"`
	At5    float64       `json:"recall_at_5"`
	At10   float64       `json:"recall_at_10"`
	Search bench.Measure `json:"search"`
}

// recallSet is what is remembered, as it is imported, and asked.
type recallSet struct {
	memories []byte
	asked    []exam.Question
}

// recallSet is the user's own, or the one that every hookway has.
func (p *program) recallSet(plan memoryPlan) (set recallSet, err error) {
	if plan.questions == "" {
		notes, asked, err := exam.Built()
		if err != nil {
			return set, err
		}
		lines, err := noteLines(notes)
		return recallSet{lines, asked}, err
	}
	if set.memories, err = os.ReadFile(plan.memories); err != nil {
		return set, fmt.Errorf("--memories: %w", err)
	}
	f, err := os.Open(plan.questions)
	if err != nil {
		return set, fmt.Errorf("--questions: %w", err)
	}
	defer f.Close()
	if set.asked, err = exam.Questions(f); err != nil {
		return set, fmt.Errorf("--questions %s: %w", plan.questions, err)
	}
	if lost := set.forgetUnknown(); len(lost) > 0 {
		fmt.Fprintf(p.err, "bench: no memory in %s has these ids; they are not asked for: %s\n", plan.memories, strings.Join(lost, ", "))
	}
	if len(set.asked) == 0 {
		return set, fmt.Errorf("no question of %s is answered by a memory of %s", plan.questions, plan.memories)
	}
	return set, nil
}

// forgetUnknown takes ids out of the questions that no memory has, and questions
// that have no other: each would count as one that was not found.
func (s *recallSet) forgetUnknown() (lost []string) {
	have := map[string]bool{}
	for line := range bytes.Lines(s.memories) {
		var m struct{ ID string }
		_ = json.Unmarshal(line, &m) // the import says what is wrong with it
		have[m.ID] = true
	}
	kept := s.asked[:0]
	for _, q := range s.asked {
		q.IDs = slices.DeleteFunc(q.IDs, func(id string) bool {
			if !have[id] {
				lost = append(lost, id)
			}
			return !have[id]
		})
		if len(q.IDs) > 0 {
			kept = append(kept, q)
		}
	}
	s.asked = kept
	return lost
}

// measureRecall asks all questions of a store in a new file.
func measureRecall(ctx context.Context, file string, set recallSet, with *memory.Embedding) (m recallMeasure, err error) {
	m.By = "words"
	store, err := memory.Open(ctx, file)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if with != nil {
		embedder, space, err := with.Open()
		if err != nil {
			return m, err
		}
		m.By = "words and " + space.Model
		store.Use(embedder, space)
	}
	if _, err := store.Import(ctx, bytes.NewReader(set.memories), memory.Memory{Workspace: workspace}); err != nil {
		return m, err
	}
	if with != nil {
		if err := store.Embed(ctx, nil); err != nil {
			return m, err
		}
	}
	return m, m.ask(ctx, store, set.asked)
}

// ask asks all questions once.
func (m *recallMeasure) ask(ctx context.Context, store *memory.Store, asked []exam.Question) (failed error) {
	var took []time.Duration
	seen := map[string][]string{}
	find := func(query string, k int) (ids []string) {
		if ids, done := seen[query]; done {
			return ids[:min(k, len(ids))]
		}
		began := time.Now()
		found, err := store.Find(ctx, query, 10, memory.View{Workspace: workspace, All: true})
		took = append(took, time.Since(began))
		if err == nil && found.Warning != "" {
			err = errors.New(found.Warning)
		}
		failed = errors.Join(failed, err)
		for _, f := range found.Memories {
			ids = append(ids, f.ID)
		}
		seen[query] = ids
		return ids[:min(k, len(ids))]
	}
	m.At10, _ = exam.Recall(10, asked, find)
	m.At5, _ = exam.Recall(5, asked, find)
	m.Search = bench.NewMeasure("search", took)
	return failed
}
