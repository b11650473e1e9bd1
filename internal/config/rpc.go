package config

import (
	"github.com/hookway/hookway/handler/rpc"
	"github.com/hookway/hookway/internal/strict"
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
		textKey("target", "The server: unix:///path, unix:path from the folder of this file, dns:///host:port or vsock://cid:port.", func(s *rpcSpec) *string { return &s.Target }),
		{name: "tls", doc: "How the server is known, and what it is shown. Default: the system's authorities for dns targets that are not on the loopback, none for others.",
			shape: objectSchema(tlsKeys()),
			read: func(r *reader, n *yaml.Node, s *rpcSpec) {
				s.TLS = &rpc.TLS{}
				object(r, n, "tls", tlsKeys(), s)
			}},
		boolKey("insecure", "true permits a dns target without TLS that is not on the loopback: whoever is on the way can read events and answer them. Default: false.", func(s *rpcSpec) *bool { return &s.Insecure }),
		{name: "headers", doc: "Headers of each call; ${NAME} in a value stands for a variable of the environment.",
			shape: schema{"type": "object", "additionalProperties": schema{"type": []string{"string", "number", "boolean"}}},
			read:  func(r *reader, n *yaml.Node, s *rpcSpec) { s.Headers = readHeaders(r, n, "authorization") }},
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
		textKey("server_name", "The name in the server's certificate. Default: the host of target.", func(s *rpcSpec) *string { return &s.TLS.ServerName }),
	}
}

// readRPC reads a target, or a map with one.
func readRPC(r *reader, n *yaml.Node) *rpcSpec {
	node, ok := r.Enter(n)
	if !ok {
		return nil
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
	return s
}

// marked is what tells two servers apart.
func (s *rpcSpec) marked() any {
	if s == nil {
		return nil
	}
	return []any{s.Target, s.TLS, s.Insecure, s.Headers}
}
