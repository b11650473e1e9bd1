package hook

// Message is a message between agents, or between an agent and its user: the
// payload of MessageReceived and MessageSending. Hooks may change Content; a block
// drops the message.
type Message struct {
	ID          string         `json:"id,omitempty"`
	From        string         `json:"from,omitempty"`     // the sender's name
	To          string         `json:"to,omitempty"`       // a name, or "*" for all
	Channel     string         `json:"channel,omitempty"`  // it went to all members of a channel
	Thread      string         `json:"thread,omitempty"`   // id of the thread it belongs to
	ReplyTo     string         `json:"reply_to,omitempty"` // the id of the message that this one answers
	Priority    string         `json:"priority,omitempty"` // low, high or urgent; normal otherwise
	Content     string         `json:"content"`
	Direction   string         `json:"direction,omitempty"`   // received, sending or sent
	Metadata    map[string]any `json:"metadata,omitempty"`    // the sender's own, such as "urgent"
	Attachments []Attachment   `json:"attachments,omitempty"` // files that it refers to
}

// Attachment is a file that a message refers to. The message does not hold the
// file itself.
type Attachment struct {
	Name   string `json:"name"`
	Path   string `json:"path,omitempty"`   // on the sender's machine
	Size   int64  `json:"size"`             // in bytes
	SHA256 string `json:"sha256,omitempty"` // in hexadecimal digits
}

// Delivery is the payload of MessageSent: the message as it was sent, and whether
// that succeeded.
type Delivery struct {
	Message
	Success bool   `json:"success"`
	Error   string `json:"error,omitempty"` // why not
}

// OutputText is a finished piece of a wrapped program's output: the payload of
// Output. Text has no escape sequences.
type OutputText struct {
	Text     string `json:"text"`
	Raw      string `json:"raw,omitempty"` // with escape sequences
	Complete bool   `json:"complete"`      // ends with the end of a line
}

// Silence is the payload of Idle: the program has printed nothing for IdleMS.
type Silence struct {
	IdleMS int64 `json:"idle_ms"` // since its last output
	Count  int   `json:"count"`   // idle periods so far in this session, this one included
}

// DirectiveCall is a line `@namespace:target body` in an agent's output: the
// payload of Directive. Body has the lines of a block, without its fences. Lines in
// code fences and quotes are not directives, and fire no event.
type DirectiveCall struct {
	Namespace string `json:"namespace"`
	Target    string `json:"target"`
	Body      string `json:"body"`
	Line      string `json:"line,omitempty"` // as it stood in the output
}
