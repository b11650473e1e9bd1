package adapter

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Reply is what the process that an agent called prints, and how it exits.
type Reply struct {
	Stdout   []byte
	Stderr   []byte
	ExitCode int

	// Warnings say what the agent could not be made to do, for the user.
	Warnings []string
}

// object is a JSON object on its way to an agent.
type object = map[string]any

// reply encodes an answer. Nothing but the answer may go to stdout: one stray
// line there disarms a refusal in every agent.
func reply(answer object, warnings []string) (Reply, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(answer); err != nil {
		return Reply{}, fmt.Errorf("the answer cannot be written as JSON: %w", err)
	}
	return Reply{Stdout: out.Bytes(), Warnings: warnings}, nil
}
