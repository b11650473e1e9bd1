package daemon

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/hookway/hookway/wire/call"
)

// TestAReplyIsPrintedOnlyIfTheClientSaysSo: of one that is not asked, it is enough
// that the reply was written.
func TestAReplyIsPrintedOnlyIfTheClientSaysSo(t *testing.T) {
	for _, c := range []struct {
		name string
		kind call.Kind
		then func(*testing.T, *Client)
		want error
	}{
		{"said", call.KindTold, func(t *testing.T, c *Client) {
			if err := call.WriteRequest(c.nc, &call.Request{Kind: call.KindShown}); err != nil {
				t.Error(err)
			}
			if got := ask(t, c, "more"); got != "more" { // the connection goes on
				t.Errorf("then it answered %q", got)
			}
		}, nil},
		{"said by one that ends", call.KindTold, func(t *testing.T, c *Client) {
			if err := call.WriteRequest(c.nc, &call.Request{Kind: call.KindShown}); err != nil {
				t.Error(err)
			}
			c.Close()
		}, nil},
		{"gone", call.KindTold, func(_ *testing.T, c *Client) { c.Close() }, call.ErrUnshown},
		{"gave up", call.KindTold, func(t *testing.T, c *Client) {
			if err := call.GaveUp(c.nc, &call.GaveUpError{Why: "a signal"}); err != nil {
				t.Error(err)
			}
			c.Close()
		}, errGaveUp},
		{"an older one", call.KindHook, func(_ *testing.T, c *Client) { c.Close() }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			told := make(chan error, 1)
			d := start(t, Config{Handle: func(_ context.Context, _ Peer, r *call.Request) call.Reply {
				reply := call.Reply{Stdout: r.Stdin}
				if string(r.Stdin) == "first" {
					reply.Sent = func(err error) { told <- err }
				}
				return reply
			}})
			client := dial(t, d.Places)
			r := event("first")
			r.Kind = c.kind
			reply, err := client.Do(t.Context(), r)
			if err != nil || reply.Ask != (c.kind == call.KindTold) {
				t.Fatalf("got %+v, %v, want err == nil and reply.Ask == (c.kind == call.KindTold)", reply, err)
			}
			c.then(t, client)
			if err := <-told; !errors.Is(err, c.want) && fmt.Sprint(err) != fmt.Sprint(c.want) {
				t.Errorf("it was told %v, want %v", err, c.want)
			}
		})
	}
}

var errGaveUp error = &call.GaveUpError{Why: "a signal"}

// TestARequestEndsWithTheReasonOfAClientThatGaveUp: it is what the record says.
func TestARequestEndsWithTheReasonOfAClientThatGaveUp(t *testing.T) {
	began, causes, told := make(chan struct{}), make(chan error, 1), make(chan error, 1)
	d := start(t, Config{Handle: func(ctx context.Context, _ Peer, _ *call.Request) call.Reply {
		close(began)
		<-ctx.Done()
		causes <- context.Cause(ctx)
		return call.Reply{Sent: func(err error) { told <- err }}
	}})
	client := dial(t, d.Places)
	r := event("x")
	r.Kind = call.KindTold
	if err := call.WriteRequest(client.nc, r); err != nil {
		t.Fatal(err)
	}
	<-began
	if err := call.GaveUp(client.nc, &call.GaveUpError{Why: "a signal", Policy: call.PolicyBlock}); err != nil {
		t.Fatal(err)
	}
	client.Close()
	for what, got := range map[string]error{"its context": <-causes, "who wants to know": <-told} {
		var gaveUp *call.GaveUpError
		if !errors.As(got, &gaveUp) || gaveUp.Why != "a signal" || gaveUp.Policy != call.PolicyBlock {
			t.Errorf("%s has %v", what, got)
		}
	}
}

// TestAReplyWithoutSentAsksNoClient: the usual case costs nothing more.
func TestAReplyWithoutSentAsksNoClient(t *testing.T) {
	d := start(t, Config{Handle: echo})
	r := event("x")
	r.Kind = call.KindTold
	if reply, err := dial(t, d.Places).Do(t.Context(), r); err != nil || reply.Ask {
		t.Errorf("got %+v, %v, want err == nil and !reply.Ask", reply, err)
	}
}
