//go:build unix

package config

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/claudehooks"
)

// asked is a server that hooks of Claude Code ask, and what it heard.
type askedServer struct {
	*httptest.Server
	mu      sync.Mutex
	headers []http.Header
	events  []map[string]any
}

func newAskedServer(t *testing.T, status int, body string) *askedServer {
	s := &askedServer{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		event := map[string]any{}
		if data, err := io.ReadAll(r.Body); err == nil {
			_ = json.Unmarshal(data, &event)
		}
		s.mu.Lock()
		s.headers, s.events = append(s.headers, r.Header), append(s.events, event)
		s.mu.Unlock()
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return s
}

// serverEntry is a settings.json with one hook of the type http.
func serverEntry(event, url, fields string) string {
	return fmt.Sprintf(`{"hooks": {%q: [{"hooks": [{"type": "http", "url": %q%s}]}]}}`, event, url, fields)
}

func TestAServerAnswersAsToClaudeCode(t *testing.T) {
	deny := `{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "not here"}}`
	for name, c := range map[string]struct {
		status      int
		body, more  string
		want        hook.Action
		reason, err string
	}{
		"denied":                {200, deny, "", hook.ActionBlock, "not here", ""},
		"denied, created":       {201, deny, "", hook.ActionBlock, "not here", ""},
		"block":                 {200, `{"decision": "block", "reason": "no"}`, "", hook.ActionBlock, "no", ""},
		"nothing":               {200, "", "", hook.ActionContinue, "", ""},
		"blanks":                {200, " \n", "", hook.ActionContinue, "", ""},
		"an empty object":       {200, "{}", "", hook.ActionContinue, "", ""},
		"later":                 {200, `{"async": true}`, "", hook.ActionContinue, "", ""},
		"text":                  {200, "blocked", "", hook.ActionContinue, "", "not JSON"},
		"no JSON":               {200, "{blocked", "", hook.ActionContinue, "", "not JSON"},
		"a status blocks not":   {403, deny, "", hook.ActionContinue, "", "403"},
		"an error":              {500, "", "", hook.ActionContinue, "", "500"},
		"a redirect":            {302, deny, "", hook.ActionContinue, "", "redirects"},
		"an error that is told": {500, "", `, "onFailure": "block"`, hook.ActionBlock, "", "500"},
		"text that is told":     {200, "ok", `, "onFailure": "block"`, hook.ActionBlock, "", "not JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newAskedServer(t, c.status, c.body)
			w := settingsWorld(t, serverEntry("PreToolUse", s.URL+"/hook", c.more))
			set := w.load()
			w.want(set, "claude:PreToolUse:1 active")
			out := fireFrom(t, fill(t, set), "codex", shellCall("ls"))
			if c.reason == "" {
				c.reason = out.Reason
			}
			if out.Action != c.want || out.Reason != c.reason || len(out.Steps) != 1 {
				t.Fatalf("%s %q, %d steps", out.Action, out.Reason, len(out.Steps))
			}
			if err := out.Steps[0].Err; (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("error %v, want %q", err, c.err)
			}
			if len(s.events) != 1 || s.events[0]["hook_event_name"] != "PreToolUse" || s.events[0]["tool_name"] != "Bash" {
				t.Errorf("it was asked %v", s.events)
			}
		})
	}
}

func TestHeadersOfAServerNameAllowedVariables(t *testing.T) {
	s := newAskedServer(t, 200, "")
	headers := `, "headers": {"X-A": "Bearer $TEAM-${OTHER}", "X-B": "[$HIDDEN][${UNSET}][$lower][$ANTHROPIC_API_KEY]", "Content-Length": "7", "X-C": "$BROKEN_LINES"}`
	settings := serverEntry("PreToolUse", strings.Replace(s.URL, "http://", "http://ann:pass@", 1),
		headers+`, "allowedEnvVars": ["TEAM", "OTHER", "UNSET", "lower", "BROKEN_LINES", "ANTHROPIC_API_KEY"]`)
	for limits, want := range map[string][]string{
		"":                                      {"Bearer red-blue", "[][][$lower][]", "a b"},
		`"httpHookAllowedEnvVars": ["OTHER"], `: {"Bearer -blue", "[][][$lower][]", ""},
		`"httpHookAllowedEnvVars": [], `:        {"Bearer -", "[][][$lower][]", ""},
		`"httpHookAllowedEnvVars": "no list", `: {"Bearer -", "[][][$lower][]", ""},
		`"allowedHttpHookUrls": ["http://127.*/*"], `: {"Bearer red-blue", "[][][$lower][]", "a b"},
	} {
		t.Setenv("TEAM", "red")
		t.Setenv("OTHER", "blue")
		t.Setenv("HIDDEN", "secret")
		t.Setenv("ANTHROPIC_API_KEY", "secret")
		t.Setenv("BROKEN_LINES", "a\r\n b")
		w := settingsWorld(t, "{"+limits+settings[1:])
		fireFrom(t, fill(t, w.load()), "codex", shellCall("ls"))
		if len(s.headers) == 0 {
			t.Fatalf("%s: it was not asked", limits)
		}
		h := s.headers[len(s.headers)-1]
		for i, name := range []string{"X-A", "X-B", "X-C"} {
			if got := h.Get(name); got != want[i] {
				t.Errorf("%s: %s is %q, want %q", limits, name, got, want[i])
			}
		}
		if h.Get("Authorization") != "Basic YW5uOnBhc3M=" || h.Get("Content-Type") != "application/json" {
			t.Errorf(`got %v, want h.Get("Authorization") == "Basic YW5uOnBhc3M=" and h.Get("Content-Type") == "application/json"`, h)
		}
	}
}

