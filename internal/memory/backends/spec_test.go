// Package backends_test holds what every backend of memory must do against one
// suite: the file of this machine, Qdrant, mem0 and a handler of the user's own.
// Requests and answers are held against what Qdrant and mem0 publish of their APIs
// (testdata, Apache-2.0), and where PyPI can be reached against the parts of both
// that run there; tools/memory-backends.sh installs those.
package backends_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// spec is some operations of a published API.
type spec struct {
	Source, Version string
	Operations      map[string]*operation
	Defs            map[string]*jsonschema.Schema `json:"$defs"`
}

type operation struct {
	Request, Response *jsonschema.Schema
	Query             []string

	request, response *jsonschema.Resolved
}

// readSpec reads an API and makes its schemas ready.
func readSpec(t testing.TB, file string) *spec {
	t.Helper()
	data, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	s := new(spec)
	if err := json.Unmarshal(data, s); err != nil {
		t.Fatal(err)
	}
	resolve := func(one *jsonschema.Schema) *jsonschema.Resolved {
		if one == nil {
			return nil
		}
		whole := &jsonschema.Schema{Defs: s.Defs, AllOf: []*jsonschema.Schema{one}}
		resolved, err := whole.CloneSchemas().Resolve(nil)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		return resolved
	}
	for _, op := range s.Operations {
		op.request, op.response = resolve(op.Request), resolve(op.Response)
	}
	return s
}

// find gives the operation of a request.
func (s *spec) find(r *http.Request) *operation {
	for name, op := range s.Operations {
		method, path, _ := strings.Cut(name, " ")
		if method == r.Method && samePath(path, r.URL.EscapedPath()) {
			return op
		}
	}
	return nil
}

// samePath compares a path with one that has {names}.
func samePath(form, path string) bool {
	a, b := strings.Split(form, "/"), strings.Split(path, "/")
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && (!strings.HasPrefix(a[i], "{") || b[i] == "") {
			return false
		}
	}
	return true
}

// witness stands before a server, and holds all that passes against an API.
type witness struct {
	t    testing.TB
	spec *spec
	next http.Handler

	mu   sync.Mutex
	seen map[string]int
}

func (w *witness) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.t.Errorf("%s %s: %v", r.Method, r.URL, err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	op := w.spec.find(r)
	if op == nil {
		w.t.Errorf("%s %s is not an operation of %s %s", r.Method, r.URL.Path, w.spec.Source, w.spec.Version)
		http.NotFound(out, r)
		return
	}
	w.mu.Lock()
	w.seen[r.Method+" "+r.URL.Path]++
	w.mu.Unlock()
	for name := range r.URL.Query() {
		if !slices.Contains(op.Query, name) {
			w.t.Errorf("%s %s: the API has no %s in the query", r.Method, r.URL.Path, name)
		}
	}
	w.holds("request", r, op.request, body)
	got := httptest.NewRecorder()
	w.next.ServeHTTP(got, r)
	if got.Code == http.StatusOK {
		w.holds("answer", r, op.response, got.Body.Bytes())
	}
	for name, values := range got.Header() {
		out.Header()[name] = values
	}
	out.WriteHeader(got.Code)
	out.Write(got.Body.Bytes())
}

func (w *witness) holds(what string, r *http.Request, schema *jsonschema.Resolved, body []byte) {
	if schema == nil {
		if what == "request" && len(body) > 0 {
			w.t.Errorf("%s %s takes no body, and got %.200s", r.Method, r.URL.Path, body)
		}
		return
	}
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		w.t.Errorf("%s %s: the %s is not JSON: %.200s", r.Method, r.URL.Path, what, body)
		return
	}
	if err := schema.Validate(value); err != nil {
		w.t.Errorf("%s %s: the %s does not fit %s: %v\n%.600s", r.Method, r.URL.Path, what, w.spec.Version, err, body)
	}
}

// serve gives the URL of a server behind a witness.
func serve(t testing.TB, s *spec, next http.Handler) (string, *witness) {
	t.Helper()
	w := &witness{t: t, spec: s, next: next, seen: map[string]int{}}
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	return server.URL, w
}

// passOn is a server that is elsewhere.
func passOn(t testing.TB, target string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u, err := url.Parse(target + r.URL.EscapedPath())
		if err != nil {
			t.Error(err)
			return
		}
		u.RawQuery = r.URL.RawQuery
		out := r.Clone(r.Context())
		out.URL, out.Host, out.RequestURI = u, u.Host, ""
		resp, err := http.DefaultTransport.RoundTrip(out)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		for name, values := range resp.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(resp.StatusCode)
		io.Copy(w, resp.Body)
	})
}
