// Package memory keeps what agents shall remember, and finds it again.
//
// One SQLite file is the truth: write-ahead log, synchronous FULL, readable only
// by its user. Save returns when the memory is on the disk; a process that is
// killed in the middle loses nothing that was acknowledged. Several processes may
// use a file at once, and each sees at its next call what another has saved.
//
// Search ranks in Go, with no model and no download. Each [Store] keeps an index
// in memory of the workspaces that were searched, and before each search it reads
// only the rows that are new since. The score of a memory is made of
//
//   - BM25, with parameters for texts of one or two sentences;
//   - the same for its neighbours in the session and for the session as a whole:
//     the answer often stands beside the words that were asked for;
//   - words that occur beside the words of the query elsewhere in the store, which
//     is what random indexing estimates, computed exactly from the postings;
//   - whether the query names the agent who said it, a time at which it was said,
//     or asks for a time or a number that it has;
//   - a little for being newer.
//
// A store that is given an [Embedder] by [Store.Use] also compares what texts mean.
// Vectors are made after a memory is saved, by [Store.Follow] or [Store.Embed], and
// lie beside it; without them, or while the embedder is down, words alone decide.
package memory

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Scope says who sees a memory.
type Scope string

// The scopes. A memory that names none is of its workspace.
const (
	ScopeWorkspace Scope = "workspace" // every agent in the workspace
	ScopeAgent     Scope = "agent"     // the agent of that name, in the workspace
	ScopeUser      Scope = "user"      // every agent of this user, in all workspaces
)

// ParseScope reads a scope; "" is [ScopeWorkspace].
func ParseScope(text string) (Scope, error) {
	switch s := Scope(text); s {
	case "":
		return ScopeWorkspace, nil
	case ScopeWorkspace, ScopeAgent, ScopeUser:
		return s, nil
	}
	return "", fmt.Errorf("unknown scope %q; use workspace, agent or user", text)
}

// Memory is one thing to remember, and where it comes from.
type Memory struct {
	ID        string    `json:"id"`
	Text      string    `json:"text"`
	Scope     Scope     `json:"scope,omitempty"`
	Workspace string    `json:"workspace,omitempty"` // a folder; "" for the scope user
	Agent     string    `json:"agent,omitempty"`     // who said it
	Session   string    `json:"session,omitempty"`
	Time      time.Time `json:"time"`
	Tags      []string  `json:"tags,omitempty"`
	File      string    `json:"file,omitempty"`    // the file that it is about
	Context   string    `json:"context,omitempty"` // what was said before it; found by, but not shown
	Score     float64   `json:"score,omitempty"`   // of a search; higher is better
	Waits     bool      `json:"waits,omitempty"`   // it is kept on this machine until it can be sent
}

// View is what a caller can see, and what of it is wanted. The zero View sees
// the memories of the scope user only.
type View struct {
	Workspace string
	Agent     string   // whose own memories are seen, beside those of all
	All       bool     // every workspace, and every agent's own
	Session   string   // only of this session
	By        string   // only what this agent said
	Tags      []string // only with all of these tags
	Scope     Scope    // only of this scope
}

// Bounds of one memory.
const (
	MaxText    = 64 << 10
	maxContext = 2 << 10
	maxName    = 512 // ids, agents, sessions
	maxTags    = 64
)

// ErrUnknown is the error of an id that does not exist, or that the caller cannot see.
var ErrUnknown = errors.New("no memory has this id")

var errNoText = errors.New("the text is empty; say what to remember")

// check completes a memory that is to be saved, and refuses what cannot be kept.
func (m *Memory) check() error {
	m.Text = strings.TrimSpace(strings.ToValidUTF8(m.Text, "\uFFFD"))
	switch {
	case m.Text == "":
		return errNoText
	case len(m.Text) > MaxText:
		return fmt.Errorf("the text has %d bytes; at most %d are kept: save a summary, and name the file that has the rest", len(m.Text), MaxText)
	case len(m.Tags) > maxTags:
		return fmt.Errorf("there are %d tags; at most %d are kept", len(m.Tags), maxTags)
	}
	var err error
	if m.Scope, err = ParseScope(string(m.Scope)); err != nil {
		return err
	}
	if m.Scope == ScopeAgent && m.Agent == "" {
		return errors.New("a memory of the scope agent needs the agent's name")
	}
	if m.Scope == ScopeUser {
		m.Workspace = ""
	}
	for _, f := range []struct{ what, text string }{{"id", m.ID}, {"agent's name", m.Agent}, {"session's id", m.Session}} {
		if len(f.text) > maxName || !utf8.ValidString(f.text) || strings.ContainsAny(f.text, "\x00\n\r") {
			return fmt.Errorf("the %s %.40q cannot be kept; use one line of at most %d bytes", f.what, f.text, maxName)
		}
	}
	m.Tags = cleanTags(m.Tags)
	m.Context = cut(strings.ToValidUTF8(m.Context, "\uFFFD"), maxContext)
	if m.Time.IsZero() {
		m.Time = time.Now()
	}
	m.Time = m.Time.UTC().Truncate(time.Microsecond)
	return nil
}

// cleanTags drops empty and doubled tags and the # that people put before them.
func cleanTags(tags []string) []string {
	var clean []string
	seen := map[string]bool{}
	for _, tag := range tags {
		tag = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(strings.ToValidUTF8(tag, "")), "#"))
		if tag = cut(tag, 100); tag != "" && !seen[tag] {
			seen[tag] = true
			clean = append(clean, tag)
		}
	}
	return clean
}

// tagsIn gives the words of a text that are written as tags: #style.
func tagsIn(text string) (tags []string) {
	for _, word := range strings.Fields(text) {
		name, is := strings.CutPrefix(word, "#")
		name = strings.TrimRight(name, ".,;:!?)")
		if first, _ := utf8.DecodeRuneInString(name); is && unicode.IsLetter(first) {
			tags = append(tags, name)
		}
	}
	return tags
}

// cut shortens a text to at most n bytes, between two characters.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// Check completes a memory that is to be saved, and refuses what cannot be kept.
// Words of the text like #style become tags.
func (m *Memory) Check() error {
	if err := m.check(); err != nil {
		return err
	}
	if tags := cleanTags(append(slices.Clone(m.Tags), tagsIn(m.Text)...)); len(tags) <= maxTags {
		m.Tags = tags
	}
	return nil
}
