package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// openTime bounds how long the system's opener may take to say that it cannot.
const openTime = 3 * time.Second

// errNoBrowser says that none can be opened here.
var errNoBrowser = errors.New("there is no desktop here")

// browse opens a link in the user's browser. The browser goes on without us; an opener
// that has not failed by the deadline has not failed.
func browse(ctx context.Context, a *app, link string) error {
	cmd, err := opener(a.getenv, link)
	if err != nil {
		return err
	}
	cmd.Env = a.environ()
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	late := time.NewTimer(openTime)
	defer late.Stop()
	select {
	case err := <-ended:
		return err
	case <-late.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// opener is the system's command that opens a link. Where others could read its
// arguments, the link is not among them, but where the daemon knows whose browser comes.
func opener(getenv func(string) string, link string) (*exec.Cmd, error) {
	switch runtime.GOOS {
	case "darwin":
		cmd := exec.Command("osascript", "-")
		cmd.Stdin = strings.NewReader(fmt.Sprintf("open location %q\n", link))
		return cmd, nil
	case "windows":
		return exec.Command("rundll32", "url.dll,FileProtocolHandler", link), nil
	}
	if getenv("DISPLAY") == "" && getenv("WAYLAND_DISPLAY") == "" {
		return nil, errNoBrowser
	}
	program, err := exec.LookPath("xdg-open")
	if err != nil {
		return nil, err
	}
	return exec.Command(program, link), nil
}
