package script

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
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
	ctx, cancel := context.WithCancel(m.context())
	id, o, err := m.begun(cancel)
	if err == nil {
		m.bound(o)
	}
	return id, ctx, err
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
