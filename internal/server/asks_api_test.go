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
	"time"

	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/audit"
)

// The daemon's token is not enough to answer: an agent may read it.
func TestAnAnswerOverHTTPTakesACredential(t *testing.T) {
	r := startDaemon(t, "hooks: []\n", "127.0.0.1:0")
	defer r.stop(t)
	dir := r.Home.Getenv("HOOKWAY_HOME")
	store, err := approve.Open(t.Context(), filepath.Join(dir, "state", "approvals"), approve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	asked, err := store.Ask(t.Context(), approve.Call{Agent: "claude", Session: "s-1", Tool: "Bash", Input: map[string]any{"command": "make deploy"}, Hook: "gate", Kind: approve.KindAsk}, "here")
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	var secret, old string
	err = r.Home.ChangeMinted(t.Context(), func(m *Minted) error {
		secret, _ = m.MintCredential("desk", Minter{By: "anna"}, time.Hour)
		old, _ = m.MintCredential("old", Minter{By: "anna"}, -time.Second)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	token, err := os.ReadFile(api.TokenFile(filepath.Join(dir, "state")))
	if err != nil {
		t.Fatal(err)
	}
	address := <-r.listening
	do := func(method, path, credential, body string) (int, string) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), method, "http://"+address+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Hookway-Credential", credential)
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(text)
	}
	path := "/v1/approvals/" + asked.Code
	for _, tt := range []struct {
		method, path, credential, body string
		status                         int
		has                            string
	}{
		{"GET", "/v1/approvals?state=open", "", "", 200, `"code":"` + asked.Code + `"`},
		{"GET", "/v1/approvals?state=used", "", "", 200, `{"approvals":[]}`},
		{"GET", "/v1/approvals?state=bogus", "", "", 400, `it is open, allowed`},
		{"GET", "/v1/approvals/" + strings.ToLower(asked.Code), "", "", 200, `"input":"command: make deploy\n"`},
		{"GET", "/v1/approvals/CCCCC", "", "", 404, "no-such-approval"},
		{"GET", "/v1/approvals/x", "", "", 400, "invalid code"},
		{"POST", path, "", `{"answer":"allow"}`, 403, "hookway approvals mint --http NAME"},
		{"POST", path, strings.TrimSpace(string(token)), `{"answer":"allow"}`, 403, "not-allowed"},
		{"POST", path, old, `{"answer":"allow"}`, 403, "not-allowed"},
		{"POST", path, secret, `{"answer":"perhaps"}`, 400, "answer must be"},
		{"POST", path, secret, `{"answer":"allow","scope":"ever"}`, 400, "invalid scope"},
		{"POST", path, secret, `{"answer":"allow","yes":true}`, 400, "yes"},
		{"POST", "/v1/approvals/CCCCC", secret, `{"answer":"allow"}`, 404, "no-such-approval"},
		{"POST", path, secret, `{"answer":"deny","note":"not today"}`, 200, `"state":"denied"`},
		{"POST", path, secret, `{"answer":"allow"}`, 409, "not-answered"},
	} {
		if status, text := do(tt.method, tt.path, tt.credential, tt.body); status != tt.status || !strings.Contains(text, tt.has) {
			t.Errorf("%s %s %s: got %d %s; want %d with %q", tt.method, tt.path, tt.body, status, text, tt.status, tt.has)
		}
	}
	var now approve.Request
	if _, text := do("GET", path, "", ""); json.Unmarshal([]byte(text), &now) != nil || now.By != "desk" || now.Note != "not today" {
		t.Errorf(`got %s, want json.Unmarshal([]byte(text), &now) == nil and now.By == "desk" and now.Note == "not today"`, text)
	}
	refused, denied := 0, 0
	for one, err := range audit.Read(filepath.Join(dir, "state", "audit"), audit.Filter{}) {
		switch {
		case err != nil:
			t.Fatal(err)
		case one.Event != audit.Approval || one.What != asked.Code:
		case one.By == "desk":
			if after := fmt.Sprint(one.Metadata["after_s"]); after <= "0" {
				t.Errorf("the record does not say after how long it was answered: %v", one.Metadata)
			}
			denied++
		case strings.Contains(one.Reason, "credential"):
			refused++
		}
	}
	if refused != 3 || denied != 1 {
		t.Errorf("%d refused answers and %d of the desk are on record; want 3 and 1", refused, denied)
	}
}
