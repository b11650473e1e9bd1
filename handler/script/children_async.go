package script

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// link is work of the host that tells of itself as it goes on: a program that
// runs, a connection.
type link struct {
	in     io.WriteCloser // what the script feeds; may be nil
	signal func(name string) bool
}

// tell hands an event of a link to the script, and waits until it has it: what
// comes is not read faster than it is taken.
func (m *machine) tell(ctx context.Context, id int, event map[string]any) {
	text, err := json.Marshal(event)
	if err != nil {
		return
	}
	taken := make(chan struct{})
	ok := m.post(task{do: func() {
		defer close(taken)
		if o := m.ops[id]; o != nil {
			m.deliver(o, id, false, string(text))
		}
	}})
	if !ok {
		return
	}
	select {
	case <-taken:
	case <-m.over:
	case <-ctx.Done():
	}
}

// linked makes the op of a link.
func (m *machine) linked() (int, context.Context, error) {
	base := context.Background()
	if m.cur != nil {
		base = context.WithoutCancel(m.cur.ctx)
	}
	ctx, cancel := context.WithCancel(base)
	id, o, err := m.begun(cancel)
	if err == nil {
		m.bound(o)
	}
	return id, ctx, err
}

// spawn starts a program, which tells of itself.
func spawn(m *machine, args []json.RawMessage) (any, error) {
	s, refused, err := m.spec(args)
	if err != nil {
		return nil, err
	}
	if refused != nil {
		return nil, errors.New(refused["message"].(string))
	}
	id, ctx, err := m.linked()
	if err != nil {
		return nil, err
	}
	fails := func(err error) (any, error) {
		event := startError(err)
		event["what"] = "fail"
		m.ending.Go(func() {
			m.tell(ctx, id, event)
			m.settle(id, "", nil)
		})
		return map[string]any{"id": id}, nil
	}
	life := ctx
	if s.Detached && m.prog != nil && m.prog.Alone {
		life = context.WithoutCancel(ctx) // it outlives the script
	}
	cmd := m.command(life, s)
	var open []io.Closer
	if err := m.wired(s, cmd); err != nil {
		return fails(err)
	}
	l := &link{}
	var pipes [3]*os.File // of ours
	for i, how := range s.Stdio {
		if how != "pipe" {
			continue
		}
		r, w, err := os.Pipe()
		if err != nil {
			return fails(err)
		}
		switch i {
		case 0:
			cmd.Stdin, l.in = r, w
			open = append(open, r)
		case 1:
			cmd.Stdout, pipes[1] = w, r
			open = append(open, w)
		case 2:
			cmd.Stderr, pipes[2] = w, r
			open = append(open, w)
		}
	}
	finish, err := startGroup(cmd)
	for _, c := range open {
		_ = c.Close() // it is the child's now
	}
	if err != nil {
		for _, p := range pipes {
			if p != nil {
				_ = p.Close()
			}
		}
		if l.in != nil {
			_ = l.in.Close()
		}
		return fails(err)
	}
	pid := cmd.Process.Pid
	l.signal = func(name string) bool { return signalChild(cmd, name) }
	m.links[id] = l
	m.ending.Go(func() { m.follow(ctx, id, l, pipes, cmd.Process.Pid, finish) })
	return map[string]any{"id": id, "pid": pid}, nil
}

// drainTime is how long what a program has printed is read after its end; a
// grandchild may hold the pipe for ever.
const drainTime = 2 * time.Second

// follow tells of a program until it has ended and its streams are read.
func (m *machine) follow(ctx context.Context, id int, l *link, pipes [3]*os.File, pid int, finish func() (code int, signal string)) {
	m.tell(ctx, id, map[string]any{"what": "open", "pid": pid})
	var reading sync.WaitGroup
	for i, name := range []string{"", "stdout", "stderr"} {
		if from := pipes[i]; from != nil {
			reading.Go(func() { m.pump(ctx, id, name, from) })
		}
	}
	stop := context.AfterFunc(ctx, func() {
		for _, p := range pipes {
			if p != nil {
				_ = p.SetReadDeadline(time.Now())
			}
		}
	})
	defer stop()
	code, signal := finish()
	for _, p := range pipes {
		if p != nil {
			_ = p.SetReadDeadline(time.Now().Add(drainTime))
		}
	}
	m.tell(ctx, id, map[string]any{"what": "exit", "code": code, "signal": signal})
	reading.Wait()
	if l.in != nil {
		_ = l.in.Close()
	}
	m.settle(id, "", nil)
}

