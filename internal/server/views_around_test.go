package server

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/config"
)

func TestHooksFoldersAndFindingsAreShown(t *testing.T) {
	v := startViewed(t, viewedRules)
	defer v.stop(t)
	project := filepath.Join(v.dir, "project")
	write(t, filepath.Join(project, "hookway.yaml"), "hooks:\n  - {id: mine, on: PreToolUse, allow: true}\n")
	options := v.Home.Options()
	options.Dir = project
	if _, err := config.Trust(options); err != nil {
		t.Fatal(err)
	}
	cwd := filepath.ToSlash(project)
	v.fire(t, `{"event":"PreToolUse","session_id":"s1","agent":"claude","cwd":"`+cwd+`","payload":{"tool_name":"Bash","tool_input":{"command":"deploy"}}}`)
	v.all(t, "/v1/hooks", []viewing{
		{"GET", "/v1/hooks", "", 200, `"circuit":"closed","did":{"days":7,"runs":1,"failures":0,"p50_ms":`},
		{"GET", "/v1/hooks?cwd=" + cwd, "", 200, `"id":"mine"`},
		{"GET", "/v1/hooks?cwd=" + cwd, "", 200, `hookway.yaml:2`},
	})
	v.all(t, "/v1/folders", []viewing{
		{"GET", "/v1/folders", "", 200, `{"folders":[{"path":"` + cwd + `","trusted":true,"last":"`},
		{"GET", "/v1/folders?x=1", "", 400, "there is no parameter"},
	})
	v.all(t, "/v1/doctor", []viewing{
		{"GET", "/v1/doctor", "", 200, `{"name":"daemon","title":"Daemon","findings":[{"level":"`},
		{"GET", "/v1/doctor", "", 200, "no workspace here"},
		{"GET", "/v1/doctor?cwd=" + cwd, "", 200, "workspace " + cwd},
		{"GET", "/v1/doctor?cwd=x", "", 400, "is not an absolute path"},
		{"GET", "/v1/doctor?agent=nobody", "", 200, `"agents":[],"sections":[]`},
	})
	_, first := v.ask(t, "/v1/doctor", viewing{method: "GET", path: "/v1/doctor"})
	if _, again := v.ask(t, "/v1/doctor", viewing{method: "GET", path: "/v1/doctor"}); first != again || !strings.Contains(first, `"at":"`) {
		t.Error("what was found a moment ago is looked for anew")
	}
}
