package config

import (
	"errors"
	"fmt"

	"github.com/hookway/hookway/handler/command"
	"github.com/hookway/hookway/handler/rpc"
	"github.com/hookway/hookway/internal/shell"
	"github.com/hookway/hookway/internal/strict"
	"github.com/hookway/hookway/internal/trust"
	"go.yaml.in/yaml/v4"
)

// rpcSpec is a gRPC server that a hook asks.
type rpcSpec struct {
	rpc.Config
	node  *yaml.Node
	files []rpcFile // of tls
}

// rpcFile is a file that tls names.
type rpcFile struct {
	key string
	strict.Entry
	into func(*rpc.TLS) *[]byte
}

var (
	rpcTable table[rpcSpec]
	tlsTable table[rpcSpec]
)

func rpcKeys() []key[rpcSpec] { return rpcTable.get(makeRPCKeys) }

func makeRPCKeys() []key[rpcSpec] {
	return []key[rpcSpec]{
		{name: "target", doc: "The server: unix:///path, unix:path from the folder of this file, dns:///host:port or vsock://cid:port.", shape: textShape(),
			read: func(r *reader, n *yaml.Node, s *rpcSpec) { s.Target, _ = r.Text(n, "target") }},
		{name: "tls", doc: "How the server is known, and what it is shown. Default: the system's authorities for dns targets that are not on the loopback, none for others.",
			shape: objectSchema(tlsKeys()),
			read: func(r *reader, n *yaml.Node, s *rpcSpec) {
				s.TLS = &rpc.TLS{}
				object(r, n, "tls", tlsKeys(), s)
			}},
		{name: "insecure", doc: "true permits a dns target without TLS that is not on the loopback: whoever is on the way can read events and answer them. Default: false.", shape: boolShape(),
			read: func(r *reader, n *yaml.Node, s *rpcSpec) { s.Insecure, _ = r.Boolean(n, "insecure") }},
		{name: "headers", doc: "Headers of each call; ${NAME} in a value stands for a variable of the environment.",
			shape: schema{"type": "object", "additionalProperties": schema{"type": []string{"string", "number", "boolean"}}},
			read:  readRPCHeaders},
	}
}

func tlsKeys() []key[rpcSpec] { return tlsTable.get(makeTLSKeys) }

func makeTLSKeys() []key[rpcSpec] {
	file := func(name, doc string, into func(*rpc.TLS) *[]byte) key[rpcSpec] {
		return key[rpcSpec]{name: name, doc: doc, shape: textShape(), read: func(r *reader, n *yaml.Node, s *rpcSpec) {
			if text, ok := r.Text(n, name); ok {
				s.files = append(s.files, rpcFile{name, strict.Entry{Text: text, Node: n}, into})
			}
		}}
	}
	return []key[rpcSpec]{
		file("ca", "A file of certificates, from the folder of this file: the authorities that may vouch for the server, in place of the system's.",
			func(t *rpc.TLS) *[]byte { return &t.CA }),
		file("cert", "A file with the certificate that the server is shown.", func(t *rpc.TLS) *[]byte { return &t.Cert }),
		file("key", "A file with the private key of cert.", func(t *rpc.TLS) *[]byte { return &t.Key }),
		{name: "server_name", doc: "The name in the server's certificate. Default: the host of target.", shape: textShape(),
			read: func(r *reader, n *yaml.Node, s *rpcSpec) { s.TLS.ServerName, _ = r.Text(n, "server_name") }},
	}
}

// rpcKey is the key of a hook that names a gRPC server.
func rpcKey() key[hookSpec] {
	return key[hookSpec]{name: "grpc", doc: "A server of the gRPC service hookway.v1.Hooks: its target, or a map.",
		shape: schema{"anyOf": []schema{textShape(), objectSchema(rpcKeys(), "target")}}, read: readRPC}
}

// readRPC reads a target, or a map with one.
func readRPC(r *reader, n *yaml.Node, h *hookSpec) {
	node, ok := r.Enter(n)
	if !ok {
		return
	}
	s := &rpcSpec{node: n}
	before := len(r.Problems)
	if node.Kind == yaml.ScalarNode {
		s.Target, _ = r.Text(n, "grpc")
	} else if keys := object(r, n, "grpc", rpcKeys(), s); keys != nil && keys["target"] == nil {
		r.Fail(n, "write grpc: {target: 'unix:///run/hooks.sock'}", "grpc has no target")
	}
	if len(r.Problems) == before {
		r.FailErr(n, "grpc: ", s.Check()) // its files are not read yet
	}
	h.handler.rpc = s
}

func readRPCHeaders(r *reader, n *yaml.Node, s *rpcSpec) {
	node, ok := r.Enter(n)
	if !ok {
		return
	}
	if node.Kind != yaml.MappingNode {
		r.Fail(n, "write headers: {authorization: 'Bearer ${TOKEN}'}", "headers must be a map, not %s", strict.Describe(node))
		return
	}
	s.Headers = map[string]string{}
	for _, p := range r.Pairs(node) {
		if value, ok := r.Scalar(p.Value, "headers."+strict.Clip(p.Key.Value)); ok {
			s.Headers[p.Key.Value] = value
		}
	}
}

// credentials reads the files that a layer's gRPC servers name. In a workspace
// they are part of what is trusted.
func (l *files) credentials(la *layer) {
	for _, f := range la.found {
		s := f.spec.handler.rpc
		if s == nil || len(s.files) == 0 || f.spec.disabled {
			continue
		}
		if at, err := l.readCredentials(f, s); err != nil {
			l.set.Problems = append(l.set.Problems, Problem{File: f.file, Line: at.Line, Column: at.Column, Hook: f.spec.id,
				Message: strict.Line(err.Error()), Hint: "it starts from the folder of this file"})
			l.leaveOut(la)
		}
	}
}

func (l *files) readCredentials(f *found, s *rpcSpec) (at *yaml.Node, err error) {
	check := trust.CheckOwner
	if f.source.layer == LayerWorkspace {
		check = nil
	}
	for _, file := range s.files {
		data, err := l.read(*f.source, shell.Under(f.source.dir, file.Text), check)
		if err == nil && len(data) == 0 {
			err = errors.New("the file is empty")
		}
		if err != nil {
			return file.Node, fmt.Errorf("%s: %w", file.key, err)
		}
		*file.into(s.TLS) = data
	}
	return s.files[0].Node, s.Check()
}

// rpcConfig is how a hook's server is asked.
func (l *builder) rpcConfig(f *found, c command.Config) rpc.Config {
	s := f.spec.handler.rpc.Config
	s.Target, s.Hook = rpc.Beside(f.source.dir, s.Target), f.spec.id
	s.Profile, s.EventNames, s.Environ, s.Log = c.Profile, c.EventNames, command.Environ, l.opts.Log
	return s
}

// marked is what tells two servers apart.
func (s *rpcSpec) marked() any {
	if s == nil {
		return nil
	}
	return []any{s.Target, s.TLS, s.Insecure, s.Headers}
}

// leaseRPC holds the handler of a server.
func leaseRPC(c rpc.Config) (*lease, error) {
	return newLease(func() (closing, error) { return rpc.New(c) })
}