func TestServersThatSettingsDoNotAllow(t *testing.T) {
	s := newAskedServer(t, 200, "")
	for limits, asked := range map[string]bool{
		`"allowedHttpHookUrls": [], `:                        false,
		`"allowedHttpHookUrls": ["https://127.0.0.1:*/*"], `: false,
		`"allowedHttpHookUrls": ["https://x/*", "*"], `:      true,
		`"allowedHttpHookUrls": ["http://127.0.0.1:*/*"], `:  true,
		`"allowedHttpHookUrls": 7, `:                         false,
	} {
		w := settingsWorld(t, "{"+limits+serverEntry("PreToolUse", s.URL+"/hook", "")[1:])
		w.write(w.work(".claude/settings.local.json"), serverEntry("PreToolUse", s.URL+"/closed", `, "onFailure": "block"`))
		set := w.load()
		s.headers = nil
		out := fireFrom(t, fill(t, set), "codex", shellCall("ls"))
		want := 0
		if asked {
			want = 2
		}
		if len(s.headers) != want || (out.Action == hook.ActionBlock) == asked || strings.Contains(set.Warnings.String(), "allowedHttpHookUrls") == asked {
			t.Errorf("%s: asked %d times, %s; %s", limits, len(s.headers), out.Action, set.Warnings)
		}
	}
}

func TestURLsThatPatternsAllow(t *testing.T) {
	for _, c := range []struct {
		pattern, url string
		want         bool
	}{
		{"*", "http://a/b", true},
		{"https://hooks.example.com/*", "https://hooks.example.com/a/b?c=d", true},
		{"https://hooks.example.com/*", "https://hooks.example.com/", true},
		{"https://hooks.example.com", "https://hooks.example.com/a", true},
		{"https://hooks.example.com/", "https://hooks.example.com/a", false},
		{"https://hooks.example.com/*", "http://hooks.example.com/a", false},
		{"https://hooks.example.com/*", "https://hooks.example.com.evil.org/a", false},
		{"https://*.example.com/*", "https://a.example.com/b", true},
		{"https://*.example.com/*", "https://evil.org/.example.com/b", false},
		{"https://*.example.com/*", "https://evil.org?.example.com/b", false},
		{"https://*.example.com/*", "https://a.example.com@evil.org/b", false},
		{"*://a.example.com/*", "http://a.example.com/b", true},
		{"http://localhost:*", "http://localhost:8080/x", true},
		{"http://localhost", "http://localhost:8080/x", false},
		{"http://localhost:80/*", "http://localhost/x", true},
		{"http://[::1]:*/*", "http://[::1]:9/x", true},
		{"HTTPS://Hooks.Example.com/*", "https://hooks.example.COM/x", true},
		{"hooks.example.com", "https://hooks.example.com/x", false},
	} {
		if got := claudehooks.AllowsURL(c.pattern, c.url); got != c.want {
			t.Errorf("%s for %s: %v", c.pattern, c.url, got)
		}
	}
}

