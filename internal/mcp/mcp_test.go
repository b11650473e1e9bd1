package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/memory"
	"github.com/hookway/hookway/internal/roster"
)

const hello = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

func agentsCall(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"list_agents"}}`+"\n", id)
}

// conversation is a server in a bubble, which fails the test if anything of the
// server is left over.
type conversation struct {
	in     *io.PipeWriter
	out    *bufio.Scanner
	pipe   *io.PipeReader // of out
	cancel context.CancelFunc
	done   chan error
}

func converse(t *testing.T, s *Server) *conversation {
	ctx, cancel := context.WithCancel(t.Context())
	inRead, in := io.Pipe()
	outRead, out := io.Pipe()
	c := &conversation{in, bufio.NewScanner(outRead), outRead, cancel, make(chan error, 1)}
	go func() {
		c.done <- s.Serve(ctx, inRead, out)
		out.Close()
	}()
	c.say(t, hello)
	if line := c.hear(t); !strings.Contains(line, `"serverInfo"`) {
		t.Fatalf("it greets with %s", line)
	}
	return c
}

func (c *conversation) say(t *testing.T, text string) {
	t.Helper()
	if _, err := io.WriteString(c.in, text); err != nil {
		t.Fatal(err)
	}
}

func (c *conversation) hear(t *testing.T) string {
	t.Helper()
	if !c.out.Scan() {
		t.Fatalf("it says nothing: %v", c.out.Err())
	}
	return c.out.Text()
}

// TestServeEndsWithItsContext: what is worked on is broken off, and nothing is
// left running.
func TestServeEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Server{OpenMemory: func(ctx context.Context) (memory.Backend, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		c := converse(t, s)
		c.say(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_memories"}}`+"\n")
		synctest.Wait()
		go io.Copy(io.Discard, c.pipe)
		begun := time.Now()
		c.cancel()
		if err := <-c.done; err != nil {
			t.Errorf("it ended with %v", err)
		}
		if took := time.Since(begun); took != 0 {
			t.Errorf("it took %s", took)
		}
	})
}

// TestServeEndsBesideADeafAgent: who does not read its answers cannot keep a
// server from ending.
func TestServeEndsBesideADeafAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := converse(t, &Server{Roster: func() (string, error) { return t.TempDir(), nil }})
		c.say(t, agentsCall(1))
		synctest.Wait()
		begun := time.Now()
		c.cancel()
		if err := <-c.done; err != nil {
			t.Errorf("it ended with %v", err)
		}
		if took := time.Since(begun); took != lastWords {
			t.Errorf("it took %s", took)
		}
		c.pipe.Close()
	})
}

// TestACallHasItsTime: who waits for something that does not come is told so.
func TestACallHasItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Server{OpenMemory: func(ctx context.Context) (memory.Backend, error) {
			<-ctx.Done()
			return nil, fmt.Errorf("memories cannot be opened: %w", ctx.Err())
		}}
		c := converse(t, s)
		c.say(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_memories"}}`+"\n")
		if line := c.hear(t); !strings.Contains(line, "list_memories was not done in 30s; try again later") {
			t.Errorf("it answers %s", line)
		}
		c.in.Close()
		if err := <-c.done; err != nil {
			t.Errorf("it ended with %v", err)
		}
	})
}

// TestOnlySoMuchAtOnce: more questions wait until others have their answer.
func TestOnlySoMuchAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var begun atomic.Int32
		free := make(chan struct{})
		s := &Server{Roster: func() (string, error) {
			begun.Add(1)
			<-free
			return t.TempDir(), nil
		}}
		c := converse(t, s)
		const all = 3 * mostCalls
		go func() {
			for i := range all {
				if _, err := io.WriteString(c.in, agentsCall(i)); err != nil {
					t.Error(err)
				}
			}
			c.in.Close()
		}()
		synctest.Wait()
		if n := begun.Load(); n != mostCalls {
			t.Errorf("%d were begun, want %d", n, mostCalls)
		}
		close(free)
		for range all {
			c.hear(t)
		}
		if err := <-c.done; err != nil {
			t.Errorf("it ended with %v", err)
		}
	})
}

