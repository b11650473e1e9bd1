package server

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/hookway/hookway/docs/schema"
	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/audit"
)

// viewer is a daemon with somebody who looks.
type viewer struct {
	runningDaemon
	dir, address, token string
}

// startViewed starts a daemon whose user has this hookway.yaml. It is the test's to stop.
func startViewed(t *testing.T, hooks string) *viewer {
	t.Helper()
	v := &viewer{runningDaemon: startDaemon(t, hooks, "127.0.0.1:0")}
	v.dir, v.address = v.Home.Getenv("HOOKWAY_HOME"), <-v.listening
	token, err := os.ReadFile(api.TokenFile(filepath.Join(v.dir, "state")))
	if err != nil {
		t.Fatal(err)
	}
	v.token = strings.TrimSpace(string(token))
	return v
}

// viewing is a request, and what its answer must have.
type viewing struct {
	method, path, body string
	status             int
	has                string
}

// ask sends a request, and holds the answer against the description: form is the path in
// it.
func (v *viewer) ask(t *testing.T, form string, a viewing, headers ...string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), a.method, "http://"+v.address+a.path, strings.NewReader(a.body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+v.token)
	r.Header.Set("Content-Type", "application/json")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := asDescribed(a.method, form, answer, text); err != nil {
		t.Errorf("%s %s: %v", a.method, a.path, err)
	}
	return answer.StatusCode, string(text)
}

// all asks, and looks whether the answers are as they must be.
func (v *viewer) all(t *testing.T, form string, list []viewing) {
	t.Helper()
	for _, a := range list {
		if status, text := v.ask(t, form, a); status != a.status || !strings.Contains(text, a.has) {
			t.Errorf("%s %s %s: got %d %s; want %d with %q", a.method, a.path, a.body, status, text, a.status, a.has)
		}
	}
}

// asDescribed holds an answer against the published description.
func asDescribed(method, path string, answer *http.Response, body []byte) error {
	var all map[string]any
	if err := json.Unmarshal(schema.OpenAPI(), &all); err != nil {
		return err
	}
	dig := func(v any, names ...string) any {
		for _, name := range names {
			object, _ := v.(map[string]any)
			v = object[name]
		}
		return v
	}
	form := dig(all, "paths", path, strings.ToLower(method), "responses", fmt.Sprint(answer.StatusCode), "content", answer.Header.Get("Content-Type"), "schema")
	if form == nil {
		return fmt.Errorf("an answer with %d and %q is not described: %s", answer.StatusCode, answer.Header.Get("Content-Type"), body)
	}
	if answer.Header.Get("Content-Type") == "text/event-stream" {
		return nil
	}
	whole, err := json.Marshal(map[string]any{"$defs": dig(all, "components", "schemas"), "allOf": []any{form}})
	if err != nil {
		return err
	}
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(whole), "#/components/schemas/", "#/$defs/")), &s); err != nil {
		return err
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return err
	}
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		return fmt.Errorf("it is not JSON: %w: %s", err, body)
	}
	if err := resolved.Validate(value); err != nil {
		return fmt.Errorf("%w: %s", err, body)
	}
	return nil
}

// fire fires an event, and gives the number of its record.
func (v *viewer) fire(t *testing.T, body string) int64 {
	t.Helper()
	if status, text := v.ask(t, "/v1/events", viewing{method: "POST", path: "/v1/events", body: body}); status != http.StatusOK {
		t.Fatalf("got %d %s, want %d", status, text, http.StatusOK)
	}
	return int64(len(v.records(t)))
}

