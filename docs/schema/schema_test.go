package schema

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestEverySchemaIsThereByName(t *testing.T) {
	for _, name := range []string{"event", "decision", "outcome"} {
		if !slices.Contains(Names(), name) {
			t.Errorf("%s is not in %v", name, Names())
		}
	}
	for _, name := range Names() {
		for _, spelling := range []string{name, name + ".schema.json"} {
			data, err := Get(spelling)
			if err != nil || !json.Valid(data) {
				t.Errorf("%s: got %v, want err == nil and json.Valid(data)", spelling, err)
			}
		}
	}
}

func TestAnUnknownNameIsAnErrorThatListsTheNames(t *testing.T) {
	for _, name := range []string{"", "evnt", "../schema", "event/..", "schema.go"} {
		if _, err := Get(name); err == nil || !strings.Contains(err.Error(), strings.Join(Names(), ", ")) {
			t.Errorf(`%q: got %v, want err != nil and strings.Contains(err.Error(), strings.Join(Names(), ", "))`, name, err)
		}
	}
}
