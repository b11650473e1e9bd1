package config

import (
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/handler/web"
	"github.com/hookway/hookway/hook"
)

const webSecret = "whsec_aG9va3dheSB0ZXN0IHNlY3JldCAwMTIzNDU2Nzg5"

// policy is a server that wants signed events and answers with a reason.
func policy(reason string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = web.Verify(webSecret, r.Header, body)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_, _ = io.WriteString(w, `{"action":"block","reason":"`+reason+r.Header.Get("X-Team")+`"}`)
	}
}

func TestAServerIsNamedInOneLine(t *testing.T) {
	s := httptest.NewServer(policy("not here"))
	defer s.Close()
	w := newWorld(t)
	w.write(w.work("hookway.yaml"), "hooks:\n  - {id: policy, on: PreToolUse, http: {url: '"+s.URL+"/hooks?token=hidden', secret: "+webSecret+", allow_private: true}}\n"+
		"  - {id: far, on: Stop, http: https://hooks.example.com/stop}\n")
	w.want(w.load(), "policy untrusted, far untrusted")
	w.trust()
	set := w.load()
	w.want(set, "policy active, far active")
	for i, want := range []string{s.URL + "/hooks", "https://hooks.example.com/stop"} {
		if h := set.Hooks[i]; h.Kind != "http" || h.Command != want || h.Fixed() {
			t.Errorf("it is listed as %s %q", h.Kind, h.Command)
		}
	}
	if out := bash(t, fill(t, set), w.ws, "rm x"); out.Action != hook.ActionBlock || out.Reason != "not here" {
		t.Errorf(`got %+v, %v, want out.Action == hook.ActionBlock and out.Reason == "not here"`, out.Verdict, out.Steps[0].Err)
	}
}

func TestCertificatesOfAServerArePinned(t *testing.T) {
	s := httptest.NewTLSServer(policy("not here"))
	defer s.Close()
	w := newWorld(t)
	w.write(w.work("hookway.yaml"), "hooks:\n  - id: policy\n    on: PreToolUse\n    http: {url: '"+s.URL+"', secret: "+webSecret+", verify: false, headers: {X-Team: 7}, ca: certs/ca.pem, allow_private: true}\n")
	set := w.load()
	if text := set.Problems.String(); !strings.Contains(text, "hookway.yaml:4:") || !strings.Contains(text, "ca: ") {
		t.Errorf("without the file: %s", text)
	}
	w.write(w.work("certs/ca.pem"), "none\n")
	if text := w.load().Problems.String(); !strings.Contains(text, "no certificate in PEM") {
		t.Errorf("with a file that has none: %s", text)
	}
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	w.write(w.work("certs/ca.pem"), string(ca))
	if status := w.trust(); !slices.Contains(status.Files, "certs/ca.pem") {
		t.Errorf("the certificates are not pinned: %v", status.Files)
	}
	set = w.load()
	w.want(set, "policy active")
	if out := bash(t, fill(t, set), w.ws, "rm x"); out.Action != hook.ActionBlock || out.Reason != "not here7" {
		t.Errorf(`got %+v, %v, want out.Action == hook.ActionBlock and out.Reason == "not here7"`, out.Verdict, out.Steps[0].Err)
	}
	w.write(w.work("certs/ca.pem"), string(ca)+"\n")
	w.want(w.load(), "policy untrusted")
}

func TestMistakesOfAServer(t *testing.T) {
	for text, want := range map[string]string{
		"http: ''":                "http is empty",
		"http: []":                "http must be a map",
		"http: {secret: x}":       "http has no url",
		"http: ftp://x":           "must begin with https://",
		"http: {url: x, urll: y}": "unknown key \"urll\" in http",
		"http: {url: 'https://x', secret: hidden}":                        "the secret must begin with whsec_",
		"http: {url: 'https://x', verify: true}":                          "verify needs a secret",
		"http: {url: 'https://me:hidden@x'}":                              "user or password",
		"http: {url: 'https://x', headers: {Host: y}}":                    "the header Host is hookway's own",
		"http: {url: 'https://x', headers: y}":                            "headers must be a map",
		"http: https://x\n    cwd: sub":                                   "cwd belongs to command",
		"http: https://x\n    block: true":                                "block is a second handler",
		"http: {url: 'https://x', secret: 'whsec_hidden', verify: maybe}": "verify must be true or false",
	} {
		_, problems := parse("f.yaml", []byte("hooks:\n  - id: a\n    on: PreToolUse\n    "+text+"\n"), new(hook.Engine))
		if got := problems.String(); !strings.Contains(got, want) || strings.Contains(got, "hidden") || len(problems) != 1 {
			t.Errorf(`%s: got %s, want strings.Contains(got, want) and !strings.Contains(got, "hidden") and len(problems) == 1`, text, got)
		}
	}
}

// TestAnotherServerIsAnotherHook: whatever of it changes.
func TestAnotherServerIsAnotherHook(t *testing.T) {
	w := newWorld(t)
	marks := map[string]string{}
	for _, text := range []string{
		"{url: 'https://x'}", "{url: 'https://y'}", "{url: 'https://x?a=b'}", "{url: 'https://x', secret: " + webSecret + "}",
		"{url: 'https://x', secret: " + webSecret + ", verify: true}", "{url: 'https://x', headers: {A: b}}", "{url: 'https://x', allow_private: true}",
	} {
		w.write(w.user("hookway.yaml"), "hooks: [{id: a, on: PreToolUse, http: "+text+"}]\n")
		mark := w.load().Hooks[0].mark
		if other := marks[mark]; other != "" {
			t.Errorf("%s and %s are taken for the same", text, other)
		}
		marks[mark] = text
	}
}

func TestASecretStandsInAFileBesideTheConfiguration(t *testing.T) {
	s := httptest.NewServer(policy("not here"))
	defer s.Close()
	w := newWorld(t)
	w.write(w.work("hookway.yaml"), "hooks:\n  - id: policy\n    on: PreToolUse\n    on_failure: block\n    http: {url: '"+s.URL+"', secret_file: .hookway/policy.secret, allow_private: true}\n")
	if status := w.trust(); len(status.Files) != 1 {
		t.Errorf("the secret is pinned: %v", status.Files)
	}
	engine := fill(t, w.load())
	if out := bash(t, engine, w.ws, "rm x"); out.Action != hook.ActionBlock || !strings.Contains(out.Reason, "the file of the secret cannot be read") {
		t.Errorf("without the file: %+v", out.Verdict)
	}
	w.write(w.work(".hookway/policy.secret"), webSecret+"\n")
	if err := os.Chmod(w.work(".hookway/policy.secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := bash(t, engine, w.ws, "rm x"); out.Reason != "not here" {
		t.Errorf(`got %+v, %v, want out.Reason == "not here"`, out.Verdict, out.Steps[0].Err)
	}
}
