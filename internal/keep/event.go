package keep

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

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
	Verdict   Verdict         `json:"verdict,omitzero"`
	Secrets   int             `json:"secrets,omitempty"` // values that placeholders stand for

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
		return nil, fmt.Errorf("it is no kept event: %w", err)
	}
	switch {
	case e.Version > version:
		return nil, ErrNewer
	case e.Version < 1 || len(e.Payload) == 0:
		return nil, errors.New("it is no kept event: it has no version, or no event")
	}
	return e, nil
}
