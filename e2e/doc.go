// Package e2e runs the published programs of agents, headless, against a scripted
// model (package model) with hookway's hooks in between, and looks at what
// happened: to the files, to the conversation, and to hookway's own record.
//
// Its tests are skipped unless the programs are named:
//
//	HOOKWAY_E2E_CLAUDE=/path/to/claude HOOKWAY_E2E_CODEX=/path/to/codex go test ./e2e
//
// make e2e installs both and does that; docs/e2e.md has the rest.
package e2e
