package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/hookway/hookway/docs/schema"
	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/internal/audit"
	"github.com/hookway/hookway/internal/daemon"
	"github.com/hookway/hookway/internal/golden"
	"github.com/hookway/hookway/internal/relay"
)

// m is a JSON object.
type m = map[string]any

func TestTheDescriptionIsThatOfWhatIsServed(t *testing.T) {
	text, err := json.MarshalIndent(describe(t), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, '\n')
	file := filepath.Join("..", "..", "docs", "schema", "openapi.json")
	golden.Compare(t, file, string(text))
}

// describe makes the description, and sees that it leaves nothing out.
func describe(t *testing.T) m {
	t.Helper()
	paths := describedPaths()
	maps.Copy(paths, describedRecordPaths())
	maps.Copy(paths, describedViews())
	for path, methods := range api.PathsAndMethods() {
		described, _ := paths[path].(m)
		for i := range methods {
			methods[i] = strings.ToLower(methods[i])
		}
		if got := slices.Sorted(maps.Keys(described)); !slices.Equal(got, methods) {
			t.Errorf("%s is described with %v and served with %v", path, got, methods)
		}
	}
	firing := describedFiring()
	if got := slices.Sorted(maps.Keys(firing["properties"].(m))); !slices.Equal(got, api.FiringFields()) {
		t.Errorf("the body is described with %v and read with %v", got, api.FiringFields())
	}
	sending := describedSending()
	if got := slices.Sorted(maps.Keys(sending["properties"].(m))); !slices.Equal(got, api.SendingFields()) {
		t.Errorf("the body of a message is described with %v and read with %v", got, api.SendingFields())
	}
	taking := describedTaking()
	if got := slices.Sorted(maps.Keys(taking["properties"].(m))); !slices.Equal(got, api.TakingFields()) {
		t.Errorf("the body of what is taken is described with %v and read with %v", got, api.TakingFields())
	}
	answering := describedAnswering()
	if got := slices.Sorted(maps.Keys(answering["properties"].(m))); !slices.Equal(got, api.AnsweringFields()) {
		t.Errorf("the body of an answer is described with %v and read with %v", got, api.AnsweringFields())
	}
	var outcome m
	data, err := schema.Get("outcome")
	if err == nil {
		err = json.Unmarshal(data, &outcome)
	}
	if err != nil {
		t.Fatal(err)
	}
	delete(outcome, "$id")
	delete(outcome, "$schema")
	all := m{
		"openapi": "3.1.0",
		"info": m{
			"title": "hookway", "version": "1",
			"description": "What hookway's daemon answers over HTTP/1.1: at its own socket to every process of its user, and at the addresses of hookway serve --listen with a token.",
			"license":     m{"name": "Apache-2.0", "identifier": "Apache-2.0"},
		},
		"servers":  []m{{"url": "http://127.0.0.1:8787", "description": "hookway serve --listen 127.0.0.1:8787"}},
		"security": []m{{}, {"token": []string{}}},
		"paths":    paths,
		"components": m{
			"securitySchemes": m{"hook": m{"type": "http", "scheme": "bearer", "description": "The secret of one name in gateway.hooks."}, "token": m{"type": "http", "scheme": "bearer", "description": "The text of the file that hookway serve --token names. At the daemon's own socket none is asked for."}},
			"schemas": m{
				"Taken":     describedTaken(),
				"Answering": answering, "Approval": ofType(t, reflect.TypeFor[approve.Request]()),
				"Approvals": m{"type": "object", "required": []string{"approvals"}, "properties": m{"approvals": m{"type": "array", "items": ref("Approval")}}},
				"Standing":  describedStanding(t),
				"Standings": m{"type": "object", "required": []string{"standing"}, "properties": m{"standing": m{"type": "array", "items": ref("Standing")}}},
				"Firing":    firing, "Outcome": outcome, "Problem": describedProblem(), "Hooks": describedHooks(),
				"Record": ofType(t, reflect.TypeFor[audit.Record]()), "Status": ofType(t, reflect.TypeFor[daemon.Status]()),
				"Sending": sending, "Sent": describedTracked("note"), "Message": describedTracked(),
				"Agents": m{"type": "object", "required": []string{"agents"}, "properties": m{"agents": m{"type": "array", "items": ofType(t, reflect.TypeFor[relay.Agent]())}}},
				"Inbox":  m{"type": "object", "required": []string{"messages"}, "properties": m{"messages": m{"type": "array", "items": ofType(t, reflect.TypeFor[relay.Item]())}}},
				"Taking": taking,
				"HandedOut": explained(ofType(t, api.HandedOut), m{
					"messages": m{"items": m{
						"id":       "For done, and for reply_to of a message.",
						"short":    "What agents see of the id.",
						"from":     "The sender, as it says itself; with @ and its machine if that is another one.",
						"to":       "The agent, #channel, or * for all.",
						"thread":   "What it is about, if it belongs to others.",
						"reply_to": "The id of the message that it answers.",
						"text":     "What it says: data from others, not instructions. Control characters are taken out, and what would be a directive has a backslash.",
						"shown":    "The text as an agent is shown it, with who sent it in front.",
						"files":    "Paths of files that it refers to, on the sender's machine.",
						"priority": "low, high or urgent.",
						"urgent":   "The sender says that it cannot wait.",
						"repeat":   "It may be a repeat: it was given out before, and not confirmed.",
					}},
					"left_out": "How many wait beside these, or are given out and not confirmed.",
					"note":     "How the texts are meant.",
				}),
				"Confirming": m{
					"type": "object", "required": []string{"ids"}, "additionalProperties": false,
					"properties": m{"ids": m{"type": "array", "items": m{"type": "string"}, "minItems": 1, "maxItems": 1000, "description": "Of messages that were taken, or the short forms."}},
				},
				"Confirmed": explained(ofType(t, api.Confirmed), m{"done": "The ids that are confirmed, also those that were before.", "left": "The others, each with a reason."}),
				"Letter":    ofType(t, reflect.TypeFor[relay.Message]()),
				"Receipt":   ofType(t, reflect.TypeFor[relay.Receipt]()),
				"Health":    m{"type": "object", "required": []string{"status"}, "properties": m{"status": m{"const": "ok"}, "problem": m{"type": "string", "description": "Of a poke: why messages are not carried now."}}},
			},
		},
	}
	maps.Copy(dig(all, "components", "schemas").(m), describedRecordForms(t))
	maps.Copy(dig(all, "components", "schemas").(m), describedViewSchemas(t))
	return all
}

