package server

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"time"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/handler/rpc"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/wire/call"
)

// Daemon is the process of a user that keeps hooks warm and answers calls: of agents'
// hooks at its socket, and of programs that speak HTTP or gRPC there or elsewhere.
type Daemon struct {
	Home       *Home
	Places     call.Places
	Executable string        // see [daemon.Config]
	Idle       time.Duration // see [daemon.Config]
	Listeners  Listeners

	// OnDemand says that a call started the daemon: it serves what it can.
	OnDemand bool

	// Environ are variables that may be secrets of webhooks and the gateway.
	Environ []string

	// Ready is called once, when calls are accepted.
	Ready func()
}

// Serve answers until the context ends, or as [daemon.Serve] says. When it returns,
// everything that it opened is closed.
func (d *Daemon) Serve(ctx context.Context) error {
	r, err := d.begin()
	if err != nil {
		return err
	}
	defer r.endSending()
	h := d.Home
	return daemon.Serve(ctx, daemon.Config{
		Places: d.Places, Version: h.Version, Idle: d.Idle, Executable: d.Executable, Log: h.Log,
		Handle: func(ctx context.Context, peer daemon.Peer, q *call.Request) call.Reply {
			return h.answer(ctx, r.judge, peer.PID, q)
		},
		Leaves: func() bool { return r.programs.Registered() == 0 }, // they are known here alone
		Load:   r.judge.Load,
		API:    r.programs,
		Listeners: func() ([]net.Listener, error) {
			opened, err := d.Listeners.open(h, r.programs, d.OnDemand)
			return append(opened, r.page.listener), err
		},
		Needed:   r.needed,
		Relay:    r.relay.Status,
		Webhooks: func() []daemon.WebhookStatus { return webhookStatus(r.spooled, r.judge.Webhooks, h.Log) },
		Channels: r.asks.status,
		Page:     r.page.address,
		Ready:    func() { d.Ready(); r.ready(d) },
		Stopping: func(reason string) { r.judge.GatewayStop(context.Background(), reason) },
		Close:    func() { r.close(h) },
	})
}

// running is what a daemon has open.
type running struct {
	relay    *link
	judge    *judge.Judge
	programs *api.Server
	page     *pages
	asks     *asks

	recorded, endRecords, endSessions func()

	sending    sync.WaitGroup // to webhooks, and over channels of approvals
	spooled    context.Context
	endSending context.CancelFunc
}

func (d *Daemon) begin() (*running, error) {
	h := d.Home
	h.Lasting = true
	r := &running{relay: newLink(h)}
	r.judge, r.recorded = h.Judge()
	j := r.judge
	j.Relay = r.relay.forJudge(j.Relay)
	records, endRecords := h.recordsAPI(j)
	sessions, endSessions := h.sessionsAPI(records, j)
	r.endRecords, r.endSessions = endRecords, endSessions
	r.programs = api.New(api.Config{
		Engine: j, Lister: j, Log: h.Log, Relay: relayAPI{r.relay, j}, Approvals: asksAPI{h}, Records: records, Sessions: sessions, Views: newViews(h, j, records),
		Dial: func(target string, hk hook.Hook) (api.Closing, error) {
			return rpc.New(rpc.Config{Target: target, Hook: hk.ID, Profile: hk.Profile, Environ: command.Environ, Log: h.Log})
		},
	})
	var err error
	if r.page, err = newPages(h); err != nil {
		return nil, err
	}
	r.programs.Page, r.programs.OpenPage = r.page.api(r.programs), r.page.Open
	r.programs.Gateway = h.openGateway(relayAPI{r.relay, j}, d.Environ)
	r.asks = newAsks(h, d.Environ)
	r.programs.Gateway.Approve = r.asks.approve
	r.spooled, r.endSending = context.WithCancel(context.Background())
	return r, nil
}

// needed reports whether the daemon is to stay though nobody calls it.
func (r *running) needed() bool {
	return r.programs.Registered() > 0 || r.relay.Needed() || r.asks.needed() || r.page.needed() || r.judge.Webhooks != nil && r.judge.Webhooks.Waiting() > 0
}

// ready begins what the daemon does by itself.
func (r *running) ready(d *Daemon) {
	r.relay.begin()
	r.judge.GatewayStart(hook.GatewayInfo{Version: d.Home.Version, Address: d.Places.Socket, Addresses: append([]string{d.Places.Socket}, r.programs.Addresses...)})
	if r.judge.Webhooks != nil {
		r.sending.Go(func() { r.judge.Webhooks.Carry(r.spooled, webhookTargets(r.judge, d.Environ)) })
	}
	r.sending.Go(func() { r.asks.run(r.spooled) })
	r.sending.Go(func() { r.page.begin() })
}

func (r *running) close(h *Home) {
	r.programs.Close()
	r.endSessions()
	r.endRecords()
	r.endSending()
	r.sending.Wait()
	r.page.presence.close()
	err := r.judge.Close() // it gives back the inboxes of its agents, for which the store must be open
	r.relay.Close()
	if err = errors.Join(err, h.Memories().Close(), h.closeGuards(), r.programs.Gateway.Close()); err != nil {
		h.Log.Warn(err.Error())
	}
	r.recorded()
	h.CloseWebhooks()
}

// Judge is one that answers with all that the user has. recorded writes what waits to
// be put on record.
func (h *Home) Judge() (j *judge.Judge, recorded func()) {
	j = &judge.Judge{
		Log: h.Log, Memory: h.Memories().For, MemoryHooks: h.Memories().Hooks, Guards: h.Guard, Webhooks: h.Webhooks(),
		Relay: h.JudgesRelay(), Approvals: h.asked, Operations: h.Operations(h.Log),
	}
	return j, h.RecordTo(j)
}

// answer answers one call of an agent's hook.
func (h *Home) answer(ctx context.Context, j *judge.Judge, caller int, r *call.Request) call.Reply {
	if h.Called != nil {
		h.Called(caller)
	}
	return j.Answer(ctx, judge.Caller{PID: caller}, r)
}

// AnswerOnce answers one call of an agent's hook in this process. The reply is given to
// write before hooks that only observe have ended.
func (h *Home) AnswerOnce(ctx context.Context, r *call.Request, write func(call.Reply) error) {
	j, recorded := h.Judge()
	defer recorded()
	if dir, err := h.folder("continues"); err == nil {
		j.Continues = dir
	}
	reply := h.answer(ctx, j, os.Getpid(), r)
	reply.Pass(write(reply))
	if err := j.Close(); err != nil { // observers may take their time
		h.Log.Warn(err.Error())
	}
}
