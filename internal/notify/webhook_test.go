package notify

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/hookway/hookway/handler/web"
	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/webhook"
)

const testSecret = "whsec_aG9va3dheSB0ZXN0IHNlY3JldCAwMTIzNDU2Nzg5"

func TestAServiceIsToldOfWhatIsAskedAndWhatBecameOfIt(t *testing.T) {
	key, err := webhook.ParseKey(testSecret)
	if err != nil {
		t.Fatal(err)
	}
	var got []told
	status := http.StatusOK
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			if len(r.Header.Values("Webhook-Signature")) > 0 {
				t.Error("a look whether the service is there is signed")
			}
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		body, _ := io.ReadAll(r.Body)
		var m told
		if err := errors.Join(key.Verify(r.Header, body), json.Unmarshal(body, &m)); err != nil {
			t.Error(err)
		}
		got = append(got, m)
		w.WriteHeader(status)
	}))
	t.Cleanup(service.Close)
	none := func(context.Context) []string { return nil }
	w, err := NewWebhook(Webhook{Called: "desk", Path: "/hooks/asks", Secret: secretFile(t, testSecret)}, web.Config{URL: service.URL, AllowPrivate: true}, none, nil)
	if err == nil {
		err = w.Check(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	over := ask()
	over.Allow, over.Deny, over.State = "", "", approve.TimedOut
	for _, c := range []Card{ask(), over, {Test: true}} {
		if err := w.Send(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	var types []string
	for _, m := range got {
		types = append(types, m.Type)
	}
	if all := strings.Join(types, " "); all != "approval.asked approval.over approval.test" {
		t.Fatalf("it was told %s", all)
	}
	if d := got[0].Data; d.Code != "K7QX4" || d.Input == "" || d.Answer == nil {
		t.Errorf(`got %+v, want d.Code == "K7QX4" and d.Input != "" and d.Answer != nil`, d)
	} else if *d.Answer != (toldAnswer{"/hooks/asks", allowToken, denyToken}) {
		t.Errorf(`got %+v, want *d.Answer == (toldAnswer{"/hooks/asks", allowToken, denyToken})`, d.Answer)
	}
	if d := got[1].Data; d.State != approve.TimedOut || d.Answer != nil {
		t.Errorf("got %+v, want d.State == approve.TimedOut and d.Answer == nil", d)
	}
	if status = http.StatusForbidden; !Refused(w.Send(t.Context(), ask())) {
		t.Error("a service that says 403 is tried again")
	}
	if status = http.StatusBadGateway; Refused(w.Send(t.Context(), ask())) {
		t.Error("a service that is down is not tried again")
	}
	service.Close()
	if err := w.Check(t.Context()); err == nil || Refused(err) || !strings.Contains(err.Error(), "cannot be reached") {
		t.Errorf("of a service that is not there it is said: %v", err)
	}
}

func TestASecretThatCannotSignIsSaid(t *testing.T) {
	none := func(context.Context) []string { return nil }
	for _, secret := range []Secret{{Env: "ASKS"}, {File: "/not/there"}, secretFile(t, "short")} {
		w, err := NewWebhook(Webhook{Secret: secret}, web.Config{URL: "https://example.com"}, none, func(string) string { return "" })
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Check(t.Context()); err == nil || strings.Contains(err.Error(), "short ") {
			t.Errorf(`got %+v: %v, want err != nil and !strings.Contains(err.Error(), "short ")`, secret, err)
		}
	}
}

func TestAnAnswerIsReadStrictly(t *testing.T) {
	for body, want := range map[string]string{
		`{"token":"` + allowToken + `","answer":"allow"}`:              "yes ",
		`{"token":"` + denyToken + `","answer":"deny","note":"no no"}`: "no no no",
		`{"token":"` + denyToken + `","answer":"Deny"}`:                "no ",
		`{"token":"` + denyToken + `","answer":"maybe"}`:               "",
		`{"token":"x","answer":"allow"}`:                               "",
		`{"answer":"allow"}`:                                           "",
		`{"token":"` + denyToken + `","answer":"deny","yes":true}`:     "",
		`allow`: "", ``: "", `[]`: "", `null`: "",
	} {
		said, err := Heard([]byte(body))
		got := ""
		switch {
		case err == nil && said.Yes && said.Token == allowToken:
			got = "yes " + said.Note
		case err == nil && said.Token == denyToken:
			got = "no " + said.Note
		}
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%s: got %q, %v; want %q", body, got, err, want)
		}
	}
}
