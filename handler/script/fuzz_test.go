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

// FuzzSourceMap: no map makes the reader panic, and no place leads out of it.
func FuzzSourceMap(f *testing.F) {
	f.Add([]byte(`{"version":3,"sources":["a.ts"],"mappings":"AAAA,SAASA;;AACT"}`), 1, 1)
	f.Add([]byte(`{"sources":["a"],"mappings":"gggggggB,D"}`), 1, 9)
	f.Fuzz(func(t *testing.T, data []byte, line, column int) {
		m := readMap(data)
		if file, _, _, ok := m.find(line, column); ok && file == "" && len(m.sources) == 0 {
			t.Error("a place was found in no file")
		}
	})
}
