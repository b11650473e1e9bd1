package approve

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"

	"github.com/hookway/hookway/hook"
)

// Call is a tool call that a rule stopped.
type Call struct {
	Agent, Session, Workspace, Tool string

	Input map[string]any
	Facts []hook.Fact // what it would do: a script that was changed since makes it another call

	Rule, Reason string   // why it was stopped; a grant does not depend on them
	Does         []string // what it would do, for people
}

// key is the same for the very same call, and for no other.
func (c *Call) key() (string, error) {
	facts := []byte{}
	if len(c.Facts) > 0 {
		var err error
		if facts, err = json.Marshal(c.Facts); err != nil {
			return "", err
		}
	}
	input := sha256.Sum256(canonical(c.Input))
	sum := sha256.New()
	for _, part := range [][]byte{[]byte(c.Agent), []byte(c.Session), []byte(c.Workspace), []byte(c.Tool), input[:], facts} {
		sum.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		sum.Write(part)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
