package server

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/config"
)

// An event of a trusted project is asked about again, after its hooks have changed. What
// could act is not asked.
func TestTodayIsAskedAboutTheRecord(t *testing.T) {
	v := startViewed(t, "hooks: []\n")
	defer v.stop(t)
	project := filepath.Join(v.dir, "project")
	trusted := func(yaml string) {
		t.Helper()
		write(t, filepath.Join(project, "hookway.yaml"), yaml)
		options := v.Home.Options()
		options.Dir = project
		if _, err := config.Trust(options); err != nil {
			t.Fatal(err)
		}
	}
	acted := filepath.Join(v.dir, "acted")
	const gate = "hooks:\n  - {id: gate, on: PreToolUse, match: {command: deploy}, block: not on Fridays}\n"
	trusted(gate)
	event := func(name, payload string) int64 {
		return v.fire(t, `{"event":"`+name+`","session_id":"s1","agent":"claude","cwd":"`+filepath.ToSlash(project)+`","payload":`+payload+`}`)
	}
	call := event("PreToolUse", `{"tool_name":"Bash","tool_input":{"command":"make deploy"}}`)
	prompt := event("AgentStart", `{"prompt":"tidy up"}`)
	path := func(seq int64, what string) string { return fmt.Sprintf("/v1/record/%d/%s", seq, what) }
	v.all(t, "/v1/record/{seq}/today", []viewing{
		{"POST", path(call, "today"), "", 200, `"now":{"action":"block","by":"gate","rule":"","reason":"not on Fridays"},"same":true,"not_replayable":""`},
		{"POST", path(prompt, "today"), "{}", 200, `"same":true`},
		{"POST", path(call, "today"), `{"x":1}`, 400, "no field"},
		{"POST", path(99, "today"), "", 404, "no-such-record"},
		{"POST", path(0, "today"), "", 400, "is not the number of a record"},
	})
	v.all(t, "/v1/record/{seq}/case", []viewing{
		{"GET", path(call, "case"), "", 200, `"yaml":"  - name: `},
		{"GET", path(call, "case"), "", 200, `expect: {\"action\":\"block\",\"by\":\"gate\"}\n"`},
		{"GET", path(99, "case"), "", 404, "no-such-record"},
	})
	trusted("hooks:\n  - {id: acts, on: PreToolUse, command: 'touch " + filepath.ToSlash(acted) + "'}\n")
	v.all(t, "/v1/record/{seq}/today", []viewing{
		{"POST", path(call, "today"), "", 200, `"then":{"action":"block","by":"gate"`},
		{"POST", path(call, "today"), "", 200, `hook acts was not asked then`},
	})
	v.all(t, "/v1/record/{seq}/case", []viewing{{"GET", path(call, "case"), "", 422, "no-case"}})
	trusted("hooks: []\n")
	v.all(t, "/v1/record/{seq}/today", []viewing{{"POST", path(call, "today"), "", 200, `"now":{"action":"continue"`}})
	if _, err := os.Stat(acted); err == nil {
		t.Error("a command was run")
	}
}

// Cases test what a workspace has: what the user's own rules decide is none.
func TestACaseIsOfItsWorkspace(t *testing.T) {
	v := startViewed(t, "guards: {use: default, mode: enforce}\nhooks: []\n")
	defer v.stop(t)
	call := v.fire(t, `{"event":"PreToolUse","session_id":"s1","agent":"claude","payload":{"tool_name":"Bash","tool_input":{"command":"git push --force origin main"}}}`)
	status, text := v.ask(t, "/v1/record/{seq}/case", viewing{method: "GET", path: fmt.Sprintf("/v1/record/%d/case", call)})
	if status != 422 || !strings.Contains(text, "hooks_test.yaml") {
		t.Errorf(`got %d %s, want status == 422 and strings.Contains(text, "hooks_test.yaml")`, status, text)
	}
}
