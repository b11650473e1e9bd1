package memory

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Read reads a JSON array of memories as others may write them: objects with a
// text, or texts alone. At most so many are read.
func Read(list json.RawMessage, most int) ([]Memory, error) {
	var items []json.RawMessage
	if err := json.Unmarshal(list, &items); err != nil {
		return nil, fmt.Errorf("it is not a list of memories (%w)", err)
	}
	found := []Memory{}
	for _, item := range items[:min(len(items), most)] {
		var m Memory
		var err error
		if len(item) > 0 && item[0] == '"' {
			err = json.Unmarshal(item, &m.Text)
		} else if m, err = parseLine(item, Memory{}); err == nil {
			var scored struct {
				Score float64
			}
			err = json.Unmarshal(item, &scored)
			m.Score = scored.Score
		}
		if err == nil && m.Text == "" {
			err = errors.New("a memory has no text")
		}
		if err != nil {
			return nil, err
		}
		if m.Scope == "" {
			m.Scope = ScopeWorkspace
		}
		found = append(found, m)
	}
	return found, nil
}
