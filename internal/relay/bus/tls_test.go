package bus_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hooktest"
	"github.com/hookway/hookway/internal/eventually"
	"github.com/hookway/hookway/internal/logline"
	"github.com/hookway/hookway/internal/relay/bus"
)

// authority signs certificates.
type authority struct {
	t    *testing.T
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t, dir: t.TempDir()}
	a.key = a.newKey()
	a.cert = &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, a.cert, a.cert, a.key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	a.file = a.write("ca.pem", "CERTIFICATE", der)
	return a
}

func (a *authority) newKey() *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	return key
}

func (a *authority) write(name, kind string, der []byte) string {
	path := filepath.Join(a.dir, name)
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
		a.t.Fatal(err)
	}
	return path
}

// sign makes the files of one who listens at 127.0.0.1, or connects; its CA is this
// authority.
func (a *authority) sign(name string) bus.TLS {
	a.t.Helper()
	key := a.newKey()
	cert := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}, KeyUsage: x509.KeyUsageDigitalSignature}
	der, err := x509.CreateCertificate(rand.Reader, cert, a.cert, key.Public(), a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	return bus.TLS{Cert: a.write(name+".pem", "CERTIFICATE", der), Key: a.write(name+".key", "PRIVATE KEY", private), CA: a.file}
}

func TestALeafLinkWithCertificates(t *testing.T) {
	t.Parallel()
	at, a := freeAddress(t), newAuthority(t)
	hub := newMachine(t, "hub", bus.Leaf{Listen: at, TLS: a.sign("hub")})
	far := newMachine(t, "far", bus.Leaf{Remotes: []bus.Remote{{URL: "tls://" + at, TLS: a.sign("far")}}})
	there, back := ids("a", 200), ids("b", 200)
	hub.send("far", there...)
	far.send("hub", back...)
	far.getsFrom(t, "a", there)
	hub.getsFrom(t, "b", back)
}

// TestALeafLinkWithWrongCertificates: who finds it wrong says so once, in one line;
// the other side knows that it is not joined. No message passes.
func TestALeafLinkWithWrongCertificates(t *testing.T) {
	t.Parallel()
	a, other := newAuthority(t), newAuthority(t)
	right := a.sign("far")
	for name, remote := range map[string]struct {
		tls      bus.TLS
		far, hub string // what they log; "": nothing
	}{
		"the authority is another one":   {bus.TLS{Cert: right.Cert, Key: right.Key, CA: other.file}, "certificate signed by unknown authority", "bad certificate"},
		"no certificate":                 {bus.TLS{CA: a.file}, "", "client didn't provide a certificate"},
		"a certificate of somebody else": {func() bus.TLS { c := other.sign("far"); c.CA = a.file; return c }(), "", "certificate signed by unknown authority"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at, hers, his := freeAddress(t), &hooktest.Log{}, &hooktest.Log{}
			hub, far := newBox("hub"), newBox("far")
			start(t, hub, bus.Config{Log: logline.New(hers.Add), Leaf: bus.Leaf{Listen: at, TLS: a.sign("hub")}})
			cable := newProxy(t, at)
			running := start(t, far, bus.Config{Log: logline.New(his.Add), Leaf: bus.Leaf{Remotes: []bus.Remote{{URL: "tls://" + cable.address(), TLS: remote.tls}}}})
			far.send("hub", "secret")
			eventually.True(t, "a fourth try", func() bool {
				cable.mu.Lock()
				defer cable.mu.Unlock()
				return cable.tries > 3
			})
			eventually.True(t, "the status", func() bool {
				return strings.Contains(running.Status().LastError, "tls://"+cable.address()+" cannot be joined")
			})
			for _, side := range []struct{ want, said string }{{remote.far, his.String()}, {remote.hub, hers.String()}} {
				if told := strings.Count(side.said, "TLS leafnode"); told != min(len(side.want), 1) || !strings.Contains(side.said, side.want) {
					t.Errorf("%d lines, want %q:\n%s", told, side.want, side.said)
				}
			}
			hub.mu.Lock()
			defer hub.mu.Unlock()
			if len(hub.got)+len(hub.learned) > 0 {
				t.Errorf("it was let in: %v %v", hub.got, hub.learned)
			}
		})
	}
}

// TestATokenThatOthersMayReadIsAnError, on both sides of a link.
func TestATokenThatOthersMayReadIsAnError(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the rights of a file are no bits there")
	}
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte("a secret of many characters"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []os.FileMode{0o644, 0o640, 0o604, 0o620, 0o610, 0o600} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		for side, leaf := range map[string]bus.Leaf{
			"listener": {Listen: freeAddress(t), TokenFile: path},
			"remote":   {Remotes: []bus.Remote{{URL: "nats://" + freeAddress(t), TokenFile: path}}},
		} {
			running, err := bus.Start(t.Context(), newBox("m1"), bus.Config{Dir: t.TempDir(), Leaf: leaf})
			if mode == 0o600 {
				if err != nil {
					t.Errorf("%s: %v", side, err)
				} else {
					stop(t, running)
				}
			} else if text := fmt.Sprint(err); !strings.Contains(text, path) || !strings.Contains(text, "chmod 600") || strings.Contains(text, "secret") {
				t.Errorf("%s with %o: got %s, want the path and chmod 600, and no secret", side, mode, text)
			}
		}
	}
}
