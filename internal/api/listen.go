package api

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"

	"github.com/hookway/hookway/internal/loopback"
	"github.com/mdlayher/vsock"
)

// Listener is a place besides the daemon's own socket where HTTP and gRPC
// are spoken, with a token.
type Listener struct {
	net.Listener
	names   []string // by which it may be called, besides localhost
	private bool     // no browser can come in here
}

// Listen opens a listener: "127.0.0.1:8787", "vsock://:PORT" or "unix:///path". One
// that other machines can come to needs TLS; nil is none.
func Listen(address string, secure *tls.Config) (*Listener, error) {
	var l *Listener
	var err error
	switch scheme, rest, ok := strings.Cut(address, "://"); {
	case ok && scheme == "unix":
		l, err = listenUnix(rest)
	case ok && scheme == "vsock":
		l, err = listenVsock(rest)
	case ok && scheme != "tcp":
		return nil, fmt.Errorf("%s: there is no kind of address %q; use 127.0.0.1:PORT, unix:///PATH or vsock://:PORT", address, scheme)
	case ok:
		l, err = listenTCP(rest, secure)
	default:
		l, err = listenTCP(address, secure)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", address, err)
	}
	return l, nil
}

func listenTCP(address string, secure *tls.Config) (*Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("it is not HOST:PORT: %w", err)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return nil, fmt.Errorf("%q is not a port; it is a number up to 65535", port)
	}
	if secure == nil && !loopback.Host(host) {
		return nil, errors.New("other machines could come in there, and read the token on its way; give --tls-cert and --tls-key, or listen at 127.0.0.1")
	}
	inner, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	if secure == nil && !loopback.Addr(inner.Addr()) { // localhost may be called anything
		inner.Close()
		return nil, fmt.Errorf("%s is %s here, where other machines could come in; listen at 127.0.0.1", host, inner.Addr())
	}
	l := &Listener{Listener: inner, names: []string{strings.ToLower(host)}}
	if secure == nil {
		return l, nil
	}
	for _, certificate := range secure.Certificates {
		if leaf := certificate.Leaf; leaf != nil {
			for _, name := range leaf.DNSNames {
				l.names = append(l.names, strings.ToLower(name))
			}
		}
	}
	l.Listener = tls.NewListener(inner, secure)
	return l, nil
}

func listenUnix(path string) (*Listener, error) {
	if !strings.HasPrefix(path, "/") {
		return nil, errors.New("the path must be a whole one: unix:///PATH")
	}
	if info, err := os.Lstat(path); err == nil && info.Mode().Type() == os.ModeSocket {
		if c, err := net.Dial("unix", path); err == nil {
			c.Close()
			return nil, errors.New("another program listens there")
		}
		if err := os.Remove(path); err != nil { // nothing listens there any more
			return nil, err
		}
	}
	inner, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		inner.Close()
		return nil, err
	}
	return &Listener{Listener: inner, private: true}, nil
}

func listenVsock(address string) (*Listener, error) {
	cid, port, ok := strings.Cut(address, ":")
	n, err := strconv.ParseUint(port, 10, 32)
	if !ok || cid != "" || err != nil {
		return nil, errors.New("it is not vsock://:PORT")
	}
	inner, err := vsock.ListenContextID(anyCID, uint32(n), nil)
	if err != nil {
		return nil, err
	}
	return &Listener{Listener: inner, private: true}, nil
}

// anyCID is every address of this machine among virtual machines and their host.
const anyCID = 1<<32 - 1

// TLS reads the certificate of listeners.
func TLS(certFile, keyFile string) (*tls.Config, error) {
	certificate, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, fmt.Errorf("the certificate cannot be used: %w", err)
	}
	// Who can speak HTTP/1 is asked to; what is left with HTTP/2 alone is gRPC.
	return &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1", "h2"}}, nil
}
