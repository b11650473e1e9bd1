package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/bench"
	"github.com/hookway/hookway/internal/config"
)

func (p *program) handlersCommand() *cobra.Command {
	plan := handlersPlan{}
	cmd := &cobra.Command{
		Use:   "handlers",
		Short: "Measure what each kind of hook costs for one event, beside the usual ways",
		Long: `Measure what each kind of hook costs for one event, beside the usual ways.

The same rule is written as a script, a module in WebAssembly, a server of HTTP and
one of gRPC, a worker and, for comparison, as a program that is started for each event:
node, python3, bash with jq. Each is loaded from a hookway.yaml of its own in a
temporary folder and judges an event of 2 KiB; then 1,000 events at once. The
servers run in this process. What is not installed is left out, with a word.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if plan.runs < 1 || plan.crowd < 0 {
				return errors.New("--runs is one or more, --crowd zero or more")
			}
			return p.handlers(cmd.Context(), plan)
		},
	}
	cmd.Flags().IntVarP(&plan.runs, "runs", "n", 2000, "how many `EVENTS` are measured, one after the other; programs get fewer")
	cmd.Flags().IntVar(&plan.crowd, "crowd", 1000, "how many `EVENTS` are fired at once; 0 for none")
	return cmd
}

// answerCommand is the worker that is measured.
func (p *program) answerCommand() *cobra.Command {
	return &cobra.Command{Use: "answer", Hidden: true, Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error {
		return work(p.in, p.out)
	}}
}

// handlersPlan is how much is measured.
type handlersPlan struct{ runs, crowd int }

// programTime bounds how long the programs that are started for each event are
// measured, each.
const programTime = 5 * time.Second

// contender is the rule, written in one way.
type contender struct {
	name     string
	files    map[string]string
	handler  string   // the lines of hookway.yaml that say what runs
	needs    []string // programs that must be installed
	asked    time.Duration
	programs bool // one process for each event
}

// handlerMeasure is one line of the report.
type handlerMeasure struct {
	Name        string  `json:"name"`
	MedianUS    float64 `json:"median_us,omitempty"`
	P95US       float64 `json:"p95_us,omitempty"`
	FirstMS     float64 `json:"first_ms,omitempty"` // the first event, with loading and starting
	AskedUS     float64 `json:"asked_us,omitempty"` // the aim for the median
	Runs        int     `json:"runs,omitempty"`
	Crowd       int     `json:"crowd,omitempty"` // how many events at once
	CrowdMS     float64 `json:"crowd_ms,omitempty"`
	CrowdErrors int     `json:"crowd_errors"`
	CrowdBytes  int64   `json:"crowd_bytes,omitempty"` // by how much the process grew at most; 0: the system does not tell
	Skipped     string  `json:"skipped,omitempty"`
}

func (p *program) handlers(ctx context.Context, plan handlersPlan) error {
	dir, err := bench.Folder()
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	list, closeServers, err := contenders(dir)
	if err != nil {
		return err
	}
	defer closeServers()
	var measures []handlerMeasure
	for i, c := range list {
		p.doing(c.name)
		row, err := c.measure(ctx, filepath.Join(dir, fmt.Sprint(i)), plan)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		measures = append(measures, row)
	}
	if p.json {
		return p.print(struct {
			Measures []handlerMeasure `json:"measures"`
		}{measures})
	}
	fmt.Fprintf(p.out, "%-30s %10s %10s %9s %10s   %s\n", "an event of 2 KiB", "median", "p95", "asked", "first", fmt.Sprintf("%d at once: time, failed, memory", plan.crowd))
	for _, m := range measures {
		fmt.Fprintln(p.out, m.text())
	}
	return nil
}

// text is the line as people read it.
func (m handlerMeasure) text() string {
	if m.Skipped != "" {
		return fmt.Sprintf("%-30s not measured: %s", m.Name, m.Skipped)
	}
	asked := ""
	if m.AskedUS > 0 {
		asked = fmt.Sprintf("≤ %.0f µs", m.AskedUS)
	}
	line := fmt.Sprintf("%-30s %7.1f µs %7.1f µs %9s %7.1f ms", m.Name, m.MedianUS, m.P95US, asked, m.FirstMS)
	if m.AskedUS > 0 && m.MedianUS > m.AskedUS {
		line += "  missed"
	}
	if m.Crowd > 0 {
		line += fmt.Sprintf("   %.0f ms, %d, %.1f MiB", m.CrowdMS, m.CrowdErrors, float64(m.CrowdBytes)/(1<<20))
	}
	return line
}

// measure loads the contender as its user would, and fires events at it. Each must
// be refused, or nothing was measured.
func (c contender) measure(ctx context.Context, dir string, plan handlersPlan) (handlerMeasure, error) {
	row := handlerMeasure{Name: c.name, AskedUS: float64(c.asked.Microseconds())}
	for _, program := range c.needs {
		if _, err := exec.LookPath(program); err != nil {
			row.Skipped = program + " is not installed"
			return row, nil
		}
	}
	began := time.Now()
	set, err := c.load(ctx, dir)
	if err != nil {
		return row, err
	}
	defer set.Close()
	engine := new(hook.Engine)
	if err := set.Fill(engine); err != nil {
		return row, err
	}
	ev := toolCall(dir)
	if err := refused(ctx, engine, ev); err != nil {
		return row, err
	}
	row.FirstMS = float64(time.Since(began).Microseconds()) / 1000
	took := make([]time.Duration, 0, plan.runs)
	for stop := time.Now().Add(programTime); len(took) < plan.runs && !(c.programs && time.Now().After(stop)); {
		at := time.Now()
		if err := refused(ctx, engine, ev); err != nil {
			return row, err
		}
		took = append(took, time.Since(at))
	}
	slices.Sort(took)
	us := func(q float64) float64 { return float64(took[int(q*float64(len(took)-1))].Nanoseconds()) / 1000 }
	row.MedianUS, row.P95US, row.Runs = us(0.5), us(0.95), len(took)
	if plan.crowd > 0 && !c.programs {
		c.crowd(ctx, engine, ev, plan.crowd, &row)
	}
	return row, nil
}

// crowd fires many events at once.
func (c contender) crowd(ctx context.Context, engine *hook.Engine, ev hook.AnyEvent, n int, row *handlerMeasure) {
	before := forgetPeak()
	began := time.Now()
	failed := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { failed[i] = refused(ctx, engine, ev) })
	}
	wg.Wait()
	row.Crowd, row.CrowdMS = n, bench.Milliseconds(time.Since(began))
	for _, err := range failed {
		if err != nil {
			row.CrowdErrors++
		}
	}
	if before > 0 {
		row.CrowdBytes = max(0, bench.ResidentPeak(os.Getpid())-before)
	}
}

// forgetPeak makes the system forget how much memory this process has held at
// most, and says how much it holds; 0 if the system does not do that.
func forgetPeak() int64 {
	if os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) != nil {
		return 0
	}
	return bench.ResidentPeak(os.Getpid())
}

// load writes the contender's files and reads them as configuration.
func (c contender) load(ctx context.Context, dir string) (*config.Set, error) {
	text := "hooks:\n  - id: rule\n    on: PreToolUse\n    lane: guard\n"
	for line := range strings.Lines(c.handler) {
		text += "    " + line
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "hookway.yaml"), []byte(text+"\n"), 0o600); err != nil {
		return nil, err
	}
	for name, content := range c.files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			return nil, err
		}
	}
	home := filepath.Join(filepath.Dir(dir), "home")
	set, err := config.Load(ctx, config.Options{Dir: dir, Getenv: func(name string) string {
		switch name {
		case "HOOKWAY_HOME":
			return home
		case "HOOKWAY_TRUST":
			return "1"
		}
		return os.Getenv(name)
	}})
	if err != nil {
		return nil, err
	}
	if len(set.Problems) > 0 {
		return nil, errors.Join(set.Problems, set.Close())
	}
	return set, nil
}

// toolCall is an event of 2 KiB that the rule refuses.
func toolCall(dir string) hook.AnyEvent {
	ev, err := hook.PreToolUse.Info().New(hook.Envelope{Session: "bench", Source: "bench", CWD: dir}, hook.ToolUse{
		ToolName:  "Bash",
		ToolInput: map[string]any{"command": "rm -rf build", "description": strings.Repeat("tidy up ", 220)},
	})
	if err != nil {
		panic(err) // a bug
	}
	return ev
}

func refused(ctx context.Context, engine *hook.Engine, ev hook.AnyEvent) error {
	out, err := engine.Fire(ctx, ev)
	switch {
	case err != nil:
		return err
	case out.Steps[0].Err != nil:
		return out.Steps[0].Err
	case out.Action != hook.ActionBlock || out.Reason != refusal:
		return fmt.Errorf("the rule did not refuse the event: %s %s", out.Action, out.Reason)
	}
	return nil
}
