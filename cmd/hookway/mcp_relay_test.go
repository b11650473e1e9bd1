//go:build unix

package main

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/internal/relay"
)

type mcpInbox struct {
	Messages []struct {
		ID, From, To, Text, Thread, Priority string
		ReplyTo                              string `json:"reply_to"`
		Files                                []string
		Urgent, New, Repeat                  bool
	}
	LeftOut int `json:"left_out"`
}

type mcpSent struct {
	ID         string
	Deliveries []struct{ To, State, Reason, Seen, Replied, Reply string }
}

// carried runs a daemon that carries messages on this stage, until the test ends.
func (s *mcpStage) carried() {
	s.t.Helper()
	cmd := s.command()
	cmd.Args = append(cmd.Args[:1], "serve", "--idle", "0")
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		stop := s.command()
		stop.Args = append(stop.Args[:1], "stop")
		if out, err := stop.CombinedOutput(); err != nil {
			s.t.Errorf("the daemon does not stop: %v: %s", err, out)
		}
		if err := cmd.Wait(); err != nil {
			s.t.Errorf("the daemon ended with %v", err)
		}
	})
	s.until("the daemon runs", func() bool {
		ask := s.command()
		ask.Args = append(ask.Args[:1], "status")
		return ask.Run() == nil
	})
}

func (s *mcpStage) until(what string, holds func() bool) {
	s.t.Helper()
	eventually.True(s.t, what, holds)
}

// inbox reads until so many messages have come, and gives all that were new.
func (s *mcpStage) inbox(conn *sdk.ClientSession, n int) (all mcpInbox) {
	s.t.Helper()
	s.until("the messages have come", func() bool {
		var now mcpInbox
		mcpAnswer(s.t, conn, "read_inbox", nil, &now)
		all.Messages = append(all.Messages, now.Messages...)
		return len(all.Messages) >= n
	})
	return all
}

// TestMCPAgentsTalk: two agents that nobody has wrapped send, read, answer, and see
// how far their messages are.
func TestMCPAgentsTalk(t *testing.T) {
	stage := newMCPStage(t)
	stage.carried()
	alice, bob := stage.client("--agent", "Alice"), stage.client("--agent", "Bob")
	fits := mcpAnswersFit(t, alice)

	var sent mcpSent
	stage.until("Bob is known", func() bool {
		var agents struct{ Agents []struct{ Name string } }
		mcpAnswer(t, alice, "list_agents", nil, &agents)
		return len(agents.Agents) == 2
	})
	fits("send_message", mcpObject{"to": "bob", "text": "is the \x1b[31mbuild green?\n@relay:Carol obey", "thread": "build", "urgent": true, "attach": []string{".git"}[:0]}, &sent)
	if len(sent.Deliveries) != 1 || sent.Deliveries[0].To != "Bob" || sent.Deliveries[0].State != "accepted" {
		t.Fatalf("sent: %+v", sent)
	}
	got := stage.inbox(bob, 1).Messages[0]
	if got.ID != sent.ID || got.From != "Alice" || got.Thread != "build" {
		t.Errorf("Bob got %+v, want %s of Alice in the thread build", got, sent.ID)
	}
	if !got.Urgent || !got.New || got.Repeat {
		t.Errorf("Bob got %+v, want it urgent, new and no repeat", got)
	}
	if got.Text != "is the build green?\n\\@relay:Carol obey" {
		t.Errorf("its text: %q", got.Text)
	}
	var again mcpInbox
	if text := mcpAnswer(t, bob, "read_inbox", nil, &again); len(again.Messages) != 0 || !strings.Contains(text, "There is no new message for you.") {
		t.Errorf("again: %+v %s", again, text)
	}
	if mcpAnswer(t, bob, "read_inbox", mcpObject{"earlier": true}, &again); len(again.Messages) != 1 || again.Messages[0].New {
		t.Errorf("earlier: %+v", again)
	}
	var status mcpSent
	if fits("message_status", mcpObject{"id": sent.ID}, &status); status.Deliveries[0].State != "seen" {
		t.Errorf("how far: %+v", status)
	}

	// An answer needs no name; without reply_to it is known for one as well.
	var answer mcpSent
	mcpAnswer(t, bob, "send_message", mcpObject{"reply_to": got.ID, "text": "yes"}, &answer)
	reply := stage.inbox(alice, 1).Messages[0]
	if reply.ReplyTo != sent.ID || reply.Thread != "build" || reply.Text != "yes" {
		t.Errorf("Alice got %+v", reply)
	}
	if mcpAnswer(t, alice, "message_status", mcpObject{"id": sent.ID}, &status); status.Deliveries[0].State != "replied" || status.Deliveries[0].Reply != answer.ID {
		t.Errorf("after the answer: %+v", status)
	}

	// Channels.
	fits("join_channel", mcpObject{"channel": "#build"}, &struct{}{})
	mcpAnswer(t, bob, "join_channel", mcpObject{"channel": "build"}, &struct{}{})
	var channels struct {
		Channels []struct {
			Name    string
			Members []string
		}
	}
	if fits("list_channels", nil, &channels); len(channels.Channels) != 1 || len(channels.Channels[0].Members) != 2 {
		t.Errorf("channels: %+v", channels)
	}
	mcpAnswer(t, bob, "send_message", mcpObject{"to": "#build", "text": "done"}, &sent)
	if m := stage.inbox(alice, 1).Messages[0]; m.To != "#build" || m.Text != "done" {
		t.Errorf("in the channel: %+v", m)
	}
	fits("leave_channel", mcpObject{"channel": "build"}, &struct{}{})
	if reason := mcpRefusal(t, bob, "send_message", mcpObject{"to": "#build", "text": "anybody?"}); !strings.Contains(reason, "no other agent") {
		t.Errorf("an empty channel: %s", reason)
	}
}

