package api_test

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/hookway/hookway/internal/api"
	"github.com/hookway/hookway/internal/explain"
	"github.com/hookway/hookway/internal/guards"
	"github.com/hookway/hookway/internal/guardset"
	"github.com/hookway/hookway/internal/memory"
	"github.com/hookway/hookway/internal/replay"
)

// What the description says of requests of those who look at what there is and was.

// parameter is one of a request.
func parameter(name, in, what string) m {
	return m{"name": name, "in": in, "description": what, "schema": m{"type": "string"}}
}

var seqInPath = inPath("seq", "The number of the record.")

var credentialInHeader = parameter("Hookway-Credential", "header", "The credential.")

// body is that of a request.
func body(name string) m {
	return m{"required": true, "content": m{"application/json": m{"schema": ref(name)}}}
}

func describedViews() m {
	return m{
		"/v1/explain": m{"post": m{
			"operationId": "explain", "summary": "What a call would do, and which of hookway's own rules hold for it, here and everywhere.",
			"description": "Nothing is run. The answer is that of hookway explain --json.",
			"requestBody": body("Explaining"),
			"responses":   answers("Explanation", "It.", 400, 401, 403, 408, 413, 415, 500, 503, 504),
		}},
		"/v1/guards": m{
			"get": m{
				"operationId": "guards", "summary": "Which of hookway's own rules are on, and what they did in the last 7 days.",
				"parameters": []m{parameter("cwd", "query", "The folder, as a whole path; without it, the user's own configuration, and what was done anywhere.")},
				"responses":  answers("Guards", "They.", 400, 401, 403, 500, 503, 504),
			},
			"post": m{
				"operationId": "set_guards", "summary": "Change which of hookway's own rules are on. Only the owner may.",
				"description": "It takes the owner's page, or a credential that the owner has made in a terminal. Without one it is refused, and put on record.",
				"parameters":  []m{credentialInHeader},
				"requestBody": body("Switching"),
				"responses":   answers("Switched", "As hookway guards enforce --json prints it.", 400, 401, 403, 408, 409, 413, 415, 429, 500, 503, 504),
			},
		},
		"/v1/messages": m{
			"get": m{
				"operationId": "messages", "summary": "Messages of this machine, whoever they are from and for, the newest first.",
				"parameters": inQuery("agent", "Only what this agent sent or was to get.", "channel", "Only what was for this channel.", "q", "Only with this text in it, or in the names of sender and receiver.",
					"limit", "So many at most; 100 if nothing is said, 500 at most.", "after", "The next of the page before."),
				"responses": answers("MessagePage", "The page.", 400, 401, 403, 500, 503),
			},
			"post": m{
				"operationId": "send", "summary": "Send a message to an agent, a channel or all.",
				"description": "The message is on disk when the answer comes. The hooks of MessageSending and MessageSent are those of cwd.",
				"parameters":  []m{parameter("Idempotency-Key", "header", "A request that comes again with the same key within five minutes gets the first one's answer. For longer, give the message an id of your own: it is sent once.")},
				"requestBody": m{"required": true, "content": m{"application/json": m{"schema": ref("Sending")}}},
				"responses":   answers("Sent", "The message, and how far it is with each receiver that is known now.", 400, 401, 403, 404, 408, 409, 413, 415, 429, 500, 503),
			},
		},
		"/v1/memories": m{
			"get": m{
				"operationId": "memories", "summary": "What agents were told to remember, the newest first; with q what fits it best.",
				"parameters": inQuery("q", "A question, or words.", "scope", "Only of this scope: workspace, agent or user.", "cwd", "Only what is seen in this folder, a whole path; without it, all.",
					"limit", "So many at most; 100 if nothing is said, 500 at most.", "after", "The next of the page before."),
				"responses": answers("MemoryPage", "The page.", 400, 401, 403, 500, 503, 504),
			},
			"post": m{
				"operationId": "remember", "summary": "Save a memory.", "requestBody": body("Remembering"),
				"responses": answers("Memory", "It, with its id.", 400, 401, 403, 408, 409, 413, 415, 500, 503, 504),
			},
		},
		"/v1/memories/{id}": m{"delete": m{
			"operationId": "forget", "summary": "Delete a memory. Only the owner may.",
			"description": "It takes the owner's page, or a credential that the owner has made in a terminal. Without one it is refused, and put on record.",
			"parameters":  []m{inPath("id", "Its id."), credentialInHeader},
			"responses":   answers("Forgotten", "It is deleted.", 400, 401, 403, 404, 500, 503, 504),
		}},
		"/v1/preview": m{"get": m{
			"operationId": "preview", "summary": "What hookway's own rules would have done to the calls of the past, by the records that agents keep, as a stream.",
			"description": "Server-sent events: progress with done and all, in bytes of records, then one result as hookway guards preview --json prints it, or a problem. There is one at a time; it ends with its connection.",
			"parameters":  inQuery("since", "Not before this time, or so long ago: 7d; all is every call. 30d if nothing is said.", "agent", "Only of these agents, with commas between them.", "use", "default, strict, or packs, with commas between them."),
			"responses":   answersAs("text/event-stream", m{"type": "string"}, "The stream.", 400, 401, 403, 406, 503),
		}},
		"/v1/folders": m{"get": m{
			"operationId": "folders", "summary": "The folders that are known to have hooks, or to have had events.",
			"responses": answers("Folders", "They, the last used first.", 400, 401, 403, 500, 503, 504),
		}},
		"/v1/doctor": m{"get": m{
			"operationId": "doctor", "summary": "What hookway doctor finds, and the command that mends it. It may be half a minute old.",
			"parameters": inQuery("agent", "Only about this agent.", "cwd", "In which project. Without one, what holds in every one."),
			"responses":  answers("Examined", "It.", 400, 401, 403, 500, 503, 504),
		}},
		"/v1/record/{seq}/today": m{"post": m{
			"operationId": "today", "summary": "What the hooks of today say of an event on record. Nothing acts: commands, servers and scripts with grants are not asked.",
			"parameters":  []m{seqInPath},
			"requestBody": m{"required": false, "content": m{"application/json": m{"schema": m{"type": "object", "maxProperties": 0}}}},
			"responses":   answers("Again", "Then and now.", 400, 401, 403, 404, 408, 413, 415, 500, 503, 504),
		}},
		"/v1/record/{seq}/case": m{"get": m{
			"operationId": "case", "summary": "An event on record as a case for hooks_test.yaml, with what the hooks of today decide.",
			"parameters": []m{seqInPath},
			"responses":  answers("Case", "It, as it stands below cases:.", 400, 401, 403, 404, 422, 500, 503, 504),
		}},
		"/v1/record/{seq}/explain": m{"get": m{
			"operationId": "explain_record", "summary": "How a decision on record came about.",
			"parameters": []m{seqInPath},
			"responses":  answers("Decision", "It.", 400, 401, 403, 404, 500, 503, 504),
		}},
	}
}

