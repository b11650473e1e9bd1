package rpc

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/loopback"
	"github.com/mdlayher/vsock"
)

// Networks of a target.
const (
	tcp  = "tcp"
	unix = "unix"
	vm   = "vsock"
)

// target is where a server listens.
type target struct {
	network   string
	address   string // host:port or path
	host      string // of tcp
	cid, port uint32 // of vsock
}

// scheme is how the target begins.
func (t *target) scheme() string {
	if t.network == tcp {
		return "dns"
	}
	return t.network
}

// authority is the name by which a server is addressed.
func (t *target) authority() string {
	if t.network == tcp {
		return t.address
	}
	return "localhost"
}

// targets says how they are written.
const targets = "write unix:///run/hooks.sock, dns:///host:port or vsock://cid:port"

func parseTarget(text string) (*target, error) {
	scheme, rest, found := strings.Cut(text, ":")
	switch {
	case text == "":
		return nil, errors.New("the target is empty; " + targets)
	case strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return nil, fmt.Errorf("the target has a blank or a control character in it; %s", targets)
	case !found:
		return nil, fmt.Errorf("the target says no kind; %s", targets)
	}
	switch scheme {
	case unix:
		return parseUnix(rest)
	case "dns":
		return parseDNS(rest)
	case vm:
		return parseVsock(rest)
	}
	if _, err := strconv.ParseUint(rest, 10, 16); err == nil {
		return nil, fmt.Errorf("the target says no kind; write dns:///%s", hook.LogLine(text))
	}
	return nil, fmt.Errorf("the target begins with %s:, which is unknown; %s", hook.LogLine(scheme), targets)
}

func parseUnix(rest string) (*target, error) {
	path := rest
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		path = after
		if !strings.HasPrefix(path, "/") {
			return nil, errors.New("behind unix:// comes a whole path; write unix:///run/hooks.sock, or unix:hooks.sock for one beside the file")
		}
	}
	if path == "" || strings.HasSuffix(path, "/") {
		return nil, errors.New("the target names no socket; write unix:///run/hooks.sock")
	}
	return &target{network: unix, address: filepath.FromSlash(path)}, nil
}

func parseDNS(rest string) (*target, error) {
	address, ok := strings.CutPrefix(rest, "///")
	if !ok {
		return nil, errors.New("behind dns: come three slashes; write dns:///host:port")
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil || host == "" || strings.ContainsAny(host, "/@") {
		return nil, errors.New("the target must have a host and a port; write dns:///host:port")
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return nil, fmt.Errorf("the port must be a number from 1 to 65535, not %s", hook.LogLine(port))
	}
	return &target{network: tcp, address: address, host: host}, nil
}

func parseVsock(rest string) (*target, error) {
	address, ok := strings.CutPrefix(rest, "//")
	cid, port, both := strings.Cut(address, ":")
	if !ok || !both {
		return nil, errors.New("the target must have a context id and a port; write vsock://2:5000, 2 being the host")
	}
	c, cidErr := strconv.ParseUint(cid, 10, 32)
	p, portErr := strconv.ParseUint(port, 10, 32)
	if cidErr != nil || portErr != nil || c >= anyCID || p >= anyCID {
		return nil, errors.New("the context id and the port of a vsock are numbers below 4294967295; write vsock://2:5000, 2 being the host")
	}
	return &target{network: vm, address: address, cid: uint32(c), port: uint32(p)}, nil
}

const anyCID = 1<<32 - 1

// Beside returns a target of a socket that is named from a folder, as
// unix:hooks.sock is, with its whole path. Others stay as they are.
func Beside(folder, target string) string {
	path, ok := strings.CutPrefix(target, unix+":")
	if !ok || path == "" || strings.HasPrefix(path, "//") || filepath.IsAbs(filepath.FromSlash(path)) {
		return target
	}
	path = filepath.ToSlash(filepath.Join(folder, filepath.FromSlash(path)))
	if !strings.HasPrefix(path, "/") { // a drive
		return unix + ":" + path
	}
	return unix + "://" + path
}

// dial connects. With local only such an address will do, whatever the name
// resolves to.
func (t *target) dial(ctx context.Context, local bool) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	if t.network == vm {
		return vsock.DialContext(ctx, t.cid, t.port, nil)
	}
	d := net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 15 * time.Second, Count: 4}}
	conn, err := d.DialContext(ctx, t.network, t.address)
	if err != nil || !local {
		return conn, err
	}
	if !loopback.Addr(conn.RemoteAddr()) {
		return nil, errors.Join(fmt.Errorf("its address %v is not on this machine; use TLS, or set insecure: true", conn.RemoteAddr()), conn.Close())
	}
	return conn, nil
}
