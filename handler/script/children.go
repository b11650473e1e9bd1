package script

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// childSpec is a program that a script starts, as node:child_process asks for it.
type childSpec struct {
	File     string             `json:"file"`
	Args     []string           `json:"args"`
	Shell    string             `json:"shell"` // "": none; "true": the system's
	CWD      string             `json:"cwd"`
	Env      map[string]string  `json:"env"` // nil: the script's own
	Own      map[string]*string `json:"own"` // what the script changed in its own; nil: taken away
	Timeout  float64            `json:"timeout"`
	Signal   string             `json:"signal"`
	Most     float64            `json:"most"` // bytes of its stdout, and of its stderr
	Detached bool               `json:"detached"`
	Argv0    string             `json:"argv0"`
	Stdio    []string           `json:"stdio"` // pipe, ignore, fd0 to fd2, file3 and so on
	Input    *string            `json:"input"`
}

// command makes the program of a spec, without its streams.
func (m *machine) command(ctx context.Context, s *childSpec) *exec.Cmd {
	var cmd *exec.Cmd
	switch {
	case s.Shell != "":
		line := strings.Join(append([]string{s.File}, s.Args...), " ")
		cmd = shell(ctx, line)
		if s.Shell != "true" && filepath.Base(s.Shell) != "sh" {
			cmd = exec.CommandContext(ctx, s.Shell, "-c", line)
		}
	default:
		cmd = exec.CommandContext(ctx, s.File, s.Args...)
	}
	inGroup(cmd, m.prog != nil && m.prog.Alone && !s.Detached)
	cmd.Dir = s.CWD
	if cmd.Dir == "" {
		cmd.Dir = m.folder()
	} else if !filepath.IsAbs(cmd.Dir) {
		cmd.Dir = filepath.Join(m.folder(), cmd.Dir)
	}
	cmd.Env = m.childEnv(s)
	if s.Shell == "" && !strings.ContainsRune(s.File, filepath.Separator) {
		if found := lookPath(s.File, cmd.Env); found != "" {
			cmd.Path, cmd.Err = found, nil
		} else {
			cmd.Err = exec.ErrNotFound
		}
	}
	if s.Argv0 != "" {
		cmd.Args[0] = s.Argv0
	}
	return cmd
}

// childEnv is the environment of a program: what the script says, or its own.
func (m *machine) childEnv(s *childSpec) []string {
	ctx := context.Background()
	if c := m.cur; c != nil {
		ctx = c.ctx
	}
	if s.Env != nil {
		env := m.p.execEnv(ctx, s.Env)
		return env[len(env)-1-len(s.Env):] // without the agent's: only what it says, and the depth
	}
	more := map[string]string{}
	for name, value := range s.Own {
		if value != nil {
			more[name] = *value
		}
	}
	env := m.p.execEnv(ctx, more)
	kept := env[:0:0]
	for _, entry := range env {
		name, _, _ := strings.Cut(entry, "=")
		if value, changed := s.Own[name]; !changed || value != nil {
			kept = append(kept, entry)
		}
	}
	return kept
}

// wired connects what of a program's streams is not a pipe.
func (m *machine) wired(s *childSpec, cmd *exec.Cmd) error {
	for i, how := range s.Stdio {
		var file *os.File
		switch {
		case strings.HasPrefix(how, "file"):
			var n int
			if _, err := fmt.Sscanf(how, "file%d", &n); err != nil || m.files[n] == nil {
				return fmt.Errorf("no file %s is open", how)
			}
			file = m.files[n]
		case strings.HasPrefix(how, "fd") && m.prog != nil && m.prog.Alone:
			file = []*os.File{os.Stdin, os.Stdout, os.Stderr}[min(2, int(how[2]-'0'))]
		case how == "fd0" && m.prog != nil:
			cmd.Stdin = m.prog.stdin()
			continue
		case strings.HasPrefix(how, "fd"):
			to := m.inherited(how)
			if i == 1 {
				cmd.Stdout = to
			} else if i == 2 {
				cmd.Stderr = to
			}
			continue
		default:
			continue
		}
		switch i {
		case 0:
			cmd.Stdin = file
		case 1:
			cmd.Stdout = file
		case 2:
			cmd.Stderr = file
		}
	}
	return nil
}

