package web

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hookway/hookway/hooktest"
)

// BenchmarkHTTPKeepAliveOnLoopback is one event of 2 KiB to a server on the
// loopback and back, over a connection that is kept, with the encoding of the
// event and the reading of the decision. The median is reported.
func BenchmarkHTTPKeepAliveOnLoopback(b *testing.B) {
	answer := []byte(`{"action":"block","reason":"never"}`)
	handle := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = w.Write(answer)
	})
	for _, k := range []struct {
		name   string
		secret string
		tls    bool
	}{{"plain", "", false}, {"signed", testSecret, false}, {"signed-HTTP2-TLS", testSecret, true}} {
		b.Run(k.name, func(b *testing.B) {
			s := httptest.NewUnstartedServer(handle)
			c := Config{Secret: k.secret, AllowPrivate: true}
			if s.EnableHTTP2 = k.tls; k.tls {
				s.StartTLS()
				c.CA = authority(s)
			} else {
				s.Start()
			}
			defer s.Close()
			c.URL = s.URL
			h := newHandler(b, c)
			text := strings.Repeat("x", 2<<10)
			ask := func() error { _, err := h.Handle(context.Background(), bash(text)); return err }
			if err := ask(); err != nil { // it connects at its first event
				b.Fatal(err)
			}
			hooktest.Median(b, ask)
		})
	}
}