func TestNewest(t *testing.T) {
	var all []hook.Message
	for i := range 5 {
		all = append(all, hook.Message{ID: fmt.Sprint(i), From: "Bob\n", To: "*", Content: strings.Repeat("\x1bx", 10_000), Metadata: map[string]any{"urgent": i == 4}})
	}
	in := newest(all, 3)
	if len(in.Messages) != 3 || in.Messages[0].ID != "2" || in.LeftOut != 2 {
		t.Errorf("of five, three are %+v, %d left out", in.Messages, in.LeftOut)
	}
	if last := in.Messages[2]; last.From != "Bob" || !last.Urgent || strings.Contains(last.Text, "\x1b") {
		t.Errorf("the last is %.200q", fmt.Sprint(last))
	}
	if text := in.text(); !strings.HasPrefix(text, "3 messages, the oldest first.") || !strings.Contains(text, "\nurgent message from Bob to all · id 4\n> x") || !strings.Contains(text, "\n2 older ones are not shown.\n") {
		t.Errorf("in text: %.300q", text)
	}
	all[4].Content = strings.Repeat("x", mostText+1)
	if in := newest(all, 3); len(in.Messages) != 1 || in.LeftOut != 4 {
		t.Errorf("beside a long one there are %d, %d left out", len(in.Messages)-1, in.LeftOut)
	}
}

func TestWhoseInbox(t *testing.T) {
	all := []*roster.Remote{
		{Member: roster.Member{Name: "Alice", Session: "1"}},
		{Member: roster.Member{Name: "Bob", Session: "2"}},
		{Member: roster.Member{Name: "Bob", Session: "3"}},
	}
	for _, c := range []struct {
		server *Server
		want   string
		reason string
	}{
		{&Server{Session: "3", Agent: "Bob"}, "3", ""},
		{&Server{Agent: "Alice"}, "1", ""},
		{&Server{Agent: "Bob"}, "", `2 sessions have the name "Bob"`},
		{&Server{Session: "gone", Agent: "Alice"}, "", "you have no inbox"},
		{&Server{}, "", "you have no inbox"},
	} {
		switch r, err := c.server.own(all); {
		case err == nil && r.Session != c.want:
			t.Errorf("%q %q: session %s, want %s", c.server.Agent, c.server.Session, r.Session, c.want)
		case err == nil != (c.reason == "") || err != nil && !strings.Contains(err.Error(), c.reason):
			t.Errorf("%q %q: %v, want %q", c.server.Agent, c.server.Session, err, c.reason)
		}
	}
}

// FuzzArguments: whatever an agent gives, it is taken or refused with a sentence.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{`{"query":"x","limit":3}`, `{"query":null}`, `[]`, `{"limit":1e99,"query":"x"}`, `{"tags":[1],"query":""}`, `{"Query":"x"}`, ``} {
		f.Add([]byte(seed))
	}
	schema := limited(schemaOf[searching](), usualFound, mostFound)
	f.Fuzz(func(t *testing.T, text []byte) {
		_, err := arguments[searching](text, schema)
		if err == nil {
			if len(text) == 0 || !json.Valid(text) {
				t.Errorf("%q was taken", text)
			}
			return
		}
		if reason := err.Error(); strings.Contains(reason, "\n") || len(reason) > 1200 || !utf8.ValidString(reason) {
			t.Errorf("%q: %q", text, reason)
		}
	})
}

func FuzzOneLine(f *testing.F) {
	f.Add("Bob")
	f.Add("a\x1b[31m\nb\u2028c")
	f.Add(strings.Repeat("ü", 1000))
	f.Fuzz(func(t *testing.T, name string) {
		line := oneLine(name)
		if strings.ContainsAny(line, "\n\r\x1b\t\u2028\u202e") || len(line) > mostName+8 || !utf8.ValidString(line) {
			t.Errorf("%q: %q", name, line)
		}
	})
}
