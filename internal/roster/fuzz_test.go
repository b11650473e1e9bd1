package roster

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"
)

// FuzzRequest: whatever comes over a socket is understood or refused.
func FuzzRequest(f *testing.F) {
	f.Add([]byte(`{"op":"inject","text":"x","wait":true}` + "\n"))
	f.Add([]byte(`{"op":"message","message":{"content":"x","metadata":{"a":[1,{}]}}}` + "\n"))
	f.Add([]byte("{\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		line, err := readLine(bytes.NewReader(b), maxRequest)
		var r Request
		if err != nil || json.Unmarshal(line, &r) != nil {
			return
		}
		s := &Server{waiting: make(chan struct{}, 1), handler: func(_ context.Context, r Request) Reply {
			if len(r.Text) > MaxText {
				t.Fatalf("the handler was given %+v", r)
			}
			return Reply{}
		}}
		s.answer(t.Context(), r)
	})
}
