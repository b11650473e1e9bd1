package rpc

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mdlayher/vsock"
)

// Listen listens where a target leads to: unix:///path or unix:path, vsock://:port, or
// host:port. A unix socket is for the user alone (0600); one that a server has left
// behind is replaced.
func Listen(address string) (net.Listener, error) {
	if rest, ok := strings.CutPrefix(address, unix+":"); ok {
		t, err := parseUnix(rest)
		if err != nil {
			return nil, err
		}
		path, err := filepath.Abs(t.address)
		if err != nil {
			return nil, err
		}
		return listenUnix(path)
	}
	if rest, ok := strings.CutPrefix(address, vm+"://"); ok {
		_, text, _ := strings.Cut(rest, ":")
		port, err := strconv.ParseUint(text, 10, 32)
		if err != nil || port >= anyCID || !strings.HasPrefix(rest, ":") {
			return nil, errors.New("write vsock://:5000, with a port and no context id")
		}
		if port == 0 {
			port = anyCID // one that is free
		}
		l, err := vsock.ListenContextID(anyCID, uint32(port), nil)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", address, err)
		}
		return l, nil
	}
	if strings.Contains(address, "//") && !strings.HasPrefix(address, "dns:///") {
		return nil, fmt.Errorf("%s: write unix:///run/hooks.sock, vsock://:5000 or host:port", Label(address))
	}
	return net.Listen(tcp, strings.TrimPrefix(address, "dns:///"))
}
