package model

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxBody bounds a request: agents send tens of kilobytes.
const maxBody = 64 << 20

// Turn is one answer of the model.
type Turn struct {
	Text  string // what it says
	Shell string // the command line that it wants the agent's shell tool to run
	Call  Call   // another tool that it wants to call; without both the agent's turn ends
	More  []Turn // whose calls it wants beside its own, in the same answer

	// Make, if there is one, makes the turn out of the request, in place of this one.
	Make func(Request) Turn

	// Between, if there is one, has the text streamed in pieces, as models do, and
	// runs after each event that was sent; n counts them from 0.
	Between func(n int)

	// Before, if there is one, runs before the answer is sent, while the agent
	// waits for it.
	Before func()
}

// Call is a call of a tool, in the agent's own words.
type Call struct {
	Tool  string
	Input map[string]any
}

// piece is about how many bytes of a text are streamed at once, if it is streamed;
// a long text comes in mostPieces.
const (
	piece      = 24
	mostPieces = 100
)

// pieces is the text as it is sent: in one, or streamed.
func (t Turn) pieces() (all []string) {
	if t.Between == nil || t.Text == "" {
		return []string{t.Text}
	}
	size := max(piece, len(t.Text)/mostPieces)
	begun := 0
	for i := range t.Text {
		if i-begun >= size {
			all = append(all, t.Text[begun:i])
			begun = i
		}
	}
	return append(all, t.Text[begun:])
}

// call is what the turn calls: its own call, or the shell, by its name and the
// name of its argument.
func (t Turn) call(shell, argument string) (Call, bool) {
	if t.Shell == "" {
		return t.Call, t.Call.Tool != ""
	}
	return Call{shell, object{argument: t.Shell, "description": "Run what was asked for"}}, true
}

// calls are all that the turn calls, its own first.
func (t Turn) calls(shell, argument string) (all []Call) {
	for _, one := range append([]Turn{t}, t.More...) {
		if call, ok := one.call(shell, argument); ok {
			all = append(all, call)
		}
	}
	return all
}

// Request is a question to the model.
type Request struct {
	At      time.Time // when it came
	Path    string
	Tools   []string // the names of the tools on offer
	Results []string // what the tools that were called have answered, in order
	Said    []string // every text in it: instructions, prompt, history
}

// Says reports whether a text of the request contains it.
func (r Request) Says(text string) bool {
	return slices.ContainsFunc(r.Said, func(said string) bool { return strings.Contains(said, text) })
}

// Server is a model that plays a script. Make one with Start.
type Server struct {
	script []Turn
	http   *http.Server
	listen net.Listener
	done   chan struct{} // closed when the server has ended

	mu     sync.Mutex
	asked  []Request
	strays []string
	ids    int
}

// Start serves a script on a free port of the loopback interface. The turn that
// answers a request is the one with the number of tool results in it, so a request
// that is sent again gets the same answer. After the last turn, and to side
// requests, which offer no tools, the model says "Done.".
func Start(script ...Turn) (*Server, error) {
	listen, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("the model finds no port on loopback: %w", err)
	}
	s := &Server{script: script, listen: listen, done: make(chan struct{})}
	s.http = &http.Server{Handler: s}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(listen) // ends with Close
	}()
	return s, nil
}

// Play replaces the script, before the first request.
func (s *Server) Play(script ...Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = script
}

// URL is where the server listens, without a path.
func (s *Server) URL() string { return "http://" + s.listen.Addr().String() }

// Close ends the server, with the requests that are under way.
func (s *Server) Close() error {
	err := s.http.Close()
	<-s.done
	return err
}

// Requests are the questions so far that offered tools, in the order in which
// they came.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// Strays are the requests that were none to the model, as "METHOD host/path":
// what the agent would have fetched from elsewhere.
func (s *Server) Strays() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.strays)
}

// ServeHTTP answers one request of an agent.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at := time.Now()
	elsewhere := r.Method == http.MethodConnect || r.URL.IsAbs()
	var speak dialect
	if r.Method == http.MethodPost && !elsewhere {
		speak = dialectOf(r.URL.Path)
	}
	if speak == nil {
		s.stray(w, r, elsewhere)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	q, err := speak.parse(body)
	if err != nil {
		writeJSON(w, http.StatusBadRequest, object{"type": "error", "error": object{"type": "invalid_request_error", "message": err.Error()}})
		return
	}
	q.At, q.Path = at, r.URL.Path
	turn := s.turn(q.Request)
	if turn.Before != nil {
		turn.Before()
	}
	if !q.stream {
		writeJSON(w, http.StatusOK, speak.whole(s, q, turn))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	send := http.NewResponseController(w)
	for n, event := range speak.events(s, q, turn) {
		if _, err := w.Write(event.encode()); err != nil {
			return // the agent has hung up
		}
		if turn.Between != nil {
			_ = send.Flush() // if it cannot, the answer comes at once
			turn.Between(n)
		}
	}
}

// stray answers what is not a question to the model.
func (s *Server) stray(w http.ResponseWriter, r *http.Request, elsewhere bool) {
	s.mu.Lock()
	s.strays = append(s.strays, r.Method+" "+r.Host+r.URL.Path)
	s.mu.Unlock()
	switch {
	case elsewhere:
		http.Error(w, "nothing leaves this machine", http.StatusForbidden)
	case r.Method == http.MethodHead && r.URL.Path == "/": // is anybody there?
		w.WriteHeader(http.StatusOK)
	case strings.HasSuffix(r.URL.Path, "/messages/count_tokens"):
		writeJSON(w, http.StatusOK, object{"input_tokens": 1000})
	default:
		writeJSON(w, http.StatusNotFound, object{"type": "error", "error": object{"type": "not_found_error", "message": "there is no " + r.URL.Path}})
	}
}

// turn is the answer to a request, which is kept.
func (s *Server) turn(q Request) Turn {
	if len(q.Tools) == 0 {
		return Turn{Text: "Done."}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, q)
	n := len(q.Results)
	if n >= len(s.script) {
		return Turn{Text: "Done."}
	}
	if turn := s.script[n]; turn.Make == nil {
		return turn
	}
	return s.script[n].Make(q)
}

// id makes a new id.
func (s *Server) id(prefix string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ids++
	return fmt.Sprintf("%s_%06d", prefix, s.ids)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // an agent that hung up needs no answer
}
