// Package tmux keeps programs in sessions of a tmux server of our own, so that
// they outlive the terminal in which they were started.
//
// # The server
//
// It is not the user's tmux: it has its own socket and settings, and none of the
// user's files is read for it, so that a program looks and behaves the same in
// it as in a plain terminal: no status line, no mouse, no renaming, no delay
// after Escape. Of the keys, only the prefix is tmux's (C-b; twice gives it to
// the program): d detaches, [ and PageUp show what has scrolled away. The server
// ends with its last session. It is started with a bare environment, because it
// serves later sessions too, which must not see the settings of the first one.
//
// # The link
//
// A session runs one process of ours, the pane, which runs the program. What it
// is to do reaches it over a socket in a folder that is the user's alone: no
// command line and no file shows the environment to others, and neither has a
// bound on its length that a program could meet. The pane then listens at the
// same place, and tells all who ask how the program ended. So the process that started
// the session, or attached to it later, gets the exit code, and tmux need not be
// asked for it, which forgets it.
package tmux

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Server is one tmux server, which need not run yet.
type Server struct {
	Program  string // tmux
	Socket   string // where it listens
	Settings string // a file of tmux commands, the user's for this server; it need not exist
	Env      []string
}

// Errors of this package.
var (
	ErrMissing = errors.New("tmux is not installed; install it, or leave out --tmux")
	ErrTaken   = errors.New("a session of that name runs already")
)

// oldest is the first tmux with all that is asked of it here.
var oldest = [2]int{3, 2}

// callLimit is how long one call of tmux may take.
const callLimit = 20 * time.Second

// Find looks for tmux in PATH. The server's socket will be in the folder dir,
// which must be the user's alone.
func Find(ctx context.Context, dir, settings string) (*Server, error) {
	program, err := exec.LookPath("tmux")
	if err != nil {
		return nil, ErrMissing
	}
	if program, err = filepath.Abs(program); err != nil {
		return nil, fmt.Errorf("find tmux: %w", err)
	}
	s := &Server{Program: program, Socket: filepath.Join(dir, "tmux.sock"), Settings: settings, Env: bare(os.Environ())}
	said, err := s.call(ctx, "-V")
	if err != nil {
		return nil, err
	}
	if tooOld(said) {
		return nil, fmt.Errorf("%s is too old; hookway needs tmux %d.%d or later", strings.TrimSpace(said), oldest[0], oldest[1])
	}
	return s, nil
}

var version = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\d+)\.(\d+)`) })

// tooOld judges what tmux -V says. A version that it does not understand is new.
func tooOld(said string) bool {
	found := version().FindStringSubmatch(said)
	if found == nil || strings.Contains(said, "openbsd") { // there it has the number of the system
		return false
	}
	major, _ := strconv.Atoi(found[1])
	minor, _ := strconv.Atoi(found[2])
	return major < oldest[0] || major == oldest[0] && minor < oldest[1]
}

// kept are the variables that the server needs itself.
var kept = []string{"PATH", "HOME", "SHELL", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TERMINFO", "TERMINFO_DIRS", "TMPDIR"}

// bare is an environment without what is only the caller's.
func bare(env []string) []string {
	var left []string
	for _, pair := range env {
		for _, name := range kept {
			if strings.HasPrefix(pair, name+"=") {
				left = append(left, pair)
			}
		}
	}
	return left
}

// command is a call of tmux that a terminal may be given to.
func (s *Server) command(ctx context.Context, args ...string) *exec.Cmd {
	// -u: what the program prints is UTF-8, whatever the locale is called.
	cmd := exec.CommandContext(ctx, s.Program, append([]string{"-u", "-S", s.Socket, "-f", os.DevNull}, args...)...)
	cmd.Env, cmd.Dir = s.Env, "/" // the server keeps the folder in which it was started
	return cmd
}

// call runs tmux commands and gives what they print.
func (s *Server) call(ctx context.Context, args ...string) (string, error) {
	return s.say(ctx, "", args...)
}

// say is call with an input. What was printed counts also if a command failed.
func (s *Server) say(ctx context.Context, input string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	cmd := s.command(ctx, args...)
	var said, complaint bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &said, &complaint
	cmd.WaitDelay = time.Second // a server that has just been started may hold the pipes
	err := cmd.Run()
	if err == nil || errors.Is(err, exec.ErrWaitDelay) {
		return said.String(), nil
	}
	text := strings.TrimSpace(complaint.String())
	switch {
	case strings.HasPrefix(text, "duplicate session"):
		return said.String(), ErrTaken
	case ctx.Err() != nil:
		return said.String(), fmt.Errorf("tmux does not answer: %w", ctx.Err())
	case text == "":
		text = err.Error()
	}
	return said.String(), &callError{text}
}

// callError is what tmux complained of.
type callError struct{ text string }

func (e *callError) Error() string { return "tmux: " + e.text }
