package web

import (
	"net/http"
	"testing"
)

// TestAReplayIsTold: a server can tell an event of the past from one that happens.
func TestAReplayIsTold(t *testing.T) {
	for _, c := range []struct{ variable, want string }{{"HOOKWAY_REPLAY=1", "1"}, {"HOOKWAY_REPLAY=0", ""}, {"OTHER=1", ""}} {
		var got string
		h, _ := serve(t, Config{Environ: environFrom(c.variable)}, func(_ http.ResponseWriter, r *http.Request) { got = r.Header.Get("Hookway-Replay") })
		if _, err := h.Handle(t.Context(), bash("ls")); err != nil {
			t.Fatal(err)
		}
		if got != c.want {
			t.Errorf("with %s the header is %q, want %q", c.variable, got, c.want)
		}
	}
}
