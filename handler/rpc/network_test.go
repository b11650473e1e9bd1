package rpc

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/loopback"
	hookwayv1 "github.com/hookway/hookway/proto/hookway/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
)

// serverAt is a variable that makes this test binary a server of its own.
const serverAt = "HOOKWAY_TEST_RPC_SERVER"

func TestMain(m *testing.M) {
	target := os.Getenv(serverAt)
	if target == "" {
		os.Exit(m.Run())
	}
	l, err := Listen(target)
	if err == nil {
		fmt.Println("listening")
		err = Serve(context.Background(), l, hook.Static(hook.Block(fmt.Sprint(os.Getpid()))))
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// process is a server that is a process.
func process(t *testing.T, target string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serverAt+"="+target)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kill(cmd) })
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	return cmd
}

func kill(cmd *exec.Cmd) {
	_ = cmd.Process.Kill() // it may have been killed before
	_ = cmd.Wait()
}

// TestAServerThatIsStartedAnew: a real one, which leaves its socket behind. While it is
// away events fail, and as soon as it is back they are answered.
func TestAServerThatIsStartedAnew(t *testing.T) {
	target := place(t)
	h := newHandler(t, Config{Target: target})
	for range 3 {
		cmd := process(t, target)
		for range 2 {
			if d, err := h.Handle(t.Context(), bash("ls")); err != nil || d.Reason != fmt.Sprint(cmd.Process.Pid) {
				t.Fatalf("got %q, %v, want err == nil and d.Reason == fmt.Sprint(cmd.Process.Pid)", d.Reason, err)
			}
		}
		kill(cmd)
		fails(t, h, bash("ls"))
	}
}

// TestNothingIsLostWhenAServerStops: it answers what it has begun, and what comes
// too late for it is answered by the next.
func TestNothingIsLostWhenAServerStops(t *testing.T) {
	target := place(t)
	begun := make(chan struct{}, 1000)
	slow := hook.HandlerFunc(func(context.Context, hook.AnyEvent) (hook.Decision, error) {
		begun <- struct{}{}
		sha256.Sum256(make([]byte, 256<<10)) // work, which a stop finds under way
		return hook.Block("done"), nil
	})
	stop := serving(t, target, &Server{Handler: slow})
	h := newHandler(t, Config{Target: target})
	h.link.pauses = slices.Repeat([]time.Duration{50 * time.Millisecond}, 600) // a busy machine may take long to listen again
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				if d, err := h.Handle(t.Context(), bash("ls")); err != nil || d.Reason != "done" {
					t.Errorf(`got %q, %v, want err == nil and d.Reason == "done"`, d.Reason, err)
				}
			}
		})
	}
	for range 2 {
		for range 20 {
			<-begun
		}
		stop()
		stop = serving(t, target, &Server{Handler: slow})
	}
	wg.Wait()
}

// authority is a certificate for 127.0.0.1 that vouches for itself.
func authority(t *testing.T) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"hooks.example.com"},
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

// secure serves with TLS, and gives its target.
func secure(t *testing.T, target string, cert, key, clients []byte) string {
	t.Helper()
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	c := &tls.Config{Certificates: []tls.Certificate{pair}}
	if clients != nil {
		c.ClientAuth, c.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
		c.ClientCAs.AppendCertsFromPEM(clients)
	}
	l := listen(t, target)
	s := grpc.NewServer(grpc.Creds(credentials.NewTLS(c)))
	(&Server{Handler: hook.Static(hook.Block("secure"))}).Register(s)
	run(t, l, s)
	if strings.HasPrefix(target, unix) {
		return target
	}
	return "dns:///" + l.Addr().String()
}

func TestCertificates(t *testing.T) {
	cert, key := authority(t)
	other, otherKey := authority(t)
	works := func(c Config) {
		t.Helper()
		if d, err := newHandler(t, c).Handle(t.Context(), bash("ls")); err != nil || d.Reason != "secure" {
			t.Errorf(`got %q, %v, want err == nil and d.Reason == "secure"`, d.Reason, err)
		}
	}
	target := secure(t, "127.0.0.1:0", cert, key, nil)
	works(Config{Target: target, TLS: &TLS{CA: cert}})
	works(Config{Target: target, TLS: &TLS{CA: cert, ServerName: "hooks.example.com"}})
	fails(t, newHandler(t, Config{Target: target, TLS: &TLS{}}), bash("ls"), "certificate is not to be trusted", "tls: {ca: …}")
	fails(t, newHandler(t, Config{Target: target, TLS: &TLS{CA: other}}), bash("ls"), "certificate is not to be trusted")
	fails(t, newHandler(t, Config{Target: target, TLS: &TLS{CA: cert, ServerName: "example.com"}}), bash("ls"), "not example.com")
	fails(t, newHandler(t, Config{Target: target}), bash("ls"), "does not speak gRPC", "whether it wants tls")

	closed := secure(t, "127.0.0.1:0", cert, key, cert)
	works(Config{Target: closed, TLS: &TLS{CA: cert, Cert: cert, Key: key}})
	fails(t, newHandler(t, Config{Target: closed, TLS: &TLS{CA: cert}}), bash("ls"), "another certificate from us", "tls: {cert: …, key: …}")
	fails(t, newHandler(t, Config{Target: closed, TLS: &TLS{CA: cert, Cert: other, Key: otherKey}}), bash("ls"), "another certificate from us", "tls: {cert: …, key: …}")
	works(Config{Target: secure(t, place(t), cert, key, nil), TLS: &TLS{CA: cert, ServerName: "hooks.example.com"}})

	plain := listen(t, "127.0.0.1:0")
	s := grpc.NewServer()
	(&Server{Handler: hook.Static(hook.Block("secure"))}).Register(s)
	run(t, plain, s)
	fails(t, newHandler(t, Config{Target: "dns:///" + plain.Addr().String(), TLS: &TLS{CA: cert}}), bash("ls"), "does not speak TLS")
	works(Config{Target: "dns:///" + plain.Addr().String()})
	works(Config{Target: "dns:///" + plain.Addr().String(), Insecure: true})
}

