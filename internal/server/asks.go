package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/gateway"
	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/notify"
)

// asks tells people of open requests over the channels of the configuration, and takes
// their answers. Everything that must outlast the daemon is in the store.
type asks struct {
	home    *Home
	environ []string // variables that may be secrets of channels
	file    config.ApprovalsFile
	every   time.Duration // between two looks at the configuration

	read     []config.ApprovalChannel // when it was read last
	unminted []string                 // channels that were logged as such
	failed   string                   // what was logged last of the configuration

	mu      sync.Mutex
	running map[string]*line // by name
	open    int              // requests that wait for an answer
}

// configEvery is between two looks at the configuration.
const configEvery = 2 * time.Second

func newAsks(h *Home, environ []string) *asks {
	return &asks{home: h, environ: environ, every: configEvery, running: map[string]*line{}, file: config.ApprovalsFile{Getenv: h.Getenv, Managed: h.Managed}}
}

// needed reports whether the daemon must stay: somebody may answer yet.
func (a *asks) needed() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.open > 0 && len(a.running) > 0
}

// run tells and listens until the context ends. Without channels it costs a look at two
// files now and then.
func (a *asks) run(ctx context.Context) {
	var work sync.WaitGroup
	defer work.Wait()
	for ctx.Err() == nil {
		channels, err := a.channelsNow()
		if err == nil { // else those that are there stay
			err = a.follow(ctx, channels, &work)
		}
		text := ""
		if err != nil {
			text = err.Error()
		}
		if text != a.failed && text != "" && ctx.Err() == nil {
			a.home.Log.Warn("channels of approvals", logline.Err, err)
		}
		a.failed = text
		select {
		case <-ctx.Done():
		case <-time.After(a.every):
		}
	}
}

