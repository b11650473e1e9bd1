package daemon

import (
	"encoding/json"
	"os"
	"runtime/metrics"
	"time"

	"github.com/hookway/hookway/internal/procgroup"
	"github.com/hookway/hookway/wire/call"
)

// Status is what a daemon says about itself.
type Status struct {
	PID         int      `json:"pid"`
	Version     string   `json:"version"`
	Socket      string   `json:"socket"`
	Executable  string   `json:"executable,omitempty"`
	Replaced    bool     `json:"replaced"` // the executable is another one by now
	UptimeS     int64    `json:"uptime_s"`
	IdleS       int64    `json:"idle_s"`       // since the last request ended
	IdleLimitS  int64    `json:"idle_limit_s"` // 0: it never ends by itself
	Workspaces  []string `json:"workspaces"`
	Sessions    []string `json:"sessions"`
	Connections int      `json:"connections"`
	Running     int      `json:"running"` // requests under way, this one not counted
	Requests    int64    `json:"requests"`
	GoMemory    uint64   `json:"go_memory_bytes"`
	Resident    uint64   `json:"resident_bytes,omitempty"`

	LeftBehind int `json:"left_behind,omitempty"` // programs that hooks of Claude Code left running

	Relay *RelayStatus `json:"relay,omitempty"` // nil: it has no messages

	Webhooks []WebhookStatus `json:"webhooks,omitempty"` // for which something waits, or was lost

	Channels []ChannelStatus `json:"channels,omitempty"` // of approvals, that do not work

	Page string `json:"page,omitempty"` // where the page is; "" if its port is not open
}

// ChannelStatus says how a channel of approvals stands.
type ChannelStatus struct {
	Name    string `json:"name"`
	Problem string `json:"problem"` // why it does not work
}

// WebhookStatus says how a webhook stands.
type WebhookStatus struct {
	ID      string     `json:"id"`
	Waiting int        `json:"waiting"`           // messages
	Refused int        `json:"refused"`           // for which there was no room
	Dropped int        `json:"dropped"`           // that were given up
	Since   *time.Time `json:"since,omitempty"`   // since when it does not answer
	Next    *time.Time `json:"next,omitempty"`    // when it is tried again
	Problem string     `json:"problem,omitempty"` // why it does not
}

// RelayStatus says how the link to other machines stands, over which messages go.
type RelayStatus struct {
	Mode      string    `json:"mode"` // off: no other machine is linked; leaf; external
	Machine   string    `json:"machine"`
	Connected bool      `json:"connected"`
	Peers     []string  `json:"peers"`             // machines that are linked
	Heard     []Contact `json:"heard,omitempty"`   // all known machines, linked now or not
	Waiting   int       `json:"waiting"`           // messages and receipts that are not on their way yet
	Problem   string    `json:"problem,omitempty"` // why it does not work
}

// Contact is another machine, and when something came from it.
type Contact struct {
	Machine string    `json:"machine"`
	Linked  bool      `json:"linked"`
	At      time.Time `json:"at"`
}

// status is the reply to a question for it: a Status as JSON.
func (s *server) status() call.Reply {
	text, err := json.Marshal(s.statusNow(1))
	if err != nil {
		return call.Reply{Err: err.Error()}
	}
	return call.Reply{Stdout: text}
}

// statusNow is how the server stands; asking is how many of the requests under way
// ask for it.
func (s *server) statusNow(asking int) Status {
	st := Status{
		PID: os.Getpid(), Version: s.c.Version, Socket: s.c.Places.Socket, Executable: s.c.Executable, Replaced: s.file.replaced(),
		UptimeS: seconds(time.Since(s.started)), IdleLimitS: seconds(s.c.Idle),
		Workspaces: []string{}, Sessions: []string{}, GoMemory: goMemory(), Resident: resident(), LeftBehind: procgroup.Left(),
	}
	quiet, _ := s.activity.quiet()
	st.Requests, st.Running = s.activity.numbers()
	if st.Running -= asking; st.Running == 0 { // but for this one
		st.IdleS = seconds(quiet)
	}
	if s.c.Load != nil {
		workspaces, sessions := s.c.Load()
		st.Workspaces, st.Sessions = append(st.Workspaces, workspaces...), append(st.Sessions, sessions...)
	}
	if s.c.Relay != nil {
		st.Relay = s.c.Relay()
	}
	if s.c.Webhooks != nil {
		st.Webhooks = s.c.Webhooks()
	}
	if s.c.Channels != nil {
		st.Channels = s.c.Channels()
	}
	if s.c.Page != nil {
		st.Page = s.c.Page()
	}
	s.mu.Lock()
	st.Connections = len(s.conns)
	s.mu.Unlock()
	return st
}

func seconds(d time.Duration) int64 { return int64(d / time.Second) }

// goMemory is what the Go runtime holds and has not given back.
func goMemory() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}
