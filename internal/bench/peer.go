package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/hookway/hookway/internal/guards"
)

// Peer is another guard for agents, run as the hook that it is.
type Peer struct {
	Name    string
	Version string

	program string // what its package calls its program
	args    []string
	strict  string // a variable that makes it strict, for rows that say so
	script  string // the program's file
	node    string
	cache   string
}

// peers are those that can be had from npm.
var peers = map[string]Peer{
	"cc-safety-net": {Name: "cc-safety-net", Version: "2.4.5", args: []string{"hook", "--coding-cli"}, program: "dist/bin/cc-safety-net.js", strict: "CC_SAFETY_NET_STRICT=1"},
}

// FindPeer installs a peer of npm into the user's cache, once for each version. name may
// end with "@VERSION".
func FindPeer(ctx context.Context, name string, tell func(doing string)) (*Peer, error) {
	name, version, _ := strings.Cut(name, "@")
	p, ok := peers[name]
	if !ok {
		return nil, fmt.Errorf("the peer %q cannot be run; there is cc-safety-net", name)
	}
	if version != "" {
		p.Version = version
	}
	var err error
	if p.node, err = exec.LookPath("node"); err != nil {
		return nil, fmt.Errorf("%s needs Node: %w", name, err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	p.cache = filepath.Join(cache, "hookway", "bench", name+"@"+p.Version)
	p.script = filepath.Join(p.cache, "node_modules", name, filepath.FromSlash(p.program))
	if _, err := os.Stat(p.script); err == nil {
		return &p, nil
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return nil, fmt.Errorf("%s is fetched by npm: %w", name, err)
	}
	if err := os.MkdirAll(p.cache, 0o755); err != nil {
		return nil, err
	}
	tell("fetching " + name + " " + p.Version + " into " + p.cache)
	cmd := exec.CommandContext(ctx, npm, "install", "--prefix", p.cache, "--ignore-scripts", "--no-audit", "--no-fund", "--no-save", name+"@"+p.Version)
	if said, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("npm could not fetch %s: %w\n%s", name, err, bytes.TrimSpace(said))
	}
	if _, err := os.Stat(p.script); err != nil {
		return nil, fmt.Errorf("%s %s is not as expected: %w", name, p.Version, err)
	}
	return &p, nil
}

// peerTime bounds one call of a peer.
const peerTime = time.Minute

// judge has the peer judge rows, each by a process of its own as an agent would start it.
func (p *Peer) judge(ctx context.Context, rows []guards.Row) (*Score, error) {
	home := filepath.Join(p.cache, "home", "u") // not a temporary folder: what is below one may be deleted
	if err := os.MkdirAll(filepath.Join(home, "project"), 0o755); err != nil {
		return nil, err
	}
	var (
		score Score
		mu    sync.Mutex
		errs  []error
		wg    sync.WaitGroup
		next  = make(chan *guards.Row)
	)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for range runtime.NumCPU() {
		wg.Go(func() {
			for row := range next {
				v, err := p.one(ctx, home, row)
				mu.Lock()
				if err != nil {
					errs = append(errs, fmt.Errorf("%s, row %d: %w", p.Name, row.Line, err))
					cancel()
				}
				score.add(row.Safe(), v)
				mu.Unlock()
			}
		})
	}
	for i := range rows {
		if ctx.Err() != nil {
			break
		}
		next <- &rows[i]
	}
	close(next)
	wg.Wait()
	if len(errs) > 0 {
		return nil, errs[0]
	}
	return &score, ctx.Err()
}

// one has the peer judge one call. The row's home becomes one that is there.
func (p *Peer) one(ctx context.Context, home string, row *guards.Row) (guards.Verdict, error) {
	tool, input := row.Tool, any(row.Input)
	if tool == "" {
		tool, input = "Bash", map[string]any{"command": row.Command}
		if row.Shell != "" {
			tool = "PowerShell"
		}
	}
	text, err := json.Marshal(input)
	if err != nil {
		return "", err
	}
	text = bytes.ReplaceAll(text, []byte("/home/u/"), []byte(filepath.ToSlash(home)+"/"))
	dir := filepath.Join(home, "project")
	event, err := json.Marshal(map[string]any{"hook_event_name": "PreToolUse", "session_id": "bench", "cwd": dir, "tool_name": tool, "tool_input": json.RawMessage(text)})
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, peerTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.node, append([]string{p.script}, p.args...)...)
	cmd.Dir, cmd.Stdin, cmd.WaitDelay = dir, bytes.NewReader(event), 5*time.Second
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"}
	if row.Mode == "strict" {
		cmd.Env = append(cmd.Env, p.strict)
	}
	out, err := cmd.Output()
	if code := (*exec.ExitError)(nil); errors.As(err, &code) && code.ExitCode() == 2 {
		return guards.Block, nil
	}
	if err != nil {
		return "", err
	}
	var said struct {
		Output struct {
			Decision string `json:"permissionDecision"`
		} `json:"hookSpecificOutput"`
	}
	if text := bytes.TrimSpace(out); len(text) > 0 {
		if err := json.Unmarshal(text, &said); err != nil {
			return "", fmt.Errorf("it answered %.200q: %w", text, err)
		}
	}
	switch said.Output.Decision {
	case "deny":
		return guards.Block, nil
	case "ask":
		return guards.Ask, nil
	}
	return "", nil
}
