package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/internal/bench"
	"github.com/hookway/hookway/internal/memory"
)

func (p *program) memoryCommand() *cobra.Command {
	plan := memoryPlan{sizes: []int{1_000, 10_000, 100_000}, runs: 100}
	cmd := &cobra.Command{
		Use:   "memory",
		Short: "Measure saving and searching, and how much of what was asked is found",
		Long: `Measure saving and searching, and how much of what was asked is found.

Stores of several sizes are made in a temporary folder, of words in the order of
chance, in sessions of twenty; yours are not touched. "vectors" is the same search
with a vector of 768 numbers for each memory, made up without a model.

Then 900 questions are asked of the 376 memories that come with hookway, in other
words than they have: how many are answered among the first five and ten. With
--embedder this is done with its vectors too.

Your own questions, of your own memories: --memories has lines as hookway memory
export writes them, --questions a line for each question, with the ids of what
answers it: {"query": "where do we deploy", "ids": ["9f2c"]}. Then only these are
asked, unless there are --sizes too.`,
		Example: `  hookway bench memory --sizes 1000,10000
  hookway bench memory --embedder ollama:nomic-embed-text@http://127.0.0.1:11434
  hookway bench memory --memories memories.jsonl --questions questions.jsonl`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if plan.runs < 1 {
				return fmt.Errorf("-n %d: measure at least one run", plan.runs)
			}
			for _, n := range plan.sizes {
				if n < 1 || n > 10_000_000 {
					return fmt.Errorf("--sizes %d: use 1 to 10000000", n)
				}
			}
			if plan.questions != "" && !cmd.Flags().Changed("sizes") {
				plan.sizes = nil
			}
			return p.memory(cmd.Context(), plan)
		},
	}
	cmd.Flags().IntSliceVar(&plan.sizes, "sizes", plan.sizes, "how many `MEMORIES` the stores have")
	cmd.Flags().IntVarP(&plan.runs, "runs", "n", plan.runs, "how many `RUNS` of each are measured")
	cmd.Flags().StringVar(&plan.embedder, "embedder", "", "measure with this one too: `PROVIDER:MODEL@URL`, as in ollama:nomic-embed-text@http://127.0.0.1:11434")
	cmd.Flags().StringVar(&plan.keyEnv, "api-key-env", "OPENAI_API_KEY", "the `VARIABLE` with the embedder's key")
	cmd.Flags().StringVar(&plan.memories, "memories", "", "ask of the memories of this `FILE` instead")
	cmd.Flags().StringVar(&plan.questions, "questions", "", "ask the questions of this `FILE`")
	cmd.MarkFlagsRequiredTogether("memories", "questions")
	return cmd
}

// memoryStepCommand is one step of the measurement, in a process of its own: only
// so is it known how much memory it takes.
func (p *program) memoryStepCommand() *cobra.Command {
	return &cobra.Command{Use: "memory-step STEP FILE RUNS", Hidden: true, Args: cobra.ExactArgs(3), RunE: func(cmd *cobra.Command, args []string) error {
		runs, err := strconv.Atoi(args[2])
		if err != nil {
			return err
		}
		row, err := memoryStep(cmd.Context(), args[0], args[1], runs)
		if err != nil {
			return err
		}
		return json.NewEncoder(p.out).Encode(row)
	}}
}

type memoryPlan struct {
	sizes               []int
	runs                int
	embedder, keyEnv    string
	memories, questions string // files; empty: the set that every hookway has
}

// memoryMeasure is what was measured of a store of one size.
type memoryMeasure struct {
	Memories    int           `json:"memories"`
	ImportMS    float64       `json:"import_ms"`
	Save        bench.Measure `json:"save"`         // durable
	First       float64       `json:"first_ms"`     // the first search of a process, which makes the index
	Search      bench.Measure `json:"search"`       // those after it
	SearchBytes int64         `json:"search_bytes"` // memory of the process that searched, at most; 0: the system does not tell
	EmbedMS     float64       `json:"vectors_ms"`   // to keep a vector for each
	Meaning     bench.Measure `json:"search_vectors"`
	VectorBytes int64         `json:"search_vectors_bytes"`
	FileBytes   int64         `json:"file_bytes"` // with the vectors
}