// pump tells of what a program prints.
func (m *machine) pump(ctx context.Context, id int, name string, from *os.File) {
	defer from.Close()
	data := make([]byte, maxChunk)
	for {
		n, err := from.Read(data)
		if n > 0 {
			m.tell(ctx, id, map[string]any{"what": name, "base64": base64.StdEncoding.EncodeToString(data[:n])})
		}
		if err != nil {
			m.tell(ctx, id, map[string]any{"what": "end", "of": name})
			return
		}
	}
}

// feed writes to what a link reads, and fed ends that.
func feed(m *machine, args []json.RawMessage) (func() error, error) {
	var id int
	if len(args) == 0 || json.Unmarshal(args[0], &id) != nil || m.links[id] == nil || m.links[id].in == nil {
		return nil, errors.New("write EPIPE")
	}
	in := m.links[id].in
	if len(args) == 1 {
		return in.Close, nil
	}
	data, err := bytesAt(args, 1)
	if err != nil {
		return nil, err
	}
	return func() error {
		if _, err := in.Write(data); err != nil {
			return errors.New("write EPIPE")
		}
		return nil
	}, nil
}

// signalLink sends a signal to a program that a script has started.
func signalLink(m *machine, args []json.RawMessage) (any, error) {
	var id int
	if len(args) < 2 || json.Unmarshal(args[0], &id) != nil || m.links[id] == nil || m.links[id].signal == nil {
		return false, nil
	}
	return m.links[id].signal(str(args, 1)), nil
}

// dialTime is how long a connection may take to come about.
const dialTime = 30 * time.Second

// connect makes a connection, within the grant net.
func connect(m *machine, args []json.RawMessage) (any, error) {
	if err := m.p.need(Net, "net.connect"); err != nil {
		return nil, err
	}
	var to struct {
		Path, Host string
		Port       int
	}
	if len(args) == 0 || json.Unmarshal(args[0], &to) != nil {
		return nil, errors.New("net.connect: it does not say where to")
	}
	id, ctx, err := m.linked()
	if err != nil {
		return nil, err
	}
	network, address := "tcp", net.JoinHostPort(to.Host, fmt.Sprint(to.Port))
	if to.Path != "" {
		network, address = "unix", to.Path
	}
	l := &link{}
	m.links[id] = l
	m.ending.Go(func() {
		defer m.settle(id, "", nil)
		c, err := (&net.Dialer{Timeout: dialTime}).DialContext(ctx, network, address)
		if err != nil {
			event := startError(err)
			if event["code"] == "ENOENT" && network == "tcp" {
				event["code"] = "ECONNREFUSED"
			}
			event["what"], event["message"] = "fail", fmt.Sprintf("connect %s %s", event["code"], address)
			m.tell(ctx, id, event)
			return
		}
		defer c.Close()
		stop := context.AfterFunc(ctx, func() { _ = c.Close() })
		defer stop()
		m.post(task{do: func() { l.in = halfClosed{c} }})
		m.tell(ctx, id, map[string]any{"what": "open", "address": c.RemoteAddr().String()})
		data := make([]byte, maxChunk)
		for {
			n, err := c.Read(data)
			if n > 0 {
				m.tell(ctx, id, map[string]any{"what": "data", "base64": base64.StdEncoding.EncodeToString(data[:n])})
			}
			if err != nil {
				m.tell(ctx, id, map[string]any{"what": "end"})
				return
			}
		}
	})
	return map[string]any{"id": id}, nil
}

// halfClosed is a connection of which only the writing side is closed.
type halfClosed struct{ net.Conn }

func (h halfClosed) Close() error {
	if c, ok := h.Conn.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return h.Conn.Close()
}
