package install

import (
	"bytes"
	"cmp"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/golden"
)

// tables are a few events of each agent, so that the golden files stay short.
var tables = map[string][]adapter.Event{
	"claude":      events("SessionStart", "PreToolUse!", "MessageDisplay", "Stop", "WorktreeCreate!", "SessionEnd"),
	"codex":       events("SessionStart", "PreToolUse!", "SessionEnd"),
	"gemini":      events("SessionStart", "BeforeTool!", "AfterTool"),
	"antigravity": events("PreInvocation", "PreToolUse!", "Stop"),
	"cursor":      events("sessionStart", "preToolUse!", "beforeReadFile!", "stop"),
	"copilot":     events("sessionStart", "preToolUse!"),
	"opencode":    events("tool.execute.before!"),
	"qwen":        events("PreToolUse!", "Stop"),
}

// events makes rows of a table; a ! marks one that can block and change.
func events(names ...string) []adapter.Event {
	var all []adapter.Event
	for _, name := range names {
		name, strong := strings.CutSuffix(name, "!")
		e := adapter.Event{Name: name}
		if strong {
			e.Can = adapter.Block | adapter.ChangeInput
		}
		e.Aside = name == "MessageDisplay"
		all = append(all, e)
	}
	return all
}

// machine is a user's machine: a home, a project in it, and the environment.
type machine struct {
	t    *testing.T
	home string
	env  map[string]string
	o    Options
}

func newMachine(t *testing.T) *machine {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{t: t, home: home, env: map[string]string{"HOME": home}}
	m.write("project/.git/HEAD", "ref: refs/heads/main\n")
	m.write("project/deep/file", "")
	m.o = Options{
		State: filepath.Join(home, "state"), Shim: "/opt/hookway/bin/hookway-hook", Dir: m.path("project/deep"),
		Getenv: func(name string) string { return m.env[name] },
		table:  func(codec string) ([]adapter.Event, error) { return tables[codec], nil },
	}
	return m
}

func (m *machine) path(name string) string { return filepath.Join(m.home, filepath.FromSlash(name)) }

func (m *machine) write(name, text string) {
	m.t.Helper()
	path := m.path(name)
	m.must(os.MkdirAll(filepath.Dir(path), 0o755))
	m.must(os.WriteFile(path, []byte(text), 0o644))
}

func (m *machine) read(name string) string {
	m.t.Helper()
	text, err := os.ReadFile(m.path(name))
	m.must(err)
	return string(text)
}

func (m *machine) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

// files gives every file of the machine but hookway's own state, and folders as
// names that end with a slash.
func (m *machine) files() map[string]string {
	m.t.Helper()
	all := map[string]string{}
	m.must(filepath.WalkDir(m.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(m.home, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		switch {
		case name == "state":
			return fs.SkipDir
		case d.IsDir():
			all[name+"/"] = ""
			return nil
		}
		text, err := os.ReadFile(path)
		all[name] = string(text)
		return err
	}))
	return all
}

func (m *machine) install(agent string, scope Scope) *Change {
	m.t.Helper()
	c, err := Plan(agent, scope, m.o)
	m.must(err)
	_, err = c.Apply()
	m.must(err)
	return c
}

func (m *machine) uninstall(agent string, scope Scope) *Change {
	m.t.Helper()
	c, err := PlanRemoval(agent, scope, m.o)
	m.must(err)
	_, err = c.Apply()
	m.must(err)
	return c
}

func (m *machine) same(before map[string]string) {
	m.t.Helper()
	after := m.files()
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if _, was := before[name]; !was {
			m.t.Errorf("%s is left behind", name)
		}
	}
	for name, text := range before {
		if got, is := after[name]; !is || got != text {
			m.t.Errorf("%s is not what it was:\n%s\nwant:\n%s", name, got, text)
		}
	}
}

// TestGolden installs over the files in testdata/AGENT/CASE, a home in which the
// file's name ends with .before, and compares with those that end with .after.
func TestGolden(t *testing.T) {
	cases, err := filepath.Glob(filepath.Join("testdata", "*", "*", "home"))
	if err != nil || len(cases) < len(agents) {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, dir := range cases {
		dir = filepath.Dir(dir)
		agent, name := filepath.Base(filepath.Dir(dir)), filepath.Base(dir)
		t.Run(agent+"/"+name, func(t *testing.T) {
			m := newMachine(t)
			m.o.Trust = true
			scope := User
			if strings.HasPrefix(name, "project") {
				scope = Project
			}
			root := filepath.Join(dir, "home")
			m.must(filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
				if file, ok := strings.CutSuffix(path, ".before"); ok && err == nil {
					text, err := os.ReadFile(path)
					if err != nil {
						return err
					}
					file, err = filepath.Rel(root, file)
					m.write(filepath.ToSlash(file), string(text))
					return err
				}
				return err
			}))
			before := m.files()
			m.install(agent, scope)
			m.golden(root, before)

			again, err := Plan(agent, scope, m.o)
			m.must(err)
			if !again.Empty() || again.Question != "" {
				t.Errorf("a second run asks %q and changes:\n%s", again.Question, again.Diff())
			}
			m.uninstall(agent, scope)
			m.same(before)
		})
	}
}

