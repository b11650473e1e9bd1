package keep

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/hookway/hookway/hook"
)

// MaxEvent bounds an event that is kept, in bytes of its JSON.
const MaxEvent = 256 << 10

// version is that of the form of entries.
const version = 1

// Event is an event as the hooks got it, before they changed it, and all that its
// decision was made of. Placeholders stand for the secrets in all texts.
type Event struct {
	Version   int             `json:"v"`
	Payload   json.RawMessage `json:"event"` // its wire form, without facts
	Workspace string          `json:"workspace,omitempty"`
	Others    []string        `json:"others,omitempty"`   // more folders whose guards were asked
	Analyses  []Analysis      `json:"analyses,omitempty"` // one for each payload that somebody asked facts of
	Analyser  string          `json:"analyser,omitempty"` // the version of facts that found them; "" was kept before there were any
	Judged    bool            `json:"judged,omitempty"`   // Before was asked for
	Before    []hook.Fact     `json:"before,omitempty"`   // what the session's earlier events said of the call
	Budget    string          `json:"budget,omitempty"`   // what the agent might use, in words; "" is no budget
	Granted   string          `json:"granted,omitempty"`  // who let the call through that a rule stopped
	Chance    string          `json:"chance,omitempty"`   // by the key: the seed of the lots that hooks drew, see [Placeholders.Sealed]; "" is that none did
	Verdict   Verdict         `json:"verdict,omitzero"`
	Made      string          `json:"made,omitempty"`    // by the key: what the hooks made of the event, see [Placeholders.Made]; "" is nothing, or was kept before there was any
	Secrets   int             `json:"secrets,omitempty"` // values that placeholders stand for

	// MadeText is what Made is made of, as JSON: nil where the hooks changed nothing.
	// An event that was read has none.
	MadeText []byte `json:"-"`

	// Seed is what Chance is made of. An event that was read has none.
	Seed []byte `json:"-"`

	// Withheld are values of the environment that must not be kept, wherever they stand.
	// Most stand nowhere.
	// An event that was read has none.
	Withheld []string `json:"-"`
}

// Verdict is what the hooks decided, before it was fitted to what the agent can take.
type Verdict struct {
	Action      string `json:"action,omitempty"`
	By          string `json:"by,omitempty"`
	Rule        string `json:"rule,omitempty"`
	Reason      string `json:"reason,omitempty"`
	UserMessage string `json:"user_message,omitempty"`
	Inject      string `json:"inject,omitempty"`
	Changed     bool   `json:"changed,omitempty"`
}

// VerdictOf is a verdict as it is kept.
func VerdictOf(v *hook.Verdict) Verdict {
	return Verdict{Action: v.Action.String(), By: v.By, Rule: v.Rule, Reason: v.Reason, UserMessage: v.UserMessage, Inject: v.Inject, Changed: v.Changed}
}

// MadeOf is what hooks made of an event, as JSON: the payload that they left, if they
// changed it, what stands in for the operation's result, and how long a retry waits. Nil
// is nothing; ok is false of what has no JSON form.
func MadeOf(out *hook.Outcome[any]) (text []byte, ok bool) {
	made := struct {
		Payload any           `json:"payload,omitempty"`
		Result  any           `json:"result,omitempty"`
		Retry   time.Duration `json:"retry,omitempty"`
	}{}
	if out.Changed {
		made.Payload = out.Payload
	}
	switch out.Action {
	case hook.ActionAnswer:
		made.Result = out.Result
	case hook.ActionRetry:
		made.Retry = out.RetryDelay
	}
	if made.Payload == nil && made.Result == nil && made.Retry == 0 {
		return nil, true
	}
	defer func() {
		if p := recover(); p != nil { // of a value's own marshaller
			text, ok = nil, false
		}
	}()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(made) != nil {
		return nil, false
	}
	return bytes.TrimSpace(b.Bytes()), true
}

// Made names what hooks made of an event, to who has the key: a text that placeholders
// stand in already.
func (p *Placeholders) Made(text []byte) string {
	if p == nil || text == nil {
		return ""
	}
	mac := hmac.New(sha256.New, p.key)
	_, _ = mac.Write([]byte("made\x00"))
	_, _ = mac.Write(text)
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// Analysis is what was found about one payload of the event, and of what.
type Analysis struct {
	Input json.RawMessage `json:"input,omitempty"` // of the tool, as hooks had changed it; nil is the event's own
	Facts []hook.Fact     `json:"facts,omitempty"`
	Seen  Observations    `json:"seen,omitzero"`
}

// Hash names an entry, as audit records do.
func Hash(entry []byte) string {
	sum := sha256.Sum256(entry)
	return hex.EncodeToString(sum[:])
}

// ErrNewer is the error of an entry that a newer hookway wrote.
var ErrNewer = errors.New("a newer hookway kept it; update this one")

// Parse reads an entry.
func Parse(entry []byte) (*Event, error) {
	e := &Event{}
	if err := json.Unmarshal(entry, e); err != nil {
		return nil, fmt.Errorf("it is not a kept event: %w", err)
	}
	switch {
	case e.Version > version:
		return nil, ErrNewer
	case e.Version < 1 || len(e.Payload) == 0:
		return nil, errors.New("it is not a kept event: it has no version, or no event")
	}
	return e, nil
}
