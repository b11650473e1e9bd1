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
	h := d.Home
	h.Lasting = true
	relay := newLink(h)
	j, recorded := h.Judge()
	j.Relay = relay.forJudge(j.Relay)
	records, endRecords := h.recordsAPI()
	sessions, endSessions := h.sessionsAPI(records, j)
	programs := api.New(api.Config{
		Engine: j, Lister: j, Log: h.Log, Relay: relayAPI{relay, j}, Approvals: asksAPI{h}, Records: records, Sessions: sessions, Views: newViews(h, j, records),
		Dial: func(target string, hk hook.Hook) (api.Closing, error) {
			return rpc.New(rpc.Config{Target: target, Hook: hk.ID, Profile: hk.Profile, Environ: command.Environ, Log: h.Log})
		},
	})
	look, err := newPages(h)
	if err != nil {
		return err
	}
	programs.Page, programs.OpenPage = look.api(programs), look.Open
	programs.Gateway = h.openGateway(relayAPI{relay, j}, d.Environ)
	asks := newAsks(h, d.Environ)
	programs.Gateway.Approve = asks.approve
	var sending sync.WaitGroup // to webhooks, and over channels of approvals
	spooled, endSending := context.WithCancel(context.Background())
	defer endSending()
	return daemon.Serve(ctx, daemon.Config{
		Places: d.Places, Version: h.Version, Idle: d.Idle, Executable: d.Executable, Log: h.Log,
		Handle: func(ctx context.Context, peer daemon.Peer, r *call.Request) call.Reply {
			return j.Answer(ctx, judge.Caller{PID: peer.PID}, r)
		},
		Load: j.Load,
		API:  programs,
		Listeners: func() ([]net.Listener, error) {
			opened, err := d.Listeners.open(h, programs, d.OnDemand)
			return append(opened, look.listener), err
		},
		Needed: func() bool {
			return programs.Registered() > 0 || relay.Needed() || asks.needed() || look.needed() || j.Webhooks != nil && j.Webhooks.Waiting() > 0
		},
		Relay:    relay.Status,
		Webhooks: func() []daemon.WebhookStatus { return webhookStatus(spooled, j.Webhooks, h.Log) },
		Channels: asks.status,
		Page:     look.address,
		Ready: func() {
			d.Ready()
			relay.begin()
			j.GatewayStart(hook.GatewayInfo{Version: h.Version, Address: d.Places.Socket, Addresses: append([]string{d.Places.Socket}, programs.Addresses...)})
			if j.Webhooks != nil {
				sending.Go(func() { j.Webhooks.Carry(spooled, webhookTargets(j, d.Environ)) })
			}
			sending.Go(func() { asks.run(spooled) })
			sending.Go(func() { look.begin() })
		},
		Stopping: func(reason string) { j.GatewayStop(context.Background(), reason) },
		Close: func() {
			programs.Close()
			endSessions()
			endRecords()
			endSending()
			sending.Wait()
			err := j.Close() // it gives back the inboxes of its agents, for which the store must be open
			relay.Close()
			if err = errors.Join(err, h.Memories().Close(), h.closeGuards(), programs.Gateway.Close()); err != nil {
				h.Log.Warn(err.Error())
			}
			recorded()
			h.CloseWebhooks()
		},
	})
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

// AnswerOnce answers one call of an agent's hook in this process. The reply is given to
// write before hooks that only observe have ended.
func (h *Home) AnswerOnce(ctx context.Context, r *call.Request, write func(call.Reply) error) {
	j, recorded := h.Judge()
	defer recorded()
	if dir, err := h.folder("continues"); err == nil {
		j.Continues = dir
	}
	reply := j.Answer(ctx, judge.Caller{PID: os.Getpid()}, r)
	reply.Pass(write(reply))
	if err := j.Close(); err != nil { // observers may take their time
		h.Log.Warn(err.Error())
	}
}
