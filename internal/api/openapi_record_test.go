package api_test

import (
	"reflect"
	"testing"

	"github.com/hookway/hookway/internal/audit/index"
	"github.com/hookway/hookway/internal/timeline"
)

// inQuery describes parameters of a query: a name and what it says, in turns.
func inQuery(namesAndTexts ...string) (list []m) {
	for i := 0; i < len(namesAndTexts); i += 2 {
		list = append(list, m{"name": namesAndTexts[i], "in": "query", "description": namesAndTexts[i+1], "schema": m{"type": "string"}})
	}
	return list
}

// inPath describes the name in a path.
func inPath(name, what string) m {
	return m{"name": name, "in": "path", "required": true, "description": what, "schema": m{"type": "string"}}
}

// describedRecordPaths are the paths under which the record is read.
func describedRecordPaths() m {
	return m{
		"/v1/record": m{"get": m{
			"operationId": "record", "summary": "What is on record, a page at a time, the newest first.",
			"description": "The filters are those of hookway log, and all that are given must hold.",
			"parameters": inQuery(
				"session", "Only of this session.", "agent", "Only of this agent.", "event", "Only of this event, by any of its names.",
				"action", "Only with this outcome; an untaken answer is of the action that it had, too.",
				"hook", "Only where this hook decided or was asked.", "rule", "Only where this rule spoke, with its version or without.",
				"would", "true: only where a hook or rule on trial would have decided something.",
				"cwd", "Only of the workspace that this folder is in; where it is in none, from the folder or below. A whole path.",
				"since", "Not before this time (RFC 3339), or so long ago: 10m, 3d.", "until", "Before this time, or so long ago.",
				"q", "Only records with each of these words in a value, without regard to case. What is in quotes is one word.",
				"limit", "So many at most; 100 if nothing is said, 500 at most.", "after", "The next of the page before.",
				"order", "asc: the oldest first.",
			),
			"responses": answers("RecordPage", "The page.", 400, 401, 403, 410, 500, 503),
		}},
		"/v1/record/{seq}": m{"get": m{
			"operationId": "oneRecord", "summary": "One record, with its event as it is kept beside the log.",
			"parameters": []m{inPath("seq", "The record's number.")},
			"responses":  answers("OneRecord", "It.", 400, 401, 403, 404, 500, 503),
		}},
		"/v1/stats": m{"get": m{
			"operationId": "stats", "summary": "Figures of what is on record: by day, by hook, by rule and by agent.",
			"description": "Times of hooks are known to one percent.",
			"parameters": inQuery(
				"since", "Not before this time (RFC 3339), or so long ago: 10m, 3d.", "until", "Before this time, or so long ago; now if nothing is said.",
				"agent", "Only of this agent.", "cwd", "As for /v1/record.", "tz", "The time zone of the days, such as Europe/Berlin; UTC if nothing is said.",
			),
			"responses": answers("Stats", "The figures.", 400, 401, 403, 500, 503),
		}},
		"/v1/sessions": m{"get": m{
			"operationId": "sessions", "summary": "Sessions of agents, the latest first: from the record, and from what agents keep of their own sessions.",
			"parameters": inQuery(
				"agent", "Only of this agent.", "cwd", "Only in the workspace of this folder, or in the folder or below where it is in none. A whole path.",
				"since", "Only with something not before this time (RFC 3339), or so long ago: 10m, 3d.", "q", "Only with each of these words in title, folder, id, agent or model.",
				"limit", "So many at most; 100 if nothing is said, 500 at most.", "after", "The next of the page before.",
			),
			"responses": answers("SessionList", "The page.", 400, 401, 403, 500, 503),
		}},
		"/v1/sessions/{id}": m{"get": m{
			"operationId": "session", "summary": "What happened in a session, in its order, with its sub-agents as lanes.",
			"description": "Calls are those of the record and of the agent's own transcript, joined by their ids. Secrets are taken out as of the record.",
			"parameters": append([]m{inPath("id", "The agent's id of the session.")}, inQuery(
				"agent", "Whose session; without it, of several the latest.", "limit", "So many items at most; 100 if nothing is said, 1000 at most.", "after", "The next of the page before.")...),
			"responses": answers("SessionPage", "The page.", 400, 401, 403, 404, 410, 500, 503),
		}},
	}
}

// describedRecordForms are what is answered there.
func describedRecordForms(t *testing.T) m {
	records := m{"type": "array", "items": ref("Record")}
	return m{
		"RecordPage": m{
			"type": "object", "required": []string{"records", "next", "total", "behind", "problems"},
			"properties": m{
				"records": records, "next": m{"type": "string", "description": "For after; empty at the end."},
				"total":          m{"type": "integer", "description": "So many records are wanted on all pages."},
				"total_at_least": m{"type": "boolean", "description": "There may be more of them: not all were counted."},
				"behind":         m{"type": "integer", "description": "So many records were not looked at yet."},
				"problems":       m{"type": "array", "items": m{"type": "string"}, "description": "What is wrong with the log, or with its index, in plain words."},
			},
		},
		"OneRecord": m{
			"type": "object", "required": []string{"record", "event", "not_kept", "newer", "older", "revised_by"},
			"properties": m{
				"record": ref("Record"), "event": m{"type": []string{"object", "null"}, "description": "As the hooks got it, with placeholders for its secrets."},
				"not_kept": m{"type": "string", "description": "Why the event is not there."},
				"newer":    m{"type": "integer", "description": "The number of the record after this one; 0 if there is none."}, "older": m{"type": "integer"},
				"revised_by": m{"type": "array", "items": ref("Record"), "description": "Records that say that the agent did not take the answer."},
			},
		},
		"Stats":       ofType(t, reflect.TypeFor[index.Stats]()),
		"SessionList": ofType(t, reflect.TypeFor[timeline.List]()),
		"SessionPage": ofType(t, reflect.TypeFor[timeline.Page]()),
	}
}