// golden compares what is new or changed with the golden files of a case.
func (m *machine) golden(root string, before map[string]string) {
	m.t.Helper()
	for name, text := range m.files() {
		if strings.HasSuffix(name, "/") || strings.Contains(name, backupMark) || before[name] == text {
			continue
		}
		text = strings.ReplaceAll(text, m.home, "/home/u")
		if _, rest, ok := strings.Cut(text, bridgeHole); ok { // of a plugin, what it is told
			text, _, _ = strings.Cut(rest, "\n")
		}
		file := filepath.Join(root, filepath.FromSlash(name)+".after")
		golden.Compare(m.t, file, text)
	}
}

// TestChangedSince takes hookway out of files that others changed meanwhile.
func TestChangedSince(t *testing.T) {
	m := newMachine(t)
	m.write(".claude/settings.json", "{\n  \"model\": \"a\"\n}\n")
	m.install("claude", User)
	text := m.read(".claude/settings.json")
	text = strings.Replace(text, `"model": "a"`, `"model": "b"`, 1)
	text = strings.Replace(text, `"Stop": [`, "\"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]},", 1)
	m.write(".claude/settings.json", text)
	m.uninstall("claude", User)
	want := "{\n  \"model\": \"b\",\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]}\n    ]\n  }\n}\n"
	if got := m.read(".claude/settings.json"); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// TestReinstallKeepsTheFirstState: what was there before the first run is what
// uninstall gives back, however often it was installed.
func TestReinstallKeepsTheFirstState(t *testing.T) {
	m := newMachine(t)
	m.write(".gemini/settings.json", "{ }")
	before := m.files()
	m.install("gemini", User)
	m.o.Timeout, m.o.Hold = 5e9, -1
	if c := m.install("gemini", User); c.Empty() {
		t.Error("another timeout changes nothing")
	}
	if got := m.read(".gemini/settings.json"); strings.Count(got, "5000") != 3 || strings.Contains(got, "60000") {
		t.Errorf("the old entries are not replaced:\n%s", got)
	}
	m.uninstall("gemini", User)
	m.same(before)
}

// TestStaleEntries: those that another hookway wrote, in other places, are
// replaced, and no event is asked about twice.
func TestStaleEntries(t *testing.T) {
	m := newMachine(t)
	m.write(".claude/settings.json", `{"hooks": {"PreToolUse": [
  {"hooks": [{"type": "command", "command": "'/old place/hookway-hook' claude --event PreToolUse"}]},
  {"matcher": "Bash", "hooks": [
    {"type": "command", "command": "mine"},
    {"type": "command", "command": "hookway hook claude"}
  ]},
  {"hooks": [{"type": "command", "command": "/x/hookway-hook gemini --event PreToolUse"}]}
], "Gone": [{"hooks": [{"type": "command", "command": "/x/hookway-hook", "args": ["claude", "--event", "Gone"]}]}]}}`)
	m.install("claude", User)
	got := m.read(".claude/settings.json")
	for text, n := range map[string]int{"old place": 0, "hookway hook claude": 0, `"mine"`: 1, "Gone": 0, "/x/hookway-hook gemini": 1,
		`"/opt/hookway/bin/hookway-hook",`: 5, `["claude", "--event", "PreToolUse", "--timeout", "600s"]`: 1} {
		if strings.Count(got, text) != n {
			t.Errorf("%q stands %d times, want %d:\n%s", text, strings.Count(got, text), n, got)
		}
	}
}

// TestWithoutAShell: where the agent can, it starts hookway-hook itself, and waits
// only where something can come of it. What an older hookway installed goes on to
// count, and installing again brings it up to date.
func TestWithoutAShell(t *testing.T) {
	m := newMachine(t)
	old := `{"version": 1, "hooks": {"preToolUse": [{"type": "command", "command": "/opt/hookway/bin/hookway-hook copilot --event preToolUse --timeout 60s", "timeoutSec": 60}]}}`
	for _, c := range []struct {
		agent, version, shim string
		scope                Scope
		want                 string // in the file
	}{
		{"copilot", "", "", User, `"command":"/opt/hookway/bin/hookway-hook copilot --event preToolUse --timeout 600s"`},
		{"copilot", "1.0.101", "", User, `"command":"/opt/hookway/bin/hookway-hook copilot --event preToolUse --timeout 600s"`},
		{"copilot", "1.0.102", "", Project, `"command": "/opt/hookway/bin/hookway-hook copilot --event preToolUse --timeout 600s"`},
		{"copilot", "1.0.102", "", User, `"args":["copilot","--event","preToolUse","--timeout","600s"]`},
		{"copilot", "1.0.102", "", User, `"env":{"GOMAXPROCS":"01"}`},
		{"copilot", "1.2.0", "/my programs/hookway-hook", User, `"command":"'/my programs/hookway-hook' copilot --event preToolUse --timeout 600s"`},
		{"claude", "", "", User, `"args": ["claude", "--event", "MessageDisplay", "--timeout", "60s"],`},
		{"claude", "", "/it's/hookway-hook", User, `"'/it'\\''s/hookway-hook' claude --event Stop --timeout 60s"`},
	} {
		m.o.Version, m.o.Shim = c.version, cmp.Or(c.shim, "/opt/hookway/bin/hookway-hook")
		if c.scope == User {
			m.write(".copilot/hooks/hookway.json", strings.NewReplacer(": ", ":", ", ", ",").Replace(old))
		}
		m.install(c.agent, c.scope)
		a, err := find(c.agent)
		m.must(err)
		w, err := m.o.world(c.scope)
		m.must(err)
		got := m.read(strings.TrimPrefix(w.file(a), m.home+"/"))
		if !strings.Contains(got, c.want) || strings.Contains(got, "async") != (c.agent == "claude") {
			t.Errorf("%s %s at %s:\n%s", c.agent, c.version, c.shim, got)
		}
		s, err := Installed(c.agent, c.scope, m.o)
		switch {
		case err != nil || s.Stale || len(s.Missing) > 0:
			t.Errorf("%s %s at %s is not understood: %+v, %v", c.agent, c.version, c.shim, s, err)
		case s.Shims[0] != m.o.Shim:
			t.Errorf("%v: %v: %v: s.Shims[0]: got %v, want %v", c.agent, c.version, c.shim, s.Shims[0], m.o.Shim)
		}
		m.uninstall(c.agent, c.scope)
	}
}

// TestRefused: a file that cannot be understood is left alone.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"{\n  \"a\": 1,,\n}", "2:10: it is not valid JSON"},
		{"[]", "1:1: it is not a JSON object"},
		{`{"hooks": []}`, `1:11: "hooks" is not an object`},
		{"{\"hooks\": {\n\"PreToolUse\": {}}}", `2:15: "PreToolUse" is not a list`},
		{`{"hooks": {}, "hooks": {}}`, `1:15: "hooks" stands twice`},
		{strings.Repeat("[", 5000), "nested more than"},
	} {
		m := newMachine(t)
		m.write(".claude/settings.json", c.text)
		_, err := Plan("claude", User, m.o)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "settings.json:") {
			t.Errorf("%.40s: %v, want %s", c.text, err, c.want)
		}
		if m.read(".claude/settings.json") != c.text {
			t.Errorf("%.40s was changed", c.text)
		}
	}
}

