//go:build unix

package config

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/hookway/hookway/handler/web"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/gateway"
	"github.com/hookway/hookway/internal/logline"
)

const oneMapping = `gateway:
  hooks:
    ci:
      auth: {type: bearer, secret_file: ci.token}
      message: {to: Alice, text: '{{ .title }}'}
    old: {enabled: false, auth: {type: bearer, secret_env: X}, message: {to: Alice, text: x}}
`

func TestTheGatewayIsOfTheUsersConfigurationAlone(t *testing.T) {
	w := newWorld(t)
	w.write(w.user("hookway.yaml"), oneMapping)
	set := w.load()
	if set.Gateway == nil || len(set.Gateway.Hooks) != 1 {
		t.Fatalf("%+v, problems: %s", set.Gateway, set.Problems)
	} else if set.Gateway.Hooks["ci"].Auth.SecretFile != w.user("ci.token") || len(set.Problems) > 0 {
		t.Fatalf("%+v, problems: %s", set.Gateway, set.Problems)
	}
	m := set.Gateway.Hooks["ci"]
	if got, want := fmt.Sprint([]any{m.MaxBody, m.PerMinute, m.Burst, m.Timeout}), fmt.Sprint([]any{gateway.DefaultMaxBody, gateway.DefaultPerMinute, gateway.DefaultBurst, gateway.DefaultTimeout}); got != want {
		t.Errorf("defaults: %+v: got %s, want %s", m, got, want)
	}
	w = newWorld(t)
	w.env["HOOKWAY_TRUST"] = "1"
	w.write(w.work("hookway.yaml"), oneMapping)
	set = w.load()
	if text := set.Problems.String(); set.Gateway != nil || !strings.Contains(text, "hookway.yaml:2:3: gateway is for the user's configuration alone") || !strings.Contains(text, w.user("hookway.yaml")) {
		t.Errorf("in a workspace: %+v, problems: %s", set.Gateway, text)
	}
}

func TestAMistakeLeavesTheGatewayAsItWas(t *testing.T) {
	w := newWorld(t)
	w.write(w.user("hookway.yaml"), oneMapping)
	live, err := Open(context.Background(), w.options(), new(hook.Engine))
	w.must(err)
	defer live.Close()
	reload := func(text string) *gateway.Config {
		t.Helper()
		w.write(w.user("hookway.yaml"), text)
		set, err := live.Reload(context.Background())
		w.must(err)
		return set.Gateway
	}
	if g := reload(oneMapping + "  hosts: [a/b]\n"); g == nil || g.Hooks["ci"] == nil {
		t.Errorf("with a mistake: %+v", g)
	}
	if g := reload("hooks: []\n"); g != nil {
		t.Errorf("without a gateway: %+v", g)
	}
}

// listener is a service that is told of events.
type listener struct {
	*httptest.Server
	mu       sync.Mutex
	requests []*http.Request
	bodies   []string
	fails    int // so many requests first
	answer   string
	came     chan struct{}
}

func newListener(t *testing.T, fails int, answer string) *listener {
	l := &listener{fails: fails, answer: answer, came: make(chan struct{}, 100)}
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		l.mu.Lock()
		l.requests, l.bodies = append(l.requests, r), append(l.bodies, string(body))
		failing := len(l.requests) <= l.fails
		l.mu.Unlock()
		if failing {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, l.answer)
		l.came <- struct{}{}
	}))
	t.Cleanup(l.Close)
	return l
}

