package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/bench/client"
	"github.com/hookway/hookway/internal/bench/model"
)

// agentWorld is a user with an agent, with one hookway or none.
type agentWorld struct {
	name string
	plan AgentPlan
	bin  string // the folder with hookway; "" for none
	root string
	idle bool        // hookway-hook does nothing
	gaps [][]float64 // of each run
}

// runTime bounds one run of an agent.
const runTime = 5 * time.Minute

// worlds are those that are compared; the first has no hookway. They must be
// closed, also if there is an error.
func (p AgentPlan) worlds(ctx context.Context) (all []*agentWorld, err error) {
	own, err := Folder()
	if err != nil {
		return nil, err
	}
	first := &agentWorld{name: "without hookway", plan: p, root: own}
	all = append(all, first)
	bin, err := p.Programs.link(own)
	if err != nil {
		return all, err
	}
	for i, dir := range append([]string{bin}, p.Also...) {
		root, err := Folder()
		if err != nil {
			return all, err
		}
		w := &agentWorld{name: "with " + dir, plan: p, root: root}
		if i == 0 {
			w.name = "with hookway"
		}
		all = append(all, w)
		if w.bin, err = filepath.Abs(dir); err != nil {
			return all, err
		}
	}
	if p.Floor {
		root, err := Folder()
		if err != nil {
			return all, err
		}
		w := &agentWorld{name: "with a hookway-hook that does nothing", plan: p, root: root, idle: true}
		all = append(all, w)
		if w.bin, err = p.Programs.link(root); err != nil {
			return all, err
		}
	}
	for _, w := range all {
		if err := w.settle(ctx); err != nil {
			return all, fmt.Errorf("%s: %w", w.name, err)
		}
	}
	return all, nil
}

// link makes a folder with hookway and its shim: hookway is found beside its shim,
// wherever it was started from.
func (p Programs) link(root string) (bin string, err error) {
	bin = filepath.Join(root, "bin")
	return bin, errors.Join(os.Mkdir(bin, 0o700), os.Symlink(p.Hookway, filepath.Join(bin, "hookway")), os.Symlink(p.Shim, filepath.Join(bin, "hookway-hook")))
}

// nothing puts a program that does nothing in hookway-hook's place.
func (w *agentWorld) nothing(ctx context.Context) error {
	program, err := exec.LookPath("true")
	if err != nil {
		return fmt.Errorf("there is no program that does nothing: %w", err)
	}
	link := filepath.Join(w.bin, "hookway-hook")
	if err := errors.Join(os.Remove(link), os.Symlink(program, link)); err != nil {
		return err
	}
	if said, err := w.run(ctx, w.env("http://127.0.0.1:9"), link, w.plan.client.Name); err != nil || said != "" {
		return fmt.Errorf("%s cannot stand in for hookway-hook: %q, %w", program, said, err)
	}
	return nil
}

func (w *agentWorld) home() string    { return filepath.Join(w.root, "home") }
func (w *agentWorld) project() string { return filepath.Join(w.root, "project") }

// settle makes the folders, and installs hookway.
func (w *agentWorld) settle(ctx context.Context) error {
	for _, dir := range []string{w.home(), w.project(), filepath.Join(w.root, "tmp")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	if w.bin == "" {
		return nil
	}
	if err := os.WriteFile(filepath.Join(w.project(), "hookway.yaml"), []byte(oneHook), 0o600); err != nil {
		return err
	}
	if err := w.settings("http://127.0.0.1:9"); err != nil { // install looks at them
		return err
	}
	for _, args := range [][]string{{"trust", "--yes"}, {"install", w.plan.client.Name, "--user", "--yes"}} {
		if _, err := w.run(ctx, w.env("http://127.0.0.1:9"), filepath.Join(w.bin, "hookway"), args...); err != nil {
			return err
		}
	}
	if w.idle {
		return w.nothing(ctx)
	}
	return nil
}

// settings writes the agent's settings for a model, where they are not there yet
// or name another one.
func (w *agentWorld) settings(url string) error {
	s := w.plan.client.Settle(client.World{Home: w.home(), Project: w.project(), URL: url})
	for file, text := range s.Files {
		old, err := os.ReadFile(file)
		if err == nil && !strings.Contains(text, url) {
			continue // hookway's hooks may be in it by now
		}
		if i := strings.Index(string(old), "http://127.0.0.1:"); err == nil && i >= 0 { // only the model is another one
			end := i + len("http://127.0.0.1:")
			for end < len(old) && old[end] >= '0' && old[end] <= '9' {
				end++
			}
			text = strings.ReplaceAll(string(old), string(old[i:end]), url)
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			return err
		}
	}
	return nil
}

// env is the environment of everything that runs in the world: nothing of ours,
// and through the proxy nothing leaves the machine.
func (w *agentWorld) env(url string) []string {
	path := []string{filepath.Dir(w.plan.Program), "/usr/local/bin", "/usr/bin", "/bin"}
	if node, err := exec.LookPath("node"); err == nil {
		path = append(path, filepath.Dir(node))
	}
	if w.bin != "" {
		path = append([]string{w.bin}, path...)
	}
	env := []string{
		"PATH=" + strings.Join(path, string(filepath.ListSeparator)), "HOME=" + w.home(), "TMPDIR=" + filepath.Join(w.root, "tmp"),
		"HOOKWAY_HOME=" + filepath.Join(w.root, "hookway"), "LANG=C.UTF-8", "TERM=dumb", "SHELL=/bin/sh",
		"NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost",
	}
	for _, name := range []string{"HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"} {
		env = append(env, name+"="+url)
	}
	return append(env, w.plan.client.Settle(client.World{Home: w.home(), Project: w.project(), URL: url}).Env...)
}

// turns runs the agent for so many turns, and returns the times between them.
func (w *agentWorld) turns(ctx context.Context, n int) ([]float64, error) {
	var script []model.Turn
	for i := range n { // an agent may ask its user about what it does again and again
		script = append(script, model.Turn{Shell: fmt.Sprint("true ", i)})
	}
	server, err := model.Start(script...)
	if err != nil {
		return nil, err
	}
	defer server.Close()
	if err := w.settings(server.URL()); err != nil {
		return nil, err
	}
	said, err := w.run(ctx, w.env(server.URL()), w.plan.Program, append(append([]string(nil), w.plan.client.Argv...), "Please run the commands.")...)
	if err != nil {
		return nil, err
	}
	var at []time.Time
	for _, q := range server.Requests() {
		if len(q.Results) == len(at) { // not the same once more
			at = append(at, q.At)
		}
	}
	if len(at) != n+1 {
		return nil, fmt.Errorf("it took %d turns of %d:\n%s", len(at)-1, n, said)
	}
	return between(at), nil
}

// run runs a program in the world to its end.
func (w *agentWorld) run(ctx context.Context, env []string, program string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, runTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	var said bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = w.project(), env, &said, &said, 5*time.Second
	if err := cmd.Run(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return "", fmt.Errorf("%s: %w\n%s", filepath.Base(program), err, said.String())
	}
	return said.String(), nil
}

// close ends the world's daemon and removes its folder.
func (w *agentWorld) close() {
	if w.bin != "" {
		_, _ = w.run(context.Background(), w.env("http://127.0.0.1:9"), filepath.Join(w.bin, "hookway"), "stop")
	}
	_ = os.RemoveAll(w.root)
}
