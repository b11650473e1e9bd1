package bus

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"strings"

	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/loopback"
)

// Bounds of what is under way at once.
const (
	defaultMaxBytes = 1 << 30
	clusterMaxBytes = 256 << 20 // of a stream on somebody's cluster, where room is reserved
	maxPayload      = 8 << 20   // of the embedded server
)

// Config says how a bus carries messages. Dir must be set, and either NATS or Leaf.
type Config struct {
	Dir       string // of the embedded server's files
	Namespace string // machines of different ones know nothing of each other; default: "default"

	NATS  string // addresses of the user's own servers, with commas between them; "": embedded ones, which Leaf joins
	Creds string // a credentials file for them
	TLS   TLS    // for them

	Leaf Leaf

	// MaxBytes bounds the files of the embedded server, or a stream on the user's
	// own servers. A full one loses nothing: messages wait in the outbox. Default:
	// 1 GiB, and 256 MiB for a stream.
	MaxBytes int64

	Log *slog.Logger // gets what goes wrong; may be nil
}

// Leaf joins the embedded servers of several machines.
type Leaf struct {
	Listen    string // where others may join, as 0.0.0.0:7422; "": nowhere
	TLS       TLS    // of the listener; needed unless Listen is a loopback address
	TokenFile string // holds the secret that those who join must know
	Remotes   []Remote
}

// Remote is a machine that is joined.
type Remote struct {
	URL       string // tls://host:7422, or nats:// for a loopback address
	Creds     string // a credentials file, where the other side is a NATS server with accounts
	TokenFile string // holds the secret of the other side
	TLS       TLS
}

// TLS names files in PEM form. With CA, a listener wants certificates that it has
// signed, and who connects believes only it.
type TLS struct{ Cert, Key, CA string }

// leaf reports whether several machines are joined.
func (c *Config) leaf() bool { return c.Leaf.Listen != "" || len(c.Leaf.Remotes) > 0 }

// mode is the word for it in a status.
func (c *Config) mode() string {
	if c.NATS != "" {
		return ModeExternal
	}
	return ModeLeaf
}

// check completes a configuration, and says what cannot work.
func (c *Config) check() error {
	if c.Namespace == "" {
		c.Namespace = DefaultNamespace
	}
	if strings.Trim(c.Namespace, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || len(c.Namespace) > 32 {
		return fmt.Errorf("the namespace %q of the relay is not a short word of a-z, 0-9 and -", c.Namespace)
	}
	c.Log = logline.Or(c.Log)
	if c.NATS != "" && c.leaf() {
		return errors.New("the relay has both servers of your own (nats) and a leaf link: a leaf link joins embedded servers; leave one of the two out")
	}
	if c.NATS == "" && !c.leaf() {
		return errors.New("the relay links no machines: there is neither a server of your own (nats) nor a leaf link")
	}
	if c.Dir == "" {
		return errors.New("the relay has no folder for its files")
	}
	return nil
}

// server is the TLS configuration of a listener; nil without a certificate.
func (t TLS) server() (*tls.Config, error) {
	if t.Cert == "" && t.Key == "" && t.CA == "" {
		return nil, nil
	}
	cert, err := tls.LoadX509KeyPair(t.Cert, t.Key)
	if err != nil {
		return nil, fmt.Errorf("the certificate of the leaf listener cannot be used: %w", err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}
	if t.CA != "" {
		if config.ClientCAs, err = pool(t.CA); err != nil {
			return nil, err
		}
		config.ClientAuth = tls.RequireAndVerifyClientCert
	}
	return config, nil
}

// client is the TLS configuration of one who connects; nil if nothing is said.
func (t TLS) client() (*tls.Config, error) {
	if t == (TLS{}) {
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	var err error
	if t.CA != "" {
		if config.RootCAs, err = pool(t.CA); err != nil {
			return nil, err
		}
	}
	if t.Cert != "" || t.Key != "" {
		cert, err := tls.LoadX509KeyPair(t.Cert, t.Key)
		if err != nil {
			return nil, fmt.Errorf("the certificate for the relay cannot be used: %w", err)
		}
		config.Certificates = []tls.Certificate{cert}
	}
	return config, nil
}

func pool(file string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("the certificate authority of the relay cannot be read: %w", err)
	}
	p := x509.NewCertPool()
	if !p.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("the certificate authority of the relay, %s, has no certificate in PEM form", file)
	}
	return p, nil
}

// secret reads the token of a file that is its owner's alone.
func secret(file string) (string, error) {
	info, err := os.Stat(file)
	if err != nil {
		return "", fmt.Errorf("the token of the leaf link cannot be read: %w", err)
	}
	if err := private(file, info); err != nil {
		return "", err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("the token of the leaf link cannot be read: %w", err)
	}
	s := strings.TrimSpace(string(data))
	if len(s) < 16 {
		return "", fmt.Errorf("the token in %s has %d characters; at least 16 are needed", file, len(s))
	}
	return s, nil
}

// address reads one address of a remote.
func (r Remote) address() (*url.URL, error) {
	u, err := url.Parse(r.URL)
	if err != nil || u.Hostname() == "" {
		return nil, fmt.Errorf("%q is not the address of a machine to join; write tls://host:7422", r.URL)
	}
	switch u.Scheme {
	case "tls":
	case "nats", "nats-leaf":
		if !loopback.Host(u.Hostname()) && r.TLS == (TLS{}) {
			return nil, fmt.Errorf("the leaf link to %s would send messages in the clear; write tls://%s", u.Hostname(), u.Host)
		}
	default:
		return nil, fmt.Errorf("%q is not the address of a machine to join; write tls://host:7422", r.URL)
	}
	if u.Port() == "" {
		u.Host = net.JoinHostPort(u.Hostname(), "7422")
	}
	return u, nil
}
