package server

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/config"
)

// credential mints one for this test.
func (v *viewer) credential(t *testing.T) string {
	t.Helper()
	var secret string
	err := v.Home.ChangeMinted(t.Context(), func(m *Minted) error {
		secret, _ = m.MintCredential("desk", Minter{By: "anna"}, time.Hour)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return "Hookway-Credential: " + secret
}

// words are what is on record of what only the owner may.
func (v *viewer) words(t *testing.T) (list []string) {
	t.Helper()
	for _, r := range v.records(t) {
		if r.Event == audit.Approval {
			list = append(list, r.Action+" "+r.What+" by "+r.By)
		}
	}
	return list
}

func TestGuardsAreShownWithWhatTheyDid(t *testing.T) {
	v := startViewed(t, viewedRules)
	defer v.stop(t)
	v.fire(t, `{"event":"PreToolUse","session_id":"s1","agent":"claude","payload":{"tool_name":"Bash","tool_input":{"command":"git push --force origin main"}}}`)
	v.all(t, "/v1/guards", []viewing{
		{"GET", "/v1/guards", "", 200, `{"on":true,"mode":"enforce","where":[{"layer":"user","path":"`},
		{"GET", "/v1/guards", "", 200, `"rule":"git/force-push`},
		{"GET", "/v1/guards", "", 200, `"mode":"enforce","verdict":"block","source":"user","hits_7d":1,"would_7d":0`},
		{"GET", "/v1/guards?cwd=" + filepath.ToSlash(v.dir), "", 200, `"packs":[{"name":"`},
		{"GET", "/v1/guards?cwd=here", "", 400, "not an absolute path"},
		{"GET", "/v1/guards?cwd=/not/there", "", 400, "is not a folder"},
		{"GET", "/v1/guards?dir=x", "", 400, "there is no parameter"},
	})
}

// An agent may reach the socket and read the token: neither is enough.
func TestGuardsAreChangedByTheOwnerAlone(t *testing.T) {
	v := startViewed(t, viewedRules)
	defer v.stop(t)
	file := filepath.Join(v.dir, "config", "hookway.yaml")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const milder = `{"target":"git","mode":"off"}`
	v.all(t, "/v1/guards", []viewing{
		{"POST", "/v1/guards", milder, 403, "only the owner may"},
		{"POST", "/v1/guards", `{"target":"all","mode":"enforce"}`, 403, "only the owner may"},
		{"POST", "/v1/guards", `{"target":"got","mode":"off"}`, 400, "there is no pack or rule"},
		{"POST", "/v1/guards", `{"target":"all","mode":"block"}`, 400, "is for packs and rules"},
		{"POST", "/v1/guards", `{"target":"git","mode":"on"}`, 400, "is unknown"},
		{"POST", "/v1/guards", `{"target":"git","mode":"off","cwd":"x"}`, 400, "not an absolute path"},
		{"POST", "/v1/guards", `{"target":"git"}`, 400, "mode"},
	})
	if now, err := os.ReadFile(file); err != nil || string(now) != string(before) {
		t.Fatalf("%v: got %s, want err == nil and string(now) == string(before)", err, now)
	}
	status, text := v.ask(t, "/v1/guards", viewing{method: "POST", path: "/v1/guards", body: milder}, v.credential(t))
	if status != http.StatusOK || !strings.Contains(text, `"changed":true,"milder":true`) {
		t.Errorf("got %d %s, want status == http.StatusOK and strings.Contains(text, `\"changed\":true,\"milder\":true`)", status, text)
	}
	if now, _ := os.ReadFile(file); !strings.Contains(string(now), "git: off") {
		t.Errorf(`got %s, want strings.Contains(string(now), "git: off")`, now)
	}
	v.all(t, "/v1/guards", []viewing{{"GET", "/v1/guards", "", 200, `"mode":"off","verdict":"block"`}})
	want := "block guards off git by hookway, block guards enforce all by hookway, allow guards off git by desk"
	if got := strings.Join(v.words(t), ", "); got != want {
		t.Errorf("on record is %q; want %q", got, want)
	}
}

func TestGuardsOfAProjectStayTrusted(t *testing.T) {
	v := startViewed(t, "hooks: []\n")
	defer v.stop(t)
	project := filepath.Join(v.dir, "project")
	write(t, filepath.Join(project, "hookway.yaml"), "guards: {use: [git], mode: monitor}\n")
	options := v.Home.Options()
	options.Dir = project
	if _, err := config.Trust(options); err != nil {
		t.Fatal(err)
	}
	status, text := v.ask(t, "/v1/guards", viewing{method: "POST", path: "/v1/guards", body: `{"target":"all","mode":"enforce","cwd":"` + filepath.ToSlash(project) + `"}`}, v.credential(t))
	if status != http.StatusOK || !strings.Contains(text, `"trusted":true`) {
		t.Errorf("got %d %s, want status == http.StatusOK and strings.Contains(text, `\"trusted\":true`)", status, text)
	}
	v.all(t, "/v1/guards", []viewing{{"GET", "/v1/guards?cwd=" + filepath.ToSlash(project), "", 200, `"mode":"enforce"`}})
	status, text = v.ask(t, "/v1/guards", viewing{method: "POST", path: "/v1/guards", body: `{"target":"git","mode":"off"}`}, v.credential(t))
	if status != http.StatusConflict || !strings.Contains(text, "switch them on first") {
		t.Errorf(`got %d %s, want status == http.StatusConflict and strings.Contains(text, "switch them on first")`, status, text)
	}
}

// The page's owner needs no credential; the PIN, where one is wanted.
func TestTheOwnersPageChangesGuards(t *testing.T) {
	v := startViewed(t, "guards: {use: default, mode: enforce}\napprovals: {require: pin}\nhooks: []\n")
	defer v.stop(t)
	home := newViews(v.Home, nil, nil)
	ask := api.GuardsChange{Target: "all", Mode: "monitor", Asker: api.Asker{Owner: &api.Owner{By: "page", From: "the page"}, From: "the page"}}
	_, err := home.SetGuards(context.WithoutCancel(t.Context()), ask)
	if _, ok := err.(*api.PINError); !ok {
		t.Errorf("without a PIN: %v", err)
	}
	write(t, filepath.Join(v.dir, "config", "hookway.yaml"), "guards: {use: default, mode: enforce}\nhooks: []\n")
	if _, err := home.SetGuards(t.Context(), ask); err != nil {
		t.Error(err)
	}
	if got := strings.Join(v.words(t), ", "); got != "block guards monitor all by hookway, allow guards monitor all by page" {
		t.Errorf("on record is %q", got)
	}
}
