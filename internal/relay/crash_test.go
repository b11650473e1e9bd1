package relay_test

import (
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/relay"
)

// TestKilledAtAnyMoment: a sender and two receivers of one name, each
// killed -9 again and again, at some line that it prints or soon after. Each message
// is injected once, in order.
func TestKilledAtAnyMoment(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts some dozens of processes")
	}
	const messages = 150
	dir := t.TempDir()
	transcript := filepath.Join(t.TempDir(), "transcript")
	s := open(t, dir, relay.Options{Limits: nobodyHeld})
	must(t, s.Register(t.Context(), "Bob"))

	c := &chaos{t: t, dir: dir, over: make(chan struct{}), left: messages}
	c.again("receive", "one", transcript)
	c.again("receive", "two", transcript)
	sendAll(t, dir, messages)
	<-c.over
	c.wait.Wait()

	// What the last ones have left is for one that is not killed.
	bob, err := s.Join(t.Context(), relay.Presence{Name: "Bob", Session: "three", Transcript: transcript})
	must(t, err)
	for got := take(t, bob); len(got) > 0; got = take(t, bob) {
		for _, m := range got {
			must(t, receive(t.Context(), bob, m, transcript, io.Discard))
		}
	}
	said, err := os.ReadFile(transcript)
	must(t, err)
	lines := strings.Fields(string(said))
	for i := range messages {
		if i >= len(lines) || lines[i] != number(i) {
			t.Fatalf("line %d is wrong, of %d: lost, doubled or out of order:\n%s", i, len(lines), said)
		}
	}
	if len(lines) != messages {
		t.Errorf("there are %d lines", len(lines))
	}
	t.Logf("%d processes were killed", c.kills)
}

// chaos starts children and kills them, until nearly all messages are injected.
type chaos struct {
	t    *testing.T
	dir  string
	over chan struct{}
	wait sync.WaitGroup

	mu    sync.Mutex
	left  int // messages that no child has said it has done; one that was killed may have done one without a word
	kills int
}

// again starts a child, lets it print some lines, and kills it, until all is over.
func (c *chaos) again(what string, args ...string) {
	c.wait.Go(func() {
		for more := true; more; {
			one := start(c.t, c.dir, what, args...)
			ends := make(chan struct{})
			go func() { // it may have nothing to print any more
				select {
				case <-c.over:
					_ = one.cmd.Process.Kill()
				case <-ends:
				}
			}()
			for range 1 + rand.IntN(40) {
				line := one.next()
				if line == "" {
					break
				}
				c.count(line)
			}
			close(ends)
			for _, line := range one.kill() {
				c.count(line)
			}
			if one.told.Len() > 0 {
				c.t.Errorf("%s: got %s, want one.told.Len() == 0", what, one.told.String())
			}
			more = c.killed(what)
		}
	})
}

// count notes a line of a child.
func (c *chaos) count(line string) {
	if strings.HasPrefix(line, "done ") || strings.HasPrefix(line, "found ") {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.left--
		c.end()
	}
}

// killed notes the end of a child; it reports whether there is to be another one.
func (c *chaos) killed(what string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kills++
	if what == "receive" {
		c.left--
	}
	c.end()
	select {
	case <-c.over:
		return false
	default:
		return true
	}
}

// end ends it all when it is time; c.mu is held.
func (c *chaos) end() {
	if c.left > 0 && !c.t.Failed() {
		return
	}
	select {
	case <-c.over:
	default:
		close(c.over)
	}
}

// sendAll sends by children that are killed: what one has not acknowledged the next
// one sends again.
func sendAll(t *testing.T, dir string, messages int) {
	t.Helper()
	for next := 0; next < messages; {
		c := start(t, dir, "send", strconv.Itoa(next), strconv.Itoa(messages))
		for range 1 + rand.IntN(40) {
			line := c.next()
			if line == "" {
				break
			}
			next = atoi(t, line) + 1
		}
		for _, line := range c.kill() {
			next = atoi(t, line) + 1
		}
		if c.told.Len() > 0 {
			t.Fatalf("got %v, want c.told.Len() == 0", c.told.String())
		}
	}
}

func atoi(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	must(t, err)
	return n
}