// inherited is where a program prints that has its script's stdout or stderr.
func (m *machine) inherited(how string) io.Writer {
	switch {
	case m.prog == nil:
		return io.Discard
	case how == "fd2" && m.prog.Stderr != nil:
		return m.prog.Stderr
	case how == "fd1" && m.prog.Stdout != nil:
		return m.prog.Stdout
	}
	return io.Discard
}

// startError is why a program could not be started, as Node has it.
func startError(err error) map[string]any {
	code, errno := "ENOENT", -2
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
	case errors.Is(err, fs.ErrPermission):
		code, errno = "EACCES", -13
	default:
		for _, c := range fileCodes {
			if errors.Is(err, c.is) {
				code, errno = c.code, c.errno
				break
			}
		}
	}
	return map[string]any{"code": code, "errno": errno, "message": err.Error()}
}

// spec reads a spec, within the grant.
func (m *machine) spec(args []json.RawMessage) (*childSpec, map[string]any, error) {
	if err := m.p.need(Exec, "child_process"); err != nil {
		return nil, map[string]any{"grant": true, "message": err.Error()}, nil
	}
	var s childSpec
	if len(args) == 0 {
		return nil, nil, errors.New("no program is named")
	}
	return &s, nil, json.Unmarshal(args[0], &s)
}

// spawnSync runs a program to its end, while the script waits.
func spawnSync(m *machine, args []json.RawMessage) (any, error) {
	s, refused, err := m.spec(args)
	if err != nil {
		return nil, err
	}
	if refused != nil {
		return map[string]any{"error": refused, "stdout": nil, "stderr": nil}, nil
	}
	ctx, cancel := m.standing()
	defer cancel()
	late := false
	if s.Timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, time.Duration(s.Timeout*float64(time.Millisecond)))
		defer stop()
	}
	cmd := m.command(ctx, s)
	out, errs := &capped{most: int(s.Most)}, &capped{most: int(s.Most)}
	if s.Stdio[1] == "pipe" {
		cmd.Stdout = out
	}
	if s.Stdio[2] == "pipe" {
		cmd.Stderr = errs
	}
	if err := m.wired(s, cmd); err != nil {
		return nil, err
	}
	if s.Input != nil {
		input, err := base64.StdEncoding.DecodeString(*s.Input)
		if err != nil {
			return nil, err
		}
		cmd.Stdin = bytes.NewReader(input)
	}
	err = runGroup(cmd)
	late = s.Timeout > 0 && errors.Is(ctx.Err(), context.DeadlineExceeded)
	return spawned(s, cmd, out, errs, err, late), nil
}

// spawned is what spawnSync tells of a program that has ended.
func spawned(s *childSpec, cmd *exec.Cmd, out, errs *capped, err error, late bool) map[string]any {
	said := map[string]any{"pid": 0, "status": nil, "signal": nil, "stdout": nil, "stderr": nil}
	if s.Stdio[1] == "pipe" {
		said["stdout"] = base64.StdEncoding.EncodeToString(out.Bytes())
	}
	if s.Stdio[2] == "pipe" {
		said["stderr"] = base64.StdEncoding.EncodeToString(errs.Bytes())
	}
	if cmd.ProcessState == nil {
		said["error"] = startError(err)
		return said
	}
	said["pid"] = cmd.ProcessState.Pid()
	if name := signalOf(cmd.ProcessState); name != "" {
		said["signal"] = name
	} else {
		said["status"] = cmd.ProcessState.ExitCode()
	}
	switch {
	case late:
		said["error"] = map[string]any{"code": "ETIMEDOUT", "errno": -110, "message": "it took too long"}
	case out.over || errs.over:
		said["error"] = map[string]any{"code": "ENOBUFS", "errno": -105, "message": "it printed too much"}
	}
	return said
}

// standing is the context of work for which the script stands still.
func (m *machine) standing() (context.Context, context.CancelFunc) {
	base := context.Background()
	if m.cur != nil {
		base = m.cur.ctx
	}
	ctx, cancel := context.WithCancel(base)
	stop := context.AfterFunc(m.life, cancel)
	return ctx, func() { stop(); cancel() }
}

