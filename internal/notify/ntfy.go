package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/approve"
)

// Ntfy is a topic of an ntfy server, and the topic to which the buttons of its cards
// publish. Its fields must not be changed once it is used.
type Ntfy struct {
	Called string // its name
	URL    string // of the server
	Topic  string // of the cards
	Back   string // of the answers

	// Token is what the server wants to see of us, and Button of the buttons: it stands in
	// each card.
	Token, Button Secret

	Getenv func(string) string

	// Since is from when on answers count that the server has kept.
	Since time.Time

	// Quiet is how long the server may say nothing at all before it is called anew; zero is
	// two and a half minutes. A server says something every 45 s, or as it is set up.
	Quiet time.Duration

	client *http.Client
	began  time.Time
}

// Bounds of what goes to and fro.
const (
	sendTime  = 20 * time.Second
	mostReply = 64 << 10 // of an answer that is not a stream
	mostBody  = 8000     // of a card: a server takes twice the 4096 bytes of a text
	quietTime = 150 * time.Second
)

// NewNtfy makes a channel. Nothing is connected to yet.
func NewNtfy(c Ntfy) *Ntfy {
	c.URL, c.began = strings.TrimRight(c.URL, "/"), time.Now()
	if c.Quiet == 0 {
		c.Quiet = quietTime
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = sendTime
	transport.MaxIdleConns, transport.MaxConnsPerHost = 2, 4
	c.client = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &c
}

// Name gives the name.
func (n *Ntfy) Name() string { return n.Called }

// From says where an answer comes from. A topic that anybody may use who knows its name
// is a secret, of which the beginning is shown.
func (n *Ntfy) From() string {
	if topic := n.Topic; n.Token.IsSet() {
		return "ntfy topic " + topic
	}
	return "ntfy topic " + n.Topic[:min(4, len(n.Topic))] + "…"
}

// host is the server for errors.
func (n *Ntfy) host() string {
	if u, err := url.Parse(n.URL); err == nil {
		return u.Host
	}
	return "ntfy"
}

// published is a message as ntfy takes it in JSON.
type published struct {
	Topic    string   `json:"topic"`
	Title    string   `json:"title"`
	Message  string   `json:"message"`
	Priority int      `json:"priority"`
	Tags     []string `json:"tags,omitempty"`
	Actions  []action `json:"actions,omitempty"`

	// Sequence has a later message stand in for an earlier one. Servers before 2.16 do
	// not know it: there it is one more message.
	Sequence string `json:"sequence_id,omitempty"`
}

// action is a button.
type action struct {
	Action  string            `json:"action"`
	Label   string            `json:"label"`
	URL     string            `json:"url"`
	Method  string            `json:"method"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    string            `json:"body"`
	Clear   bool              `json:"clear"` // the notification goes when the button has worked
}

// Priorities of ntfy.
const (
	quietly = 2
	loudly  = 4
)

// Send publishes a card.
func (n *Ntfy) Send(ctx context.Context, c Card) error {
	m := published{Topic: n.Topic, Title: c.Title(), Message: c.Text(), Priority: quietly, Tags: tags(&c)}
	if c.Code != "" {
		m.Sequence = fmt.Sprintf("hookway-%s-%d", c.Code, c.First.Unix())
	}
	if c.Asks() {
		m.Priority = loudly
		headers := map[string]string{}
		token, err := n.Button.read(n.Getenv)
		if err != nil {
			return err
		}
		if token != "" {
			headers["Authorization"] = "Bearer " + token
		}
		button := func(label, word, token string) action {
			return action{Action: "http", Label: label, URL: n.URL + "/" + n.Back, Method: http.MethodPost, Headers: headers, Body: word + " " + token, Clear: true}
		}
		all := ""
		if len(c.Also) > 0 {
			all = " all"
		}
		if c.Allow != "" {
			m.Actions = append(m.Actions, button("Allow"+all, allowWord, c.Allow))
		}
		m.Actions = append(m.Actions, button("Deny"+all, denyWord, c.Deny))
	}
	body, err := m.body()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	response, err := n.do(ctx, http.MethodPost, n.URL+"/", body)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, mostReply)) // so that the connection is used again
	return n.refused(response, "write to the topic of the cards")
}

// body is the message as a server takes it, with a shorter text if need be.
func (m published) body() ([]byte, error) {
	for {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false) // it makes six bytes of each < > &
		err := e.Encode(m)
		more := b.Len() - mostBody
		if err != nil || more <= 0 || m.Message == "" {
			return b.Bytes(), err
		}
		if most := len(m.Message) - more - 200; most > 0 { // with room to say what is left out
			m.Message = clip(m.Message, most)
		} else {
			m.Message = ""
		}
	}
}

// tags are those that ntfy shows as a sign.
func tags(c *Card) []string {
	switch {
	case c.Test:
		return []string{"wave"}
	case c.Asks():
		return []string{"raised_hand"}
	case c.State == approve.Denied:
		return []string{"no_entry"}
	case c.State == approve.Allowed, c.State == approve.Used:
		return []string{"white_check_mark"}
	}
	return []string{"hourglass"}
}

// Check reads what the topic of the answers has kept, which needs the right to read it.
func (n *Ntfy) Check(ctx context.Context) error {
	if _, err := n.Button.read(n.Getenv); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	response, err := n.do(ctx, http.MethodGet, n.URL+"/"+n.Back+"/json?poll=1&since=1s", nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, mostReply))
	return n.streams(response)
}

// do makes a request. No error shows the topic or the token.
func (n *Ntfy) do(ctx context.Context, method, to string, body []byte) (*http.Response, error) {
	token, err := n.Token.read(n.Getenv)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, method, to, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the address of the server cannot be used")
	}
	if len(body) > 0 {
		request.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := n.client.Do(request)
	var failed *url.Error
	if errors.As(err, &failed) { // it names the URL, and with it the topic
		err = failed.Err
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", n.host(), err)
	}
	return response, nil
}

// streams says why an answer is not a stream of messages.
func (n *Ntfy) streams(response *http.Response) error {
	if err := n.refused(response, "read the topic of the answers"); err != nil {
		return err
	}
	if kind := response.Header.Get("Content-Type"); !strings.HasPrefix(kind, "application/x-ndjson") {
		return &RefusedError{fmt.Sprintf("%s does not speak as ntfy does: it answered with %.60q, not with application/x-ndjson; look at url", n.host(), kind)}
	}
	return nil
}

// refused says why the server did not do what it was to do.
func (n *Ntfy) refused(response *http.Response, what string) error {
	switch code := response.StatusCode; {
	case code >= 200 && code < 300:
		return nil
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		if !n.Token.IsSet() {
			return &RefusedError{fmt.Sprintf("%s wants an access token to %s (%d): give it one with token_file, or mend the access of the topic there", n.host(), what, code)}
		}
		return &RefusedError{fmt.Sprintf("%s does not let this access token %s (%d): the token or the topic is wrong", n.host(), what, code)}
	case code == http.StatusNotFound, code >= 300 && code < 400, code == http.StatusMethodNotAllowed:
		return &RefusedError{fmt.Sprintf("%s has no ntfy at this address (%d): look at url", n.host(), code)}
	case code == http.StatusBadRequest, code == http.StatusRequestEntityTooLarge:
		return &CardError{fmt.Sprintf("%s does not take this card (%d)", n.host(), code)}
	case code == http.StatusTooManyRequests:
		return fmt.Errorf("%s: it has had too many requests (%d)", n.host(), code)
	default:
		return fmt.Errorf("%s: it answered %d %s", n.host(), code, hook.LogLine(http.StatusText(code)))
	}
}