func TestWhatASenderWasToldIsThereAfterItWasKilled(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, relay.Options{Limits: nobodyHeld})
	must(t, s.Register(t.Context(), "Bob"))
	for round, next := 0, 0; round < 5; round++ {
		c := start(t, dir, "send", strconv.Itoa(next), strconv.Itoa(next+100000))
		acknowledged := 0
		for range 5 + rand.IntN(20) {
			acknowledged = atoi(t, c.next()) + 1
		}
		for _, line := range c.kill() {
			acknowledged = atoi(t, line) + 1
		}
		for i := next; i < acknowledged; i++ {
			if m, receipts, err := s.Receipts(t.Context(), number(i)); err != nil || m.Content != number(i) || len(receipts) != 1 {
				t.Fatalf("message %d: %+v, %v, %v", i, m, receipts, err)
			}
		}
		next = acknowledged + 1 // the one in between may be there or not
	}
	kept, err := s.SentBy(t.Context(), "Alice", 1<<20)
	must(t, err)
	items, err := s.Inbox(t.Context(), "Bob", relay.Query{Limit: 1 << 20})
	if err != nil || len(items) != len(kept) {
		t.Errorf("%d messages, and %d in the inbox, %v: one is half there", len(kept), len(items), err)
	}
}

func TestTheInboxGoesOnWhenItsProcessIsKilled(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, relay.Options{})
	first := start(t, dir, "receive", "one", filepath.Join(t.TempDir(), "none", "transcript")) // it cannot inject
	if got := first.next(); got != "joined" {
		t.Fatalf(`got %v, %v, want "joined"`, got, first.told.String())
	}
	second := join(t, s, "Bob", "two")
	if leads, err := second.Leads(t.Context()); leads || err != nil {
		t.Fatalf("two lead: %v, %v", leads, err)
	}
	agents, err := s.Agents(t.Context())
	if err != nil || !agents[0].Running || agents[0].Session != "one" {
		t.Fatalf(`got %+v, %v, want err == nil and agents[0].Running and agents[0].Session == "one"`, agents, err)
	}
	waits := make(chan error, 1)
	go func() { waits <- second.Wait(t.Context()) }()
	first.kill()
	say(t, s, "Alice", "Bob", "a")
	must(t, <-waits)
	if got := inject(t, second); got != "a" {
		t.Errorf("the second got %q", got)
	}
	if agents, err = s.Agents(t.Context()); err != nil || agents[0].Session != "two" {
		t.Errorf(`got %+v, %v, want err == nil and agents[0].Session == "two"`, agents, err)
	}
	must(t, second.Close())
	if agents, err = s.Agents(t.Context()); err != nil || agents[0].Running || agents[0].Since.IsZero() {
		t.Errorf("got %+v, %v, want err == nil and !agents[0].Running and !agents[0].Since.IsZero()", agents, err)
	}
	if left, err := os.ReadDir(filepath.Join(dir, "seats")); err != nil || len(left) != 0 {
		t.Errorf("files of seats are left: %v, %v", left, err)
	}
}

// TestTheSenderIsToldWhenAKilledAgentWasThereLast: not when it began, which is all
// that its agent's row says until somebody removes its consumer.
func TestTheSenderIsToldWhenAKilledAgentWasThereLast(t *testing.T) {
	dir := t.TempDir()
	c := start(t, dir, "receive", "one", filepath.Join(t.TempDir(), "transcript"))
	if got := c.next(); got != "joined" {
		t.Fatalf("the child said %q; %s", got, c.told.String())
	}
	c.kill()
	consumers, err := filepath.Glob(filepath.Join(dir, "seats", "*"))
	if err != nil || len(consumers) != 1 {
		t.Fatalf("the seats are %q, %v", consumers, err)
	}
	last := time.Date(2030, 5, 6, 7, 8, 0, 0, time.Local)
	must(t, os.Chtimes(consumers[0], last, last))
	s := open(t, dir, relay.Options{})
	if got := states(t, s, say(t, s, "Alice", "Bob", "for later")); got != "Bob accepted (offline since 2030-05-06 07:08)" {
		t.Errorf("the sender is told %q", got)
	}
}
