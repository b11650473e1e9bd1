package notify

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/backoff"
)

// Words of an answer, before its token.
const (
	allowWord = "allow"
	denyWord  = "deny"
)

// Bounds of listening.
const (
	mostLine   = 64 << 10
	firstPause = 500 * time.Millisecond
	mostPause  = time.Minute
)

// untaken is an answer that could not be noted, though it may count.
type untaken struct{ error }

func (u untaken) Unwrap() error { return u.error }

// message is a line of ntfy's stream.
type message struct {
	ID      string `json:"id"`
	Time    int64  `json:"time"`
	Event   string `json:"event"` // open, keepalive, message, and others that say nothing here
	Message string `json:"message"`
}

// Listen subscribes to the topic of the answers. After a break it asks for what came
// meanwhile.
func (n *Ntfy) Listen(ctx context.Context, answer Answer, ready func(), down func(error)) error {
	pause := backoff.Backoff{First: firstPause, Most: mostPause}
	since := strconv.FormatInt(n.Since.Unix(), 10)
	var again untaken
	for {
		err := n.subscribe(ctx, &since, answer, func() {
			if again.error == nil { // else the server is not what fails
				pause.Reset()
			}
			ready()
		})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if again = (untaken{}); errors.As(err, &again) {
			err = again.error
		}
		down(err)
		if err := pause.Wait(ctx, nil); err != nil {
			return err
		}
	}
}

// subscribe reads one connection until it ends. since becomes the message that was read
// last: it says where to go on.
func (n *Ntfy) subscribe(ctx context.Context, since *string, answer Answer, ready func()) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(n.Quiet, func() { cancel(fmt.Errorf("%s: it said nothing for %v", n.host(), n.Quiet)) })
	defer silence.Stop()
	response, err := n.do(ctx, http.MethodGet, n.URL+"/"+n.Back+"/json?since="+url.QueryEscape(*since), nil)
	if err != nil {
		return cause(ctx, err)
	}
	defer response.Body.Close()
	if err := n.streams(response); err != nil {
		return err
	}
	for lines := bufio.NewReaderSize(response.Body, mostLine); ; silence.Reset(n.Quiet) {
		m, err := nextMessage(lines)
		if err != nil {
			return cause(ctx, fmt.Errorf("%s: the connection ended: %w", n.host(), err))
		}
		switch m.Event {
		case "open":
			ready()
		case "message":
			if s, ok := parseAnswer(m.Message); ok {
				s.From, s.Old = n.From(), m.Time < n.began.Unix()
				var refused *approve.RefusedError
				if err := answer(ctx, s); err != nil && !errors.As(err, &refused) {
					return cause(ctx, untaken{err}) // it is read again
				}
			}
			*since = m.ID
		}
	}
}

// nextMessage reads a line of a stream. One that is not a message, or too long for an answer,
// is passed over: it would stand there again after each new connection.
func nextMessage(lines *bufio.Reader) (m message, err error) {
	line, err := lines.ReadSlice('\n')
	for errors.Is(err, bufio.ErrBufferFull) {
		line = nil
		_, err = lines.ReadSlice('\n')
	}
	switch {
	case errors.Is(err, io.EOF): // what came of a line is read again
		return m, io.ErrUnexpectedEOF
	case err != nil:
		return m, err
	}
	if json.Unmarshal(line, &m) != nil {
		m = message{}
	}
	return m, nil
}

// cause is why a context ended, if it is that.
func cause(ctx context.Context, err error) error {
	if because := context.Cause(ctx); because != nil && !errors.Is(because, context.Canceled) {
		return because
	}
	return err
}

// mostNote bounds what a person adds.
const mostNote = 500

// parseAnswer reads an answer: allow or deny, the token, and a note behind it. ok is
// false if it is something else: anybody may publish what they like.
func parseAnswer(text string) (s Said, ok bool) {
	word, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	token, note, _ := strings.Cut(strings.TrimSpace(rest), " ")
	if word = strings.ToLower(word); word != allowWord && word != denyWord || !isToken(token) {
		return Said{}, false
	}
	note = strings.TrimSpace(note)
	if len(note) > mostNote {
		note = strings.ToValidUTF8(note[:mostNote], "")
	}
	return Said{Token: token, Yes: word == allowWord, Note: note}, true
}

// isToken reports whether a text has the form of a token, as crypto/rand writes one: what
// has not is not looked up.
func isToken(text string) bool {
	return len(text) >= 20 && len(text) <= 64 && strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}
