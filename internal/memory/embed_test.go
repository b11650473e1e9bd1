package memory

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// answering is a server that gives one answer, and keeps what it was asked.
func answering(t *testing.T, status int, answer string) (at string, asked *http.Request, body *map[string]any) {
	t.Helper()
	asked, body = new(http.Request), new(map[string]any)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = *r.Clone(context.Background())
		*body = map[string]any{}
		if err := json.NewDecoder(r.Body).Decode(body); err != nil {
			t.Error(err)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	return server.URL, asked, body
}

func opened(t *testing.T, e Embedding) Embedder {
	t.Helper()
	embedder, _, err := e.Open()
	if err != nil {
		t.Fatal(err)
	}
	return embedder
}

func TestWhatOllamaIsAsked(t *testing.T) {
	at, request, body := answering(t, 200, `{"model":"nomic-embed-text","embeddings":[[3,0,4],[0,2,0]],"total_duration":1}`)
	v, err := opened(t, Embedding{Provider: "ollama", URL: at + "/base/", Dims: 3, Key: "k"}).Embed(t.Context(), []string{"a", strings.Repeat("é", maxEmbedded)}, false)
	if err != nil || fmt.Sprint(v) != "[[0.6 0 0.8] [0 1 0]]" {
		t.Errorf(`got %v, %v, want err == nil and fmt.Sprint(v) == "[[0.6 0 0.8] [0 1 0]]"`, v, err)
	}
	input, _ := (*body)["input"].([]any)
	switch {
	case request.URL.Path != "/base/api/embed":
		t.Errorf("request.URL.Path: got %v, want %v", request.URL.Path, "/base/api/embed")
	case request.Header.Get("Authorization") != "Bearer k":
		t.Errorf("asked %s %v with %.200v", request.URL.Path, request.Header, *body)
	case (*body)["model"] != "nomic-embed-text":
		t.Errorf("(*body)[\"model\"]: got %v, want %v", (*body)["model"], "nomic-embed-text")
	case (*body)["truncate"] != true:
		t.Errorf("(*body)[\"truncate\"]: got %v, want %v", (*body)["truncate"], true)
	case (*body)["dimensions"] != 3.0:
		t.Errorf("(*body)[\"dimensions\"]: got %v, want %v", (*body)["dimensions"], 3.0)
	case (*body)["keep_alive"] != "15m":
		t.Errorf("(*body)[\"keep_alive\"]: got %v, want %v", (*body)["keep_alive"], "15m")
	case len(input) != 2:
		t.Errorf("len(input): got %v, want %v", len(input), 2)
	case input[0] != "search_document: a":
		t.Errorf("input[0]: got %v, want %v", input[0], "search_document: a")
	}
	if long, _ := input[1].(string); len(long) > maxEmbedded+20 || strings.Contains(long, "\uFFFD") {
		t.Errorf("a long text is sent with %d bytes", len(long))
	}
}

func TestWhatOpenAIIsAsked(t *testing.T) {
	floats := make([]byte, 8)
	binary.LittleEndian.PutUint32(floats, math.Float32bits(0))
	binary.LittleEndian.PutUint32(floats[4:], math.Float32bits(5))
	answer := `{"object":"list","data":[{"object":"embedding","index":1,"embedding":"` + base64.StdEncoding.EncodeToString(floats) + `"},{"index":0,"embedding":[1,0]}],"usage":{}}`
	at, request, body := answering(t, 200, answer)
	v, err := opened(t, Embedding{Provider: "openai", URL: at + "/v1", Model: "some/e5-small"}).Embed(t.Context(), []string{"a", "b"}, true)
	if err != nil || fmt.Sprint(v) != "[[1 0] [0 1]]" {
		t.Errorf(`got %v, %v, want err == nil and fmt.Sprint(v) == "[[1 0] [0 1]]"`, v, err)
	}
	switch {
	case request.URL.Path != "/v1/embeddings":
		t.Errorf("request.URL.Path: got %v, want %v", request.URL.Path, "/v1/embeddings")
	case request.Header.Get("Authorization") != "":
		t.Errorf("asked %s %v with %v", request.URL.Path, request.Header, *body)
	case (*body)["encoding_format"] != "float":
		t.Errorf("(*body)[\"encoding_format\"]: got %v, want %v", (*body)["encoding_format"], "float")
	case fmt.Sprint((*body)["input"]) != "[query: a query: b]" || (*body)["dimensions"] != nil:
		t.Errorf("asked %s %v with %v", request.URL.Path, request.Header, *body)
	}
}

func TestAnswersOfEmbeddersThatAreNoVectors(t *testing.T) {
	const key = "sk-very-secret"
	for name, test := range map[string]struct {
		status       int
		answer, want string
	}{
		"no model":     {404, `{"error":"model \"nope\" not found, try pulling it first"}`, "it has no model nope; run ollama pull nope"},
		"another form": {404, `{"error":{"message":"model \"nope\" not found, try pulling it first","type":"api_error"}}`, "run ollama pull nope"},
		"other server": {404, `404 page not found`, "it answered 404: 404 page not found"},
		"too long":     {400, `{"error":"the input length exceeds the context length"}`, "exceeds the context length"},
		"key":          {401, `{"error":{"message":"Incorrect API key ` + key + `"}}`, "check the variable that api_key_env names"},
		"its key":      {500, "you sent\n" + key + "\x1b[31m", "it answered 500: you sent … [31m"},
		"busy":         {429, `{"error":{"message":"slow down"}}`, "it asks us to wait (429): slow down"},
		"elsewhere":    {307, ``, "it answered 307, and redirects are not followed: give the url of the server"},
		"no word":      {500, " \n", "it answered 500"},
		"html":         {200, `<html>`, "its answer is not JSON of embeddings"},
		"none":         {200, `{"embeddings":[]}`, "it gave 0 vectors for 2 texts"},
		"fewer":        {200, `{"embeddings":[[1,2]]}`, "it gave 1 vectors for 2 texts"},
		"empty":        {200, `{"embeddings":[[1,2],[]]}`, "it gave a vector of 0 dims"},
		"other dims":   {200, `{"embeddings":[[1,2],[1,2,3]]}`, "it gave vectors of 2 and of 3 dims"},
		"zero":         {200, `{"embeddings":[[1,2],[0,0]]}`, "without any direction"},
		"null":         {200, `{"embeddings":[[1,2],[null,null]]}`, "without any direction"},
		"too big":      {200, `{"embeddings":[[1,2],[1e999,0]]}`, "not JSON of embeddings"},
		"nan":          {200, `{"embeddings":[[1,2],[NaN,0]]}`, "not JSON of embeddings"},
		"too many":     {200, `{"embeddings":[[` + strings.Repeat("1,", maxDims) + `1],[1]]}`, "8193 dims; 1 to 8192 can be kept"},
		"huge":         {200, `{"embeddings":[[` + strings.Repeat("1,", maxAnswer/2) + `1]]}`, "more than 32 MiB"},
		"twice":        {200, `{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}`, "text 0 of 2, or gave it twice"},
		"outside":      {200, `{"data":[{"index":2,"embedding":[1]}]}`, "text 2 of 2"},
		"half base64":  {200, `{"data":[{"index":0,"embedding":"AAA="}]}`, "not base64 of 32-bit numbers"},
		"nan base64":   {200, `{"data":[{"index":0,"embedding":"AADAfw=="},{"index":1,"embedding":[1]}]}`, "numbers that are none"},
	} {
		t.Run(name, func(t *testing.T) {
			at, _, _ := answering(t, test.status, test.answer)
			e := Embedding{Provider: "ollama", URL: strings.Replace(at, "//", "//me:hush@", 1), Model: "nope", Key: key}
			if strings.Contains(test.answer, `"data"`) {
				e.Provider = "openai"
			}
			_, err := opened(t, e).Embed(t.Context(), []string{"a", "b"}, false)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("%v; want %q", err, test.want)
			}
			switch text := err.Error(); {
			case strings.Contains(text, key) || strings.Contains(text, "hush") || strings.ContainsAny(text, "\n\x1b"):
				t.Errorf("the error is %q", text)
			case strings.HasSuffix(text, ":") || len(text) > 600:
				t.Errorf("the error is %q", text)
			}
		})
	}
}

