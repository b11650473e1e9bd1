package web

import (
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/hooktest"
)

// far is a server that shows a behaviour of the exam.
func far(b hooktest.Behaviour) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var event []byte
		if b.Kind != hooktest.Deaf {
			var err error
			if event, err = io.ReadAll(r.Body); err != nil {
				panic(http.ErrAbortHandler)
			}
		}
		answer, err := b.Perform(r.Context(), event)
		switch {
		case errors.Is(err, hooktest.ErrCrash):
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write(answer) // the connection ends anyhow
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		case err != nil:
			http.Error(w, err.Error(), http.StatusInternalServerError)
		default:
			_, _ = w.Write(answer) // a client that went away gets no answer
		}
	}
}

func exam(t *testing.T, start func(*httptest.Server) Config) {
	hooktest.TestHandler(t, func(t *testing.T, b hooktest.Behaviour) hook.Handler {
		s := httptest.NewUnstartedServer(far(b))
		s.Config.ErrorLog = log.New(io.Discard, "", 0) // it hears of connections that were given up
		c := start(s)
		t.Cleanup(s.Close)
		c.URL, c.AllowPrivate = s.URL+"/hooks", true
		return newHandler(t, c)
	})
}

func TestHTTPPassesTheExam(t *testing.T) {
	exam(t, func(s *httptest.Server) Config { s.Start(); return Config{Secret: testSecret} })
}

func TestHTTP2PassesTheExam(t *testing.T) {
	exam(t, func(s *httptest.Server) Config {
		s.EnableHTTP2 = true
		s.StartTLS()
		return Config{CA: authority(s)}
	})
}