func describedViewSchemas(t *testing.T) m {
	t.Helper()
	explaining := describedExplaining()
	if got := slices.Sorted(maps.Keys(explaining["properties"].(m))); !slices.Equal(got, api.ExplainingFields()) {
		t.Errorf("the body of what is to be explained is described with %v and read with %v", got, api.ExplainingFields())
	}
	remembering := describedRemembering()
	if got := slices.Sorted(maps.Keys(remembering["properties"].(m))); !slices.Equal(got, api.RememberingFields()) {
		t.Errorf("the body of a memory is described with %v and read with %v", got, api.RememberingFields())
	}
	switching := describedSwitching()
	if got := slices.Sorted(maps.Keys(switching["properties"].(m))); !slices.Equal(got, api.SwitchingFields()) {
		t.Errorf("the body of a change of guards is described with %v and read with %v", got, api.SwitchingFields())
	}
	return m{
		"Again":       explained(ofType(t, reflect.TypeFor[replay.Again]()), m{"not_replayable": "Why nothing is known of now; empty if something is.", "not_asked": "Hooks that could act."}),
		"Case":        m{"type": "object", "required": []string{"yaml", "file"}, "properties": m{"yaml": m{"type": "string"}, "file": m{"type": "string", "description": "Where it belongs."}}},
		"MessagePage": m{"type": "object", "required": []string{"messages", "next"}, "properties": m{"messages": m{"type": "array", "items": ref("Message")}, "next": m{"type": "string"}}},
		"MemoryPage":  m{"type": "object", "required": []string{"memories", "next"}, "properties": m{"memories": m{"type": "array", "items": ref("Memory")}, "next": m{"type": "string"}}},
		"Memory":      ofType(t, reflect.TypeFor[memory.Memory]()),
		"Forgotten":   m{"type": "object", "required": []string{"forgotten"}, "properties": m{"forgotten": m{"type": "string", "description": "The id."}}},
		"Remembering": remembering,
		"Folders":     m{"type": "object", "required": []string{"folders"}, "properties": m{"folders": m{"type": "array", "items": ofType(t, reflect.TypeFor[api.Folder]())}}},
		"Examined":    ofType(t, reflect.TypeFor[api.Examined]()),
		"Switching":   switching, "Guards": ofType(t, reflect.TypeFor[api.GuardsShown]()), "Switched": ofType(t, reflect.TypeFor[guardset.Changed]()),
		"Explaining": explaining, "Explanation": ofType(t, reflect.TypeFor[guards.Explanation]()),
		"Decision": describedDecision(t),
	}
}

