//go:build linux || darwin

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/hookway/hookway/internal/backoff"
	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/internal/relay"
)

const (
	chaosSenders = 4
	lastMessage  = 2 * time.Minute // after which what has not come is lost
)

// chaos sends thousands of messages to an agent, and kills the daemon and the
// hookway run around the agent in turn.
func (s *relayStage) chaos(ctx context.Context, plan relayPlan) ([]row, error) {
	inbox, err := s.store.Join(ctx, relay.Presence{Session: "chaos", Name: "Worker", Kind: relay.KindPerson}) // so that the name is known
	if err != nil {
		return nil, err
	}
	if err := inbox.Close(); err != nil {
		return nil, err
	}
	began := time.Now()
	var sending, killing sync.WaitGroup
	var sent atomic.Int64
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	failed := make(chan error, chaosSenders+1)
	for i := range chaosSenders {
		sending.Go(func() {
			if err := s.sendMany(ctx, chaosSender(i), plan.share(i), &sent); err != nil {
				failed <- err
				cancel()
			}
		})
	}
	c := &killer{stage: s, sent: &sent, plan: plan}
	killing.Go(func() {
		if err := c.run(ctx, sending.Wait); err != nil {
			failed <- err
		}
		cancel()
	})
	killing.Wait()
	sending.Wait()
	close(failed)
	if err := errors.Join(drain(failed)...); err != nil {
		return nil, err
	}
	count, err := countMessages(s.transcript())
	if err != nil {
		return nil, err
	}
	lost := 0
	for i := range chaosSenders {
		for k := range plan.share(i) {
			if count.times[chaosSender(i)+"-"+strconv.Itoa(k)] == 0 {
				lost++
			}
		}
	}
	of := fmt.Sprintf("%d messages, kill -9 of the daemon %d and of run %d times: ", plan.messages, c.daemons, c.runs)
	return []row{
		atMostOf(of+"lost", "", float64(lost), 0),
		atMostOf("given to the agent twice", "", float64(count.doubled), 0),
		atMostOf("out of order between two", "", float64(count.disordered), 0),
		forComparison("given twice and marked so", "", float64(count.marked)),
		forComparison("in all", "s", time.Since(began).Seconds()),
	}, nil
}

func chaosSender(i int) string { return fmt.Sprintf("sender%d", i) }

// share is how many of the messages one of the senders sends.
func (p relayPlan) share(i int) int {
	n := p.messages / chaosSenders
	if i < p.messages%chaosSenders {
		n++
	}
	return n
}

func drain(errs <-chan error) (all []error) {
	for err := range errs {
		all = append(all, err)
	}
	return all
}

func (s *relayStage) sendMany(ctx context.Context, from string, n int, sent *atomic.Int64) error {
	for i := range n {
		if err := s.send(ctx, relay.Message{From: from, To: "Worker", Content: fmt.Sprintf("%s-%d is done, and so on", from, i)}); err != nil {
			return err
		}
		sent.Add(1)
	}
	return nil
}

// killer runs the agent and kills what carries its messages.
type killer struct {
	stage         *relayStage
	sent          *atomic.Int64
	plan          relayPlan
	daemons, runs int
	w             *window
	reading       sync.WaitGroup
}

// run kills until everything was sent, and then waits until everything is there.
func (k *killer) run(ctx context.Context, allSent func()) error {
	program, env, err := k.stage.worker()
	if err != nil {
		return err
	}
	open := func() error {
		k.w, err = k.stage.open(ctx, k.stage.plain(), append(env, "HOOKWAY_ATTACH=on"), k.stage.wrapped("Worker", program)...)
		if err != nil {
			return err
		}
		w := k.w
		k.reading.Go(func() { _, _ = io.Copy(io.Discard, w) })
		return nil
	}
	if err := open(); err != nil {
		return err
	}
	defer func() {
		k.w.close()
		k.reading.Wait()
	}()
	for n := 1; n <= k.plan.kills; n++ { // spread over the messages
		if err := k.until(ctx, int64(n*k.plan.messages/(k.plan.kills+1))); err != nil {
			return err
		}
		if n%2 == 0 {
			k.runs++
			_ = k.w.cmd.Process.Kill()
			_, _ = k.w.cmd.Process.Wait()
			_ = k.w.File.Close()
			if err := open(); err != nil {
				return err
			}
			continue
		}
		if err := k.killDaemon(ctx); err != nil {
			return err
		}
	}
	allSent()
	return k.arrived(ctx)
}

// until waits until so many messages were sent.
func (k *killer) until(ctx context.Context, sent int64) error {
	for k.sent.Load() < sent {
		if err := backoff.Sleep(ctx, 2*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

func (k *killer) killDaemon(ctx context.Context) error {
	if err := k.stage.startDaemon(ctx); err != nil { // the one before may be dead still
		return err
	}
	client, err := daemon.Dial(ctx, k.stage.places.Socket)
	if errors.Is(err, daemon.ErrNone) { // it was just ending
		return nil
	} else if err != nil {
		return err
	}
	defer client.Close()
	status, err := client.Status(ctx, version)
	if err != nil { // it was just ending
		return nil
	}
	k.daemons++
	return syscall.Kill(status.PID, syscall.SIGKILL)
}

// arrived waits until the agent has all messages, or gets no more.
func (k *killer) arrived(ctx context.Context) error {
	last, at := 0, time.Now()
	for {
		count, err := countMessages(k.stage.transcript())
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if len(count.times) > last {
			last, at = len(count.times), time.Now()
		}
		if last >= k.plan.messages || time.Since(at) > lastMessage {
			return backoff.Sleep(ctx, time.Second) // for what should not come
		}
		if err := backoff.Sleep(ctx, 200*time.Millisecond); err != nil {
			return err
		}
	}
}

// messageCount is what an agent was given.
type messageCount struct {
	times                       map[string]int // by sender and number
	doubled, marked, disordered int
}

var letter = regexp.MustCompile(`\[[0-9a-z]{8}\][^:\n]*: (sender\d+)-(\d+) is done, and so on( \(may be a repeat\))?`)

func countMessages(path string) (c messageCount, err error) {
	c.times = map[string]int{}
	f, err := os.Open(path)
	if err != nil {
		return c, err
	}
	defer f.Close()
	last := map[string]int{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var entry struct{ Content string }
		if json.Unmarshal(lines.Bytes(), &entry) != nil {
			continue // the last one, half written
		}
		for _, m := range letter.FindAllStringSubmatch(entry.Content, -1) {
			id := m[1] + "-" + m[2]
			n, _ := strconv.Atoi(m[2])
			switch c.times[id]++; {
			case c.times[id] > 1 && m[3] != "":
				c.marked++
			case c.times[id] > 1:
				c.doubled++
			case n+1 < last[m[1]]:
				c.disordered++
			default:
				last[m[1]] = n + 1
			}
		}
	}
	return c, lines.Err()
}
