package bus_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/fulldisk"
	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/relay"
	"github.com/hookway/hookway/internal/relay/bus"
	"github.com/nats-io/nats-server/v2/server"
)

// childJob is the variable by which this test program is a child: a server of a
// cluster, or a daemon.
const childJob = "HOOKWAY_BUS_TEST_JOB"

// job is what a child does.
type job struct {
	Daemon *daemonJob
	Node   *nodeJob
}

// daemonJob is a store with its bus.
type daemonJob struct {
	State, Machine string
	Leaf           bus.Leaf
	FileSize       uint64 // most bytes of a file that it may write
}

// nodeJob is a server of a cluster.
type nodeJob struct {
	Name, Dir    string
	Client, Port int
	Routes       []int
}

func TestMain(m *testing.M) {
	text := os.Getenv(childJob)
	if text == "" {
		os.Exit(m.Run())
	}
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		fail(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	pokes := make(chan struct{}, 1)
	go func() { // a child ends with the test; until then each line is a signal
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			select {
			case pokes <- struct{}{}:
			default:
			}
		}
		cancel()
	}()
	if err := j.run(ctx, pokes); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func (j job) run(ctx context.Context, pokes <-chan struct{}) error {
	if j.Node != nil {
		return j.Node.run(ctx)
	}
	return j.Daemon.run(ctx, pokes)
}

func (d *daemonJob) run(ctx context.Context, pokes <-chan struct{}) error {
	s, err := relay.Open(ctx, d.State, relay.Options{Machine: d.Machine, Log: logline.New(says),
		Wake: func(context.Context, []string) { fmt.Println("woken") }})
	if err != nil {
		return err
	}
	defer s.Close()
	if d.FileSize > 0 {
		if _, err := fulldisk.Begin(d.FileSize); err != nil {
			return err
		}
	}
	b, err := bus.Start(ctx, s, bus.Config{Dir: filepath.Join(d.State, "nats"), Leaf: d.Leaf, Log: logline.New(says)})
	if err != nil {
		return err
	}
	fmt.Println("ready")
	for ctx.Err() == nil {
		select {
		case <-pokes:
			s.NotifyOutgoing()
		case <-ctx.Done():
		}
	}
	end, cancel := context.WithTimeout(context.Background(), patient)
	defer cancel()
	return b.Close(end)
}

func says(line string) { fmt.Fprintln(os.Stderr, line) }

func (n *nodeJob) run(ctx context.Context) error {
	// What streams reserve is not what is free on this disk.
	o := &server.Options{ServerName: n.Name, Host: "127.0.0.1", Port: n.Client, JetStream: true, StoreDir: n.Dir, JetStreamMaxStore: 8 << 30, NoSigs: true, NoLog: true,
		Cluster: server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: n.Port}}
	for _, port := range n.Routes {
		o.Routes = append(o.Routes, &url.URL{Scheme: "nats", Host: fmt.Sprintf("127.0.0.1:%d", port)})
	}
	s, err := server.NewServer(o)
	if err != nil {
		return err
	}
	s.Start()
	fmt.Println("ready")
	<-ctx.Done()
	s.Shutdown()
	s.WaitForShutdown()
	return nil
}

// child is a process that a test has started.
type child struct {
	t     testing.TB
	name  string
	job   job
	cmd   *exec.Cmd
	stdin io.WriteCloser
	wait  func() error
	woken func() // what to do when it has something new; may be nil

	mu    sync.Mutex
	said  []string
	heard chan struct{} // closed at each line
}

// launch starts a child and waits until it is ready.
func launch(t testing.TB, name string, j job, woken func()) *child {
	t.Helper()
	c := &child{t: t, name: name, job: j, woken: woken, heard: make(chan struct{})}
	c.start()
	t.Cleanup(c.stop)
	return c
}

func (c *child) start() {
	c.t.Helper()
	text, err := json.Marshal(c.job)
	if err != nil {
		c.t.Fatal(err)
	}
	c.cmd = exec.Command(os.Args[0])
	c.cmd.Env = append(os.Environ(), childJob+"="+string(text))
	stdin, err := c.cmd.StdinPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	c.mu.Lock()
	c.stdin = stdin
	c.mu.Unlock()
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	stderr, err := c.cmd.StderrPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	var read sync.WaitGroup
	ready := make(chan bool, 2)
	read.Go(func() {
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			switch {
			case lines.Text() == "ready":
				ready <- true
			case c.woken != nil:
				c.woken()
			}
		}
		ready <- false
	})
	read.Go(func() {
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			c.mu.Lock()
			c.said = append(c.said, lines.Text())
			close(c.heard)
			c.heard = make(chan struct{})
			c.mu.Unlock()
		}
	})
	c.wait = sync.OnceValue(func() error {
		read.Wait()
		return c.cmd.Wait()
	})
	select {
	case ok := <-ready:
		if !ok {
			_ = c.wait()
			c.t.Fatalf("%s did not start: %s", c.name, c.output())
		}
	case <-time.After(patient):
		c.t.Fatalf("%s does not start", c.name)
	}
}

// signal tells a daemon that there is something in the outbox. One that is dead looks
// there when it begins.
func (c *child) signal() {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = io.WriteString(c.stdin, "\n")
}

// kill ends a child as a power switch would, so far as a process can be.
func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	_ = c.wait()
}

// stop ends it in order.
func (c *child) stop() {
	c.stdin.Close()
	done := make(chan struct{})
	go func() { defer close(done); _ = c.wait() }()
	select {
	case <-done:
	case <-time.After(patient):
		c.t.Errorf("%s does not end", c.name)
		c.kill()
	}
	if c.t.Failed() {
		c.t.Logf("%s said:\n%s", c.name, c.output())
	}
}

func (c *child) output() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.said, "\n")
}

// says waits until a child has said something.
func (c *child) says(text string) {
	c.t.Helper()
	for end := time.After(patient); ; {
		c.mu.Lock()
		found, heard := strings.Contains(strings.Join(c.said, "\n"), text), c.heard
		c.mu.Unlock()
		if found {
			return
		}
		select {
		case <-heard:
		case <-end:
			c.t.Fatalf("%s did not say %q, but:\n%s", c.name, text, c.output())
		}
	}
}
