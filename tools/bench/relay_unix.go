//go:build linux || darwin

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/backoff"
	"github.com/hookway/hookway/internal/bench"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/internal/install"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/roster"
)

// relayStage is a user with a daemon, whose agents run in hookway.
type relayStage struct {
	*runStage
	shim  string
	store *relay.Store // of the senders, whom nobody kills
}

// relayLive measures messages to agents in hookway run.
func (p *program) relayLive(ctx context.Context, plan relayPlan) (rows []row, err error) {
	s, err := p.newRelayStage(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	for _, step := range []struct {
		name  string
		count int
		do    func(context.Context, relayPlan) ([]row, error)
	}{
		{"messages that are typed", plan.typed, s.typed}, {"messages while processes are killed", plan.messages, s.chaos},
	} {
		if step.count == 0 {
			continue
		}
		p.doing(step.name)
		limit, cancel := context.WithTimeout(ctx, stepTime)
		some, err := step.do(limit, plan)
		cancel()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", step.name, err)
		}
		rows = append(rows, some...)
	}
	return rows, nil
}

func (p *program) newRelayStage(ctx context.Context) (*relayStage, error) {
	base, err := p.newRunStage()
	if err != nil {
		return nil, err
	}
	s := &relayStage{runStage: base}
	s.env = slices.DeleteFunc(s.env, func(kv string) bool { return strings.HasPrefix(kv, "HOOKWAY_DAEMON=") })
	s.shim, err = install.FindShim(s.hookway)
	var state string
	if err == nil {
		_, state, err = config.Places(lookUp(s.env))
	}
	if err == nil {
		limits := unlimited
		limits.Inbox = 0 // a full inbox refuses, and the sender tries again
		s.store, err = relay.Open(ctx, filepath.Join(state, "relay"), relay.Options{Limits: limits, Wake: s.wake})
	}
	if err == nil {
		err = s.startDaemon(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *relayStage) close() error {
	var err error
	if s.store != nil {
		err = s.store.Close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if client, dialErr := daemon.Dial(ctx, s.places.Socket); dialErr == nil {
		_, _ = client.Stop(ctx, version)
		_ = client.Close()
	}
	return errors.Join(err, os.RemoveAll(s.dir))
}

// wake tells sessions that something has come, as every sender does.
func (s *relayStage) wake(ctx context.Context, agents []string) {
	roster.Notify(ctx, s.places.Dir, agents)
}

// startDaemon starts the daemon if none runs. One that was killed just now may still take the
// connection, and break it: then another one is started.
func (s *relayStage) startDaemon(ctx context.Context) (err error) {
	for range 50 {
		if err = s.startOnce(ctx); err == nil || backoff.Sleep(ctx, 20*time.Millisecond) != nil {
			return err
		}
	}
	return err
}

func (s *relayStage) startOnce(ctx context.Context) error {
	client, err := daemon.Start(ctx, s.places, s.hookway, s.env)
	if err != nil {
		return err
	}
	defer client.Close()
	_, _, err = client.Ask(ctx, "POST", "/v1/relay/poke", nil)
	return err
}

// send sends until the receiver's inbox has room.
func (s *relayStage) send(ctx context.Context, m relay.Message) error {
	m.ID = relay.NewID()
	for {
		_, err := s.store.Send(ctx, m)
		var full *relay.FullError
		if !errors.As(err, &full) {
			return err // or nil
		}
		if err := backoff.Sleep(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
}

// known waits until an agent can be sent to.
func (s *relayStage) known(ctx context.Context, name string) error {
	for {
		all, err := s.store.Agents(ctx)
		if err != nil || slices.ContainsFunc(all, func(a relay.Agent) bool { return a.Name == name && a.Running }) {
			return err
		}
		if err := backoff.Sleep(ctx, 10*time.Millisecond); err != nil {
			return fmt.Errorf("the agent %s does not come: %w", name, err)
		}
	}
}

// typed measures messages into an agent that does nothing, from the sending until
// its screen shows them.
func (s *relayStage) typed(ctx context.Context, plan relayPlan) ([]row, error) {
	w, err := s.watched(ctx, "Still", plan.typed+1)
	if err != nil {
		return nil, err
	}
	defer w.close()
	if err := s.known(ctx, "Still"); err != nil {
		return nil, err
	}
	var took []float64
	for i := range plan.typed + 1 {
		if err := w.rest(ctx, i); err != nil {
			return nil, err
		}
		text := fmt.Sprintf("message-%d-for-it", i)
		w.wanted.Store(&text)
		began := time.Now()
		if err := s.send(ctx, relay.Message{From: "anna", To: "Still", Content: text}); err != nil {
			return nil, err
		}
		at, err := w.seen(ctx)
		if err != nil {
			return nil, err
		}
		if i > 0 { // the first one waits for the agent to be ready
			took = append(took, bench.Milliseconds(at.Sub(began)))
		}
	}
	return []row{atMostOf("a message sent until a still agent shows it, median", "ms", bench.Median(took), 50)}, nil
}

// worker is the program of the agent that works without end.
func (s *relayStage) worker() (program string, env []string, err error) {
	program = filepath.Join(s.dir, "worker", "claude")
	text := fmt.Sprintf("#!/bin/sh\nexec '%s' works\n", strings.ReplaceAll(s.self, "'", `'\''`))
	err = errors.Join(os.MkdirAll(filepath.Dir(program), 0o700), os.WriteFile(program, []byte(text), 0o700))
	return program, []string{"BENCH_SHIM=" + s.shim, "BENCH_TRANSCRIPT=" + s.transcript()}, err
}

func (s *relayStage) transcript() string { return filepath.Join(s.dir, "worker.jsonl") }
