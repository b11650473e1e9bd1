package install

import (
	"os"
	"strings"
	"testing"
)

// TestCodexHash compares with what Codex 0.169.0 itself (hooks/list of its app
// server) gave as the hash of these hooks.
func TestCodexHash(t *testing.T) {
	for _, c := range []struct {
		event, command string
		seconds        int
		want           string
	}{
		{"PreToolUse", "/bin/true", 60, "sha256:981e232c472c5b73933a8740c151ca72892b18b717b500d42c596e4bcf35c308"},
		{"PreToolUse", "/bin/echo", 60, "sha256:6011a3d9657c240a25f4c114692e1a1a5b37841fb6ff1c7be396aba5fddfffcc"},
		{"SessionEnd", "/bin/true", 3, "sha256:42ea3855d592a4e9c9d8c7640bc680f9508c7a4a844ad948af96679e7c62eebe"},
	} {
		if got := codexHash(c.event, c.command, c.seconds); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.event, c.command, got, c.want)
		}
	}
}

// TestCodexAsks: without a yes the hooks are written and nothing is approved.
func TestCodexAsks(t *testing.T) {
	m := newMachine(t)
	before := m.files()
	c := m.install("codex", User)
	if c.Question == "" || c.Undone == "" {
		t.Error("the user is not asked")
	}
	if _, err := os.Stat(m.path(".codex/config.toml")); err == nil {
		t.Error("config.toml was written without a yes")
	}
	s, err := Installed("codex", User, m.o)
	m.must(err)
	if len(s.Unapproved) != 3 || s.Stale {
		t.Errorf("got %+v, want len(s.Unapproved) == 3 and !s.Stale", s)
	}
	m.o.Trust = true
	m.install("codex", User)
	if s, err = Installed("codex", User, m.o); err != nil || len(s.Unapproved) != 0 {
		t.Errorf("got %+v, %v, want err == nil and len(s.Unapproved) == 0", s, err)
	}
	m.uninstall("codex", User)
	m.same(before)
}

// TestCodexTwoScopes: the approvals of the user's hooks and of a project's are in
// one file; taking one out leaves the other.
func TestCodexTwoScopes(t *testing.T) {
	for _, order := range [][]Scope{{User, Project}, {Project, User}} {
		m := newMachine(t)
		m.o.Trust = true
		m.write(".codex/config.toml", "model = \"a\"\n")
		before := m.files()
		m.install("codex", User)
		m.install("codex", Project)
		m.uninstall("codex", order[0])
		if s, err := Installed("codex", order[1], m.o); err != nil || len(s.Events) != 3 || len(s.Unapproved) != 0 {
			t.Errorf("%v was taken out, and now %+v, %v", order[0], s, err)
		}
		m.uninstall("codex", order[1])
		for _, b := range backupsOf(m.path(".codex/config.toml")) { // one may have approvals of both
			m.must(os.Remove(b))
		}
		m.same(before)
	}
}

// TestCodexAfterCodexWrote: Codex edits config.toml all the time. What it wrote
// stays; our approvals go, also when the hash is the old one of a changed hook.
func TestCodexAfterCodexWrote(t *testing.T) {
	m := newMachine(t)
	m.o.Trust = true
	m.write(".codex/config.toml", "model = \"a\"")
	m.install("codex", User)
	m.o.Timeout = 5e9
	m.install("codex", User)
	if got := m.read(".codex/config.toml"); strings.Count(got, "trusted_hash") != 3 {
		t.Errorf("the approvals were not changed in their place:\n%s", got)
	}
	m.write(".codex/config.toml", strings.Replace(m.read(".codex/config.toml"), `"a"`, `"b"`, 1)+"\n# mine\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n")
	m.uninstall("codex", User)
	if got, want := m.read(".codex/config.toml"), "model = \"b\"\n\n# mine\n[projects.\"/p\"]\ntrust_level = \"trusted\"\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestCodexOtherForms: approvals that do not stand as Codex writes them are left
// alone, and the user is told.
func TestCodexOtherForms(t *testing.T) {
	for _, text := range []string{
		"hooks = { state = {} }\n",
		"[hooks.state]\n\"HOME/.codex/hooks.json:pre_tool_use:0:0\" = { trusted_hash = \"sha256:old\" }\n",
	} {
		m := newMachine(t)
		m.o.Trust = true
		text = strings.ReplaceAll(text, "HOME", m.home)
		m.write(".codex/config.toml", text)
		c := m.install("codex", User)
		if m.read(".codex/config.toml") != text || c.Question == "" || len(c.Notes) == 0 {
			t.Errorf("%s became %s; %v", text, m.read(".codex/config.toml"), c.Notes)
		}
	}
	m := newMachine(t)
	m.write(".codex/config.toml", "a = 1\nb = \n")
	if _, err := Plan("codex", User, m.o); err == nil || !strings.Contains(err.Error(), "config.toml:2:") {
		t.Errorf("%v does not say where the file is broken", err)
	}
}

// TestCodexNotes: what keeps Codex from running the hooks is said.
func TestCodexNotes(t *testing.T) {
	m := newMachine(t)
	m.write(".codex/config.toml", "[features]\nhooks = false\n")
	c := m.install("codex", Project)
	notes := strings.Join(append(c.Off, c.Notes...), "\n")
	for _, want := range []string{"features.hooks false", "does not say that "} {
		if !strings.Contains(notes, want) {
			t.Errorf("no word of %q: %s", want, notes)
		}
	}
}

// FuzzApprove approves hooks in any config.toml, and takes the approvals out.
func FuzzApprove(f *testing.F) {
	for _, seed := range []string{"", "a = 1", "[a]\r\nb = 2\r\n", "[hooks]\n[hooks.state.\"k\"]\ntrusted_hash = \"x\"\n# c\n", "s = '''\n[hooks.state.\"k\"]\n'''\n",
		"[[hooks.PreToolUse]]\nmatcher = \"^Bash$\"\n[hooks.state]\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		doc, err := parseTOML(text)
		if err != nil {
			return
		}
		wanted := []approval{{"k", "sha256:1", "A"}, {`C:\x "y":1`, "sha256:2", "B"}}
		if table(doc, "hooks", "state", "k") != nil {
			return
		}
		after, err := approve(text, doc, wanted)
		if err != nil {
			return // in a form that we leave alone
		}
		back, err := disapprove(after, wanted)
		if err != nil {
			if strings.Contains(string(text), "[hooks.state") { // as text in a string
				return
			}
			t.Fatalf("%q -> %q: %v", text, after, err)
		}
		if got := string(back); got != string(text) && got != string(text)+"\n" && got != string(text)+"\r\n" {
			t.Fatalf("%q -> %q -> %q", text, after, back)
		}
	})
}
