package web

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/environ"
	"github.com/hookway/hookway/internal/webhook"
)

// Config says which server is asked, and how.
type Config struct {
	// URL is where events are sent, http or https.
	URL string

	// Secret signs requests: whsec_ and 24 to 64 bytes in base64. Empty: requests
	// are not signed. ${NAME} stands for a variable of the environment.
	Secret string

	// SecretFile is a file that has the secret, in place of Secret. Only its owner
	// may read it. It is read for each call.
	SecretFile string

	// Verify demands that answers are signed, too.
	Verify bool

	// Headers are sent with each request. In their values ${NAME} stands for a
	// variable of the environment.
	Headers map[string]string

	// CA has the certificates, in PEM, of the authorities that may vouch for the
	// server in place of the system's.
	CA []byte

	// AllowPrivate permits addresses that are not public.
	AllowPrivate bool

	// AllowLoopback permits of these the machine's own loopback.
	AllowLoopback bool

	// Fill puts variables of the environment into a header's value. Nil replaces
	// ${NAME}, and a variable that is not set is an error.
	Fill func(value string, environ []string) string

	// Profile keeps the habits of another hook system when answers are read.
	Profile hook.Profile

	// EventNames gives, by canonical event name, the hook_event_name that this
	// hook gets, where that is another one.
	EventNames map[string]string

	// Environ is the environment of a call: variables and proxies come from it.
	// Nil is ours.
	Environ func(context.Context) []string

	// Log gets warnings, a clean line each. Nil drops them.
	Log *slog.Logger
}

// Check finds all that is wrong with a configuration. Nothing that it says
// shows a secret.
func (c *Config) Check() error {
	var errs []error
	if _, err := c.target(); err != nil {
		errs = append(errs, err)
	}
	if !environ.Names(c.Secret) {
		if _, err := webhook.ParseKey(c.Secret); err != nil && c.Secret != "" {
			errs = append(errs, err)
		}
	}
	if c.Verify && c.Secret == "" && c.SecretFile == "" {
		errs = append(errs, errors.New("verify needs a secret to check signatures with"))
	}
	if c.Secret != "" && c.SecretFile != "" {
		errs = append(errs, errors.New("secret and secret_file are both here; take one of them out"))
	}
	for _, name := range slices.Sorted(maps.Keys(c.Headers)) {
		errs = append(errs, badHeader(name, c.Headers[name]))
	}
	if _, err := c.authorities(); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// target is the URL to ask.
func (c *Config) target() (*url.URL, error) {
	u, err := url.Parse(c.URL)
	switch {
	case c.URL == "":
		return nil, errors.New("the url is empty; write one as https://example.com/hooks")
	case err != nil: // the error quotes it whole
		return nil, errors.New("the url cannot be read; write one as https://example.com/hooks")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("the url must begin with https:// or http://")
	case u.Hostname() == "":
		return nil, errors.New("the url has no host; write one as https://example.com/hooks")
	case !validPort(u.Port()):
		return nil, fmt.Errorf("the url has the port %s; ports are 1 to 65535", u.Port())
	case u.User != nil:
		return nil, errors.New("the url has a user or password in it; send them as headers: {Authorization: …}")
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

func validPort(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil && n > 0
}

// Label names a URL in errors and listings, without what may be secret: what
// stands behind the question mark, and a password.
func Label(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "a url that cannot be read"
	}
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	line := hook.LogLine(shown.String())
	if cut := []rune(line); len(cut) > 160 {
		line = string(cut[:160]) + "…"
	}
	return line
}

// ours are headers that a configuration cannot set.
var ours = []string{
	"content-type", "content-length", "transfer-encoding", "connection", "expect", "host", "te", "trailer", "upgrade",
	"webhook-id", "webhook-timestamp", "webhook-signature", "accept-encoding", "idempotency-key",
}

func badHeader(name, value string) error {
	switch {
	case name == "" || strings.IndexFunc(name, notToken) >= 0:
		return fmt.Errorf("invalid header name %q", hook.LogLine(name))
	case slices.Contains(ours, strings.ToLower(name)):
		return fmt.Errorf("the header %s is hookway's own; take it out", name)
	}
	return badValue(name, value)
}

func badValue(name, value string) error {
	if strings.IndexFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) >= 0 {
		return fmt.Errorf("the header %s has a control character in its value", name)
	}
	return nil
}

func notToken(r rune) bool {
	return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
}

// authorities are those of CA; nil are the system's.
func (c *Config) authorities() (*x509.CertPool, error) {
	if len(c.CA) == 0 {
		return nil, nil
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(c.CA) {
		return nil, errors.New("ca has no certificate in PEM; it begins with -----BEGIN CERTIFICATE-----")
	}
	return pool, nil
}

func (c *Config) environ(ctx context.Context) []string {
	if c.Environ == nil {
		return os.Environ()
	}
	return c.Environ(ctx)
}
