package server

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/pin"
	"github.com/hookway/hookway/internal/process"
)

// stands has a person answer for more than one call, and gives the code.
func stands(t *testing.T, dir, command string, yes bool) (code string) {
	t.Helper()
	store, err := approve.Open(t.Context(), dir, approve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	r, err := store.Ask(t.Context(), approve.Call{
		Agent: "claude", Session: "s-1", Workspace: "/work", Tool: "Bash", Input: map[string]any{"command": command}, Hook: "gate", Kind: approve.KindAsk,
		Facts: []hook.Fact{{Does: "delete", By: "rm", Path: command, Sure: true}}, Does: []string{"delete " + command},
	}, process.Namespaces())
	if err == nil {
		r, err = store.Answer(t.Context(), r, approve.Answer{Yes: yes, Scope: approve.ScopeShape, Note: "fine", By: "anna", From: "/dev/pts/3"})
	}
	if err != nil {
		t.Fatal(err)
	}
	return r.Code
}

// What stands is shown to whoever may ask the daemon. To take it back takes the owner's
// credential, as an answer does: the daemon's token is not enough, which an agent may read.
func TestWhatStandsIsListedAndTakenBackOverHTTP(t *testing.T) {
	v := startViewed(t, "hooks: []\n")
	defer v.stop(t)
	v.all(t, "/v1/standing", []viewing{
		{"GET", "/v1/standing", "", 200, `{"standing":[]}`}, {"GET", "/v1/standing?state=x", "", 400, "there is no parameter"},
	})
	form, dir := "/v1/standing/{code}", filepath.Join(v.dir, "state", "approvals")
	v.all(t, form, []viewing{{"DELETE", "/v1/standing/CCCCC", "", 404, "no-such-approval"}})
	code := stands(t, dir, "rm -rf build", true)
	_, text := v.ask(t, "/v1/standing", viewing{method: "GET", path: "/v1/standing"})
	var list struct{ Standing []approve.Standing }
	if err := json.Unmarshal([]byte(text), &list); err != nil || len(list.Standing) != 1 {
		t.Fatalf("%v: got %s, want err == nil and len(list.Standing) == 1", err, text)
	}
	one := list.Standing[0]
	if one.Until.Sub(one.Since) != approve.ScopeTime || one.After <= 0 {
		t.Errorf("%s; want it for %v, and after how long it was given", text, approve.ScopeTime)
	}
	one.Since, one.Until, one.After = time.Time{}, time.Time{}, 0
	want := approve.Standing{
		Code: code, Yes: true, Scope: approve.ScopeShape, Kind: approve.KindAsk, Agent: "claude", Workspace: "/work", Tool: "Bash", Hook: "gate",
		Does: "delete rm -rf build\n", Input: "command: rm -rf build\n", Note: "fine", By: "anna", From: "/dev/pts/3",
	}
	if one != want {
		t.Errorf("got %+v, want %+v", one, want)
	}
	path := "/v1/standing/" + code
	v.all(t, form, []viewing{
		{"DELETE", path, "", 403, "only the owner may"}, {"DELETE", path + "?yes=1", "", 400, "there is no parameter"}, {"DELETE", "/v1/standing/x", "", 400, "invalid code"},
	})
	if status, text := v.ask(t, form, viewing{method: "DELETE", path: path}, "Hookway-Credential: "+v.token); status != http.StatusForbidden {
		t.Errorf("with the daemon's token in place of a credential: %d %s", status, text)
	}
	credential := v.credential(t)
	for _, want := range []viewing{{path: strings.ToLower(path), status: 200, has: `"code":"` + code}, {path: path, status: 404, has: "no answer holds under the code"}} {
		if status, text := v.ask(t, form, viewing{method: "DELETE", path: want.path}, credential); status != want.status || !strings.Contains(text, want.has) {
			t.Errorf("%d %s; want %d with %q", status, text, want.status, want.has)
		}
	}
	v.all(t, "/v1/standing", []viewing{{"GET", "/v1/standing", "", 200, `{"standing":[]}`}})
	refused := "block revoke " + code + " by hookway"
	words := []string{"block revoke CCCCC by hookway", refused, refused, "block revoke " + code + " by desk", refused}
	if got := v.words(t); !slices.Equal(got, words) {
		t.Errorf("on record is %q; want %q", got, words)
	}
}

// A no that is taken back lets calls pass again: it takes the PIN where a yes takes it, of
// the owner in the page and of a credential. What allows is taken back without.
func TestToTakeBackANoTakesThePIN(t *testing.T) {
	p := openPage(t, "approvals: {require: pin}\nhooks: []\n")
	defer p.stop(t)
	dir := filepath.Join(p.Home.Getenv("HOOKWAY_HOME"), "state", "approvals")
	yes, no, other := stands(t, dir, "rm -rf build", true), stands(t, dir, "rm -rf dist", false), stands(t, dir, "rm -rf out", false)
	pins, err := pin.Open(t.Context(), dir, pin.Options{Cost: pin.Cost{Passes: 1, Memory: 64, Threads: 1}})
	if err == nil {
		err = pins.Set(t.Context(), "seven1")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer pins.Close()
	var plain, proven string
	err = p.Home.ChangeMinted(t.Context(), func(m *Minted) error {
		plain, _ = m.MintCredential("desk", Minter{By: "anna"}, time.Hour)
		proven, _ = m.MintCredential("safe", Minter{By: "anna", PIN: true}, time.Hour)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if a := p.ask("DELETE", "/v1/standing/"+yes, "", "Hookway-Credential: "+proven); a.status != http.StatusUnauthorized {
		t.Errorf("at the page's port, who is not logged in gets %d %s", a.status, a.body)
	}
	p.logIn()
	for _, tt := range []struct {
		code, pin string
		status    int
		has       string
	}{
		{no, "", 403, "pin-needed"}, {no, "wrong", 403, "wrong PIN; 4 more tries"}, {no, "seven1", 200, `"yes":false`}, {no, "seven1", 404, "no-such-approval"},
		{yes, "", 200, `"yes":true`},
	} {
		if a := p.ask("DELETE", "/v1/standing/"+tt.code, "", "X-Hookway-PIN: "+tt.pin); a.status != tt.status || !strings.Contains(a.body, tt.has) {
			t.Errorf("%s %q: %d %s; want %d with %q", tt.code, tt.pin, a.status, a.body, tt.status, tt.has)
		}
	}
	asks := asksAPI{p.Home}
	revoke := func(credential string) error {
		_, err := asks.Revoke(t.Context(), api.Revoking{Asker: api.Asker{Credential: credential}, Code: other})
		return err
	}
	if err := revoke(plain); err == nil || !strings.Contains(err.Error(), "minted without it") {
		t.Errorf("a credential that was minted without the PIN takes back a no: %v", err)
	}
	if err := revoke(proven); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"block hookway page revoke " + no + ": wrong PIN", "allow anna page revoke " + no + ": the answer no", "block anna page revoke " + yes + ": the answer yes", "allow safe http revoke " + other} {
		if !slices.ContainsFunc(p.records(), func(r string) bool { return strings.HasPrefix(r, want) }) {
			t.Errorf("%q is not on record: %q", want, p.records())
		}
	}
}

// However an answer came, its record says after how long.
func TestEachAnswerSaysAfterHowLong(t *testing.T) {
	r := approve.Request{Code: "K7QX4", State: approve.Allowed, Route: approve.RouteHold, Scope: approve.ScopeSession, By: "phone", After: 2.5}
	got := answerRecord(&r, "ntfy topic asks", nil)
	want := map[string]any{"code": "K7QX4", "from": "ntfy topic asks", "route": "hold", "scope": "session", "after_s": 2.5}
	if got.Event != audit.Approval || !reflect.DeepEqual(got.Metadata, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
