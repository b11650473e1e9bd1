//go:build unix

package api_test

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mdlayher/vsock"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/hookway/hookway/internal/api"
	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
)

func TestADoorLetsInWhoHasTheTokenAndMeansIt(t *testing.T) {
	h := newHouse(t, oneHook, plan{listen: []string{"127.0.0.1:0"}})
	url := "http://" + h.listeners[0].Addr().String() + "/v1/events"
	token := "Authorization: Bearer " + h.token
	client := &http.Client{Transport: &http.Transport{}, Timeout: patient}
	defer client.CloseIdleConnections()
	body := h.firing("rm -rf /")
	for _, c := range []struct {
		name    string
		headers []string
		status  int
		says    string
	}{
		{"the token", []string{token}, 200, `"action":"block"`},
		{"its scheme in small letters", []string{"Authorization: bearer " + h.token}, 200, `"action":"block"`},
		{"localhost", []string{token, "Host: localhost:8787"}, 200, `"action":"block"`},
		{"no token", nil, 401, "there is no header Authorization"},
		{"another token", []string{"Authorization: Bearer " + h.token[1:] + "x"}, 401, "is not the daemon's"},
		{"half a token", []string{"Authorization: Bearer " + h.token[:20]}, 401, "is not the daemon's"},
		{"another scheme", []string{"Authorization: Basic " + h.token}, 401, "is not the daemon's"},
		{"another host", []string{token, "Host: attacker.example"}, 403, "attacker.example"},
		{"another address", []string{token, "Host: 10.1.2.3"}, 403, "10.1.2.3"},
		{"a page", []string{token, "Origin: http://localhost:3000"}, 403, "a browser"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, text := h.do(client, url, "POST", body, c.headers...)
			if code != c.status {
				t.Errorf("status %d, want %d", code, c.status)
			}
			want(t, text, c.says)
			if strings.Contains(text, h.token) {
				t.Error("the answer has the token")
			}
		})
	}
	if code, _ := h.do(client, strings.Replace(url, "/v1/events", "/healthz", 1), "GET", ""); code != http.StatusUnauthorized {
		t.Errorf("/healthz without the token: status %d", code)
	}
	code, text := h.do(client, url, "POST", h.firing("ls", `,"env":{"PATH":"/evil"}`), token)
	if code != http.StatusBadRequest {
		t.Errorf("a PATH from outside: status %d", code)
	}
	want(t, text, `"field":"env"`, "PATH is not taken")
	if code, _ := h.do(client, url, "POST", h.firing("ls", `,"env":{"HOOKWAY_SESSION":"s"}`), token); code != http.StatusOK {
		t.Errorf("a session from outside: status %d", code)
	}
}

func TestFramesAreForTheDaemonsOwnSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "socket")
	h := newHouse(t, oneHook, plan{listen: []string{"unix://" + path}})
	c, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write([]byte("HKWY\x00\x01Q\x00\x00\x00\x00\x05hello\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusBadRequest {
		t.Errorf("status %d", response.StatusCode)
	}
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}}
	defer client.CloseIdleConnections()
	if code, _ := h.do(client, "http://any/v1/events", "POST", h.firing("ls"), "Authorization: Bearer "+h.token); code != http.StatusOK {
		t.Errorf("status %d", code)
	}
}

// certificate makes one for a name, as files.
func certificate(t *testing.T, name string) (certFile, keyFile string, pool *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, of, of, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	pool = x509.NewCertPool()
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool.AddCert(parsed)
	dir := t.TempDir()
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for file, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: der}, keyFile: {Type: "EC PRIVATE KEY", Bytes: keyDER}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return certFile, keyFile, pool
}

func TestADoorWithTLSTakesHTTPAndGRPC(t *testing.T) {
	certFile, keyFile, pool := certificate(t, "hooks.test")
	secure, err := api.TLS(certFile, keyFile)
	if err != nil {
		t.Fatal(err)
	}
	h := newHouse(t, oneHook, plan{listen: []string{"127.0.0.1:0"}, secure: secure})
	address := h.listeners[0].Addr().String()
	trust := &tls.Config{RootCAs: pool, ServerName: "hooks.test"}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: trust, ForceAttemptHTTP2: true}, Timeout: patient}
	defer client.CloseIdleConnections()
	code, text := h.do(client, "https://"+address+"/v1/events", "POST", h.firing("rm -rf /"), "Authorization: Bearer "+h.token, "Host: hooks.test")
	if code != http.StatusOK {
		t.Errorf("got %d %s, want %d", code, text, http.StatusOK)
	}
	h.fires(t, address, credentials.NewTLS(&tls.Config{RootCAs: pool, ServerName: "hooks.test"}), h.token, codes.OK)
}

