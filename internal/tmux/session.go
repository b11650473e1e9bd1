package tmux

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Session is one session on the server.
type Session struct {
	ID   string // tmux's, never used again while the server runs
	Name string
	Link string // where its pane listens
}

// New is what a session begins with.
type New struct {
	Name          string // as Name gives it
	Link          string
	Width, Height int
	Command       []string // the pane
}

// settings are the options of the server. They come before the user's.
var settings = [][]string{
	{"set-option", "-s", "escape-time", "0"}, // Escape is a key of many programs
	{"set-option", "-s", "default-terminal", "tmux-256color"},
	{"set-option", "-s", "focus-events", "on"},
	{"set-option", "-s", "extended-keys", "on"}, // for programs that ask: Shift-Enter is not Enter
	{"set-option", "-s", "set-clipboard", "external"},
	{"set-option", "-g", "status", "off"},
	{"set-option", "-g", "mouse", "off"},
	{"set-option", "-g", "history-limit", "50000"},
	{"set-option", "-g", "update-environment", ""},
	{"set-option", "-g", "set-titles", "on"},
	{"set-option", "-g", "set-titles-string", "#{?#{==:#{pane_title},#{host}},#{session_name},#{pane_title}}"},
	{"set-option", "-gw", "automatic-rename", "off"},
	{"set-option", "-gw", "allow-rename", "off"},
	{"set-option", "-gwq", "allow-passthrough", "off"},
	{"unbind-key", "-a", "-T", "root"},
	{"unbind-key", "-a", "-T", "prefix"}, // C-z among them, which would leave a shell with nobody to talk to
	{"set-option", "-g", "prefix", "C-b"},
	{"bind-key", "C-b", "send-prefix"},
	{"bind-key", "d", "detach-client"},
	{"bind-key", "[", "copy-mode"},
	{"bind-key", "PPage", "copy-mode", "-u"},
}

// needs are the options that the user's settings must not change: a session ends
// with its program, and not with its last client.
var needs = [][]string{
	{"set-option", "-s", "exit-empty", "on"},
	{"set-option", "-s", "exit-unattached", "off"},
	{"set-option", "-g", "destroy-unattached", "off"},
	{"set-option", "-g", "detach-on-destroy", "on"},
	{"set-option", "-gw", "remain-on-exit", "off"},
}

// linkOption is the option of a session that holds its link.
const linkOption = "@hookway_link"

// New starts a session in the background; the server too, if it does not run.
// ErrTaken says that there is one of that name.
func (s *Server) New(ctx context.Context, n New) (Session, error) {
	args := []string{"start-server"}
	add := func(command ...string) { args = append(append(args, ";"), command...) }
	for _, command := range settings {
		add(command...)
	}
	if _, err := os.Stat(s.Settings); s.Settings != "" && err == nil {
		add("source-file", s.Settings)
	}
	for _, command := range needs {
		add(command...)
	}
	add(append([]string{"new-session", "-d", "-E", "-P", "-F", "#{session_id}", "-s", n.Name,
		"-x", strconv.Itoa(n.Width), "-y", strconv.Itoa(n.Height), "--"}, n.Command...)...)
	add("set-option", "-t", "="+n.Name+":", linkOption, n.Link)
	add("set-hook", "-t", "="+n.Name+":", "client-attached", "wait-for -S "+filepath.Base(n.Link))
	id, err := s.call(ctx, args...)
	return Session{ID: strings.TrimSpace(id), Name: n.Name, Link: n.Link}, err
}

// List gives the sessions by name. A server that does not run has none.
func (s *Server) List(ctx context.Context) ([]Session, error) {
	said, err := s.call(ctx, "list-sessions", "-F", "#{session_id} #{session_name} #{"+linkOption+"}")
	var refused *callError
	if errors.As(err, &refused) && notRunning(refused.text) {
		return nil, nil
	}
	var all []Session
	for line := range strings.Lines(said) {
		if f := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3); len(f) == 3 {
			all = append(all, Session{ID: f[0], Name: f[1], Link: f[2]})
		}
	}
	slices.SortFunc(all, func(a, b Session) int { return strings.Compare(a.Name, b.Name) })
	return all, err
}

func notRunning(complaint string) bool {
	return strings.HasPrefix(complaint, "no server running") || strings.HasPrefix(complaint, "error connecting") ||
		strings.HasPrefix(complaint, "no sessions") || strings.HasPrefix(complaint, "server exited") || strings.HasPrefix(complaint, "lost server")
}

// Runs reports whether the session is there.
func (s *Server) Runs(ctx context.Context, session Session) bool {
	_, err := s.call(ctx, "has-session", "-t", session.ID)
	return err == nil
}

// Kill ends the session, if it is there; its clients are detached.
func (s *Server) Kill(ctx context.Context, session Session) {
	_, _ = s.call(ctx, "kill-session", "-t", session.ID)
}

// Attach is a client of the session: its terminal is to be set, and it is to be
// started by a goroutine that holds its thread until its end. env is the user's,
// which says what the terminal is and can do.
func (s *Server) Attach(ctx context.Context, session Session, env []string) *exec.Cmd {
	var args []string
	if slices.Contains(env, "COLORTERM=truecolor") || slices.Contains(env, "COLORTERM=24bit") {
		args = []string{"-T", "RGB"}
	}
	cmd := s.command(ctx, append(args, "attach-session", "-E", "-t", session.ID)...)
	cmd.Env = slices.DeleteFunc(slices.Clone(env), func(pair string) bool { // in another tmux this one is a program like others
		return strings.HasPrefix(pair, "TMUX=") || strings.HasPrefix(pair, "TMUX_PANE=")
	})
	cmd.Cancel = func() error { return cmd.Process.Signal(detachSignal) }
	cmd.SysProcAttr = withParent()
	return cmd
}

// Attached waits until the first client shows the session.
func (s *Server) Attached(ctx context.Context, session Session) error {
	_, err := s.call(ctx, "wait-for", filepath.Base(session.Link))
	return err
}

// Inside gives the id of the session of this server that the variable TMUX names.
func (s *Server) Inside(variable string) (id string, inside bool) {
	f := strings.Split(variable, ",")
	if len(f) < 3 {
		return "", false
	}
	theirs, err := os.Stat(strings.Join(f[:len(f)-2], ","))
	if err != nil {
		return "", false
	}
	ours, err := os.Stat(s.Socket)
	return "$" + f[len(f)-1], err == nil && os.SameFile(theirs, ours)
}

// Switch shows the session to to those who look at the session from.
func (s *Server) Switch(ctx context.Context, from, to string) error {
	said, err := s.call(ctx, "list-clients", "-t", from, "-F", "#{client_name}")
	for client := range strings.Lines(said) {
		if _, failed := s.call(ctx, "switch-client", "-E", "-c", strings.TrimSuffix(client, "\n"), "-t", to); failed != nil {
			err = errors.Join(err, failed)
		}
	}
	return err
}

// Screen is what the pane of this process shows, as plain text.
func (s *Server) Screen(ctx context.Context, pane string) (string, error) {
	return s.call(ctx, "capture-pane", "-p", "-J", "-t", pane)
}
