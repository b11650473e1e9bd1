package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/server"
	"github.com/hookway/hookway/internal/tmux"
	"github.com/hookway/hookway/internal/visible"
	"github.com/hookway/hookway/wire/call"
)

// tmuxServer is hookway's own tmux, and the folder of its socket.
func tmuxServer(ctx context.Context, a *app) (server *tmux.Server, dir string, err error) {
	at, err := call.Find(a.getenv)
	if err != nil {
		return nil, "", err
	}
	if err = call.MakeDir(at.Dir); err != nil {
		return nil, "", err
	}
	settings, _, err := config.Places(a.getenv)
	if err != nil {
		return nil, "", err
	}
	server, err = tmux.Find(ctx, at.Dir, filepath.Join(settings, "tmux.conf"))
	return server, at.Dir, err
}

// wrapInTmux has hookway run the program in a session of tmux, and shows it to
// the user, if there is one. hookway's exit code is the program's; a user who
// detaches leaves the session running, which is not a failure.
func wrapInTmux(ctx context.Context, a *app, name, file string, command []string) error {
	host, dir, err := tmuxServer(ctx, a)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find hookway's own program: %w", err)
	}
	offer, err := tmux.NewOffer(dir)
	if err != nil {
		return err
	}
	defer offer.Close()
	if name, command, err = wrappedNameBefore(ctx, a, name, file, command); err != nil {
		return err
	}
	args := []string{"run"}
	if name != "" {
		args = append(args, "--name", name)
	} else {
		name = programName(command)
	}
	if file != "" {
		args = append(args, "--config", file)
	}
	width, height := a.size()
	session, err := host.New(ctx, tmux.New{Name: tmux.Name(name), Link: offer.Path, Width: width, Height: height, Command: []string{self, paneName, offer.Path}})
	if errors.Is(err, tmux.ErrTaken) {
		return fmt.Errorf("a session %s runs in tmux already; hookway attach %[1]s shows it, hookway run --tmux -n NAME takes another name", tmux.Name(name))
	}
	if err != nil {
		return err
	}
	start := tmux.Start{Dir: server.Cwd(), Args: append(append(args, "--"), command...), Env: os.Environ()}
	return ended(a.view(host, session).Run(ctx, offer, start))
}

// programName is how an agent is called that was given no name.
func programName(command []string) string {
	name := agentName(command)
	if relay.Reserved(name) != nil {
		name += "-run"
	}
	return name
}

// size is that of the user's terminal.
func (a *app) size() (width, height int) {
	if out, ok := a.out.(*os.File); ok {
		if w, h, err := term.GetSize(int(out.Fd())); err == nil && w > 0 && h > 0 {
			return w, h
		}
	}
	number := func(name string, otherwise int) int {
		if n, err := strconv.ParseUint(a.getenv(name), 10, 16); err == nil && n > 0 {
			return int(n)
		}
		return otherwise
	}
	return number("COLUMNS", 80), number("LINES", 24)
}

// atTerminal reports whether there is a user who can see and type.
func (a *app) atTerminal() bool {
	out, ok := a.out.(*os.File)
	return ok && term.IsTerminal(int(out.Fd())) && term.IsTerminal(int(a.in.Fd()))
}

// paneName is the command that runs in tmux. People do not call it.
const paneName = "tmux-pane"

func paneCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: paneName + " LINK", Short: "Run what hookway run --tmux was told to, inside tmux", Hidden: true,
		Args: exactly("LINK"),
		RunE: func(cmd *cobra.Command, args []string) error { return runPane(cmd.Context(), a, args[0]) },
	}
}

// hangupLimit is how long a program may go on when its session is gone, and with it
// every way to come back: longer than it may take to answer SessionEnd.
const hangupLimit = 15 * time.Second

// runPane is hookway run, inside tmux. It has the environment of the process that has started
// the session, but for what describes the terminal, which is tmux's.
func runPane(ctx context.Context, a *app, link string) error {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, hangup...) // to the end, which hookway must live to tell
	pane, start, err := tmux.Take(link)
	if err != nil {
		return err
	}
	own, err := os.FindProcess(os.Getpid())
	if err != nil {
		return err
	}
	over := make(chan struct{})
	defer close(over)
	go func() {
		for {
			select {
			case s := <-pane.Signals:
				_ = own.Signal(s)
			case <-hangups:
				time.AfterFunc(hangupLimit, func() { _ = own.Signal(syscall.SIGTERM) })
			case <-over:
				return
			}
		}
	}()
	var said strings.Builder
	inside := appWith(a.in, a.out, visible.Writer{To: io.MultiWriter(&said, os.Stderr)}, os.Getenv)
	if start.Follow {
		inside.out = io.MultiWriter(a.out, pane)
	}
	code := exitFailure
	if err := start.Enter(); err != nil {
		inside.warn("%s", err)
	} else {
		code = inside.run(ctx, start.Args)
	}
	pane.Finish(tmux.End{Code: code, Notes: said.String(), Screen: lastScreen(ctx, a)})
	return &exit{code: code}
}

// lastScreen is what the pane shows, without the blank lines at its end.
func lastScreen(ctx context.Context, a *app) string {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer stop()
	server, _, err := tmuxServer(ctx, a)
	if err != nil {
		return ""
	}
	screen, err := server.Screen(ctx, os.Getenv("TMUX_PANE"))
	if err != nil { // the session is gone
		return ""
	}
	return strings.TrimRight(screen, "\n ")
}
