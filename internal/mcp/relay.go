package mcp

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/relay"
)

// messaging is what a server has of the relay: all of it is opened when it is needed
// first, and kept.
type messaging struct {
	store    *relay.Store
	consumer *relay.Consumer
	hooks    delivery.Hooks
	done     func() error // of the hooks
}

// byTools points an agent that asked for what is not there to the tools that say
// what is, in place of the commands that a person has.
func byTools(err error) error {
	var unknown *relay.UnknownError
	if !errors.As(err, &unknown) {
		return err
	}
	return errors.New(strings.NewReplacer(
		"see hookway inbox for those that are kept", "send_message and read_inbox give the ids",
		"see hookway channels for those there are", "list_channels shows those there are",
		"see hookway agents for those there are", "list_agents shows those there are",
	).Replace(err.Error()))
}

// relay is the store of messages. An error is tried again at the next call.
func (s *Server) relay(ctx context.Context) (*relay.Store, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.relayHeld(ctx)
}

// relayHeld is relay for who has mu.
func (s *Server) relayHeld(ctx context.Context) (*relay.Store, error) {
	if s.messaging.store != nil {
		return s.messaging.store, nil
	}
	if s.OpenRelay == nil {
		return nil, errors.New("there are no messages here")
	}
	store, err := s.OpenRelay(ctx)
	if err == nil {
		s.messaging.store = store
	}
	return store, err
}

// hooks are those that see messages.
func (s *Server) hooks(ctx context.Context, who string) (delivery.Hooks, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.messaging.hooks == nil {
		hooks, done, err := s.OpenHooks(context.WithoutCancel(ctx), s.name(who))
		if err != nil {
			return nil, err
		}
		s.messaging.hooks, s.messaging.done = hooks, done
	}
	return s.messaging.hooks, nil
}

// consumer is the agent's place at its inbox.
func (s *Server) consumer(ctx context.Context) (*relay.Consumer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.messaging.consumer != nil {
		return s.messaging.consumer, nil
	}
	if s.Agent == "" {
		return nil, errors.New("you have no inbox, because you have no name: the user can start you with hookway run -n NAME -- COMMAND, or this server with hookway mcp --agent NAME")
	}
	store, err := s.relayHeld(ctx)
	if err != nil {
		return nil, err
	}
	dir, _ := os.Getwd() // it is only shown
	consumer, err := store.Join(ctx, relay.Presence{Session: s.sessionID(), Name: s.Agent, Program: s.Program, CWD: dir, Kind: relay.KindMCP, PID: os.Getpid()})
	if err == nil {
		s.messaging.consumer = consumer
	}
	return consumer, err
}

// sessionID is the session of the agent, as others know it.
func (s *Server) sessionID() string {
	s.naming.Do(func() {
		if s.session = s.Session; s.session == "" {
			s.session = "mcp-" + strings.ToLower(rand.Text()[:16])
		}
	})
	return s.session
}

// appear lets others know of the agent, unless the session that it is in does.
// What goes wrong is reported when the agent looks into its inbox.
func (s *Server) appear(ctx context.Context) {
	if s.OpenRelay != nil && s.Agent != "" && s.Session == "" {
		_, _ = s.consumer(ctx)
	}
}

// notify has what was sent, and what was read, carried.
func (s *Server) notify(ctx context.Context) error {
	if s.Notify == nil {
		return nil
	}
	return s.Notify(ctx)
}

// close gives all back.
func (o *messaging) close() error {
	var errs []error
	if o.done != nil {
		errs = append(errs, o.done())
	}
	if o.consumer != nil {
		errs = append(errs, o.consumer.Close())
	}
	if o.store != nil {
		errs = append(errs, o.store.Close())
	}
	return errors.Join(errs...)
}

// stamp is a time as agents read it; "" for none.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
