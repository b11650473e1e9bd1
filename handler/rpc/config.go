package rpc

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"github.com/hookway/hookway/hook"
)

// Config says which server is asked, and how.
type Config struct {
	// Target is the server: unix:///path, dns:///host:port or vsock://cid:port.
	Target string

	// Hook is the id that the server gets, for servers of several hooks.
	Hook string

	// TLS is how a server is known, and what it is shown. Nil is the system's
	// authorities for dns targets, and none for all others.
	TLS *TLS

	// Insecure permits a dns target without TLS that is not on the loopback.
	Insecure bool

	// Headers are sent with each call. In their values ${NAME} stands for a
	// variable of the environment.
	Headers map[string]string

	// Profile keeps the habits of another hook system when changes are read.
	Profile hook.Profile

	// EventNames gives, by canonical event name, the hook_event_name that this
	// hook gets, where that is another one.
	EventNames map[string]string

	// Environ is the environment of a call, for variables. Nil is ours.
	Environ func(context.Context) []string

	// Log gets warnings, a clean line each. Nil drops them.
	Log *slog.Logger
}

// TLS is how a connection is secured. The zero value trusts the system's
// authorities and shows no certificate.
type TLS struct {
	CA         []byte // PEM: authorities that may vouch for the server, in place of the system's
	Cert, Key  []byte // PEM: what the server is shown
	ServerName string // in the server's certificate; empty is the target's host
}

// Check finds all that is wrong with a configuration. Nothing that it says
// shows a secret.
func (c *Config) Check() error {
	var errs []error
	t, err := parseTarget(c.Target)
	if err != nil {
		errs = append(errs, err)
	}
	switch {
	case c.Insecure && c.TLS != nil:
		errs = append(errs, errors.New("insecure and tls exclude each other; take one of them out"))
	case c.Insecure && err == nil && t.network != tcp:
		errs = append(errs, fmt.Errorf("insecure is for dns targets; %s needs none", t.scheme()))
	case c.TLS != nil && err == nil && t.network != tcp && c.TLS.ServerName == "":
		errs = append(errs, fmt.Errorf("tls over %s needs the server_name that is in the server's certificate", t.scheme()))
	}
	if c.TLS != nil {
		if _, err := c.TLS.config(); err != nil {
			errs = append(errs, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Headers)) {
		errs = append(errs, badHeader(name, c.Headers[name]))
	}
	return errors.Join(errs...)
}

// config is for the standard library. Without a name it is grpc that takes the
// target's host.
func (t *TLS) config() (*tls.Config, error) {
	out := &tls.Config{MinVersion: tls.VersionTLS12}
	if t == nil {
		return out, nil
	}
	out.ServerName = t.ServerName
	var errs []error
	if len(t.CA) > 0 {
		out.RootCAs = x509.NewCertPool()
		if !out.RootCAs.AppendCertsFromPEM(t.CA) {
			errs = append(errs, errors.New("ca has no certificate in PEM; it begins with -----BEGIN CERTIFICATE-----"))
		}
	}
	if (len(t.Cert) > 0) != (len(t.Key) > 0) {
		errs = append(errs, errors.New("cert and key belong together; give both or none"))
	} else if len(t.Cert) > 0 {
		pair, err := tls.X509KeyPair(t.Cert, t.Key)
		if err != nil {
			errs = append(errs, fmt.Errorf("cert and key cannot be used: %w", err))
		}
		out.Certificates = []tls.Certificate{pair}
	}
	return out, errors.Join(errs...)
}

// ours are headers that a configuration cannot set.
var ours = []string{"content-type", "te", "user-agent", "host", "connection", "authority"}

func badHeader(name, value string) error {
	lower := strings.ToLower(name)
	switch {
	case name == "" || strings.IndexFunc(lower, notName) >= 0:
		return fmt.Errorf("invalid header name %q", hook.LogLine(name))
	case slices.Contains(ours, lower) || strings.HasPrefix(lower, "grpc-"):
		return fmt.Errorf("the header %s is gRPC's own; take it out", name)
	case strings.HasSuffix(lower, "-bin"):
		return fmt.Errorf("the header %s would be binary; only texts can be sent", name)
	}
	return badValue(name, value)
}

func badValue(name, value string) error {
	if strings.IndexFunc(value, func(r rune) bool { return r < ' ' || r > '~' }) >= 0 {
		return fmt.Errorf("the header %s has a character in its value that is not printable ASCII", name)
	}
	return nil
}

func notName(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("-_.", r)
}
