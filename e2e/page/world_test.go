//go:build linux

package page

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// bin is the folder with the hookway programs under test.
var bin string

type object = map[string]any

// world is a user with a project and a hookway of their own.
type world struct {
	t       testing.TB
	root    string
	home    string
	project string
	env     []string
	pin     string       // that the owner types where one is required
	socket  *http.Client // to the daemon's socket
}

// newWorld makes a world whose project has the hooks, trusted; with none, there are
// none.
func newWorld(t testing.TB, hooks string) *world {
	t.Helper()
	if chromium == nil {
		newTab(t) // which skips the test
	}
	root, err := os.MkdirTemp("", "hw-page-") // short: the path of a socket may not be long
	check(t, err)
	root, err = filepath.EvalSymlinks(root)
	check(t, err)
	w := &world{t: t, root: root, home: filepath.Join(root, "home"), project: filepath.Join(root, "project")}
	for _, dir := range []string{w.home, w.project, filepath.Join(root, "tmp")} {
		check(t, os.MkdirAll(dir, 0o700))
	}
	w.env = []string{
		"PATH=" + strings.Join([]string{bin, "/usr/local/bin", "/usr/bin", "/bin"}, ":"),
		"HOME=" + w.home, "HOOKWAY_HOME=" + filepath.Join(root, "hookway"), "TMPDIR=" + filepath.Join(root, "tmp"),
		"LANG=C.UTF-8", "TERM=xterm", "SHELL=/bin/sh", "TZ=UTC",
	}
	w.socket = &http.Client{Timeout: patience, Transport: &http.Transport{
		MaxIdleConnsPerHost: 64,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", filepath.Join(root, "hookway", "run", "hookway.sock"))
		},
	}}
	t.Cleanup(func() {
		w.socket.CloseIdleConnections()
		_, _ = w.try("stop")
		w.remove()
	})
	if hooks != "" {
		w.write(filepath.Join(w.project, "hookway.yaml"), hooks)
		w.hookway("trust", "--yes")
	}
	return w
}

// remove takes the world away. What has ended may still write there for a moment.
func (w *world) remove() {
	var err error
	for end := time.Now().Add(patience); ; {
		if err = os.RemoveAll(w.root); err == nil || time.Now().After(end) {
			break
		}
	}
	check(w.t, err)
}

