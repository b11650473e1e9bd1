package hooktest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/hookway/hookway/hook"
)

// Kind is how the far side of a handler behaves.
type Kind string

const (
	// Says reads the event and answers Behaviour.Text, or a long answer of
	// Behaviour.Size bytes, whatever the event is.
	Says Kind = "says"

	// Obeys reads the event and does what its tool_input asks for under "do":
	// "hang" until the event is cancelled, "crash" in the middle of the answer, or
	// else answer with the tool_input itself as the change, and tool_input.text as
	// the text to inject.
	Obeys Kind = "obeys"

	// Deaf answers Behaviour.Text without reading a byte of the event.
	Deaf Kind = "deaf"
)

// Behaviour says what the far side of a handler is to do: the program, the
// server, the script. It is plain data, so that it can be handed to another
// process as JSON; Perform does there what it says.
type Behaviour struct {
	Case  string `json:"case"` // name of the case it is for
	Kind  Kind   `json:"kind"`
	Text  string `json:"text,omitempty"`  // the answer, exactly; it may be malformed
	Size  int    `json:"size,omitempty"`  // Says: bytes of a well-formed answer to make instead of Text
	Probe string `json:"probe,omitempty"` // Obeys: TCP address that a hanging performer is connected to while it hangs
}

// ErrCrash tells the far side to die in the middle of its answer: to write what
// came with the error, and to end without a word.
var ErrCrash = errors.New("crash now")

// Perform is the far side: it gives the answer to an event in JSON. It returns
// when the context ends, if the event asks for a hang.
func (b Behaviour) Perform(ctx context.Context, event []byte) ([]byte, error) {
	if b.Kind != Obeys {
		return b.said(), nil
	}
	var in struct {
		ToolInput map[string]any `json:"tool_input"`
	}
	d := json.NewDecoder(bytes.NewReader(event))
	d.UseNumber()
	if err := d.Decode(&in); err != nil {
		return nil, fmt.Errorf("the event cannot be read: %w", err)
	}
	switch in.ToolInput["do"] {
	case "hang":
		return nil, b.hang(ctx)
	case "crash":
		return []byte(`{"action":"conti`), ErrCrash
	}
	text, _ := in.ToolInput["text"].(string)
	return json.Marshal(map[string]any{
		"action":   "continue",
		"inject":   text,
		"modified": map[string]any{"tool_input": in.ToolInput},
	})
}

// said is the fixed answer.
func (b Behaviour) said() []byte {
	if b.Size == 0 {
		return []byte(b.Text)
	}
	const frame = `{"action":"continue","inject":""}`
	fill := strings.Repeat("x", max(0, b.Size-len(frame)))
	return []byte(strings.Replace(frame, `""`, `"`+fill+`"`, 1))
}

// hang stays connected to the probe until the context ends.
func (b Behaviour) hang(ctx context.Context) error {
	if b.Probe != "" {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", b.Probe)
		if err != nil {
			return fmt.Errorf("the probe is not there: %w", err)
		}
		defer context.AfterFunc(ctx, func() { conn.Close() })()
		// It waits by reading: a program that waits for nothing at all is a deadlock to Go.
		_, _ = io.Copy(io.Discard, conn)
		conn.Close()
	}
	<-ctx.Done()
	return ctx.Err()
}

// impossible stands for a handler that cannot be made.
type impossible struct{ reason string }

func (i impossible) Handle(context.Context, hook.AnyEvent) (hook.Decision, error) {
	return hook.Decision{}, errors.New("impossible for this kind: " + i.reason)
}

// Impossible is what a maker gives for a behaviour that handlers of its kind
// cannot show. The exam logs the reason and counts it; it is never silent.
func Impossible(reason string) hook.Handler { return impossible{reason} }
