// Package transcript reads what agents keep on record of their own sessions: what
// the user said, what the agent said, the tools it called and what they gave, and
// the tokens it took. One file of the package is for one agent.
//
// # Records
//
// A [Source] is the record of one session: a file of JSON lines, or the rows of a
// session in a database. A [Reader] gives its [Entry] values, first those that are
// there, then those that come. What is read at once is bounded; a line that is not
// whole yet is waited for; a file that was cut or replaced is read anew, and what
// was given already is not given again. A record of a version that is not known
// here is refused with [ErrVersion].
//
// # The running session's record
//
// A [Follower] finds the record of a program that runs, and follows it. It is sure
// where the agent's hooks have named the file, or where a process of the program's
// has it open or has left its number with it. Otherwise the records of the
// program's folder are possible that were written since the program began. The only
// one is taken, if no other process of that agent runs in the folder; of several
// none is: [Standing] says which ones are possible.
//
// # What is the same
//
// A text has a message and a block: the message's number in the agent's own words,
// and which of its texts it is. Both stay what they are when the text is written
// again, as Gemini CLI does, is said twice, as Codex does, or comes in several lines,
// as with Claude Code. An entry that is given again with the same ones has another
// text than before.
package transcript

import (
	"encoding/json"
	"errors"
	"slices"
	"time"
)

// Kind says what an entry is.
type Kind int

// The kinds of entries.
const (
	User   Kind = iota + 1 // a text to the agent
	Agent                  // a text of the agent
	Call                   // a tool that the agent calls
	Result                 // what came of a call
	Usage                  // what a message has cost
)

func (k Kind) String() string {
	names := [...]string{"", "user", "agent", "call", "result", "usage"}
	if k < 0 || int(k) >= len(names) {
		return ""
	}
	return names[k]
}

// Entry is one thing on record.
type Entry struct {
	Kind Kind
	Time time.Time // when it was written; zero: it is not known
	// Turn is when the turn began that it belongs to, at the latest; zero: the
	// record does not say. A copy of an earlier session may have a new Time.
	Turn    time.Time
	Session string // the agent's id of the session
	Dir     string // the folder that the agent works in, if the record says it

	Message string // the id of the message; of a User or Result it may be empty
	Block   int    // which text of the message it is, from 0 on
	Text    string // of User and Agent; of a Result its output

	ID     string          // of a Call and its Result
	Tool   string          // the tool's name in the agent's words
	Input  json.RawMessage // of a Call
	Failed bool            // of a Result

	Model  string // of Agent and Usage, if the record says it
	Tokens Tokens // of Usage

	Hidden bool // a text to the agent that is not its user's: of a program, or of a hook
	Sub    bool // of a sub-agent
}

// Tokens are what a message has cost, as far as the record says it.
type Tokens struct {
	Input, Output, Cached, Reasoning int64
}

// ErrVersion is of a record whose version is not known here.
var ErrVersion = errors.New("the record is of a version that hookway does not know")

// ErrLine is of a line or a row of a record that is torn, too long, or not as its agent
// writes it, so that not all of it is read.
var ErrLine = errors.New("a part of the record cannot be read")

// Source is where the record of one session is.
type Source struct {
	Agent   string
	Path    string
	Session string // which of the sessions in the file; empty if it has one only
}

// format is how an agent keeps its records.
type format struct {
	// decode reads one line, which is valid JSON; the state is of one reading of one
	// file. Nil: the record is not a file of lines.
	decode func(s *state, line []byte) ([]Entry, error)
	// locate finds the records that a running program may have; sure are those that
	// are reported to be its own.
	locate func(p *place) (sure, possible []Source)
	// list finds all records that there are.
	list func(l *listing)
	// root is the folder that is there where the agent was ever run.
	root func(p *place) string
	// names are the base names of the agent's program.
	names []string
}

// formats has all of them.
func formats() map[string]*format {
	return map[string]*format{
		"claude": &claude, "codex": &codex, "gemini": &gemini, "qwen": &qwen, "copilot": &copilot, "opencode": &opencode,
	}
}

// Agents are the agents whose records are known, sorted.
func Agents() (names []string) {
	for name := range formats() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// state is what decoding remembers of the lines before.
type state struct {
	path    string
	session string
	model   string
	dir     string
	turn    time.Time
	began   bool        // the record's head was read
	blocks  lately[int] // which block of its message a line is, by the line's id
	next    lately[int] // how many blocks a message has
	failed  error       // the record is refused
	odd     error       // why the line that is read was read only in part
}

func newState(path string, names int) *state {
	return &state{path: path, blocks: lately[int]{most: names}, next: lately[int]{most: names}}
}

// block is which text of a message a line has; lines that were there already keep
// theirs.
func (s *state) block(message, line string) int {
	if line != "" {
		if n, ok := s.blocks.get(line); ok {
			return n
		}
	}
	n, _ := s.next.get(message)
	s.next.set(message, n+1)
	if line != "" {
		s.blocks.set(line, n)
	}
	return n
}

// major is the number before the first point of a version; -1 if there is none.
func major(version string) int {
	n := -1
	for _, r := range version {
		if r < '0' || r > '9' {
			break
		}
		n = max(n, 0)*10 + int(r-'0')
		if n > 1<<20 {
			break
		}
	}
	return n
}

// moment reads a time as records have it; zero if it is none.
func moment(text string) time.Time {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}
	return at
}

// content is the text of a message: a text, or parts of which some have one.
type content []part

type part struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   *content        `json:"content"`
	IsError   bool            `json:"is_error"`
	Thought   bool            `json:"thought"`

	FunctionCall *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	FunctionResponse *struct {
		ID       string `json:"id"`
		Response struct {
			Output text `json:"output"`
			Error  text `json:"error"`
		} `json:"response"`
	} `json:"functionResponse"`

	odd error // why it was read only in part
}

// partOf reads one part. What is of another kind is left out.
func partOf(data []byte) (p part) {
	if err := json.Unmarshal(data, &p); err != nil {
		p.odd = odd(err)
	}
	return p
}

// UnmarshalJSON takes a text, a list of parts, or one part; of anything else
// nothing. A part that is not as it should be is taken as far as it can be read.
func (c *content) UnmarshalJSON(data []byte) error {
	*c = nil
	if len(data) == 0 {
		return nil
	}
	switch data[0] {
	case '"':
		var s string
		if err := json.Unmarshal(data, &s); err != nil {
			return err
		}
		*c = content{{Type: "text", Text: s}}
	case '[':
		var plain []part // in one pass, if all are what they should be
		if json.Unmarshal(data, &plain) == nil {
			*c = plain
			return nil
		}
		var parts []json.RawMessage
		if err := json.Unmarshal(data, &parts); err != nil {
			return err
		}
		for _, one := range parts {
			if len(one) > 0 && one[0] == '"' {
				var s string
				if json.Unmarshal(one, &s) == nil {
					*c = append(*c, part{Type: "text", Text: s})
				}
			} else {
				*c = append(*c, partOf(one))
			}
		}
	case '{':
		*c = content{partOf(data)}
	}
	return nil
}

// all is the texts of the parts, joined.
func (c *content) all() (joined string) {
	if c == nil {
		return ""
	}
	for _, p := range *c {
		if p.Text != "" && joined != "" {
			joined += "\n"
		}
		joined += p.Text
	}
	return joined
}

// text is a text, or JSON of another kind as it is written.
type text string

// UnmarshalJSON takes anything.
func (t *text) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) == nil {
		*t = text(s)
	} else {
		*t = text(data)
	}
	return nil
}
