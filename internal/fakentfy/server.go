// Package fakentfy is a server for tests that speaks as ntfy's documentation has it:
// publishing by JSON and by text, the JSON stream with since and poll, bearer tokens with
// rights for topics, and the bounds of a message.
package fakentfy

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Message is what was published to a topic.
type Message struct {
	ID       string   `json:"id"`
	Time     int64    `json:"time"`
	Event    string   `json:"event"`
	Topic    string   `json:"topic"`
	Sequence string   `json:"sequence_id,omitempty"`
	Title    string   `json:"title,omitempty"`
	Message  string   `json:"message,omitempty"`
	Priority int      `json:"priority,omitempty"`
	Tags     []string `json:"tags,omitempty"`
	Actions  []Action `json:"actions,omitempty"`
}

// Action is a button of a message.
type Action struct {
	ID      string            `json:"id"`
	Action  string            `json:"action"`
	Label   string            `json:"label"`
	URL     string            `json:"url"`
	Method  string            `json:"method"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    string            `json:"body"`
	Clear   bool              `json:"clear"`
}

// Press does what a phone does with a button.
func (a Action) Press() error {
	request, err := http.NewRequest(a.Method, a.URL, strings.NewReader(a.Body))
	if err != nil {
		return err
	}
	for name, value := range a.Headers {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the button %s: %s", a.Label, response.Status)
	}
	return nil
}

// Server is one; the zero value lets everybody do everything. Its fields must not be
// changed once it serves.
type Server struct {
	// Rights are what tokens may do with topics: "rw", "r" or "w"; the token "" is that of
	// everybody. Nil lets everybody do everything.
	Rights map[string]map[string]string

	// Keepalive is how often a stream without messages says something; zero is 45 s.
	Keepalive time.Duration

	mu       sync.Mutex
	all      []Message
	last     int
	changed  chan struct{}
	streams  int
	requests []string
	down     bool
	cut      chan struct{}
}

// MessageLimit is how large a text may be; a larger one becomes an attachment.
const MessageLimit = 4096

// Messages are those of a topic.
func (s *Server) Messages(topic string) (list []Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.all {
		if m.Topic == topic {
			list = append(list, m)
		}
	}
	return list
}

// Streams is how many streams are open.
func (s *Server) Streams() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.streams
}

// Requests are the methods and paths of all requests.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.requests...)
}

// Down has the server end all streams and answer nothing but 503, or answer again.
func (s *Server) Down(yes bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.init()
	if s.down = yes; yes {
		close(s.cut)
		s.cut = make(chan struct{})
	}
}

func (s *Server) init() {
	if s.changed == nil {
		s.changed, s.cut = make(chan struct{}), make(chan struct{})
	}
}

// ServeHTTP answers.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.init()
	s.requests = append(s.requests, r.Method+" "+r.URL.String())
	down := s.down
	s.mu.Unlock()
	topic, stream := strings.CutSuffix(strings.Trim(r.URL.Path, "/"), "/json")
	switch {
	case down:
		http.Error(w, `{"code":50301,"http":503,"error":"down"}`, http.StatusServiceUnavailable)
	case r.Method == http.MethodGet && stream:
		s.subscribe(w, r, topic)
	case r.Method == http.MethodPost || r.Method == http.MethodPut:
		s.publish(w, r, topic)
	default:
		http.NotFound(w, r)
	}
}

// may reports whether a request may do that with a topic, and answers it if not.
func (s *Server) may(w http.ResponseWriter, r *http.Request, topic, right string) bool {
	if s.Rights == nil {
		return true
	}
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	rights, known := s.Rights[token]
	switch {
	case !known && token != "":
		http.Error(w, `{"code":40101,"http":401,"error":"unauthorized"}`, http.StatusUnauthorized)
	case !strings.Contains(rights[topic], right):
		http.Error(w, `{"code":40301,"http":403,"error":"forbidden"}`, http.StatusForbidden)
	default:
		return true
	}
	return false
}

func (s *Server) publish(w http.ResponseWriter, r *http.Request, topic string) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	if err != nil {
		return
	}
	if topic == "" && len(body) > 2*MessageLimit {
		http.Error(w, `{"code":41303,"http":413,"error":"JSON body too large"}`, http.StatusRequestEntityTooLarge)
		return
	}
	m := Message{Topic: topic, Message: string(body)}
	if topic == "" {
		if err := json.Unmarshal(body, &m); err != nil || m.Topic == "" {
			http.Error(w, `{"code":40017,"http":400,"error":"invalid request: request body must be message JSON"}`, http.StatusBadRequest)
			return
		}
	}
	if !s.may(w, r, m.Topic, "w") {
		return
	}
	if len(m.Message) > MessageLimit {
		m.Message = "You received a file: attachment.txt"
	}
	s.mu.Lock()
	s.last++
	m.ID, m.Time, m.Event = fmt.Sprintf("m%011d", s.last), time.Now().Unix(), "message"
	for i := range m.Actions {
		m.Actions[i].ID = fmt.Sprint(s.last, "-", i)
	}
	s.all = append(s.all, m)
	close(s.changed)
	s.changed = make(chan struct{})
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(m)
}

// after gives the messages of a topic from since on: an id, a time, a duration or all; and
// where to go on.
func (s *Server) after(topic, since string, from int) (list []Message, next int, changed, cut <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	skip := strings.HasPrefix(since, "m") // up to that message
	earliest, err := strconv.ParseInt(since, 10, 64)
	if d, e := time.ParseDuration(since); e == nil && err != nil {
		earliest = time.Now().Add(-d).Unix()
	}
	for i, m := range s.all {
		if skip {
			skip = m.ID != since
			continue
		}
		if i >= from && m.Topic == topic && m.Time >= earliest {
			list = append(list, m)
		}
	}
	return list, len(s.all), s.changed, s.cut
}

func (s *Server) subscribe(w http.ResponseWriter, r *http.Request, topic string) {
	if !s.may(w, r, topic, "r") {
		return
	}
	w.Header().Set("Content-Type", "application/x-ndjson; charset=utf-8")
	lines, poll := json.NewEncoder(w), r.URL.Query().Get("poll") == "1"
	since, from := r.URL.Query().Get("since"), 0
	if since == "" && !poll {
		_, from, _, _ = s.after(topic, "", 0)
	}
	say := func(event string) {
		_ = lines.Encode(Message{ID: "c" + event, Time: time.Now().Unix(), Event: event, Topic: topic})
		w.(http.Flusher).Flush()
	}
	if !poll {
		say("open")
		s.count(1)
		defer s.count(-1)
	}
	every := s.Keepalive
	if every == 0 {
		every = 45 * time.Second
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		list, next, changed, cut := s.after(topic, since, from)
		for _, m := range list {
			_ = lines.Encode(m)
		}
		w.(http.Flusher).Flush()
		if poll {
			return
		}
		since, from = "", next
		select {
		case <-changed:
		case <-cut:
			panic(http.ErrAbortHandler)
		case <-r.Context().Done():
			return
		case <-tick.C:
			say("keepalive")
		}
	}
}

func (s *Server) count(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams += n
}
