package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/cases"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/disk"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/internal/server"
)

// caseLimit bounds one case, with all its hooks: hooks may have no timeout.
const caseLimit = 5 * time.Minute

// testbed is the hooks under test.
type testbed struct {
	*server.Workspace
	root  string   // folder of the hookway.yaml
	layer string   // the layer of the configuration that is tested
	files []string // with the cases
}

// openTestbed finds the hooks and the tests that are meant by a folder, or by a test
// file; "" is the current folder. It must be closed.
func openTestbed(ctx context.Context, a *app, path string) (*testbed, error) {
	options := a.home.Options()
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
	w, err := a.home.Open(ctx, options)
	if err != nil {
		return nil, err
	}
	b := &testbed{Workspace: w}
	if err := b.find(options.Dir, file); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return b, nil
}

func (b *testbed) find(dir, file string) error {
	if dir == "" {
		dir = "."
	}
	dir, err := realPath(dir)
	if err != nil {
		return err
	}
	b.root, b.layer = b.Set.Workspace, config.LayerWorkspace
	if user, err := realPath(b.Set.UserDir); err == nil && disk.Inside(user, dir) {
		b.root, b.layer = user, config.LayerUser
	}
	if b.root == "" {
		return fmt.Errorf("neither %s nor a folder above it has hooks; hookway init writes some, with tests", dir)
	}
	if b.layer == config.LayerWorkspace && judge.Untrusted(b.Set) > 0 {
		return errors.New("nothing was tested, because hooks that are not trusted do not run; run hookway trust, or set HOOKWAY_TRUST=1 where nobody can be asked, as in CI")
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
func (b *testbed) findFiles() error {
	for _, folder := range []string{b.root, filepath.Join(b.root, ".hookway")} {
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
    expect: {action: block}`, b.root)
}

// problems are the mistakes of the configuration under test. Such a file's hooks
// do not run, so no case could say anything.
func (b *testbed) problems() cases.Problems {
	var list cases.Problems
	for _, p := range b.Set.Problems {
		if user := disk.Inside(b.Set.UserDir, p.File); user != (b.layer == config.LayerUser) {
			continue
		}
		if p.Hook != "" {
			p.Message = fmt.Sprintf("hook %q: %s", p.Hook, p.Message)
		}
		list = append(list, cases.Problem{File: p.File, Line: p.Line, Column: p.Column, Message: p.Message, Hint: p.Hint})
	}
	return list
}

func (b *testbed) read() (list []*cases.Case, problems cases.Problems) {
	options := cases.Options{Lookup: b.Engine.Lookup, Envelope: hook.Envelope{Source: "test", CWD: b.root}}
	for _, file := range b.files {
		some, wrong := cases.Read(file, options)
		list, problems = append(list, some...), append(problems, wrong...)
	}
	return list, problems
}

// fire fires one case's event. Each has an engine of its own, so that no case
// leaves an open circuit or a count to the next; the handlers, and with them the
// workers, are the same for all.
func (b *testbed) fire(ctx context.Context, ev hook.AnyEvent) (out hook.Outcome[any], err error) {
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
func (b *testbed) hooks() []config.Hook {
	var own []config.Hook
	taken := map[string]bool{}
	for _, h := range b.Set.Hooks {
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