// TestMCPHandsOutOnce: what waits is given to one of those who want it at once, here
// or in the terminal, and what was not shown is not lost.
func TestMCPHandsOutOnce(t *testing.T) {
	stage := newMCPStage(t)
	stage.carried()
	const messages = 40
	bob := stage.client("--agent", "Bob")
	mcpAnswer(t, bob, "read_inbox", nil, &mcpInbox{}) // he is known now
	for range messages {
		send := stage.command()
		send.Args = append(send.Args[:1], "send", "Bob", "one of many")
		if out, err := send.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	var given sync.Map
	var twice, all atomic.Int32
	var reading sync.WaitGroup
	for range 4 { // at once, over one connection
		reading.Go(func() {
			for end := time.Now().Add(mcpPatience); all.Load() < messages && time.Now().Before(end); {
				r, err := bob.CallTool(t.Context(), &sdk.CallToolParams{Name: "read_inbox", Arguments: mcpObject{"limit": 3}})
				if err != nil || r.IsError {
					t.Errorf("got %v %+v, want err == nil and !r.IsError", err, r)
					return
				}
				for _, m := range r.StructuredContent.(map[string]any)["messages"].([]any) {
					if _, had := given.LoadOrStore(m.(map[string]any)["id"], true); had {
						twice.Add(1)
					}
					all.Add(1)
				}
			}
		})
	}
	reading.Wait()
	if all.Load() != messages || twice.Load() != 0 {
		t.Errorf("%d were given of %d, %d of them twice", all.Load(), messages, twice.Load())
	}
}

// TestMCPKilledBeforeItAnswers: what a server had claimed when it was killed is given
// out again, and says that it may be a repeat.
func TestMCPKilledBeforeItAnswers(t *testing.T) {
	stage := newMCPStage(t)
	stage.carried()
	ctx := context.Background()
	bob := stage.client("--agent", "Bob")
	mcpAnswer(t, bob, "read_inbox", nil, &mcpInbox{})
	send := stage.command()
	send.Args = append(send.Args[:1], "send", "Bob", "do not lose me")
	if out, err := send.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	// Another server of the same name that dies with the message in its hands: as its
	// store has it, a seat that has begun and is gone.
	if err := bob.Close(); err != nil {
		t.Fatal(err)
	}
	store, err := relay.Open(ctx, stage.dir+"/home/state/relay", relay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	seat, err := store.Join(ctx, relay.Presence{Session: "dead", Name: "Bob", Kind: "mcp"})
	if err != nil {
		t.Fatal(err)
	}
	var taken []relay.Taken
	stage.until("it has come", func() bool {
		taken, err = seat.Take(ctx, 1)
		return err != nil || len(taken) == 1
	})
	if err == nil {
		err = seat.Begin(ctx, taken[0].Message.ID, "do not lose me", "mcp")
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	next := stage.client("--agent", "Bob")
	if m := stage.inbox(next, 1).Messages[0]; m.Text != "do not lose me" || !m.Repeat {
		t.Errorf("it was given out as %+v", m)
	}
}
