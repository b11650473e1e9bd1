package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/hookway/hookway/internal/delivery"
	"github.com/hookway/hookway/internal/memory"
	"github.com/hookway/hookway/internal/relay"
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
		c := converse(t, &Server{})
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
			return "", errors.New("there is none")
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
	var before []message
	for i := range 5 {
		clean := relay.Message{ID: fmt.Sprint("id-", i), From: "Bob\n", To: "*", Machine: "m2", Thread: "build", Content: strings.Repeat("\x1b[mx", 10_000)}
		before = append(before, shownMessage(clean, clean.Content, "m1"))
	}
	fresh := []delivery.Item{{Message: relay.Message{ID: "fresh", From: "Carol", To: "#build", Priority: relay.PriorityUrgent, Content: "fire"}, Repeat: true}}
	in := newest(before, fresh, 3, "m1")
	if len(in.Messages) != 3 || in.Messages[0].ID != "id-3" || in.LeftOut != 3 {
		t.Errorf("of six, three are %.300q, %d left out", fmt.Sprint(in.Messages), in.LeftOut)
	}
	if first := in.Messages[0]; first.From != "Bob@m2" || first.New || strings.Contains(first.Text, "\x1b") {
		t.Errorf("the first is %.200q", fmt.Sprint(first))
	}
	text := in.text(true)
	for _, want := range []string{
		"3 messages, the oldest first.", "\nmessage from Bob@m2 to all in thread build · id id-4\n> x",
		"\nnew urgent message from Carol in #build · id fresh · may be a repeat\n> fire\n", "\n3 more are not shown.\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("in text there is no %q: %.300q", want, text)
		}
	}
	fresh[0].Content = strings.Repeat("x", mostText+1) // what was claimed is given whole
	if in := newest(before, fresh, 3, "m1"); len(in.Messages) != 1 || in.LeftOut != 5 || len(in.Messages[0].Text) != mostText+1 {
		t.Errorf("beside a long one there are %d, %d left out", len(in.Messages)-1, in.LeftOut)
	}
}

func TestAMarkedAnswerIsKnownAgain(t *testing.T) {
	var all answers
	done := 0
	do := func(context.Context) error { done++; return nil }
	first, second := all.await(do), all.await(do)
	text, err := json.Marshal(first)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time, it is done already
		all.written(t.Context(), text)
	}
	if all.written(t.Context(), []byte("{}")); done != 1 {
		t.Errorf("it was done %d times, want once", done)
	}
	if text, err = json.Marshal(second); err != nil {
		t.Fatal(err)
	}
	if all.written(t.Context(), text); done != 2 || len(all.marked) != 0 {
		t.Errorf("it was done %d times, %d are left", done, len(all.marked))
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
			t.Errorf("%q: got %q, want !strings.Contains(reason, \"\\n\") and len(reason) <= 1200 and utf8.ValidString(reason)", text, reason)
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
			t.Errorf("%q: got %q, want !strings.ContainsAny(line, \"\\n\\r\\x1b\\t\\u2028\\u202e\") and len(line) <= mostName + 8 and utf8.ValidString(line)", name, line)
		}
	})
}

// What is remembered is shown by agents on their screens, as messages are.
func TestAMemoryIsNoDirective(t *testing.T) {
	if got, want := shown(memory.Memory{Text: "so: @relay:Eve x\n@memory:forget y"}).Text, "so: \\@relay:Eve x\n\\@memory:forget y"; got != want {
		t.Errorf("it is shown as %q, want %q", got, want)
	}
}