// TestFileKeepsItsMode also when it is reached through a link, which stays.
func TestFileKeepsItsMode(t *testing.T) {
	m := newMachine(t)
	m.write("dotfiles/claude.json", "{}\n")
	m.must(os.Chmod(m.path("dotfiles/claude.json"), 0o640))
	m.must(os.Mkdir(m.path(".claude"), 0o700))
	if err := os.Symlink(filepath.Join("..", "dotfiles", "claude.json"), m.path(".claude/settings.json")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	m.install("claude", User)
	info, err := os.Lstat(m.path(".claude/settings.json"))
	m.must(err)
	if info.Mode()&fs.ModeSymlink == 0 {
		t.Error("the link became a file")
	}
	if info, err = os.Stat(m.path("dotfiles/claude.json")); err != nil || filepath.Separator == '/' && info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if !strings.Contains(m.read("dotfiles/claude.json"), shimName) {
		t.Error("the target was not written")
	}
}

// TestBackups: one a change, the newest few are kept.
func TestBackups(t *testing.T) {
	m := newMachine(t)
	m.write(".gemini/settings.json", "{}\n")
	for i := range 6 {
		m.o.Timeout = DefaultTimeout + time.Duration(i)*time.Second
		m.install("gemini", User)
		m.install("gemini", User) // nothing to do, so no backup
		if got := len(backupsOf(m.path(".gemini/settings.json"))); got != min(i+1, backups) {
			t.Errorf("%d backups after %d changes", got, i+1)
		}
	}
}

// TestSomebodyElse: a file that changed between plan and apply is not overwritten.
func TestSomebodyElse(t *testing.T) {
	m := newMachine(t)
	m.write(".claude/settings.json", "{}")
	c, err := Plan("claude", User, m.o)
	m.must(err)
	m.write(".claude/settings.json", `{"a":1}`)
	if _, err := c.Apply(); err == nil || m.read(".claude/settings.json") != `{"a":1}` {
		t.Errorf("%v: got %s, want err != nil and m.read(\".claude/settings.json\") == `{\"a\":1}`", err, m.read(".claude/settings.json"))
	}
}

// TestForeignPlugin: a plugin that is not ours is left alone.
func TestForeignPlugin(t *testing.T) {
	m := newMachine(t)
	m.write("project/.opencode/plugin/hookway.js", "export default 1")
	if _, err := Plan("opencode", Project, m.o); err == nil {
		t.Error("it would be overwritten")
	}
	m.uninstall("opencode", Project)
	if m.read("project/.opencode/plugin/hookway.js") != "export default 1" {
		t.Error("it was removed")
	}
}

// TestEveryEvent: with the codecs' own tables, hookway is installed at every
// event, and each file can be read by a plain JSON parser.
func TestEveryEvent(t *testing.T) {
	for _, agent := range Agents() {
		codec, err := adapter.Lookup(agent)
		if err != nil {
			t.Errorf("%s: %v", agent, err)
			continue
		}
		m := newMachine(t)
		m.o.table, m.o.Trust = nil, true
		m.install(agent, Project)
		m.o.Shim = ""
		s, err := Installed(agent, Project, m.o)
		m.must(err)
		for _, e := range codec.About().Events {
			if agent == "claude" && e.Name == "WorktreeCreate" {
				continue
			}
			i := slices.IndexFunc(s.Events, func(x EventState) bool { return x.Name == e.Name })
			if i < 0 || s.Events[i].Copies != 1 {
				t.Errorf("%s: hookway is not installed at %s", agent, e.Name)
			}
		}
		switch {
		case s.Stale || len(s.Missing) > 0 || len(s.Unapproved) > 0:
			t.Errorf("%s: %+v", agent, s)
		case len(s.Gone) != 1:
			t.Errorf("%v: len(s.Gone): got %v, want %v", agent, len(s.Gone), 1)
		}
	}
}

// FuzzInstall installs over any text and takes hookway out again, without a note
// of what was there before.
func FuzzInstall(f *testing.F) {
	for _, seed := range []string{`{}`, ` { "hooks" : { } } `, "{\r\n\t\"a\": [1, 2], // c\r\n}\r\n", `{"hooks":{"PreToolUse":[{"hooks":[{"command":"x"}]},]}}`,
		"{\"a\":1 /* b */\n}", `{"hooks":{"Stop":[]}}`, "{// c\n}", `{"version":1,"hooks":{"stop":[{"command":"a"}]}}`} {
		f.Add([]byte(seed), 0)
		f.Add([]byte(seed), 3)
	}
	f.Fuzz(func(t *testing.T, text []byte, which int) {
		a := agents[uint(which)%uint(len(agents))]
		if a.whole != nil {
			t.Skip("the file is all ours")
		}
		w, err := Options{Shim: "/x y/hookway-hook", Getenv: func(string) string { return "/home/u" },
			table: func(codec string) ([]adapter.Event, error) { return tables[codec], nil }}.world(User)
		if err != nil {
			t.Fatal(err)
		}
		events, _, err := a.events(w)
		if err != nil {
			t.Fatal(err)
		}
		if bare, err := a.strip(text, text); err != nil || !bytes.Equal(bare, text) || len(bytes.TrimSpace(text)) == 0 {
			t.Skip("not JSON, or ours already")
		}
		after, err := a.with(w, &File{Existed: true, Before: text}, events)
		if err != nil {
			return // refused
		}
		if again, err := a.with(w, &File{Existed: true, Before: after}, events); err != nil || !bytes.Equal(again, after) {
			t.Fatalf("%q -> %q, and again -> %q, %v", text, after, again, err)
		}
		back, err := a.strip(after, text)
		if err != nil {
			t.Fatalf("%q -> %q: %v", text, after, err)
		}
		if blanks(back) != blanks(text) {
			t.Fatalf("%q -> %q -> %q", text, after, back)
		}
	})
}

// blanks drops white space, of which an object that was empty may have lost some.
func blanks(text []byte) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\r\n", r) {
			return -1
		}
		return r
	}, string(text))
}