func (p *program) memory(ctx context.Context, plan memoryPlan) error {
	dir, err := bench.Folder()
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var out struct {
		Measures []memoryMeasure `json:"measures"`
		Asked    int             `json:"questions"`
		Recall   []recallMeasure `json:"recall"`
	}
	set, err := p.recallSet(plan)
	if err != nil {
		return err
	}
	out.Asked = len(set.asked)
	var embedder memory.Embedding
	if plan.embedder != "" {
		if embedder, err = embedderFlag(plan.embedder, p.getenv(plan.keyEnv)); err != nil {
			return err
		}
	}
	for _, size := range plan.sizes {
		p.doing(fmt.Sprintf("%d memories", size))
		row, err := measureMemories(ctx, filepath.Join(dir, fmt.Sprint(size)), size, plan.runs)
		if err != nil {
			return fmt.Errorf("%d memories: %w", size, err)
		}
		out.Measures = append(out.Measures, row)
	}
	fmt.Fprintf(p.err, "bench: asking %d questions\n", out.Asked)
	words, err := measureRecall(ctx, filepath.Join(dir, "words.db"), set, nil)
	if err != nil {
		return err
	}
	out.Recall = append(out.Recall, words)
	if plan.embedder != "" {
		fmt.Fprintf(p.err, "bench: asking them again, with %s\n", plan.embedder)
		both, err := measureRecall(ctx, filepath.Join(dir, "both.db"), set, &embedder)
		if err != nil {
			return err
		}
		out.Recall = append(out.Recall, both)
	}
	if p.json {
		return p.print(out)
	}
	p.showMemoryBench(out.Measures, out.Asked, out.Recall)
	return nil
}

func (p *program) showMemoryBench(rows []memoryMeasure, asked int, recall []recallMeasure) {
	if len(rows) > 0 {
		fmt.Fprintf(p.out, "%9s %10s %9s %10s %17s %10s %17s %10s %9s\n", "memories", "import", "save", "first", "search (p95)", "memory", "vectors (p95)", "memory", "file")
	}
	mib := func(n int64) string { return fmt.Sprintf("%.0f MiB", float64(n)/(1<<20)) }
	for _, r := range rows {
		fmt.Fprintf(p.out, "%9d %7.0f ms %6.2f ms %7.0f ms %17s %10s %17s %10s %9s\n", r.Memories, r.ImportMS, r.Save.Median, r.First,
			fmt.Sprintf("%.2f (%.1f) ms", r.Search.Median, r.Search.P95), mib(r.SearchBytes),
			fmt.Sprintf("%.2f (%.1f) ms", r.Meaning.Median, r.Meaning.P95), mib(r.VectorBytes), mib(r.FileBytes))
	}
	if len(rows) > 0 {
		fmt.Fprintln(p.out)
	}
	fmt.Fprintf(p.out, "%-40s %9s %9s %11s\n", fmt.Sprintf("found of %d, among the first", asked), "5", "10", "search")
	for _, r := range recall {
		fmt.Fprintf(p.out, "%-40s %7.1f %% %7.1f %% %8.2f ms\n", r.By, r.At5, r.At10, r.Search.Median)
	}
}

// embedderFlag reads PROVIDER:MODEL@URL; model and URL may be missing.
func embedderFlag(text, key string) (memory.Embedding, error) {
	rest, at, _ := strings.Cut(text, "@")
	provider, model, _ := strings.Cut(rest, ":")
	e := memory.Embedding{Provider: provider, Model: model, URL: at, Key: key, Timeout: 30 * time.Second}
	if provider == "ollama" {
		e.Key = "" // what the variable has is for another one
	}
	if _, _, err := e.Open(); err != nil {
		return e, fmt.Errorf("--embedder %s: %w", provider, err)
	}
	return e, nil
}

// measureMemories fills a store and searches it, each in a process of its own.
func measureMemories(ctx context.Context, dir string, size, runs int) (row memoryMeasure, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return row, err
	}
	lines := filepath.Join(dir, "lines")
	if err := writeMemories(lines, size); err != nil {
		return row, err
	}
	row.Memories = size
	file := filepath.Join(dir, "m.db")
	for _, step := range []string{"fill", "words", "embed", "vectors"} {
		got, err := runMemoryStep(ctx, step, file, runs)
		if err != nil {
			return row, fmt.Errorf("%s: %w", step, err)
		}
		switch step {
		case "fill":
			row.ImportMS, row.Save = got.ImportMS, got.Save
		case "words":
			row.First, row.Search, row.SearchBytes = got.First, got.Search, got.SearchBytes
		case "embed":
			row.EmbedMS = got.EmbedMS
		case "vectors":
			row.Meaning, row.VectorBytes = got.Search, got.SearchBytes
		}
	}
	info, err := os.Stat(file)
	if err != nil {
		return row, err
	}
	row.FileBytes = info.Size()
	return row, nil
}

func runMemoryStep(ctx context.Context, step, file string, runs int) (row memoryMeasure, err error) {
	self, err := os.Executable()
	if err != nil {
		return row, err
	}
	cmd := exec.CommandContext(ctx, self, "memory-step", step, file, strconv.Itoa(runs))
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.Output()
	if err != nil {
		return row, errors.Join(err, errors.New(strings.TrimSpace(complaint.String())))
	}
	return row, json.Unmarshal(out, &row)
}
