//go:build unix

package public

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// pack is a package of hooks that others have published.
type pack struct {
	name string
	root string // CLAUDE_PLUGIN_ROOT, if it is a plugin
	lay  string // the folder that is laid into a project as its .claude
	all  []entry
}

// entry is one hook of a settings file.
type entry struct {
	pack    *pack
	event   string
	matcher string
	fields  object // as it is written
}

func (e entry) String() string {
	return fmt.Sprintf("%s %s[%s] %s", e.pack.name, e.event, e.matcher, short(strings.Join(strings.Fields(text(e.fields, "command")), " ")))
}

func short(s string) string {
	if len(s) > 90 {
		return s[:40] + "…" + s[len(s)-48:]
	}
	return s
}

func (e entry) aside() bool { return e.fields["async"] == true || e.fields["asyncRewake"] == true }

// readPacks reads the packs that were fetched, and how many hooks they have that
// are not commands.
func readPacks(t *testing.T, cache string) (packs []*pack, others int) {
	list, err := os.ReadFile("testdata/packs.txt")
	check(t, err)
	data, err := os.ReadFile("testdata/own.json")
	check(t, err)
	var own map[string]json.RawMessage
	check(t, json.Unmarshal(data, &own))
	for line := range strings.Lines(string(list)) {
		words := strings.Fields(line)
		if len(words) != 5 || words[0] == "#" {
			continue
		}
		root := filepath.Join(cache, "npm", words[1])
		if words[0] == "pypi" {
			root = filepath.Join(cache, "venv", "lib", "python3")
			if found, _ := filepath.Glob(filepath.Join(cache, "venv", "lib", "python3.*", "site-packages")); len(found) > 0 {
				root = found[0]
			}
		}
		if _, err := os.Stat(root); err != nil {
			t.Logf("%s was not fetched", words[1])
			continue
		}
		p := &pack{name: words[1]}
		var texts [][]byte
		if words[3] == "own" {
			texts = append(texts, []byte(`{"hooks": `+string(own[words[1]])+`}`))
			p.root = root
		} else {
			files, err := filepath.Glob(filepath.Join(root, words[3]))
			check(t, err)
			for _, file := range files {
				text, err := os.ReadFile(file)
				check(t, err)
				texts = append(texts, text)
				switch words[4] {
				case "plugin":
					p.root = filepath.Dir(filepath.Dir(file))
				case "project":
					p.lay = filepath.Dir(file)
				}
			}
		}
		for _, text := range texts {
			others += p.read(text)
		}
		packs = append(packs, p)
	}
	return packs, others
}

// read adds the hooks of a settings file; it gives how many are not commands.
func (p *pack) read(data []byte) (others int) {
	var settings struct {
		Hooks map[string][]struct {
			Matcher string
			Hooks   []object
		}
	}
	if json.Unmarshal(data, &settings) != nil {
		return 0
	}
	var events []string
	for event := range settings.Hooks {
		events = append(events, event)
	}
	slices.Sort(events)
	for _, event := range events {
		for _, group := range settings.Hooks[event] {
			for _, fields := range group.Hooks {
				e := entry{p, event, group.Matcher, fields}
				switch {
				case fields["type"] != "command":
					others++
				case slices.ContainsFunc(p.all, func(o entry) bool {
					return o.event == e.event && o.matcher == e.matcher && text(o.fields, "command") == text(fields, "command")
				}):
				default:
					p.all = append(p.all, e)
				}
			}
		}
	}
	return others
}

var plainMatcher = regexp.MustCompile(`^[A-Za-z0-9_|, ]+$`)

// matches says whether Claude Code runs the hook for a happening.
func (e entry) matches(h happening) bool {
	if e.event != h.event {
		return false
	}
	field := map[string]string{"PreToolUse": "tool_name", "PostToolUse": "tool_name", "PostToolUseFailure": "tool_name", "PermissionRequest": "tool_name",
		"SessionStart": "source", "PreCompact": "trigger", "SessionEnd": "reason", "SubagentStart": "agent_type", "SubagentStop": "agent_type",
		"Notification": "notification_type"}[h.event]
	if field == "" || e.matcher == "" || e.matcher == "*" {
		return true
	}
	value := text(h.fields, field)
	if plainMatcher.MatchString(e.matcher) {
		for word := range strings.FieldsFuncSeq(e.matcher, func(r rune) bool { return r == '|' || r == ',' }) {
			if strings.TrimSpace(word) == value {
				return true
			}
		}
		return false
	}
	re, err := regexp.Compile(e.matcher)
	return err == nil && re.MatchString(value)
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