// records are those that are on record.
func (v *viewer) records(t *testing.T) (all []audit.Record) {
	t.Helper()
	for r, err := range audit.Read(filepath.Join(v.dir, "state", "audit"), audit.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

const viewedRules = `
guards: {use: default, mode: enforce}
hooks:
  - {id: gate, on: PreToolUse, match: {command: 'deploy'}, block: not on Fridays}
  - {id: quiet, on: PreToolUse, match: {command: 'npm'}, modify: {tool_input: {command: npm ci --silent}}}
`

func TestWhatACallWouldDoIsExplained(t *testing.T) {
	v := startViewed(t, viewedRules)
	defer v.stop(t)
	v.all(t, "/v1/explain", []viewing{
		{"POST", "/v1/explain", `{"command":"git push --force origin main"}`, 200, `"verdict":"block"`},
		{"POST", "/v1/explain", `{"command":"ls","cwd":"` + filepath.ToSlash(v.dir) + `"}`, 200, `"verdict":""`},
		{"POST", "/v1/explain", `{"tool":"Write","input":{"file_path":"/etc/hosts","content":""}}`, 200, `"/etc/hosts"`},
		{"POST", "/v1/explain", `{"command":"Remove-Item C:\\ -Recurse","shell":"powershell"}`, 200, `"delete"`},
		{"POST", "/v1/explain", `{"command":"ls","shell":"fish"}`, 400, "want sh, powershell or cmd"},
		{"POST", "/v1/explain", `{}`, 400, "there is no call"},
		{"POST", "/v1/explain", `{"command":"ls","tool":"Read"}`, 400, "both name the call"},
		{"POST", "/v1/explain", `{"command":"ls","input":{}}`, 400, "name the tool"},
		{"POST", "/v1/explain", `{"tool":"Read","input":[]}`, 400, "input must be a JSON object"},
		{"POST", "/v1/explain", `{"command":"ls","cwd":"there"}`, 400, "not an absolute path"},
		{"POST", "/v1/explain?x=1", `{"command":"ls"}`, 400, "there is no parameter"},
		{"POST", "/v1/explain", `{"comand":"ls"}`, 400, "did you mean command?"},
	})
}

func TestADecisionOnRecordIsExplained(t *testing.T) {
	v := startViewed(t, viewedRules)
	defer v.stop(t)
	push := v.fire(t, `{"event":"PreToolUse","session_id":"s1","agent":"claude","payload":{"tool_name":"Bash","tool_input":{"command":"echo 🦊 && git push --force origin main"}}}`)
	change := v.fire(t, `{"event":"PreToolUse","session_id":"s1","agent":"claude","payload":{"tool_name":"Bash","tool_input":{"command":"npm ci"}}}`)
	prompt := v.fire(t, `{"event":"AgentStart","session_id":"s1","agent":"claude","payload":{"prompt":"tidy up"}}`)
	path := func(seq int64) string { return fmt.Sprintf("/v1/record/%d/explain", seq) }
	v.all(t, "/v1/record/{seq}/explain", []viewing{
		{"GET", path(push), "", 200, `"verdict":{"action":"block","by":"hookway/guards"`},
		{"GET", path(push), "", 200, `"rule":"git/force-push`},
		{"GET", path(change), "", 200, `"diff":"@@ -1,1 +1,1 @@\n-npm ci\n+npm ci --silent\n"`},
		{"GET", path(prompt), "", 200, `"text":"tidy up"`},
		{"GET", path(prompt), "", 200, `"call":null`},
		{"GET", path(4711), "", 404, "no-such-record"},
		{"GET", "/v1/record/0/explain", "", 400, "is not the number of a record"},
		{"GET", "/v1/record/x/explain", "", 400, "is not the number of a record"},
	})
	_, text := v.ask(t, "/v1/record/{seq}/explain", viewing{method: "GET", path: path(push)})
	var d struct {
		Spans []struct {
			From, To   int
			Kind, Rule string
		}
	}
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	const begins = len("echo 🦊 && ")
	for _, s := range d.Spans {
		if s.Kind == "git" && s.From == begins && strings.HasPrefix(s.Rule, "git/") {
			return
		}
	}
	t.Errorf("no span begins at %d with a rule: %+v", begins, d.Spans)
}
