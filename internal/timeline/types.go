package timeline

import "time"

// Tokens are what models have read and written.
type Tokens struct {
	Input  int64 `json:"input"`
	Output int64 `json:"output"`
}

// Session is a session of an agent.
type Session struct {
	ID     string    `json:"id"`
	Agent  string    `json:"agent"`
	Folder string    `json:"folder"`
	Title  string    `json:"title"` // its first prompt
	First  time.Time `json:"first,omitzero"`
	Last   time.Time `json:"last,omitzero"`
	Events int64     `json:"events"` // on record
	Calls  int64     `json:"calls"`
	Blocks int64     `json:"blocks"`
	Asks   int64     `json:"asks"`
	Would  int64     `json:"would"`
	Tokens Tokens    `json:"tokens"`
	Model  string    `json:"model"`
	Parent string    `json:"parent"`
	From   []string  `json:"from"` // record, transcript
}

// List is a page of sessions, the latest first.
type List struct {
	Sessions []Session `json:"sessions"`
	Next     string    `json:"next"`
	Behind   int64     `json:"behind"` // records and transcripts that are not looked at yet
	Problems []string  `json:"problems"`
}

// Lane is the session's agent, or a sub-agent of it.
type Lane struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Parent string `json:"parent"`
	Agent  string `json:"agent"`

	task string // of a sub-agent, with its secrets: what it was told first
}

// Kinds of items.
const (
	Prompt   = "prompt"
	Answer   = "answer"
	Call     = "call"
	Decision = "decision" // of an event that is none of the others
	Message  = "message"
	Approval = "approval"
	Compact  = "compact"
	Usage    = "usage"
	Note     = "note" // a text to the agent that its user has not written
)

// Item is one thing that happened.
type Item struct {
	ID         string    `json:"id"`
	At         time.Time `json:"at,omitzero"`
	End        time.Time `json:"end,omitzero"`
	Lane       string    `json:"lane"`
	Kind       string    `json:"kind"`
	Title      string    `json:"title"`
	Text       string    `json:"text"`
	Tool       string    `json:"tool"`
	Action     string    `json:"action"`
	By         string    `json:"by"`
	Rule       string    `json:"rule"`
	Would      string    `json:"would"`
	Failed     bool      `json:"failed"`
	Tokens     Tokens    `json:"tokens"`
	Model      string    `json:"model"`
	Record     int64     `json:"record"` // number of the record; 0: there is none
	DurationMS float64   `json:"duration_ms"`

	input  []byte // of a call of a transcript, with its secrets
	secret bool   // title and text are not hidden yet
}

// Page is a page of what happened in a session, in its order.
type Page struct {
	Session  Session          `json:"session"`
	Lanes    []Lane           `json:"lanes"`
	Items    []Item           `json:"items"`
	Next     string           `json:"next"`
	Total    int              `json:"total"`
	Counts   map[string]int64 `json:"counts"` // of items, by kind; and failed, block, ask and would
	Problems []string         `json:"problems"`
}

// Query says which sessions are wanted, and which page of them.
type Query struct {
	Agent             string
	Workspace, Folder string // as audit.Filter has them
	Since             time.Time
	Text              string // words of title, folder, id and agent
	Limit             int
	After             string
}

// Bounds of pages.
const (
	DefaultLimit = 100
	MostSessions = 500
	MostItems    = 1000
)
