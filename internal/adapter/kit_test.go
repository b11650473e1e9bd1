package adapter_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"testing"
)

func all[V any](parts ...map[string]V) map[string]V {
	out := map[string]V{}
	for _, part := range parts {
		maps.Copy(out, part)
	}
	return out
}

// objectOf reads a JSON object, with numbers as they were written.
func objectOf(t testing.TB, text []byte) map[string]any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var out map[string]any
	if err := d.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

func asJSON(t testing.TB, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func sorted(m map[string][]byte) []string {
	return slices.Sorted(maps.Keys(m))
}