// ofType is the schema of a Go type, to which later versions may add.
func ofType(t *testing.T, of reflect.Type) m {
	t.Helper()
	s, err := jsonschema.ForType(of, &jsonschema.ForOptions{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(s)
	var out m
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	loosen(out)
	return out
}

func loosen(v any) {
	switch v := v.(type) {
	case m:
		if v["properties"] != nil {
			delete(v, "additionalProperties")
		}
		for _, inner := range v {
			loosen(inner)
		}
	case []any:
		for _, inner := range v {
			loosen(inner)
		}
	}
}

func describedFiring() m {
	text := func(what string) m { return m{"type": "string", "description": what} }
	return m{
		"type": "object", "required": []string{"event"}, "additionalProperties": false,
		"description": "An event to fire. What the payload itself says of the event goes before the fields beside it.",
		"properties": m{
			"event":      m{"type": "string", "minLength": 1, "description": "The event's name or an alias, such as PreToolUse."},
			"payload":    m{"type": []string{"object", "null"}, "description": "The payload's fields alone, or a whole event as hooks read it on stdin."},
			"session_id": text("The session that the event belongs to."),
			"agent":      text("Who is about to do what the event says."),
			"source":     text("Who reports it; http if nothing is said."),
			"cwd":        text("The folder whose hooks are asked, as a whole path. Without it, only the user's own are."),
			"metadata":   m{"type": []string{"object", "null"}, "description": "Travels with the event."},
			"env":        m{"type": []string{"object", "null"}, "additionalProperties": m{"type": "string"}, "description": "What hooks find in their environment besides the daemon's own. With a token, only HOOKWAY_SESSION, HOOKWAY_AGENT and HOOKWAY_DEPTH are taken."},
			"timeout_ms": m{"type": "number", "minimum": 0, "maximum": 86400000, "description": "How long the outcome is waited for; 0 is as long as the hooks take."},
			"dry_run":    m{"type": "boolean", "description": "Show which hooks would be asked, and ask none."},
		},
	}
}

func describedSending() m {
	text := func(what string) m { return m{"type": "string", "description": what} }
	return m{
		"type": "object", "required": []string{"content"}, "additionalProperties": false,
		"description": "A message to send. Without to, it goes to the sender of the message that reply_to names.",
		"properties": m{
			"id":       text("An id of your own, 8 to 64 of A-Z, a-z, 0-9, - and _: a message that comes again with it is the same message."),
			"from":     text("The sender's name; program if nothing is said."),
			"to":       text("A name, Name@machine, the id of a session, #channel, or * for all."),
			"content":  text("The text; at most 256 KiB."),
			"thread":   text("The name of what it is about, or the id of the message that began it."),
			"reply_to": text("The id of the message that this answers."),
			"priority": m{"enum": []string{"low", "normal", "high", "urgent", ""}, "description": "The order of what waits; normal if nothing is said."},
			"metadata": m{"type": []string{"object", "null"}, "description": "For the hooks of sender and receiver."},
			"cwd":      text("The folder whose hooks see the message, as a whole path. Without it, only the user's own do."),
		},
	}
}

func describedAnswering() m {
	return m{
		"type": "object", "required": []string{"answer"}, "additionalProperties": false,
		"description": "What a person says to what is asked.",
		"properties": m{
			"answer": m{"enum": []string{"allow", "deny"}},
			"scope":  m{"enum": []string{"once", "session", "shape", ""}, "description": "Which calls it is for: this very one if nothing is said, those that do the same in this session, or those in this workspace."},
			"note":   m{"type": "string", "description": "For the agent, and the record."},
			"calls":  m{"type": "integer", "minimum": 0, "description": "How many equal calls were seen waiting (waiters): a yes for this very call is for so many of them. 0, or nothing, is one."},
		},
	}
}

func describedStanding(t *testing.T) m {
	t.Helper()
	form := ofType(t, reflect.TypeFor[approve.Standing]())
	for name, what := range map[string]string{
		"code": "Of the request that was answered.", "yes": "Such calls pass; false: they are refused.", "session": "Only calls of this session; without it, of every one.",
		"does": "What such calls do, a line each: the rule.", "input": "Of the first call.", "by": "Who answered.", "from": "Where they did.", "since": "When it was answered.",
		"after_s": "How long after the first call was asked about.", "until": "When it expires.", "uses": "How many calls it decided.", "used": "When the last of them came.",
	} {
		form["properties"].(m)[name].(m)["description"] = what
	}
	return form
}

func describedTaking() m {
	return m{
		"type": "object", "additionalProperties": false,
		"description": "What is wanted of the messages that wait for an agent.",
		"properties": m{
			"max":      m{"type": "integer", "minimum": 1, "maximum": 100, "default": 20, "description": "Messages, at most."},
			"wait_ms":  m{"type": "number", "minimum": 0, "maximum": 60000, "default": 0, "description": "How long to wait for the first one."},
			"confirm":  m{"type": "boolean", "default": true, "description": "false: what the answer has counts as got when it is written. Otherwise it is to be confirmed with done."},
			"lease_ms": m{"type": "number", "minimum": 1, "maximum": 86400000, "default": 60000, "description": "What is not confirmed in this time is given out again, as what may be a repeat. To confirm one message begins the time of the others anew."},
			"join":     m{"type": "boolean", "default": false, "description": "A name that nobody has becomes known."},
			"cwd":      m{"type": "string", "description": "The folder whose hooks see the messages, as a whole path. Without it, only the user's own do."},
		},
	}
}

// explained adds descriptions to properties, and to those of the items of a list.
func explained(form, with m) m {
	properties := form["properties"].(m)
	for name, what := range with {
		property := properties[name].(m)
		switch what := what.(type) {
		case string:
			property["description"] = what
		case m:
			explained(property["items"].(m), what["items"].(m))
		}
	}
	return form
}

// describedTracked is a message and how far it is.
func describedTracked(more ...string) m {
	properties := m{
		"id": m{"type": "string"}, "short": m{"type": "string", "description": "What agents see of the id."},
		"message": ref("Letter"), "receipts": m{"type": "array", "items": ref("Receipt")},
	}
	for _, name := range more {
		properties[name] = m{"type": "string", "description": "What the sender's hooks have to say."}
	}
	return m{"type": "object", "required": []string{"id", "short", "message", "receipts"}, "properties": properties}
}

func describedProblem() m {
	return m{
		"type": "object", "required": []string{"type", "title", "status", "detail"},
		"description": "Why there is no other answer: RFC 9457.",
		"properties": m{
			"type":   m{"type": "string", "enum": slices.Sorted(maps.Keys(api.ProblemTypes()))},
			"title":  m{"type": "string"},
			"status": m{"type": "integer"},
			"detail": m{"type": "string", "minLength": 1, "description": "What is wrong with this request, and what to do."},
			"field":  m{"type": "string", "description": "The field that is wrong, if it is one."},
		},
	}
}

func describedHooks() m {
	texts := m{"type": "array", "items": m{"type": "string"}}
	return m{
		"type": "object", "required": []string{"workspace", "trust", "files", "hooks", "problems", "warnings"},
		"description": "What hookway list --json prints, with the hooks that were registered.",
		"properties": m{
			"workspace": m{"type": "string"}, "trust": m{"type": "string"}, "files": texts, "problems": m{"type": "array"}, "warnings": m{"type": "array"},
			"hooks": m{"type": "array", "items": m{
				"type": "object", "required": []string{"id", "events", "lane", "priority", "timeout_ms", "on_failure", "kind", "state", "layer", "origin"},
				"properties": m{
					"id": m{"type": "string"}, "events": m{"type": []string{"array", "null"}, "items": m{"type": "string"}, "description": "Null, as what follows, if only the hook's file could tell, and it may not run."},
					"lane": m{"enum": []any{"transform", "guard", "observe", nil}}, "priority": m{"type": []string{"integer", "null"}},
					"timeout_ms": m{"type": []string{"integer", "null"}}, "on_failure": m{"enum": []any{"continue", "block", nil}}, "kind": m{"type": "string"}, "state": m{"type": "string"},
					"layer": m{"type": "string", "description": "registered, if it came from outside."}, "origin": m{"type": "string", "description": "Its file, and the line."}, "grants": texts,
					"agents":  m{"type": "array", "items": m{"type": "string"}, "description": "The installed agents under which it may be asked."},
					"circuit": m{"enum": []string{"open", "closed"}, "description": "open: it is not asked for now, for it has cost time in vain."},
					"did":     m{"type": "object", "description": "What it did in the last days.", "properties": m{"days": m{"type": "integer"}, "runs": m{"type": "integer"}, "failures": m{"type": "integer"}, "p50_ms": m{"type": "number"}, "p95_ms": m{"type": "number"}, "last": m{"type": "string"}}},
				},
			}},
		},
	}
}

func describedPaths() m {
	filter := []m{
		parameter("session", "query", "Only what belongs to this session."),
		parameter("event", "query", "Only this event, by its name or an alias."),
		parameter("cwd", "query", "Only events from this folder or below."),
		parameter("hooks", "query", "true: what happens to the hooks of the daemon, too."),
		parameter("Last-Event-ID", "header", "The id of the last event that was received: those after it come first, as far as the log still has them."),
	}
	return m{
		"/v1/events": m{"post": m{
			"operationId": "fire", "summary": "Fire an event at the hooks of a folder, and get the outcome.",
			"description": "A refusal is an outcome like another, with status 200: see action.",
			"parameters":  []m{parameter("Idempotency-Key", "header", "A request that comes again with the same key within five minutes gets the first one's outcome, and asks no hook.")},
			"requestBody": m{"required": true, "content": m{"application/json": m{"schema": ref("Firing")}}},
			"responses":   answers("Outcome", "What the hooks answered together.", 400, 401, 403, 408, 409, 413, 415, 500, 503, 504),
		}},
		"/hooks/{name}": m{"post": m{
			"operationId": "gateway", "summary": "What a service outside sends: it becomes a message to an agent, or an event, as the user's configuration has it.",
			"description": "Each name has a secret of its own, in place of the daemon's token: a bearer token, or a signature of the body by Standard Webhooks or as GitHub makes it. Who may send what stands in docs/gateway.md.",
			"security":    []m{{"hook": []string{}}, {}},
			"parameters": []m{
				{"name": "name", "in": "path", "required": true, "description": "The name in gateway.hooks.", "schema": m{"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"}},
				parameter("Idempotency-Key", "header", "With a bearer token: a request that comes again with the same key within a day gets the first one's answer. What is signed needs none."),
			},
			"requestBody": m{"required": true, "content": m{
				"application/json": m{"schema": true}, "application/x-www-form-urlencoded": m{"schema": m{"type": "object"}}, "text/plain": m{"schema": m{"type": "string"}},
			}},
			"responses": taken(),
		}},
		"/v1/hooks": m{"get": m{
			"operationId": "hooks", "summary": "What would run for an event from a folder.",
			"parameters": []m{parameter("cwd", "query", "The folder, as a whole path; without it, the user's own hooks.")},
			"responses":  answers("Hooks", "The hooks, in the order of their files.", 400, 401, 403, 500, 503),
		}},
		"/v1/watch": m{"get": m{
			"operationId": "watch", "summary": "What is put on record from now on, as a stream.",
			"description": "Server-sent events: outcome with a Record and its number as id, with hooks=true hook:registered, hook:unregistered, hook:started, hook:completed and hook:error of what happens to the hooks of the daemon, missed with how many records could not be sent, and end when the daemon does. Without anything to tell, a line that says nothing comes each 15 seconds.",
			"parameters":  filter,
			"responses":   answersAs("text/event-stream", m{"type": "string"}, "The stream.", 400, 401, 403, 406, 503),
		}},
		"/v1/messages/{id}": m{"get": m{
			"operationId": "message", "summary": "A message, and how far it is with each receiver.",
			"parameters": []m{inPath("id", "The message's id, or the short form of it.")},
			"responses":  answers("Message", "It.", 400, 401, 403, 404, 409, 500, 503),
		}},
		"/v1/agents": m{"get": m{
			"operationId": "agents", "summary": "The agents that messages can be sent to, running or not.",
			"responses": answers("Agents", "They.", 400, 401, 403, 500, 503),
		}},
		"/v1/inbox/{agent}": m{"get": m{
			"operationId": "inbox", "summary": "What is and was for an agent of this machine. Nothing is handed out by that.",
			"parameters": []m{
				inPath("agent", "The agent's name."), parameter("state", "query", "Only messages in this state: accepted are those that wait."),
				parameter("thread", "query", "Only those of this thread."), parameter("after", "query", "Only those after the message of this id, the first of them first."),
				parameter("limit", "query", "So many at most; 100 if nothing is said, 1000 at most."),
			},
			"responses": answers("Inbox", "The messages, the newest last.", 400, 401, 403, 404, 500, 503),
		}},
		"/v1/inbox/{agent}/take": m{"post": m{
			"operationId": "take", "summary": "Take the messages that wait for an agent of this machine, the most urgent first, then the oldest.",
			"description": "Who does so is that agent: it runs while it asks. What it was given is to be confirmed with done, or comes again; until then, later ones of the same sender wait. The hooks of MessageReceived are those of cwd. When the connection is closed before the answer, nothing is given out.",
			"parameters":  []m{inPath("agent", "The agent's name.")},
			"requestBody": m{"required": false, "content": m{"application/json": m{"schema": ref("Taking")}}},
			"responses":   answers("HandedOut", "The messages; none if none came in the time.", 400, 401, 403, 404, 408, 409, 413, 415, 500, 503),
		}},
		"/v1/inbox/{agent}/done": m{"post": m{
			"operationId": "done", "summary": "Confirm messages that were taken: they are injected and seen, and are not given out again.",
			"parameters":  []m{inPath("agent", "The agent's name.")},
			"requestBody": m{"required": true, "content": m{"application/json": m{"schema": ref("Confirming")}}},
			"responses":   answers("Confirmed", "What was confirmed.", 400, 401, 403, 404, 408, 413, 415, 500, 503),
		}},
		"/v1/approvals": m{"get": m{
			"operationId": "approvals", "summary": "What people were asked about in the last hour, the latest first.",
			"parameters": []m{parameter("state", "query", "Only what is in this state: open is what waits for an answer.")},
			"responses":  answers("Approvals", "The requests.", 400, 401, 403, 500, 503),
		}},
		"/v1/approvals/{code}": m{
			"get": m{
				"operationId": "approval", "summary": "One request, whatever has become of it.",
				"parameters": []m{inPath("code", "Its code.")},
				"responses":  answers("Approval", "It.", 400, 401, 403, 404, 500, 503),
			},
			"post": m{
				"operationId": "answer", "summary": "Answer a request that is open.",
				"description": "It takes a credential that the owner of the account has made in a terminal, with hookway approvals mint. Without one the answer is refused, and put on record.",
				"parameters":  []m{inPath("code", "Its code."), parameter("Hookway-Credential", "header", "The credential.")},
				"requestBody": m{"required": true, "content": m{"application/json": m{"schema": ref("Answering")}}},
				"responses":   answers("Approval", "The request, answered.", 400, 401, 403, 404, 408, 409, 413, 415, 500, 503),
			},
		},
		"/v1/standing": m{"get": m{
			"operationId": "standing", "summary": "The answers that hold for more than one call, the latest first.",
			"responses": answers("Standings", "They.", 400, 401, 403, 500, 503),
		}},
		"/v1/standing/{code}": m{"delete": m{
			"operationId": "revoke", "summary": "Take back an answer: such calls are asked about again. Only the owner may.",
			"description": "It takes the owner's page, or a credential that the owner has made in a terminal. To take back a no lets calls pass again, so it takes the PIN where a yes does. Without that it is refused, and put on record.",
			"parameters":  []m{inPath("code", "The code of the request that was answered."), credentialInHeader},
			"responses":   answers("Standing", "What was taken back.", 400, 401, 403, 404, 429, 500, 503),
		}},
		"/v1/relay/poke": m{"post": m{
			"operationId": "poke", "summary": "Say that there may be something to carry. Only at the daemon's own socket.",
			"responses": answers("Health", "It is looked at.", 401, 403, 503),
		}},
		"/v1/page": m{"post": m{
			"operationId": "openPage", "summary": "Open the port of the page. Only at the daemon's own socket. To log in there takes a link that the owner makes in a terminal.",
			"responses": answersAs("application/json", m{
				"type": "object", "required": []string{"port", "address"},
				"properties": m{"port": m{"type": "integer"}, "address": m{"type": "string", "description": "Of the page."}},
			}, "It is open.", 400, 401, 403, 500, 503),
		}},
		"/v1/status":       m{"get": m{"operationId": "status", "summary": "How the daemon stands.", "responses": answers("Status", "As hookway status --json has it.", 400, 401, 403)}},
		"/v1/openapi.json": m{"get": m{"operationId": "openapi", "summary": "This description.", "responses": answersAs("application/json", m{"type": "object"}, "It.", 401, 403)}},
		"/healthz":         m{"get": m{"operationId": "health", "summary": "Whether events are taken.", "responses": answers("Health", "They are.", 401, 403, 503)}},
	}
}

// taken are the answers of the gateway: 202 for a message that is kept, else 200.
func taken() m {
	all := answers("Taken", "An event was fired, or a hook has suppressed the message, or nothing is to be done.", 400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 500, 503, 504)
	all["202"] = m{"description": "The message is kept for its receivers.", "content": m{"application/json": m{"schema": ref("Taken")}}}
	return all
}

func describedTaken() m {
	return m{
		"type": "object", "required": []string{"status"},
		"properties": m{
			"status":   m{"enum": []string{"accepted", "suppressed", "fired", "ignored", "done", "allowed", "denied"}, "description": "allowed and denied: a person's answer counts. done: it was answered before, at a length that was not remembered."},
			"id":       m{"type": "string", "description": "Of the message."},
			"receipts": m{"type": []string{"array", "null"}, "items": m{"type": "object", "required": []string{"to", "state"}, "properties": m{"to": m{"type": "string"}, "state": m{"type": "string"}}}},
			"event":    m{"type": "string"}, "action": m{"type": "string"}, "reason": m{"type": "string"}, "inject": m{"type": "string"}, "result": true,
		},
	}
}

func ref(name string) m { return m{"$ref": "#/components/schemas/" + name} }

func answers(name, what string, problems ...int) m {
	return answersAs("application/json", ref(name), what, problems...)
}

func answersAs(kind string, form m, what string, problems ...int) m {
	all := m{"200": m{"description": what, "content": m{kind: m{"schema": form}}}}
	for _, status := range problems {
		all[strconv.Itoa(status)] = m{"description": http.StatusText(status), "content": m{"application/problem+json": m{"schema": ref("Problem")}}}
	}
	return all
}

// description is the published one.
var description = sync.OnceValue(func() m {
	var all m
	if err := json.Unmarshal(schema.OpenAPI(), &all); err != nil {
		panic(err)
	}
	return all
})

// dig goes into a JSON object; nil if there is nothing.
func dig(v any, names ...string) any {
	for _, name := range names {
		object, _ := v.(m)
		v = object[name]
	}
	return v
}

// fits holds JSON against a schema of the description.
func fits(form any, text []byte) error {
	resolved, err := resolve(form)
	if err != nil {
		return err
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return fmt.Errorf("it is not JSON: %w: %s", err, text)
	}
	return resolved.Validate(value)
}

// ready are the schemas that were resolved already, by their JSON.
var ready sync.Map

func resolve(form any) (*jsonschema.Resolved, error) {
	whole, err := json.Marshal(m{"$defs": dig(description(), "components", "schemas"), "allOf": []any{form}})
	if err != nil {
		return nil, err
	}
	text := strings.ReplaceAll(string(whole), "#/components/schemas/", "#/$defs/")
	if known, ok := ready.Load(text); ok {
		return known.(*jsonschema.Resolved), nil
	}
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return nil, err
	}
	resolved, err := s.Resolve(nil)
	if err == nil {
		ready.Store(text, resolved)
	}
	return resolved, err
}

// described holds a response against the description.
func described(method, path string, status int, header http.Header, body []byte) error {
	if status == http.StatusNotFound || status == http.StatusMethodNotAllowed { // of what is not described
		return fits(ref("Problem"), body)
	}
	if strings.HasPrefix(path, "/hooks/") {
		path = "/hooks/{name}"
	}
	kind := header.Get("Content-Type")
	for named := range dig(description(), "paths").(m) {
		begin, rest, braces := strings.Cut(named, "{")
		if !braces {
			continue
		}
		_, end, _ := strings.Cut(rest, "}")
		if name, ok := strings.CutPrefix(path, begin); ok && strings.HasSuffix(name, end) && !strings.Contains(strings.TrimSuffix(name, end), "/") {
			path = named
			break
		}
	}
	form := dig(description(), "paths", path, strings.ToLower(method), "responses", strconv.Itoa(status), "content", kind, "schema")
	if form == nil {
		return fmt.Errorf("%s %s: an answer with %d and %q is not described", method, path, status, kind)
	}
	if kind == "text/event-stream" {
		return nil
	}
	return fits(form, body)
}
