package config

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/hookway/hookway/internal/shell"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/trust"
	"go.yaml.in/yaml/v4"
)

func (s *relaySpec) checkListener(r *reader) {
	l := s.Leaf
	if l.Listen == "" {
		if l.TLS != (RelayTLS{}) || l.TokenFile != "" {
			r.Fail(s.leaf, "write listen: 0.0.0.0:7422, or put them into the remote", "tls and token_file of leaf are those of the listener, and there is no listen")
		}
		return
	}
	host, port, err := net.SplitHostPort(l.Listen)
	if _, e := net.LookupPort("tcp", port); err != nil || e != nil || port == "0" {
		r.Fail(s.leaf, "write 0.0.0.0:7422 or 127.0.0.1:7422", "listen: %q is no address", strict.Clip(l.Listen))
		return
	}
	r.checkPair(s.leaf, l.TLS)
	if isLoopback(host) {
		return
	}
	if l.TLS.Cert == "" {
		r.Fail(s.leaf, "write tls: {cert: hub.pem, key: hub-key.pem}", "others would send messages to %s in the clear", l.Listen)
	}
	if l.TokenFile == "" && l.TLS.CA == "" {
		r.Fail(s.leaf, "write token_file: hub.token, or tls.ca to want certificates", "anybody who reaches %s could read messages", l.Listen)
	}
}

// checkPair wants a certificate with its key.
func (r *reader) checkPair(n *yaml.Node, t RelayTLS) {
	if (t.Cert == "") != (t.Key == "") {
		r.Fail(n, "write both, cert: and key:", "a certificate needs its key, and a key its certificate")
	}
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// foreignRelay is the mistake of a file that may not say where messages go.
func (l *files) foreignRelay(path string, s *relaySpec) Problem {
	return Problem{File: path, Line: s.node.Line, Column: s.node.Column,
		Message: "relay belongs in the user's configuration: a workspace does not say where messages go",
		Hint:    "put it into " + filepath.Join(l.userDir, fileName)}
}

// settled is what was written, with its files found from a folder or a home.
func (s *relaySpec) settled(dir, home string) Relay {
	out := s.Relay
	file := func(path *string) {
		if rest, ok := strings.CutPrefix(*path, "~/"); ok && home != "" {
			*path = filepath.Join(home, filepath.FromSlash(rest))
		} else if *path != "" {
			*path = shell.Under(dir, *path)
		}
	}
	files := func(t *RelayTLS) { file(&t.Cert); file(&t.Key); file(&t.CA) }
	file(&out.Creds)
	files(&out.TLS)
	file(&out.Leaf.TokenFile)
	files(&out.Leaf.TLS)
	out.Leaf.Remotes = nil
	for _, m := range s.Leaf.Remotes {
		file(&m.Creds)
		file(&m.TokenFile)
		files(&m.TLS)
		out.Leaf.Remotes = append(out.Leaf.Remotes, m)
	}
	return out
}

// RelayOf reads from the user's configuration, and nothing else of it, how messages
// travel. Without such a file it costs a look at the disk. A mistake in that part
// of the file is an error, since messages must not go another way than was meant.
func RelayOf(getenv func(string) string) (Relay, error) {
	o := Options{Getenv: getenv}
	dir, _, err := o.places()
	if err != nil {
		return Relay{}, err
	}
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return Relay{}, nil
	}
	if err == nil {
		err = trust.CheckOwner(dir, info)
	}
	if err != nil {
		return Relay{}, fmt.Errorf("how messages travel cannot be read: %w", err)
	}
	for _, name := range []string{fileName, fileNameYML} {
		path := filepath.Join(dir, name)
		data, err := keptFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Relay{}, fmt.Errorf("how messages travel cannot be read: %w", err)
		}
		return relayIn(path, data, o.home())
	}
	return Relay{}, nil
}

// relayIn finds the relay in a file.
func relayIn(path string, data []byte, home string) (Relay, error) {
	root, problems := strict.Document(path, data)
	if len(problems) > 0 {
		return Relay{}, fmt.Errorf("how messages travel cannot be read: %w", problems)
	}
	if root == nil || root.Kind != yaml.MappingNode {
		return Relay{}, nil
	}
	r := &reader{Reader: strict.Reader{File: path}}
	out := Relay{}
	for _, p := range r.Pairs(root) {
		if p.Key.Value == "relay" {
			r.Problems = nil // of other parts of the file
			out = readRelay(r, p.Value).settled(filepath.Dir(path), home)
			if len(r.Problems) > 0 {
				return Relay{}, fmt.Errorf("how messages travel: %w", r.Problems)
			}
		}
	}
	return out, nil
}