func TestGRPCIsSpokenAtTheSocketAndElsewhere(t *testing.T) {
	h := newHouse(t, oneHook, plan{listen: []string{"127.0.0.1:0"}})
	h.fires(t, "unix://"+h.socket, insecure.NewCredentials(), "", codes.OK)
	address := h.listeners[0].Addr().String()
	h.fires(t, address, insecure.NewCredentials(), h.token, codes.OK)
	h.fires(t, address, insecure.NewCredentials(), "", codes.Unauthenticated)
	h.fires(t, address, insecure.NewCredentials(), "x"+h.token, codes.Unauthenticated)
}

// fires sends an event over gRPC.
func (h *house) fires(t *testing.T, target string, secure credentials.TransportCredentials, token string, code codes.Code) {
	t.Helper()
	c, err := grpc.NewClient(target, grpc.WithTransportCredentials(secure))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patient)
	defer cancel()
	if token != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)
	}
	payload, _ := json.Marshal(m{"tool_name": "Bash", "tool_input": m{"command": "rm -rf /"}})
	r, err := hookwayv1.NewEngineClient(c).Fire(ctx, &hookwayv1.FireRequest{Event: &hookwayv1.Event{Name: "PreToolUse", Cwd: h.dir, Json: payload}})
	if status.Code(err) != code {
		t.Errorf("%s: %v, want %v", target, err, code)
	} else if err == nil && (r.Action != hookwayv1.Action_ACTION_BLOCK || r.By != "no-rm") {
		t.Errorf("%s: %v", target, r)
	}
}

// A virtual machine comes in over AF_VSOCK; the kernel's loopback stands for one.
func TestADoorForVirtualMachines(t *testing.T) {
	const port = 38787
	l, err := api.Listen("vsock://:38787", nil)
	if err != nil {
		t.Skip("this kernel has no AF_VSOCK to listen at: ", err)
	}
	c, err := vsock.Dial(vsock.Local, port, nil)
	if err != nil {
		l.Close()
		t.Skip("this kernel has no loopback for AF_VSOCK (vsock_loopback): ", err)
	}
	c.Close()
	l.Close()
	h := newHouse(t, oneHook, plan{listen: []string{"vsock://:38787"}})
	client := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return vsock.Dial(vsock.Local, port, nil)
	}}}
	defer client.CloseIdleConnections()
	if code, text := h.do(client, "http://host/v1/events", "POST", h.firing("rm -rf /"), "Authorization: Bearer "+h.token); code != http.StatusOK {
		t.Errorf("got %d %s, want %d", code, text, http.StatusOK)
	}
	if code, _ := h.do(client, "http://host/v1/events", "POST", h.firing("ls")); code != http.StatusUnauthorized {
		t.Errorf("without the token: %d", code)
	}
}

func TestAddressesThatAreNoneAreRefused(t *testing.T) {
	for address, says := range map[string]string{
		"0.0.0.0:0": "other machines", ":0": "other machines", "example.test:80": "other machines", "127.0.0.1": "not HOST:PORT", "127.0.0.1:http": "not a port",
		"ftp://x": "no kind of address", "unix://relative": "whole one", "vsock://5:x": "not vsock", "vsock://": "not vsock",
	} {
		if l, err := api.Listen(address, nil); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, %v; want %q", address, l, err, says)
		}
	}
}

func TestTheTokenIsForItsOwnerAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	first, err := api.Token(dir)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := api.Token(dir); err != nil || again != first || len(first) < 40 {
		t.Errorf("got %q, %v, want err == nil and again == first and len(first) >= 40", again, err)
	}
	if rest := strings.Trim(first, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"); rest != "" {
		t.Errorf("got the token %q, want letters and digits: programs take a word that begins with - for an option", first)
	}
	info, err := os.Stat(api.TokenFile(dir))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v, want err == nil and info.Mode().Perm() == 0o600", info.Mode(), err)
	}
	if err := os.Chmod(api.TokenFile(dir), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := api.Token(dir); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a token that others may read: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "token?*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestARegisteredHookKeepsTheDaemon(t *testing.T) {
	h := newHouse(t, oneHook, plan{idle: 50 * time.Millisecond})
	letGo := h.hold() // or the daemon could end before the hook is there
	c, err := grpc.NewClient("unix://"+h.socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	engine := hookwayv1.NewEngineClient(c)
	_, err = engine.Register(t.Context(), &hookwayv1.RegisterRequest{
		Hook: &hookwayv1.HookSpec{Id: "g", On: []string{"PreToolUse"}}, Cwd: h.dir,
		Handler: &hookwayv1.RegisterRequest_Decision{Decision: &hookwayv1.Decision{Action: hookwayv1.Action_ACTION_BLOCK}},
	})
	if err != nil {
		t.Fatal(err)
	}
	letGo()
	timer := time.NewTimer(300 * time.Millisecond) // six times as long as it would stay
	defer timer.Stop()
	select {
	case <-h.ended:
		t.Fatal("the daemon ended, and with it a hook")
	case <-timer.C:
	}
	if _, err := engine.Unregister(t.Context(), &hookwayv1.UnregisterRequest{Id: "g", Cwd: h.dir}); err != nil {
		t.Fatal(err)
	}
	h.await("the daemon's end", h.ended)
}