// spawn starts a program, which tells of itself.
func spawn(m *machine, args []json.RawMessage) (any, error) {
	s, refused, err := m.spec(args)
	if err != nil {
		return nil, err
	}
	if refused != nil {
		return nil, errors.New(refused["message"].(string))
	}
	id, ctx, err := m.linked()
	if err != nil {
		return nil, err
	}
	fails := func(err error) (any, error) {
		event := startError(err)
		event["what"] = "fail"
		m.ending.Go(func() {
			m.tell(ctx, id, event)
			m.settle(id, "", nil)
		})
		return map[string]any{"id": id}, nil
	}
	life := ctx
	if s.Detached && m.prog != nil && m.prog.Alone {
		life = context.WithoutCancel(ctx) // it outlives the script
	}
	cmd := m.command(life, s)
	if err := m.wired(s, cmd); err != nil {
		return fails(err)
	}
	ours, theirs, err := s.pipes(cmd)
	if err != nil {
		return fails(err)
	}
	finish, err := startGroup(cmd)
	closeAll(theirs)
	if err != nil {
		closeAll(ours)
		return fails(err)
	}
	l := &link{}
	if ours[0] != nil {
		l.in = ours[0]
	}
	pid := cmd.Process.Pid
	l.signal = func(name string) bool { return signalChild(cmd, name) }
	m.links[id] = l
	m.ending.Go(func() { m.follow(ctx, id, l, ours[1:], pid, finish) })
	return map[string]any{"id": id, "pid": pid}, nil
}

// pipes makes the pipes of a program: by stream, our ends and those of the program.
func (s *childSpec) pipes(cmd *exec.Cmd) (ours, theirs []*os.File, err error) {
	ours, theirs = make([]*os.File, 3), make([]*os.File, 3)
	for i, how := range s.Stdio[:min(3, len(s.Stdio))] {
		if how != "pipe" {
			continue
		}
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(ours)
			closeAll(theirs)
			return nil, nil, err
		}
		switch i {
		case 0:
			ours[i], theirs[i], cmd.Stdin = w, r, r
		case 1:
			ours[i], theirs[i], cmd.Stdout = r, w, w
		case 2:
			ours[i], theirs[i], cmd.Stderr = r, w, w
		}
	}
	return ours, theirs, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			_ = f.Close() // nothing was written to it
		}
	}
}

// drainTime is how long what a program has printed is read after its end; a
// grandchild may hold the pipe for ever.
const drainTime = 2 * time.Second

// follow tells of a program until it has ended and its streams are read.
func (m *machine) follow(ctx context.Context, id int, l *link, pipes []*os.File, pid int, finish func() (code int, signal string)) {
	m.tell(ctx, id, map[string]any{"what": "open", "pid": pid})
	var reading sync.WaitGroup
	for i, name := range []string{"stdout", "stderr"} {
		if from := pipes[i]; from != nil {
			reading.Go(func() { m.pump(ctx, id, name, from) })
		}
	}
	stop := context.AfterFunc(ctx, func() {
		for _, p := range pipes {
			if p != nil {
				_ = p.SetReadDeadline(time.Now())
			}
		}
	})
	defer stop()
	code, signal := finish()
	for _, p := range pipes {
		if p != nil {
			_ = p.SetReadDeadline(time.Now().Add(drainTime))
		}
	}
	m.tell(ctx, id, map[string]any{"what": "exit", "code": code, "signal": signal})
	reading.Wait()
	if l.in != nil {
		_ = l.in.Close()
	}
	m.settle(id, "", nil)
}

// pump tells of what a program prints.
func (m *machine) pump(ctx context.Context, id int, name string, from *os.File) {
	defer from.Close()
	data := make([]byte, maxChunk)
	for {
		n, err := from.Read(data)
		if n > 0 {
			m.tell(ctx, id, map[string]any{"what": name, "base64": base64.StdEncoding.EncodeToString(data[:n])})
		}
		if err != nil {
			m.tell(ctx, id, map[string]any{"what": "end", "of": name})
			return
		}
	}
}

// signalLink sends a signal to a program that a script has started.
func signalLink(m *machine, args []json.RawMessage) (any, error) {
	var id int
	if len(args) < 2 || json.Unmarshal(args[0], &id) != nil || m.links[id] == nil || m.links[id].signal == nil {
		return false, nil
	}
	return m.links[id].signal(str(args, 1)), nil
}
