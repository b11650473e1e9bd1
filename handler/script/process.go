package script

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/hookway/hookway/internal/disk"
)

// ofProcess answers what a script asks of the process that it seems to have.
func ofProcess() map[string]answer {
	return map[string]answer{
		"program": func(m *machine, _ []json.RawMessage) (any, error) { return m.about(), nil },
		"exit":    exits,
		"sleep":   sleep,
		"chdir":   changeDir,
		"kill":    kill,
		"place":   place,
		"stack": func(m *machine, args []json.RawMessage) (any, error) {
			return m.p.b.Stack(str(args, 0)), nil
		},
		"ref":     hold,
		"nanos":   func(*machine, []json.RawMessage) (any, error) { return time.Since(started).Nanoseconds(), nil },
		"os":      func(*machine, []json.RawMessage) (any, error) { return system(), nil },
		"require": require,
	}
}

var started = time.Now()

// about is what a program knows of itself at its beginning.
func (m *machine) about() map[string]any {
	node := cmp.Or(lookPath("node", m.environOf()), "node") // for a script that starts another one
	argv := []string{node, disk.Real(m.p.b.File)}
	var tty [3]bool
	if m.prog != nil {
		argv, tty = append(argv, m.prog.Args...), m.prog.TTY
	}
	return map[string]any{
		"argv": argv, "execPath": node, "pid": os.Getpid(), "ppid": os.Getppid(), "arch": arch(), "uid": max(0, os.Getuid()), "gid": max(0, os.Getgid()),
		"tty": tty, "version": "1", "runs": m.prog != nil,
	}
}

func arch() string {
	switch runtime.GOARCH {
	case "amd64":
		return "x64"
	case "386":
		return "ia32"
	}
	return runtime.GOARCH
}

// exits ends a program at once: nothing of it runs behind process.exit.
func exits(m *machine, args []json.RawMessage) (any, error) {
	if m.prog == nil {
		return nil, errors.New("process.exit is for programs")
	}
	var code int
	if len(args) > 0 {
		_ = json.Unmarshal(args[0], &code) // anything else is 0
	}
	if !m.prog.exited {
		m.prog.exited, m.prog.code = true, code
	}
	m.js.Interrupt()
	return nil, nil
}

// sleep has the script stand still, until its time is over.
func sleep(m *machine, args []json.RawMessage) (any, error) {
	var ms float64
	if len(args) > 0 {
		_ = json.Unmarshal(args[0], &ms) // anything else is not a time
	}
	ctx, cancel := m.standing()
	defer cancel()
	t := time.NewTimer(time.Duration(ms * float64(time.Millisecond)))
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
	return nil, nil
}

func changeDir(m *machine, args []json.RawMessage) (any, error) {
	to := str(args, 0)
	if !filepath.IsAbs(to) {
		to = filepath.Join(m.folder(), to)
	}
	info, err := os.Stat(to)
	if err == nil && !info.IsDir() {
		err = notDir
	}
	if err != nil {
		op := fileOp{call: "chdir", paths: 1}
		return json.RawMessage(failure(fileError(op, args, err))), nil
	}
	m.prog.dir = to
	return nil, nil
}

// kill sends a signal to another process; one to its own ends the program.
func kill(m *machine, args []json.RawMessage) (any, error) {
	var pid int
	_ = json.Unmarshal(args[0], &pid) // no number is 0, which is refused
	name := str(args, 1)
	if n, err := strconv.Atoi(name); err == nil {
		for known, number := range signals {
			if int(number) == n {
				name = known
			}
		}
	}
	if pid == os.Getpid() && m.prog != nil {
		if number, ok := signals[name]; ok {
			return exits(m, []json.RawMessage{json.RawMessage(strconv.Itoa(128 + int(number)))})
		}
		return nil, nil
	}
	if err := m.p.need(Exec, "process.kill"); err != nil {
		return nil, err
	}
	if pid <= 1 || pid == os.Getpid() {
		return map[string]any{"message": "kill EPERM", "code": "EPERM", "errno": -1, "syscall": "kill"}, nil
	}
	err := signalProcess(pid, signals[name])
	switch {
	case err == nil:
		return nil, nil
	case errors.Is(err, os.ErrPermission), errors.Is(err, syscall.EPERM):
		return map[string]any{"message": "kill EPERM", "code": "EPERM", "errno": -1, "syscall": "kill"}, nil
	}
	return map[string]any{"message": "kill ESRCH", "code": "ESRCH", "errno": -3, "syscall": "kill"}, nil
}

// place returns the file and the folder of a name from the script's own folder.
func place(m *machine, args []json.RawMessage) (any, error) {
	file := disk.Real(m.p.b.File)
	if rel := str(args, 0); rel != "" {
		file = filepath.Join(filepath.Dir(file), filepath.FromSlash(rel))
	}
	return []string{file, filepath.Dir(file)}, nil
}

// hold says whether a program waits for a piece of work.
func hold(m *machine, args []json.RawMessage) (any, error) {
	var id int
	if len(args) > 1 && json.Unmarshal(args[0], &id) == nil {
		if o := m.ops[id]; o != nil {
			o.unheld = string(args[1]) != "true"
		}
	}
	return nil, nil
}

// system is what node:os tells.
func system() map[string]any {
	host, _ := os.Hostname() // unknown stays empty
	about := map[string]any{
		"host": host, "arch": arch(), "cpus": runtime.NumCPU(), "memory": 8 << 30, "release": "", "version": "", "uptime": time.Since(started).Seconds(),
		"home": "", "user": "", "uid": os.Getuid(), "gid": os.Getgid(),
	}
	if u, err := user.Current(); err == nil {
		about["home"], about["user"] = u.HomeDir, u.Username
	}
	for key, file := range map[string]string{"release": "/proc/sys/kernel/osrelease", "version": "/proc/sys/kernel/version"} {
		if text, err := os.ReadFile(file); err == nil {
			about[key] = strings.TrimSpace(string(text))
		}
	}
	return about
}

// readStdin is a piece of what a program reads; an empty text is its end.
func readStdin(ctx context.Context, _ *Program, _ json.RawMessage) (any, error) {
	r := runOf(ctx)
	if r == nil {
		return "", nil // a hook has its event
	}
	data := make([]byte, maxChunk)
	n, err := r.stdin().Read(data)
	for n == 0 && err == nil {
		n, err = r.stdin().Read(data)
	}
	if n == 0 && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("stdin cannot be read: %w", err)
	}
	return base64.StdEncoding.EncodeToString(data[:n]), nil
}