func TestWebhooksAreToldSignedAndTriedAgain(t *testing.T) {
	const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
	w, told, asked := newWorld(t), newListener(t, 3, ""), newListener(t, 0, `{"action":"block","reason":"not to Bob"}`)
	t.Setenv("OUT_SECRET", secret)
	w.write(w.user("hookway.yaml"), `gateway:
  webhooks:
    - {url: '`+told.URL+`', on: message-sent, secret_env: OUT_SECRET, allow_private: true, match: {fields: {to: Alice}}}
    - {id: gate, url: '`+asked.URL+`', on: MessageSending, lane: guard, allow_private: true, match: {fields: {to: Bob}}}
`)
	set := w.load()
	w.want(set, "webhook-1 active, gate active")
	h := set.Hooks[0]
	if got, want := fmt.Sprint([]any{h.Lane, h.Retries, h.Timeout, h.Queue}), fmt.Sprint([]any{hook.Observe, webhookRetries, webhookTimeout, webhookQueue}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	e := fill(t, set)
	send := func(to string) hook.Outcome[hook.Message] {
		t.Helper()
		m := hook.Message{To: to, Content: "hi"}
		out, err := hook.Fire(context.Background(), e, hook.MessageSending, &hook.Envelope{}, m)
		w.must(err)
		_, err = hook.Fire(context.Background(), e, hook.MessageSent, &hook.Envelope{}, hook.Delivery{Message: m, Success: true})
		w.must(err)
		return out
	}
	if out := send("Alice"); out.Action != hook.ActionContinue {
		t.Errorf("Alice: %+v", out.Verdict)
	}
	if out := send("Bob"); out.Action != hook.ActionBlock || out.Reason != "not to Bob" {
		t.Errorf("Bob: %+v", out.Verdict)
	}
	<-told.came
	w.must(e.Close(context.Background()))
	told.mu.Lock()
	defer told.mu.Unlock()
	if len(told.requests) != 4 || len(asked.requests) != 1 {
		t.Fatalf("%d and %d requests", len(told.requests), len(asked.requests))
	}
	for i, r := range told.requests {
		if err := web.Verify(secret, r.Header, []byte(told.bodies[i])); err != nil {
			t.Error(err)
		}
		if id := r.Header.Get("Webhook-Id"); id == "" || id != told.requests[0].Header.Get("Webhook-Id") {
			t.Errorf("try %d has the id %q", i, id)
		}
	}
	if !strings.Contains(told.bodies[3], `"success":true`) {
		t.Errorf("told: %s", told.bodies[3])
	}
}

func TestGatewayHandlersAreFilesThatAreThere(t *testing.T) {
	w := newWorld(t)
	w.write(w.user("audit.ts"), "export default () => {}\n")
	w.write(w.user("plain.sh"), "echo\n")
	w.write(w.user("hookway.yaml"), `gateway:
  handlers:
    - {event: message-sent, handler: ./audti.ts}
    - {event: message-sent, handler: ./plain.sh}
`)
	text := w.load().Problems.String()
	for _, want := range []string{":3:38: there is no file ./audti.ts", "did you mean audit.ts?", ":4:38: ./plain.sh may not be executed", "chmod +x"} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
	if os.Geteuid() == 0 {
		return // to root, every file can be read
	}
	w.must(os.Chmod(w.user("audit.ts"), 0))
	w.write(w.user("hookway.yaml"), "gateway:\n  handlers:\n    - {event: message-sent, handler: ./audit.ts}\n")
	if text := w.load().Problems.String(); !strings.Contains(text, ":3:38: ") || !strings.Contains(text, "cannot be read") {
		t.Errorf(`got %v, want strings.Contains(text, ":3:38: ") and strings.Contains(text, "cannot be read")`, text)
	}
}

// contexts are the fields of OpenClaw's four contexts, each with the event at which
// it is there, and what it is then.
var contexts = []struct {
	event string
	fire  func(e *hook.Engine, env *hook.Envelope) error
	want  string
}{
	{"before-agent-start", firing(hook.AgentStart, hook.AgentRun{RunID: "run-1", WorkspaceDir: "/w", AgentDir: "/a"}), "runId=run-1 workspaceDir=/w agentDir=/a config=object"},
	{"message-received", firing(hook.MessageReceived, hook.Message{From: "Bob", Channel: "#dev"}), "sessionKey=s-1 channel=#dev senderId=Bob direction=received"},
	{"message-sending", firing(hook.MessageSending, hook.Message{From: "Bob", Channel: "#dev"}), "sessionKey=s-1 channel=#dev senderId=Bob direction=sending"},
	{"message-sent", firing(hook.MessageSent, hook.Delivery{Message: hook.Message{From: "Bob", Channel: "#dev"}}), "sessionKey=s-1 channel=#dev senderId=Bob direction=sent"},
	{"before-tool-call", firing(hook.PreToolUse, hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": "ls"}}), "runId=s-1 toolName=Bash args.command=ls"},
	{"after-tool-call", firing(hook.PostToolUse, hook.ToolResult{ToolUse: hook.ToolUse{ToolName: "Bash"}, ToolResponse: hook.ToolResponse{Success: true, Output: "out"}}), "runId=s-1 toolName=Bash result.output=out"},
	{"tool-result-persist", firing(hook.ToolResultPersist, hook.ToolPersist{ToolName: "Bash", ToolResponse: hook.ToolResponse{Output: "out"}}), "toolName=Bash result.output=out"},
	{"session-start", firing(hook.SessionStart, hook.SessionInfo{Source: "startup"}), "sessionKey=s-1 channel=claude source=startup"},
	{"session-end", firing(hook.SessionEnd, hook.SessionSummary{Reason: "clear"}), "sessionKey=s-1 channel=claude reason=clear"},
	{"before-compaction", firing(hook.PreCompact, hook.Compaction{MessageCount: 7}), "sessionKey=s-1 message_count=7"},
	{"after-compaction", firing(hook.PostCompact, hook.CompactionResult{Summary: "sum"}), "sessionKey=s-1 summary=sum"},
	{"gateway-start", firing(hook.GatewayStart, hook.GatewayInfo{Version: "1", Address: "a"}), "version=1 address=a"},
	{"gateway-stop", firing(hook.GatewayStop, hook.GatewayEnd{Reason: "idle"}), "reason=idle"},
}

func firing[P any](point hook.Point[P], payload P) func(*hook.Engine, *hook.Envelope) error {
	return func(e *hook.Engine, env *hook.Envelope) error {
		_, err := hook.Fire(context.Background(), e, point, env, payload)
		return err
	}
}

// TestGatewayHandlersHaveTheFourContexts runs one file at all thirteen events. Of
// each context it prints the fields that are wanted of it.
func TestGatewayHandlersHaveTheFourContexts(t *testing.T) {
	for _, c := range contexts {
		t.Run(c.event, func(t *testing.T) {
			w := newWorld(t)
			var paths []string
			for one := range strings.FieldsSeq(c.want) {
				path, _, _ := strings.Cut(one, "=")
				paths = append(paths, path)
			}
			w.write(w.user("handler.ts"), `const at = (v, path) => path.split(".").reduce((v, k) => v?.[k], v);
export default async (ctx) => {
  console.log(`+jsonOf(paths)+`.map((p) => p + "=" + (typeof at(ctx, p) === "object" ? "object" : at(ctx, p))).join(" "));
};
`)
			w.write(w.user("hookway.yaml"), "gateway:\n  handlers:\n    - {event: "+c.event+", handler: handler.ts, priority: 100}\n")
			var mu sync.Mutex
			var lines []string
			o := w.options()
			o.Log = logline.New(func(line string) {
				mu.Lock()
				defer mu.Unlock()
				lines = append(lines, line)
			})
			set, err := Load(context.Background(), o)
			w.must(err)
			defer set.Close()
			w.want(set, "handler-1 active")
			if h := set.Hooks[0]; h.Priority != 100 || h.Profile.HigherFirst || h.Profile.Name != "openclaw" {
				t.Errorf(`got %+v, want h.Priority == 100 and !h.Profile.HigherFirst and h.Profile.Name == "openclaw"`, h.Hook)
			}
			e := fill(t, set)
			w.must(c.fire(e, &hook.Envelope{Session: "s-1", Source: "claude", CWD: w.ws}))
			w.must(e.Close(context.Background()))
			mu.Lock()
			defer mu.Unlock()
			if got := strings.Join(lines, "\n"); got != "handler.ts: "+c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestAGatewayHandlerThatIsAProgramIsOne(t *testing.T) {
	w := newWorld(t)
	w.write(w.user("guard"), guard("not this"))
	w.write(w.user("hookway.yaml"), "gateway:\n  handlers:\n    - {event: before-tool-call, module: guard}\n")
	set := w.load()
	w.want(set, "handler-1 active")
	if out := bash(t, fill(t, set), w.ws, "ls"); out.Action != hook.ActionBlock || out.Reason != "not this" {
		t.Errorf("%+v, problems: %s", out.Verdict, set.Problems)
	}
}