// TestWithoutTLSOnlyTheLoopback: not what a name of it leads to elsewhere.
func TestWithoutTLSOnlyTheLoopback(t *testing.T) {
	for host, want := range map[string]bool{"localhost": true, "LOCALHOST.": true, "127.9.9.9": true, "::1": true, "10.0.0.1": false, "localhost.example.com": false, "0.0.0.0": false} {
		if got := loopback.Host(host); got != want {
			t.Errorf("%s: got %v, want %v", host, got, want)
		}
	}
	l, err := net.Listen("tcp", ":0") // on every address
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	tried := false
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && !n.IP.IsLoopback() {
			tried = true
			_, err := (&target{network: tcp, address: net.JoinHostPort(n.IP.String(), port)}).dial(t.Context(), true)
			if err == nil || !strings.Contains(err.Error(), "is not on this machine; use TLS") {
				t.Errorf(`%v: got %v, want err != nil and strings.Contains(err.Error(), "is not on this machine; use TLS")`, n.IP, err)
			}
		}
	}
	if !tried {
		t.Skip("this machine has no address but that of the loopback")
	}
}

// TestHeaders: they come with each event, also where they differ from those before.
func TestHeaders(t *testing.T) {
	target := place(t)
	s := grpc.NewServer()
	(&Server{Handler: hook.HandlerFunc(func(ctx context.Context, _ hook.AnyEvent) (hook.Decision, error) {
		md, _ := metadata.FromIncomingContext(ctx)
		return hook.Block(strings.Join(append(md.Get("authorization"), md.Get("user-agent")[0][:7]), " ")), nil
	})}).Register(s)
	run(t, listen(t, target), s)
	type tokenKey struct{}
	h := newHandler(t, Config{
		Target: target, Headers: map[string]string{"Authorization": "Bearer ${TOKEN}"},
		Environ: func(ctx context.Context) []string {
			if token, ok := ctx.Value(tokenKey{}).(string); ok {
				return []string{"TOKEN=" + token}
			}
			return nil
		},
	})
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			token := fmt.Sprint("t-", i%3)
			d, err := h.Handle(context.WithValue(t.Context(), tokenKey{}, token), bash("ls"))
			if err != nil || d.Reason != "Bearer "+token+" hookway" {
				t.Errorf(`%s: got %q, %v, want err == nil and d.Reason == "Bearer " + token + " hookway"`, token, d.Reason, err)
			}
		})
	}
	wg.Wait()
	fails(t, h, bash("ls"), "needs the variable TOKEN")
	_, err := h.Handle(context.WithValue(t.Context(), tokenKey{}, "hidden\n"), bash("ls"))
	isClear(t, err, "not printable ASCII")
}

// TestAServerWithoutStreamIsAskedForItOnce on each connection.
func TestAServerWithoutStreamIsAskedForItOnce(t *testing.T) {
	target := place(t)
	var streams sync.Map
	s := grpc.NewServer(grpc.StreamInterceptor(func(any, grpc.ServerStream, *grpc.StreamServerInfo, grpc.StreamHandler) error {
		streams.Store(time.Now(), true)
		return (hookwayv1.UnimplementedHooksServer{}).Stream(nil)
	}))
	(&Server{Handler: hook.Static(hook.Block("asked"))}).Register(s)
	l := listen(t, target)
	run(t, l, s)
	h := newHandler(t, Config{Target: target})
	for try := 1; try <= 2; try++ {
		for range 5 {
			if d, err := h.Handle(t.Context(), bash("ls")); err != nil || d.Reason != "asked" {
				t.Fatalf(`got %q, %v, want err == nil and d.Reason == "asked"`, d.Reason, err)
			}
		}
		n := 0
		streams.Range(func(any, any) bool { n++; return true })
		if n != try {
			t.Errorf("on connection %d it was asked %d times for a stream", try, n)
		}
		l.breakAll()
		for h.link.conn.GetState().String() == "READY" { // until the connection is known to be gone
			h.link.conn.WaitForStateChange(t.Context(), h.link.conn.GetState())
		}
	}
}

func TestBeside(t *testing.T) {
	for target, want := range map[string]string{
		"unix:guard.sock": "unix:///etc/x/guard.sock", "unix:../g": "unix:///etc/g", "unix:///run/g": "unix:///run/g", "unix:/run/g": "unix:/run/g",
		"dns:///a:1": "dns:///a:1", "vsock://2:1": "vsock://2:1", "unix:": "unix:",
	} {
		if got := Beside(filepath.FromSlash("/etc/x"), target); got != want && filepath.Separator == '/' {
			t.Errorf("%s: %s, want %s", target, got, want)
		}
	}
}