// hookway runs hookway as the user, in the project; it must succeed.
func (w *world) hookway(args ...string) string {
	w.t.Helper()
	out, err := w.try(args...)
	if err != nil {
		w.t.Fatalf("hookway %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func (w *world) try(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := w.command(ctx, filepath.Join(bin, "hookway"), args...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (w *world) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env = w.project, w.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// inTerminal runs hookway in a terminal of the user's own, and gives what it prints. Of
// each two texts the second is typed when the first is there.
func (w *world) inTerminal(args []string, talk ...string) string {
	w.t.Helper()
	cmd := exec.Command(filepath.Join(bin, "hookway"), args...)
	cmd.Dir, cmd.Env = w.project, w.env
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 2000, Rows: 50}) // no line is broken
	check(w.t, err)
	late := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	var out []byte
	piece, from := make([]byte, 4<<10), 0
	for {
		n, err := terminal.Read(piece)
		out = append(out, piece[:n]...)
		for len(talk) > 1 && bytes.Contains(out[from:], []byte(talk[0])) {
			from += bytes.Index(out[from:], []byte(talk[0])) + len(talk[0])
			_, err := io.WriteString(terminal, talk[1])
			check(w.t, err)
			talk = talk[2:]
		}
		if err != nil { // it has ended
			break
		}
	}
	err = cmd.Wait()
	late.Stop()
	check(w.t, terminal.Close())
	if err != nil || len(talk) > 0 {
		w.t.Fatalf("hookway %s: %v; not asked for: %q; it said:\n%s", strings.Join(args, " "), err, talk, out)
	}
	return strings.ReplaceAll(string(out), "\r\n", "\n")
}

// link is a link to the page, as hookway ui makes it for its owner.
func (w *world) link() string {
	w.t.Helper()
	talk := []string{"[y/N] ", "y\r"}
	if w.pin != "" {
		talk = append(talk, "PIN: ", w.pin+"\r")
	}
	out := w.inTerminal([]string{"ui", "--no-open", "--json"}, talk...)
	var said struct{ Link string }
	if err := json.NewDecoder(strings.NewReader(out[max(0, strings.IndexByte(out, '{')):])).Decode(&said); err != nil || said.Link == "" {
		w.t.Fatalf("hookway ui --json printed no link (%v):\n%s", err, out)
	}
	return said.Link
}

// origin is what a link leads to: its scheme, host and port.
func origin(link string) string {
	if end := strings.IndexAny(link[len("http://"):], "/#"); end >= 0 {
		return link[:len("http://")+end]
	}
	return link
}

// page opens the page for its owner, in a tab of its own, at a view.
func (w *world) page(view string) *tab {
	w.t.Helper()
	p := newTab(w.t)
	p.project = w.project
	link := w.link()
	p.goes(link)
	p.until("the page is open", `document.documentElement.dataset.state == "ready"`)
	w.t.Cleanup(func() {
		if asked := p.elsewhere(origin(link)); len(asked) > 0 {
			w.t.Errorf("the page asks elsewhere: %q", asked)
		}
	})
	if view != "" {
		p.view(view)
	}
	return p
}

// view goes to a view of the page, such as "decisions?action=block".
func (p *tab) view(view string) {
	p.t.Helper()
	p.do("location.hash = %q", "#/"+view)
	name, rest, deeper := strings.Cut(strings.SplitN(view, "?", 2)[0], "/")
	if deeper && rest != "" {
		name = strings.TrimSuffix(name, "s")
	}
	p.until("the view "+view+" is ready", `document.documentElement.dataset.view == %q && document.documentElement.dataset.state == "ready"`, name)
}

// ask sends a request to the daemon's socket, and gives the answer's status and body.
func (w *world) ask(method, path string, body any) (int, []byte) {
	w.t.Helper()
	status, answer, err := w.tryAsk(w.t.Context(), method, path, body)
	check(w.t, err)
	return status, answer
}

func (w *world) tryAsk(ctx context.Context, method, path string, body any) (int, []byte, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return 0, nil, err
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://hookway"+path, bytes.NewReader(text))
	if err != nil {
		return 0, nil, err
	}
	if body == nil {
		r.Body = http.NoBody
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := w.socket.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	all, err := io.ReadAll(answer.Body)
	return answer.StatusCode, all, err
}

// fire has an agent of any kind tell the daemon of an event.
func (w *world) fire(event string, agent, session string, payload object) {
	w.t.Helper()
	status, answer := w.ask(http.MethodPost, "/v1/events", object{"event": event, "cwd": w.project, "agent": agent, "session_id": session, "payload": payload})
	if status != http.StatusOK {
		w.t.Fatalf("%s was answered with %d: %s", event, status, answer)
	}
}

// call has an agent ask for a command.
func (w *world) call(session, command string) {
	w.t.Helper()
	w.fire("PreToolUse", "claude", session, object{"tool_name": "Bash", "tool_use_id": fmt.Sprintf("c%d", time.Now().UnixNano()), "tool_input": object{"command": command}})
}

// serve sees to it that a daemon runs.
func (w *world) serve() {
	w.t.Helper()
	daemon := exec.Command(filepath.Join(bin, "hookway"), "serve", "--on-demand")
	daemon.Dir, daemon.Env = w.project, w.env
	daemon.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	check(w.t, daemon.Start())
	go func() { _ = daemon.Wait() }()
	end := time.Now().Add(patience)
	for {
		if status, _, err := w.tryAsk(w.t.Context(), http.MethodGet, "/healthz", nil); err == nil && status == http.StatusOK {
			return
		} else if time.Now().After(end) {
			w.t.Fatalf("the daemon does not answer: %v", err)
		}
	}
}

func (w *world) write(file, text string) {
	w.t.Helper()
	check(w.t, os.MkdirAll(filepath.Dir(file), 0o700))
	check(w.t, os.WriteFile(file, []byte(text), 0o600))
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
