package tmux

import (
	"context"
	"errors"
	"fmt"
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

// linkOption is the option of a session that holds its link.
const linkOption = "@hookway_link"

// New starts a session in the background; the server too, if it does not run.
// ErrTaken says that there is one of that name.
func (s *Server) New(ctx context.Context, n New) (Session, error) {
	args := append([]string{"start-server", ";", "source-file", "-", ";",
		"new-session", "-d", "-E", "-P", "-F", "#{session_id}", "-s", n.Name,
		"-x", strconv.Itoa(n.Width), "-y", strconv.Itoa(n.Height), "--"}, literal(n.Command)...)
	target := "=" + n.Name + ":"
	args = append(args, ";", "set-option", "-t", target, linkOption, n.Link,
		";", "set-hook", "-t", target, "client-attached", "wait-for -S "+filepath.Base(n.Link))
	said, err := s.say(ctx, script(s.Settings), args...)
	for try := 0; leaving(err) && said == "" && try < 10; try++ { // the next call starts another server
		said, err = s.say(ctx, script(s.Settings), args...)
	}
	session := Session{Name: n.Name, Link: n.Link}
	var wrong []string // tmux prints here what it does not like in a file
	for line := range strings.Lines(said) {
		if line = strings.TrimSuffix(line, "\n"); strings.HasPrefix(line, "$") {
			session.ID = line
		} else {
			wrong = append(wrong, line)
		}
	}
	if err != nil && session.ID != "" {
		s.Kill(context.WithoutCancel(ctx), session)
		if len(wrong) > 0 {
			err = &callError{strings.Join(wrong, "; ")}
		}
		err = fmt.Errorf("%w; look into %s", err, s.Settings)
	}
	return session, err
}

// literal keeps tmux from taking the end of an argument for the end of a command.
func literal(args []string) []string {
	args = slices.Clone(args)
	for i, arg := range args {
		if begin, ok := strings.CutSuffix(arg, ";"); ok {
			args[i] = begin + `\;`
		}
	}
	return args
}

// List gives the sessions by name. A server that does not run has none.
func (s *Server) List(ctx context.Context) ([]Session, error) {
	said, err := s.call(ctx, "list-sessions", "-F", "#{session_id} #{session_name} #{"+linkOption+"}")
	if leaving(err) {
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

// leaving reports whether a call has found no server, or one that has no session
// any more and is about to end.
func leaving(err error) bool {
	var refused *callError
	return errors.As(err, &refused) && slices.ContainsFunc(
		[]string{"no server running", "error connecting", "no sessions", "server exited", "lost server"},
		func(begin string) bool { return strings.HasPrefix(refused.text, begin) })
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
