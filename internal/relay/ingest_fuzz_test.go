package relay_test

import (
	"testing"
	"unicode"

	"github.com/hookway/hookway/internal/relay"
)

// FuzzIngest: whatever another machine sends, the store goes on, and gives nothing
// to its agents that could not have been sent here.
func FuzzIngest(f *testing.F) {
	for _, p := range []string{
		`{"v":1,"machine":"m2","agent":"Bob","message":{"id":"01aaaaaaaaaaaaaaaaaaaaaaaa","from":"Eve","to":"Bob","content":"hello","sent":"2026-01-02T03:04:05Z"}}`,
		`{"v":1,"machine":"m2","message":{"id":"01aaaaaaaaaaaaaaaaaaaaaaab","from":"Eve","to":"*","content":"hello","priority":"urgent","by_agent":true,"hops":3}}`,
		`{"v":1,"machine":"m2","message":{"id":"01aaaaaaaaaaaaaaaaaaaaaaac","from":"Eve","to":"#build","content":"\u001b[2J","metadata":{"a":[1]}}}`,
		`{"v":1,"machine":"m2","agent":"nobody","message":{"id":"01aaaaaaaaaaaaaaaaaaaaaaad","from":"Eve","to":"nobody","content":"x"}}`,
		`{"v":1,"machine":"m2","taken":"ours-00001","receipts":[{"message":"ours-00001","to":"Far","state":"accepted","accepted":"2026-01-02T03:04:05Z"}]}`,
		`{"v":1,"machine":"m2","receipts":[{"message":"ours-00001","to":"Far","state":"replied","reply":"x","seen":"2026-01-02T03:04:05Z"}]}`,
		`{"v":1,"machine":"m1","message":{"id":"ours-00001","from":"Alice","to":"Far@m2","content":"x"}}`,
		`{"v":1,"machine":"m2","agent":"bob","session":"s-Bob","message":{"id":"01aaaaaaaaaaaaaaaaaaaaaaae","from":"E v e","to":"","content":""}}`,
		`{"v":9}`, `[]`, `null`, "",
	} {
		f.Add([]byte(p))
	}
	s := open(f, "", relay.Options{})
	bob := join(f, s, "Bob")
	must(f, s.JoinChannel(f.Context(), "build", "Bob"))
	must(f, s.Learn(f.Context(), "m2", []byte(`{"v":1,"agents":[{"n":"Far"}]}`)))
	send(f, s, relay.Message{ID: "ours-00001", From: "Alice", To: "Far@m2", Content: "x"})
	n := uint64(0)
	f.Fuzz(func(t *testing.T, data []byte) {
		n++
		source := relay.Source{Stream: "in", Created: begun}
		if err := s.Ingest(t.Context(), source, n, [][]byte{data}); err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		if last, err := s.Offset(t.Context(), source); err != nil || last != n {
			t.Fatalf("the offset is %d, %v", last, err)
		}
		for _, m := range take(t, bob) {
			if _, err := relay.Name(m.Message.From); err != nil {
				t.Errorf("%q: %v", data, err)
			}
			for _, r := range m.Message.Content {
				if unicode.IsControl(r) && r != '\n' && r != '\t' {
					t.Errorf("%q: the text is %q", data, m.Message.Content)
				}
			}
			must(t, bob.Begin(t.Context(), m.Message.ID, "x", "typed"))
			must(t, bob.Done(t.Context(), m.Message.ID, false))
		}
		if m, _, err := s.Receipts(t.Context(), "ours-00001"); err != nil || m.Content != "x" {
			t.Fatalf("%q: our own message is %+v, %v", data, m, err)
		}
	})
}
