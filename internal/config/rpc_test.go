package config

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/handler/rpc"
	"github.com/hookway/hookway/hook"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

// serveRPC serves a hook that blocks with a reason, until the test ends.
func serveRPC(t *testing.T, target, reason string, options ...grpc.ServerOption) (address string) {
	t.Helper()
	l, err := rpc.Listen(target)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- rpc.Serve(ctx, l, hook.Static(hook.Block(reason)), options...) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

func TestAGRPCServerIsNamedInOneLine(t *testing.T) {
	w := newWorld(t)
	w.write(w.work("hookway.yaml"), "hooks:\n  - {id: guard, on: PreToolUse, grpc: 'unix:guard.sock'}\n"+
		"  - {id: far, on: Stop, grpc: {target: 'dns:///hooks.example.com:443', headers: {authorization: 'Bearer ${TOKEN}'}}}\n")
	serveRPC(t, "unix:"+w.work("guard.sock"), "not here")
	w.want(w.load(), "guard untrusted, far untrusted")
	w.trust()
	set := w.load()
	w.want(set, "guard active, far active")
	for i, want := range []string{"unix:guard.sock", "dns:///hooks.example.com:443"} {
		if h := set.Hooks[i]; h.Kind != "grpc" || h.Command != want || h.Fixed() {
			t.Errorf("it is listed as %s %q", h.Kind, h.Command)
		}
	}
	if out := bash(t, fill(t, set), w.ws, "rm x"); out.Action != hook.ActionBlock || out.Reason != "not here" {
		t.Errorf(`got %+v, %v, want out.Action == hook.ActionBlock and out.Reason == "not here"`, out.Verdict, out.Steps[0].Err)
	}
}

// identity is a certificate for 127.0.0.1 that vouches for itself, and its key, in PEM.
func identity(t *testing.T) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	text, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: text})
}

func TestCertificatesOfAGRPCServerArePinned(t *testing.T) {
	cert, key := identity(t)
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(cert)
	address := serveRPC(t, "127.0.0.1:0", "not here", grpc.Creds(credentials.NewTLS(&tls.Config{
		Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool,
	})))
	w := newWorld(t)
	w.write(w.work("hookway.yaml"), "hooks:\n  - id: guard\n    on: PreToolUse\n    grpc: {target: 'dns:///"+address+"', tls: {ca: certs/c.pem, cert: certs/c.pem, key: certs/k.pem}}\n")
	if text := w.load().Problems.String(); !strings.Contains(text, "hookway.yaml:4:") || !strings.Contains(text, "ca: ") {
		t.Errorf("without the files: %s", text)
	}
	w.write(w.work("certs/c.pem"), string(cert))
	w.write(w.work("certs/k.pem"), "none\n")
	if text := w.load().Problems.String(); !strings.Contains(text, "cert and key cannot be used") || strings.Contains(text, "none") {
		t.Errorf("with a key that is none: %s", text)
	}
	w.write(w.work("certs/k.pem"), string(key))
	if status := w.trust(); !slices.Contains(status.Files, "certs/c.pem") || !slices.Contains(status.Files, "certs/k.pem") {
		t.Errorf("the certificates are not pinned: %v", status.Files)
	}
	set := w.load()
	w.want(set, "guard active")
	if out := bash(t, fill(t, set), w.ws, "rm x"); out.Action != hook.ActionBlock || out.Reason != "not here" {
		t.Errorf(`got %+v, %v, want out.Action == hook.ActionBlock and out.Reason == "not here"`, out.Verdict, out.Steps[0].Err)
	}
	w.write(w.work("certs/c.pem"), string(cert)+"\n")
	w.want(w.load(), "guard untrusted")
}

func TestMistakesOfAGRPCServer(t *testing.T) {
	for text, want := range map[string]string{
		"grpc: ''":                                              "grpc is empty",
		"grpc: []":                                              "grpc must be a map",
		"grpc: {tls: {}}":                                       "grpc has no target",
		"grpc: guard.sock":                                      "write unix:///run/hooks.sock, dns",
		"grpc: 'localhost:50051'":                               "write dns:///localhost:50051",
		"grpc: 'https://x:1'":                                   "begins with https:, which is unknown",
		"grpc: 'unix://guard.sock'":                             "behind unix:// comes a whole path",
		"grpc: 'unix:'":                                         "names no socket",
		"grpc: 'dns:x:1'":                                       "three slashes",
		"grpc: 'dns:///x'":                                      "must have a host and a port",
		"grpc: 'dns:///x:http'":                                 "the port must be a number from 1 to 65535, not http",
		"grpc: 'vsock://2'":                                     "must have a context id and a port",
		"grpc: 'vsock://host:1'":                                "are numbers below 4294967295",
		"grpc: {target: 'unix:x', targett: y}":                  "unknown key \"targett\" in grpc",
		"grpc: {target: 'unix:x', insecure: true}":              "insecure is for dns targets",
		"grpc: {target: 'unix:x', tls: {}}":                     "tls over unix needs the server_name",
		"grpc: {target: 'unix:x', tls: {cat: y}}":               "unknown key \"cat\" in tls",
		"grpc: {target: 'unix:x', headers: {a b: y}}":           "invalid header name \"a b\"",
		"grpc: {target: 'unix:x', headers: {te: y}}":            "the header te is gRPC's own",
		"grpc: {target: 'unix:x', headers: {a-bin: y}}":         "the header a-bin would be binary",
		"grpc: {target: 'unix:x', headers: y}":                  "headers must be a map",
		"grpc: 'unix:x'\n    cwd: sub":                          "cwd belongs to command",
		"grpc: 'unix:x'\n    block: true":                       "block is a second handler",
		"grpc: {target: 'dns:///x:1', insecure: true, tls: {}}": "insecure and tls exclude each other",
	} {
		_, problems := parse("f.yaml", []byte("hooks:\n  - id: a\n    on: PreToolUse\n    "+text+"\n"), new(hook.Engine))
		if got := problems.String(); !strings.Contains(got, want) || !strings.Contains(got, "f.yaml:") || len(problems) != 1 {
			t.Errorf(`%s: got %s, want strings.Contains(got, want) and strings.Contains(got, "f.yaml:") and len(problems) == 1`, text, got)
		}
	}
}

// TestAnotherGRPCServerIsAnotherHook: whatever of it changes.
func TestAnotherGRPCServerIsAnotherHook(t *testing.T) {
	w := newWorld(t)
	cert, _ := identity(t)
	w.write(w.user("c.pem"), string(cert))
	marks := map[string]string{}
	for _, text := range []string{
		"{target: 'unix:x'}", "{target: 'unix:y'}", "{target: 'dns:///x:1'}", "{target: 'dns:///x:1', insecure: true}", "{target: 'dns:///x:1', tls: {}}",
		"{target: 'dns:///x:1', tls: {server_name: y}}", "{target: 'dns:///x:1', tls: {ca: c.pem}}", "{target: 'unix:x', headers: {a: b}}",
	} {
		w.write(w.user("hookway.yaml"), "hooks: [{id: a, on: PreToolUse, grpc: "+text+"}]\n")
		set := w.load()
		if len(set.Hooks) != 1 {
			t.Fatalf("%s: got %s, want len(set.Hooks) == 1", text, set.Problems)
		}
		mark := set.Hooks[0].mark
		if other := marks[mark]; other != "" {
			t.Errorf("%s and %s are taken for the same", text, other)
		}
		marks[mark] = text
	}
}
