//go:build unix

package judge_test

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/wire/call"
)

var approvals = flag.Int("approvals", 50, "how many calls wait for a person while their daemons are killed")

// childJudge makes this test binary a daemon that answers the events of a world's home,
// a line each.
const childJudge = "JUDGE_TEST_HELD"

// heldEvent is an event for such a process, and its answer.
type heldEvent struct {
	PID           int
	Dir, Event    string
	Env           []string
	Answer, Error string
}

// judgeEvents is such a process.
func judgeEvents(home string) {
	j := &judge.Judge{Approvals: func(ctx context.Context, _ bool) (*approve.Store, error) {
		return approve.Open(ctx, filepath.Join(home, "approvals"), approve.Options{})
	}}
	var mu sync.Mutex
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var e heldEvent
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			panic(err)
		}
		go func() {
			reply := j.Answer(context.Background(), judge.Caller{PID: e.PID}, &call.Request{
				Kind: call.KindHook, Agent: "claude", Dir: e.Dir, Env: e.Env, Timeout: patient, Stdin: []byte(e.Event),
			})
			text, err := json.Marshal(heldEvent{PID: e.PID, Answer: string(reply.Stdout), Error: reply.Err})
			if err != nil {
				panic(err)
			}
			mu.Lock()
			defer mu.Unlock()
			fmt.Println(string(text))
		}()
	}
}

// mortal is a daemon that is killed, and then another one.
type mortal struct {
	t    testing.TB
	home string

	mu      sync.Mutex
	cmd     *exec.Cmd
	in      io.Writer
	died    chan struct{}
	answers map[int]chan string // by PID
	came    chan struct{}       // one for each answer
}

func (m *mortal) start() {
	m.mu.Lock()
	defer m.mu.Unlock()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childJudge+"="+m.home, "GORACE=atexit_sleep_ms=0")
	in, err := cmd.StdinPipe()
	if err != nil {
		m.t.Error(err)
		return
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		m.t.Error(err)
		return
	}
	if err := cmd.Start(); err != nil {
		m.t.Error(err)
		return
	}
	died := make(chan struct{})
	m.cmd, m.in, m.died = cmd, in, died
	go func() {
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var e heldEvent
			if json.Unmarshal(lines.Bytes(), &e) != nil {
				continue // it died while it said that
			}
			m.mu.Lock()
			if to := m.answers[e.PID]; to != nil {
				to <- e.Answer + e.Error
				m.came <- struct{}{}
			}
			m.mu.Unlock()
		}
		_ = cmd.Wait() // it was killed
		close(died)
	}()
}

// kill ends the daemon at once, and starts another.
func (m *mortal) kill() {
	m.mu.Lock()
	died := m.died
	_ = m.cmd.Process.Kill()
	m.mu.Unlock()
	<-died
	m.start()
}

// ask has the daemon answer an event, and the next one if it dies, as a shim does.
func (m *mortal) ask(e heldEvent) string {
	line, err := json.Marshal(e)
	if err != nil {
		m.t.Error(err)
		return ""
	}
	got := make(chan string, 100)
	m.mu.Lock()
	m.answers[e.PID] = got
	m.mu.Unlock()
	for {
		m.mu.Lock()
		died := m.died
		_, _ = m.in.Write(append(line, '\n')) // if it cannot, it has died
		m.mu.Unlock()
		select {
		case answer := <-got:
			return answer
		case <-died:
			select {
			case answer := <-got: // it had answered before
				return answer
			case <-time.After(time.Millisecond): // until there is another
			}
		}
	}
}

// TestHeldCallsAndDaemonsThatAreKilled: each call that waits is asked about once, and goes
// on with the answer that it got, whoever is killed when.
func TestHeldCallsAndDaemonsThatAreKilled(t *testing.T) {
	w, s := asking(t, asksAll, held)
	m := &mortal{t: t, home: w.home, answers: map[int]chan string{}, came: make(chan struct{}, 100**approvals)}
	m.start()
	n := *approvals
	done, ended := make(chan struct{}), make(chan struct{})
	kills, decided := 0, map[string]bool{}
	var people sync.WaitGroup
	people.Go(func() { // who answers
		for len(decided) < n {
			all, err := s.List(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			for _, r := range all {
				yes := !strings.HasSuffix(r.Input, "0\n")
				if r.State != approve.Waiting || rand.IntN(3) == 0 {
					continue
				}
				if _, err := s.Answer(t.Context(), r, approve.Answer{Yes: yes, By: "anna", From: "tty3"}); err == nil {
					decided[r.Code] = yes
				}
			}
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
			}
		}
	})
	go func() { // who kills: each daemon comes to answer a little, however slow the machine is
		defer close(ended)
		for left := 1; ; left-- {
			select {
			case <-done:
				return
			case <-m.came:
			}
			if left > 0 {
				continue
			}
			select {
			case <-done:
				return
			case <-time.After(time.Duration(rand.IntN(20)) * time.Millisecond):
			}
			m.kill()
			kills++
			left = 1 + rand.IntN(6)
		}
	}()
	wrong := make(chan string, n)
	var agents sync.WaitGroup
	next := make(chan int)
	for range 8 {
		agents.Go(func() {
			for i := range next {
				r := w.bash(fmt.Sprint("s", i%4), fmt.Sprint("call", i), fmt.Sprint("deploy ", i))
				answer := m.ask(heldEvent{PID: 1<<23 + i, Dir: w.dir, Env: w.env, Event: string(r.Stdin)})
				if yes := i%10 != 0; strings.Contains(answer, `"allow"`) != yes || strings.Contains(answer, `"deny"`) == yes {
					wrong <- fmt.Sprintf("call %d is answered %s", i, answer)
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	agents.Wait()
	close(done)
	people.Wait()
	<-ended
	_ = m.cmd.Process.Kill()
	<-m.died
	close(wrong)
	for text := range wrong {
		t.Error(text)
	}
	states := map[approve.State]int{}
	all, err := s.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		states[r.State]++
	}
	refused := (n + 9) / 10
	if len(all) != n || states[approve.Used] != n-refused || states[approve.Denied] != refused {
		t.Errorf("%d calls were asked about %d times: %v", n, len(all), states)
	}
	t.Logf("proof: %d approvals, their daemons killed %d times: %d lost, %d asked twice, %d used of %d that were allowed", n, kills, n-len(decided), len(all)-n, states[approve.Used], n-refused)
}
