package config

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// A server is given what a call would do, and blocks by it.
func TestAServerBlocksByFacts(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var ev struct{ Facts []hook.Fact }
		if err := json.NewDecoder(r.Body).Decode(&ev); err != nil {
			t.Error(err)
		}
		for _, f := range ev.Facts {
			if f.Does == "delete" && strings.HasSuffix(f.Path, "/keep/x") {
				_, _ = w.Write([]byte(`{"action":"block","reason":"` + f.By + ` deletes it"}`))
			}
		}
	}))
	defer s.Close()
	w := newWorld(t)
	w.write(w.user("hookway.yaml"), "hooks:\n  - {id: server, on: PreToolUse, lane: guard, http: {url: '"+s.URL+"', allow_private: true}}\n")
	engine := new(hook.Engine)
	if err := w.load().Fill(engine); err != nil {
		t.Fatal(err)
	}
	fire := func(command string) hook.Outcome[hook.ToolUse] {
		out, err := hook.Fire(t.Context(), engine, hook.PreToolUse, &hook.Envelope{CWD: w.ws}, hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": command}})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if out := fire(`cd keep; X=x; \rm "$X"`); out.Action != hook.ActionBlock || out.Reason != "rm deletes it" {
		t.Errorf("got %s, %s", out.Action, out.Reason)
	}
	if out := fire(`echo "rm keep/x"`); out.Action != hook.ActionContinue {
		t.Errorf("got %s, %s", out.Action, out.Reason)
	}
}

// The text of an expression is a part of what tells one hook from another.
func TestAnotherExpressionIsAnotherHook(t *testing.T) {
	w := newWorld(t)
	mark := func(expression string) string {
		w.write(w.user("hookway.yaml"), "hooks:\n  - {id: a, on: PreToolUse, block: x, match: {where: '"+expression+"'}}\n")
		set := w.load()
		if len(set.Hooks) != 1 {
			t.Fatalf("got %v, want len(set.Hooks) == 1", set.Problems)
		}
		return set.Hooks[0].mark
	}
	if a := mark(`tool == "a"`); a != mark(`tool == "a"`) || a == mark(`tool == "b"`) {
		t.Error("two expressions have one mark, or one has two")
	}
}
