package web

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/wire"
)

// maxAnswer bounds what a server may answer.
const maxAnswer = 2 << 20

// answer is what a server said, with a signature that was checked.
type answer struct {
	status   int
	body     []byte
	redirect string // where to, without what may be secret
	unsigned error  // why its signature does not hold
	later    string // its Retry-After
}

// brokenOff is the error of an answer that did not come to its end.
type brokenOff struct {
	after int
	cause error
}

// Error says how much of the answer came.
func (b *brokenOff) Error() string {
	return fmt.Sprintf("the answer broke off after %d bytes: %v", b.after, b.cause)
}

// Unwrap returns the cause.
func (b *brokenOff) Unwrap() error { return b.cause }

// receive reads an answer. One that is too large is not read to its end.
func (r *request) receive(response *http.Response) (*answer, error) {
	defer response.Body.Close()
	tooLarge := fmt.Errorf("the answer has more than %d MiB; an answer is one small object", maxAnswer>>20)
	if response.ContentLength > maxAnswer {
		return nil, tooLarge
	}
	if coding := response.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return nil, fmt.Errorf("the answer is encoded as %s, which was not asked for", coding)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return nil, &brokenOff{len(body), err}
	}
	if len(body) > maxAnswer {
		return nil, tooLarge
	}
	a := &answer{status: response.StatusCode, body: body, later: response.Header.Get("Retry-After")}
	if to := response.Header.Get("Location"); a.status >= 300 && a.status < 400 && to != "" {
		a.redirect = Label(to)
	}
	if r.key != nil && (r.h.c.Verify || response.Header.Get("Webhook-Signature") != "") {
		a.unsigned = verifyAnswer(r.key, response.Header, body, r.message)
	}
	return a, nil
}

// decide reads the decision of an answer.
func (h *Handler) decide(ev hook.AnyEvent, a *answer) (hook.Decision, error) {
	theirs := h.c.Profile.PlainText // a server that speaks to Claude Code: its status blocks nothing
	if a.status < 200 || a.status > 299 {
		if a.unsigned == nil && !theirs {
			if d, err := wire.DecodeDecision(ev, a.body, h.c.Profile); err == nil && d.Action == hook.ActionBlock {
				return d, nil
			}
		}
		return hook.Decision{}, a.refused()
	}
	if a.unsigned != nil {
		return hook.Decision{}, fmt.Errorf("the answer cannot be relied on: %w", a.unsigned)
	}
	// A web page is not text for the agent, at whatever event it comes.
	if text := bytes.TrimSpace(bytes.TrimPrefix(a.body, []byte("\ufeff"))); len(text) > 0 && (text[0] != '{' || theirs) {
		return wire.DecodeDecision(ev, a.body, h.c.Profile)
	}
	return wire.ExitDecision(ev, wire.Answer{Stdout: a.body, Profile: h.c.Profile, Warn: h.warn})
}

// refused is the error of an answer that says that the server could not decide.
func (a *answer) refused() error {
	how := fmt.Sprintf("it answered %d %s", a.status, http.StatusText(a.status))
	switch {
	case a.redirect != "":
		return a.failed(fmt.Sprintf("%s: it redirects to %s, which is never followed; write the url that it leads to", how, a.redirect))
	case a.status == http.StatusUnauthorized || a.status == http.StatusForbidden:
		how += "; look at the secret and the headers"
	case a.status == http.StatusNotFound || a.status == http.StatusMethodNotAllowed:
		how += "; it must take POST at this url"
	}
	line, _, _ := bytes.Cut(bytes.TrimSpace(a.body), []byte("\n"))
	said := []rune(hook.LogLine(string(line[:min(len(line), 1024)])))
	if len(said) > 160 {
		said = append(said[:160], '…')
	}
	if len(said) == 0 {
		return a.failed(how + " and said nothing more")
	}
	return a.failed(how + ": " + string(said))
}
