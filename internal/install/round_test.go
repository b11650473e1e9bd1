package install

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// starts are what may stand in a file of JSON before hookway is installed. "-" is
// no file.
var starts = []string{
	"-", "", "\n", " \r\n", "{}", "{}\n", "{ }", "{\n}\n", "{\r\n}\r\n",
	`{"a":1}`, "{\n  \"a\": 1\n}", "{\n\t\"a\": [1, 2],\n}\n", "{\r\n    \"a\": 1\r\n}\r\n",
	"// of the user\n{\n  // and here\n  \"a\": 1, // and there\n}\n// and after", "/* c */ {} // c",
	"\ufeff{}", "\ufeff{\r\n  \"a\": 1\r\n}", "\ufeff", "\ufeff\n",
	`{"hooks":{}}`, "{\n  \"hooks\": {\n  }\n}\n", "{\"HOOKS\": {}, \"hooks\": {\"EVENT\": []}}", "{\n  \"hooks\": {\"EVENT\": [ ]},\n  \"b\": 2\n}",
	"{\"hookway\": {}}\n\n\n", "{\"hooks\": {\"EVENT\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]}]}}",
}

// settings are what may stand in Codex's config.toml before.
var codexStarts = []string{
	"-", "", "\n", "model = \"x\"", "model = \"x\"\n", "model = \"x\"\r\n\r\n[a]\r\nb = 1", "# of the user", "[features]\nhooks = true", "\ufeffmodel = \"x\"",
	"[hooks.state]", "[hooks.state.\"other:stop:0:0\"]\ntrusted_hash = \"sha256:1\"", "a = 1\n\n\n\n", "[hooks.state.\"other:stop:0:0\"]\r\ntrusted_hash = \"sha256:1\"\r\n", "\t", "\ufeff",
}

// TestWhatUninstallLeavesIsWhatWasThere: to the byte, from whatever it was, and
// with no backup beside it; also if hookway was installed twice, or otherwise.
func TestWhatUninstallLeavesIsWhatWasThere(t *testing.T) {
	for k, agent := range Agents() {
		for i, start := range starts {
			if (i+k)%4 != 0 { // each is with two agents: writing to the disk takes its time
				continue
			}
			event := tables[agent][0].Name
			start = strings.ReplaceAll(start, "EVENT", event)
			if agent == "opencode" && strings.TrimSpace(strings.Trim(start, "-\ufeff")) != "" {
				continue // its file is all ours, or it is refused
			}
			toml := codexStarts[i%len(codexStarts)]
			t.Run(fmt.Sprintf("%s/%q", agent, start), func(t *testing.T) { round(t, agent, Scope(i%2), i%3, start, toml) })
		}
	}
	for i, toml := range codexStarts {
		for scope := range 2 {
			t.Run(fmt.Sprintf("codex/%d/%q", scope, toml), func(t *testing.T) { round(t, "codex", Scope(scope), i%3, "{}\n", toml) })
		}
	}
}

// round installs hookway, perhaps again, and takes it out.
func round(t *testing.T, agent string, scope Scope, again int, start, toml string) {
	m := newMachine(t)
	m.o.Trust = true
	a, err := find(agent)
	m.must(err)
	w, err := m.o.world(scope)
	m.must(err)
	if start != "-" {
		m.write(strings.TrimPrefix(w.file(a), m.home+"/"), start)
	}
	if agent == "codex" && toml != "-" {
		m.write(".codex/config.toml", toml)
	}
	before := m.files()
	m.install(agent, scope)
	switch again {
	case 1:
		m.o.Timeout = 30 * time.Second
		m.install(agent, scope)
	case 2:
		m.o.Shim = "/opt/other/hookway-hook"
		m.install(agent, scope)
		m.install(agent, scope)
	}
	m.uninstall(agent, scope)
	m.same(before)
}
