package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/cases"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/internal/strict"
)

// caseLimit bounds one case, with all its hooks: hooks may have no timeout.
const caseLimit = 5 * time.Minute

// Testbed is the hooks under test.
type Testbed struct {
	*Workspace
	Root string // folder of the hookway.yaml

	layer string   // the layer of the configuration that is tested
	files []string // with the cases
}

// OpenTestbed finds the hooks and the tests that are meant by a folder, or by a test
// file; "" is the current folder. It must be closed.
func (h *Home) OpenTestbed(ctx context.Context, path string) (*Testbed, error) {
	options := h.Options()
	options.Guards = nil // one case is not a history for the next
	file := ""
	if path != "" {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("the tests in %s cannot be found: %w", path, errors.Unwrap(err))
		}
		if options.Dir = path; !info.IsDir() {
			file, options.Dir = path, filepath.Dir(path)
		}
	}
	w, err := h.Open(ctx, options)
	if err != nil {
		return nil, err
	}
	b := &Testbed{Workspace: w}
	if err := b.find(options.Dir, file); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return b, nil
}

func (b *Testbed) find(dir, file string) error {
	if dir == "" {
		dir = "."
	}
	dir, err := realPath(dir)
	if err != nil {
		return err
	}
	b.Root, b.layer = b.Set.Workspace, config.LayerWorkspace
	if user, err := realPath(b.Set.UserDir); err == nil && disk.Inside(user, dir) {
		b.Root, b.layer = user, config.LayerUser
	}
	if b.Root == "" {
		return fmt.Errorf("neither %s nor a folder above it has hooks; hookway init writes some, with tests", dir)
	}
	if b.layer == config.LayerWorkspace && judge.Untrusted(b.Set) > 0 {
		return errors.New("nothing was tested, because hooks that are not trusted do not run; run hookway trust, or set HOOKWAY_TRUST=1 where there is no terminal, as in CI")
	}
	if file != "" {
		b.files = []string{filepath.Join(dir, filepath.Base(file))}
		return nil
	}
	return b.findFiles()
}

func realPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// findFiles looks for test files where the configuration is.
func (b *Testbed) findFiles() error {
	for _, folder := range []string{b.Root, filepath.Join(b.Root, ".hookway")} {
		entries, err := os.ReadDir(folder)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("the tests cannot be looked for: %w", err)
		}
		for _, e := range entries {
			if name := e.Name(); !e.IsDir() && (strings.HasSuffix(name, "_test.yaml") || strings.HasSuffix(name, "_test.yml")) {
				b.files = append(b.files, filepath.Join(folder, name))
			}
		}
	}
	if len(b.files) > 0 {
		return nil
	}
	return fmt.Errorf(`%s has no tests; write hooks_test.yaml beside its hookway.yaml, such as

cases:
  - name: rm -rf is refused
    event: PreToolUse
    payload: {tool_name: Bash, tool_input: {command: rm -rf /}}
    expect: {action: block}`, b.Root)
}

// Problems are the mistakes of the configuration under test. Such a file's hooks
// do not run, so no case could say anything.
func (b *Testbed) Problems() strict.Problems {
	var list strict.Problems
	for _, p := range b.Set.Problems {
		if user := disk.Inside(b.Set.UserDir, p.File); user != (b.layer == config.LayerUser) {
			continue
		}
		if p.Hook != "" {
			p.Message, p.Hook = fmt.Sprintf("hook %q: %s", p.Hook, p.Message), ""
		}
		list = append(list, p)
	}
	return list
}

// Read gives the cases of the test files, and what is wrong with these.
func (b *Testbed) Read() (list []*cases.Case, problems strict.Problems) {
	options := cases.Options{Lookup: b.Engine.Lookup, Envelope: hook.Envelope{Source: "test", CWD: b.Root}}
	for _, file := range b.files {
		some, wrong := cases.Read(file, options)
		list, problems = append(list, some...), append(problems, wrong...)
	}
	return list, problems
}

// Run fires one case's event. Each has an engine of its own, so that no case
// leaves an open circuit or a count to the next; the handlers, and with them the
// workers, are the same for all.
func (b *Testbed) Run(ctx context.Context, ev hook.AnyEvent) (out hook.Outcome[any], err error) {
	ctx, cancel := context.WithTimeout(ctx, caseLimit)
	defer cancel()
	engine := new(hook.Engine)
	part := *b.Set
	part.Hooks = b.hooks()
	if err := part.Fill(engine); err != nil {
		return out, fmt.Errorf("the hooks cannot be used: %w", err)
	}
	watched := observed{event: ev.Info().Name}
	stop := engine.Watch(watched.note)
	defer stop()
	if out, err = engine.Fire(ctx, ev); err != nil {
		return out, err
	}
	if err := engine.Close(ctx); err != nil {
		return out, fmt.Errorf("hooks of the observe lane did not end: %w", err)
	}
	out.Steps = append(out.Steps, watched.steps(engine.All())...)
	return out, nil
}

// hooks are those under test, by the ids that they have when the other layer is
// not there.
func (b *Testbed) hooks() []config.Hook {
	var own []config.Hook
	taken := map[string]bool{}
	if h, ok := b.Set.GuardsOf(b.layer); ok {
		own = append(own, h)
	}
	for _, h := range b.Set.Hooks {
		if h.ID == guards.ID {
			continue // of both layers
		}
		if h.Layer == b.layer {
			own = append(own, h)
		} else {
			taken[h.ID] = true
		}
	}
	for i := range own {
		if id, ok := strings.CutPrefix(own[i].ID, b.layer+"/"); ok && taken[id] {
			own[i].ID = id
		}
	}
	return own
}

// observed gathers what the hooks of the observe lane did: an outcome has no
// steps of theirs, because they are not waited for.
type observed struct {
	event string // the one that counts: one event may bring another with it

	mu   sync.Mutex
	byID map[string][]hook.Step
}

// note takes every notice of an engine.
func (o *observed) note(n hook.Notice) {
	if n.Event != o.event || n.Lane != hook.Observe || n.Kind != hook.HookCompleted && n.Kind != hook.HookError {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.byID == nil {
		o.byID = map[string][]hook.Step{}
	}
	o.byID[n.Hook] = append(o.byID[n.Hook], hook.Step{Hook: n.Hook, Lane: hook.Observe, Duration: n.Duration, Err: n.Err})
}

// steps gives the steps in the order of the hooks, whichever ended first.
func (o *observed) steps(order []hook.Hook) []hook.Step {
	o.mu.Lock()
	defer o.mu.Unlock()
	var list []hook.Step
	for _, h := range order {
		list = append(list, o.byID[h.ID]...)
	}
	return list
}