func TestAnEmbedderThatDoesNotAnswer(t *testing.T) {
	over := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-over }))
	defer server.Close()
	defer close(over)
	_, err := opened(t, Embedding{Provider: "ollama", URL: server.URL, Timeout: 20 * time.Millisecond}).Embed(t.Context(), []string{"a"}, true)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "did not answer in time") {
		t.Errorf("slow: %v", err)
	}
	gone := httptest.NewServer(nil)
	gone.Close()
	if _, err := opened(t, Embedding{Provider: "ollama", URL: gone.URL}).Embed(t.Context(), []string{"a"}, true); err == nil || !strings.Contains(err.Error(), "is it running?") {
		t.Errorf("down: %v", err)
	}
}

// TestAnEmbedderThatIsStartedAnew: a connection that is kept is dead when the server is
// another one, and the question is asked again on a new one.
func TestAnEmbedderThatIsStartedAnew(t *testing.T) {
	answer := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"embeddings":[[1,0]]}`)
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	first := &httptest.Server{Listener: listener, Config: &http.Server{Handler: answer}}
	first.Start()
	e := opened(t, Embedding{Provider: "ollama", URL: first.URL})
	ask := func() error {
		_, err := e.Embed(t.Context(), []string{"a"}, true)
		return err
	}
	if err := ask(); err != nil {
		t.Fatal(err)
	}
	first.Close()
	if listener, err = net.Listen("tcp", address); err != nil {
		t.Fatal(err)
	}
	second := &httptest.Server{Listener: listener, Config: &http.Server{Handler: answer}}
	second.Start()
	if err := ask(); err != nil {
		t.Errorf("after the server was started anew: got %v, want vectors", err)
	}
	second.Close()
	if err := ask(); err == nil || !strings.Contains(err.Error(), "is it running?") {
		t.Errorf("after the server ended: got %v, want the question whether it is running", err)
	}
}

func TestConfigurationsOfEmbedders(t *testing.T) {
	no, yes := false, true
	for name, test := range map[string]struct {
		e    Embedding
		want string
	}{
		"nothing":     {Embedding{}, "no provider; use ollama or openai"},
		"unknown":     {Embedding{Provider: "cohere"}, `unknown provider of embeddings "cohere"`},
		"url":         {Embedding{Provider: "ollama", URL: "ftp://u:hush@x"}, "ftp://u:xxxxx@x"},
		"no url":      {Embedding{Provider: "ollama", URL: "http://u:hush@x:y"}, `"…" is not an http`},
		"dims":        {Embedding{Provider: "ollama", Dims: 9000}, "1 to 8192"},
		"nomic":       {Embedding{Provider: "ollama", URL: "box:11434"}, "{nomic-embed-text 0 true}"},
		"not wanted":  {Embedding{Provider: "ollama", Prefix: &no}, "{nomic-embed-text 0 false}"},
		"openai":      {Embedding{Provider: "openai", Dims: 256}, "{text-embedding-3-small 256 false}"},
		"wanted":      {Embedding{Provider: "openai", Prefix: &yes}, "{text-embedding-3-small 0 true}"},
		"mixed bread": {Embedding{Provider: "ollama", Model: "mxbai-embed-large:latest"}, "{mxbai-embed-large:latest 0 true}"},
	} {
		_, space, err := test.e.Open()
		got := fmt.Sprint(space)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, test.want) || strings.Contains(got, "hush") {
			t.Errorf("%s: %s; want %q", name, got, test.want)
		}
	}
}

func FuzzNumbers(f *testing.F) {
	f.Add([]byte(`[1,2]`))
	f.Add([]byte(`"AADAfw=="`))
	f.Add([]byte(`"`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var n numbers
		if json.Unmarshal(data, &n) != nil {
			return
		}
		if v, err := checked([][]float32{n}, 1, 0); err == nil {
			p := pack(v[0])
			if c := p.dot(v[0]); !(c > 0.9 && c < 1.1) {
				t.Errorf("%v has the cosine %v with itself", n, c)
			}
		}
	})
}