// follow ends the channels that are no more, and begins new ones. The error tells which
// could not begin: the next look tries again.
func (a *asks) follow(ctx context.Context, channels []config.ApprovalChannel, work *sync.WaitGroup) (failed error) {
	want := map[string]config.ApprovalChannel{}
	for _, c := range channels {
		want[hashOfChannel(c)+c.Name] = c
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for name, l := range a.running {
		if _, ok := want[l.key]; !ok || l.ended() {
			l.cancel()
			delete(a.running, name)
		}
		delete(want, l.key)
	}
	for _, key := range slices.Sorted(maps.Keys(want)) {
		c := want[key]
		if old := a.running[c.Name]; old != nil {
			continue // it ends; the next look begins this one
		}
		l, err := a.begin(ctx, c)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		l.key = key
		a.running[c.Name] = l
		work.Go(l.run)
	}
	return failed
}

// begin makes a line of a channel, with the store open.
func (a *asks) begin(ctx context.Context, c config.ApprovalChannel) (*line, error) {
	dir, err := a.home.folder("approvals")
	if err != nil {
		return nil, err
	}
	store, err := approve.Open(ctx, dir, approve.Options{})
	if err != nil {
		return nil, err
	}
	since, err := earliest(ctx, store)
	var channel notify.Channel
	if err == nil {
		channel, err = a.home.Channel(c, a.environ, since)
	}
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	l := &line{asks: a, is: c, channel: channel, store: store, kick: make(chan struct{}, 1), done: make(chan struct{}), late: map[string]lateness{}, refused: map[string]bool{}}
	l.ctx, l.cancel = context.WithCancel(ctx)
	return l, nil
}

// earliest is when the first request that is open was asked: an answer to it may have come
// while no daemon ran.
func earliest(ctx context.Context, store *approve.Store) (time.Time, error) {
	since := time.Now()
	all, err := store.List(ctx)
	for i := range all {
		if all[i].State == approve.Waiting && all[i].First.Before(since) {
			since = all[i].First
		}
	}
	return since, err
}

// take takes what a person said over a channel.
func (l *line) take(ctx context.Context, s notify.Said) error {
	if s.Yes && !l.home.mayAllow(ctx, l.is) { // the card was sent before that was so
		l.asks.home.Answered(ctx, answerRecord(&approve.Request{}, s.From, errPIN))
		return errPIN
	}
	var all []approve.Request
	r, err := l.store.Redeem(ctx, s.Token, l.tokens(s.Yes))
	var refused *approve.RefusedError
	switch {
	case err == nil:
		r, err = l.store.Answer(ctx, r, approve.Answer{Yes: s.Yes, Scope: approve.ScopeOnce, Note: s.Note, By: l.channel.Name(), From: s.From})
		all = append(all, r)
	case errors.As(err, &refused) && refused.Code == "": // it may be one for several
		all, err = l.answerTogether(ctx, s)
	}
	switch {
	case err == nil:
		for i := range all {
			l.asks.home.Answered(ctx, answerRecord(&all[i], s.From, nil))
		}
		return nil
	case errors.As(err, &refused):
		l.refuse(refused, s)
	case ctx.Err() == nil:
		l.asks.home.Log.Warn("an answer over the channel "+l.channel.Name()+" was not taken", logline.Err, err)
	}
	return err
}

// refuse answers who said something too late: the card of the request is shown as it is
// now. What is read again, from an earlier time, was answered then.
func (l *line) refuse(refused *approve.RefusedError, s notify.Said) {
	known := s.Old
	if r, err := l.store.Get(l.ctx, refused.Code); err == nil && r.By == l.channel.Name() && (r.State != approve.Denied) == s.Yes {
		known = true // it is what this channel said before
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case refused.Code == "":
		if time.Since(l.stranger) > time.Minute {
			l.stranger = time.Now()
			l.asks.home.Log.Warn("somebody answers over the channel " + l.channel.Name() + " with a token that answers nothing")
		}
	case !known && l.late[refused.Code] == 0:
		l.late[refused.Code] = isLate
		l.asks.home.Answered(l.ctx, answerRecord(&approve.Request{Code: refused.Code}, s.From, refused))
		l.look()
	}
}

// answerRecord is the record of an answer that came from elsewhere, or of why it does not
// count.
func answerRecord(r *approve.Request, from string, refused error) audit.Record {
	record := audit.Record{
		Time: time.Now(), Event: audit.Approval, Source: "channel", What: r.Code, Agent: r.Agent, Session: r.Session, Workspace: r.Workspace, Tool: r.Tool, Rule: r.Rule,
		Metadata: map[string]any{"code": r.Code, "from": from},
	}
	if refused != nil {
		record.Action, record.By, record.Reason = hook.ActionBlock.String(), "hookway", refused.Error()
		return record
	}
	for name, value := range map[string]any{"route": string(r.Route), "scope": string(r.Scope), "after_s": r.After} {
		record.Metadata[name] = value
	}
	record.Action, record.By = hook.ActionBlock.String(), r.By
	word := "denied"
	if r.State == approve.Allowed {
		record.Action, word = hook.ActionAllow.String(), "allowed"
	}
	record.Reason = fmt.Sprintf("%s was %s: %s, after %v", r.Code, word, r.From, time.Duration(r.After*float64(time.Second)).Round(time.Second))
	if r.Note != "" {
		record.Reason += ": " + r.Note
	}
	return record
}

// approve takes an answer that came at the gateway.
func (a *asks) approve(ctx context.Context, channel string, body []byte) (map[string]any, error) {
	a.mu.Lock()
	l := a.running[channel]
	a.mu.Unlock()
	if l == nil {
		return nil, &gateway.Refusal{Kind: "not-allowed", Detail: "this channel does not count: its owner runs hookway approvals mint"}
	}
	said, err := notify.Heard(body)
	if err != nil {
		return nil, &gateway.Refusal{Kind: "bad-request", Detail: err.Error()}
	}
	said.From = "webhook " + channel
	var refused *approve.RefusedError
	switch err := l.take(ctx, said); {
	case errors.Is(err, errPIN):
		return nil, &gateway.Refusal{Kind: "not-allowed", Detail: err.Error()}
	case errors.As(err, &refused):
		return nil, &gateway.Refusal{Kind: "not-answered", Detail: err.Error()}
	case err != nil:
		return nil, err
	}
	state := approve.Denied
	if said.Yes {
		state = approve.Allowed
	}
	return map[string]any{"status": string(state)}, nil
}
