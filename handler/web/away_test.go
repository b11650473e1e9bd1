package web

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/hookway/hookway/hooktest"
)

func TestAServerThatIsNotThere(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	hooktest.Away(t, newHandler(t, Config{URL: s.URL, AllowPrivate: true}))
}