func TestServersOfSettingsAreToldAndMistakesLeaveThemOut(t *testing.T) {
	s := newAskedServer(t, 200, `{"decision": "block", "reason": "no"}`)
	w := folderWorld(t)
	w.write(w.work("hookway.yaml"), "import: claude\n")
	w.write(w.work(".claude/settings.json"), fmt.Sprintf(`{"hooks": {
  "PreToolUse": [{"hooks": [{"type": "http"}, {"type": "http", "url": "ftp://x"}, {"type": "http", "url": %q, "headers": {"X": 7}}, {"type": "http", "url": %[1]q}, {"type": "http", "url": %[1]q}]}],
  "SessionStart": [{"hooks": [{"type": "http", "url": %[1]q}]}]}}`, s.URL+"/a?token=hidden"))
	set := w.load()
	w.want(set, "claude:PreToolUse:4 active, claude:PreToolUse:5 active")
	for _, want := range []string{"has no url", "must begin with https", "headers.X must be text", "not asked at SessionStart"} {
		if !strings.Contains(set.Warnings.String(), want) {
			t.Errorf("%q is not told: %s", want, set.Warnings)
		}
	}
	if h := set.Hooks[0]; h.Kind != "http" || h.Command != s.URL+"/a" {
		t.Errorf("it is listed as %s %q", h.Kind, h.Command)
	}
	if out := fireFrom(t, fill(t, set), "codex", shellCall("ls")); out.Reason != "no" || len(s.events) != 1 {
		t.Errorf("%s %q, asked %d times", out.Action, out.Reason, len(s.events))
	}
	far := settingsWorld(t, serverEntry("PreToolUse", "http://10.1.2.3/x", ""))
	if out := fireFrom(t, fill(t, far.load()), "codex", shellCall("ls")); out.Steps[0].Err == nil || !strings.Contains(out.Steps[0].Err.Error(), "private network") {
		t.Errorf("a private address: %v", out.Steps)
	}
}

// TestAShellOfItsOwn: a line for PowerShell is given to it, whole.
func TestAShellOfItsOwn(t *testing.T) {
	w := settingsWorld(t, entryOf("PreToolUse", "", `"command": "if ($true) { exit 2 }", "shell": "powershell"`))
	bin := filepath.Join(w.home, "bin")
	w.write(filepath.Join(bin, "pwsh"), "#!/bin/sh\necho \"$#: $1 $2 $3 $4\" >&2\nexit 2\n")
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	if out := fireFrom(t, fill(t, w.load()), "codex", shellCall("ls")); strings.TrimSpace(out.Reason) != "4: -NoProfile -NonInteractive -Command if ($true) { exit 2 }" {
		t.Errorf(`got %s %q, want strings.TrimSpace(out.Reason) == "4: -NoProfile -NonInteractive -Command if ($true) { exit 2 }"`, out.Action, out.Reason)
	}
}

// TestAChangeOfWhatServersAreAllowedCountsAtOnce: to allow one, and to allow it no more.
func TestAChangeOfWhatServersAreAllowedCountsAtOnce(t *testing.T) {
	s := newAskedServer(t, 200, "")
	w := folderWorld(t)
	w.write(w.user("hookway.yaml"), "import: claude\n")
	allow := func(urls string) {
		w.write(w.claudeHome("settings.json"), `{"allowedHttpHookUrls": [`+urls+`], `+serverEntry("PreToolUse", s.URL+"/hook", "")[1:])
	}
	allow(`"*"`)
	r := w.open()
	asked := func(want int) {
		t.Helper()
		s.mu.Lock()
		s.events = nil
		s.mu.Unlock()
		fireFrom(t, r.engine, "codex", shellCall("ls"))
		if s.mu.Lock(); len(s.events) != want {
			t.Errorf("asked %d times, want %d", len(s.events), want)
		}
		s.mu.Unlock()
	}
	asked(1)
	allow("")
	r.reload()
	asked(0)
	allow(`"*"`)
	r.reload()
	asked(1)
}

// TestAServerIsSentOneAuthorization: the name of a header is the same in any case.
func TestAServerIsSentOneAuthorization(t *testing.T) {
	for header, want := range map[string]string{
		`"authorization": "Bearer own"`: "Bearer own", `"AUTHORIZATION": "Bearer own"`: "Bearer own", `"X": "y"`: "Basic YW5uOnBhc3M=",
	} {
		s := newAskedServer(t, 200, "")
		w := settingsWorld(t, serverEntry("PreToolUse", strings.Replace(s.URL, "http://", "http://ann:pass@", 1), `, "headers": {`+header+`}`))
		fireFrom(t, fill(t, w.load()), "codex", shellCall("ls"))
		if len(s.headers) != 1 || strings.Join(s.headers[0].Values("Authorization"), ", ") != want {
			t.Errorf(`%s: got %v, want len(s.headers) == 1 and strings.Join(s.headers[0].Values("Authorization"), ", ") == want`, header, s.headers)
		}
	}
}