func describedExplaining() m {
	text := func(what string) m { return m{"type": "string", "description": what} }
	return m{
		"type": "object", "additionalProperties": false, "description": "A command, or a call of a tool.",
		"properties": m{
			"command": text("A command as a shell reads it."), "shell": m{"enum": []string{"sh", "powershell", "cmd", ""}, "description": "Who reads the command; sh if nothing is said."},
			"tool": text("In place of a command: the tool's name."), "input": m{"type": []string{"object", "null"}, "description": "What the tool gets."},
			"cwd": text("Where the call is made, as a whole path. Without it, only the user's own configuration counts."),
		},
	}
}

func describedRemembering() m {
	text := func(what string) m { return m{"type": "string", "description": what} }
	return m{
		"type": "object", "required": []string{"text"}, "additionalProperties": false, "description": "What is to be remembered.",
		"properties": m{
			"text": text("What; at most 64 KiB."), "scope": m{"enum": []string{"workspace", "agent", "user", ""}, "description": "Who sees it: everybody in the workspace of cwd if nothing is said, the agent there, or everybody anywhere."},
			"agent": text("Who says it."), "tags": m{"type": []string{"array", "null"}, "items": m{"type": "string"}}, "file": text("The file that it is about."),
			"cwd": text("The folder that it is of, as a whole path. Scope user is of none."),
		},
	}
}

func describedSwitching() m {
	text := func(what string) m { return m{"type": "string", "description": what} }
	return m{
		"type": "object", "required": []string{"target", "mode"}, "additionalProperties": false, "description": "A change of guards.",
		"properties": m{
			"target": text("all, a pack, or a rule."),
			"mode":   m{"enum": []string{"enforce", "monitor", "auto", "off", "block", "ask", "allow"}, "description": "block, ask and allow are for packs and rules."},
			"cwd":    text("The project whose hookway.yaml is changed, as a whole path. Without it, the user's own configuration is."),
		},
	}
}

func describedDecision(t *testing.T) m {
	t.Helper()
	form := ofType(t, reflect.TypeFor[explain.Decision]())
	properties := form["properties"].(m)
	properties["call"] = m{"anyOf": []m{ref("Explanation"), {"type": "null"}}, "description": "Of a call of a tool: what hookway explain tells of it."}
	return explained(form, m{
		"text":  "The command, or what else it is about.",
		"spans": m{"items": m{"from": "In bytes of UTF-8.", "fact": "Which of the facts, from 0.", "kind": "What it does: delete, connect.", "rule": "The strictest rule that holds for it today."}},
		"facts": "Of then, as hooks were told; if none asked, of today.",
	})
}
