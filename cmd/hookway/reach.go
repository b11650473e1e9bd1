package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/roster"
	"github.com/hookway/hookway/internal/server"
	"github.com/hookway/hookway/internal/session"
	"github.com/hookway/hookway/wire/call"
)

// sessionID is the id of a new session: that of HOOKWAY_SESSION, unless it is
// that of the session in which hookway was called.
func sessionID(a *app) string {
	id := a.getenv("HOOKWAY_SESSION")
	if id == "" {
		return session.NewID()
	}
	dir, err := a.home.RosterDir()
	if err != nil { // reachable says so
		return id
	}
	all, _ := roster.All(dir)
	if slices.ContainsFunc(all, func(r *roster.Remote) bool { return r.Session == id }) {
		return session.NewID()
	}
	return id
}

// reachable is what a session needs to be reached by hookway's other commands.
type reachable struct {
	history  string
	announce func(*session.Control) (stop func())
}

// prepareReach prepares that. A session that cannot be reached runs all the same.
func prepareReach(ctx context.Context, a *app, id, name string, command []string) (r reachable) {
	// For the hooks, which are children of this process.
	err := errors.Join(os.Setenv("HOOKWAY_SESSION", id), os.Setenv("HOOKWAY_AGENT", name))
	if err != nil {
		a.home.Log.Warn("hooks do not know their session", logline.Err, err)
	}
	if r.history, err = a.historyDir(); err != nil {
		a.home.Log.Warn("the output is not kept", logline.Err, err)
	}
	at, err := call.Find(a.getenv)
	if err == nil {
		err = call.MakeDir(at.Dir)
	}
	if err != nil {
		a.home.Log.Warn("the session cannot be reached from outside", logline.Err, err)
		return r
	}
	r.announce = func(c *session.Control) (stop func()) {
		server, err := announce(ctx, at.Dir, c, command, server.Cwd())
		if err != nil {
			a.home.Log.Warn("the session cannot be reached from outside", logline.Err, err)
			return func() {}
		}
		return func() {
			if err := server.Close(); err != nil {
				a.home.Log.Warn("the session's socket was not removed", logline.Err, err)
			}
		}
	}
	return r
}

func announce(ctx context.Context, at string, c *session.Control, command []string, dir string) (*roster.Server, error) {
	return roster.Serve(context.WithoutCancel(ctx), at, roster.Member{
		Name: c.Name(), Session: c.ID(), PID: os.Getpid(), Program: filepath.Base(command[0]), CWD: dir, Started: time.Now(),
	}, answerer(c))
}

// answerer answers what a session is asked.
func answerer(c *session.Control) roster.Handler {
	return func(ctx context.Context, r roster.Request) (a roster.Reply) {
		var err error
		switch r.Op {
		case roster.OpWho:
		case roster.OpHold, roster.OpRelease:
			c.Hold(r.Op == roster.OpHold)
		case roster.OpInject:
			a.State, a.Reason, err = c.Inject(ctx, r.Text, r.Wait)
		case roster.OpNotify:
			c.Notify()
		case roster.OpMessages:
			a.Messages = c.Messages()
		case roster.OpOutput:
			a.Body, a.Size, err = c.Output(r.Tail)
		default:
			err = fmt.Errorf("this version of hookway knows no request %q", r.Op)
		}
		if a.Held = c.Held(); err != nil {
			a.Error = err.Error()
		}
		return a
	}
}
