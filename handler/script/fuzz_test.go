package script

import (
	"encoding/json"
	"testing"
)

// FuzzExact: whatever an event and an answer hold, putting digits back makes
// valid JSON of valid JSON, and nothing panics.
func FuzzExact(f *testing.F) {
	f.Add(`{"a":9007199254740993,"b":[1e400]}`, `{"modified":{"a":9007199254740992,"b":[null]}}`)
	f.Add(`{"a":1.0}`, `{"action":"block"}`)
	f.Add(`{"a":"1234567890123456"}`, `{"modified":[1]}`)
	f.Fuzz(func(t *testing.T, event, answer string) {
		out := exact(event, answer)
		if json.Valid([]byte(event)) && json.Valid([]byte(answer)) && !json.Valid(out) {
			t.Errorf("%s with %s became %s", event, answer, out)
		}
	})
}
