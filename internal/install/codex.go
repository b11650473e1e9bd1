package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/hookway/hookway/internal/disk"
	"github.com/tailscale/hujson"
)

// codex is Codex CLI. It runs a hook only if its user approved the very command,
// and says nothing of one that is not approved. What is approved stands in
// config.toml, as a hash for each place in a file.
var codex = &agent{
	name: "codex", title: "Codex CLI", program: "codex",
	user:    under("CODEX_HOME", ".codex", "hooks.json"),
	project: below(".codex", "hooks.json"),
	keys:    codexKeys,
	entry: func(e event, c caller) object {
		return inGroup(object{{"type", "command"}, {"command", c.line()}, {"timeout", e.seconds()}})
	},
	wait:     atMost(3*time.Second, "SessionEnd", "Interrupt"), // Codex waits no longer, whatever its settings say
	off:      offCodex,
	strict:   true,
	noMark:   true,
	review:   reviewCodex,
	unreview: unreviewCodex,
}

// Names of codex that its approvals need as well.
var codexKeys, codexCodecs = []string{"hooks"}, []string{"codex"}

// codexLabel is the name of an event in the keys of approvals: pre_tool_use.
func codexLabel(event string) string {
	var out strings.Builder
	for i, r := range event {
		if r >= 'A' && r <= 'Z' {
			if i > 0 {
				out.WriteByte('_')
			}
			r += 'a' - 'A'
		}
		out.WriteRune(r)
	}
	return out.String()
}

// codexHash is what Codex compares before it runs a hook: the hash of its
// handler, in a form that Codex derives from the file. Our groups have no matcher.
func codexHash(event, command string, seconds int) string {
	type handler struct {
		Async   bool   `json:"async"`
		Command string `json:"command"`
		Timeout int    `json:"timeout"`
		Type    string `json:"type"`
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	err := enc.Encode(struct {
		Event string    `json:"event_name"`
		Hooks []handler `json:"hooks"`
	}{codexLabel(event), []handler{{Command: command, Timeout: seconds, Type: "command"}}})
	if err != nil { // strings and numbers have JSON
		panic(err)
	}
	return "sha256:" + hash(bytes.TrimSuffix(text.Bytes(), []byte("\n")))
}

// codexKey is the key of an approval.
func codexKey(source, event string, group, index int) string {
	return fmt.Sprintf("%s:%s:%d:%d", source, codexLabel(event), group, index)
}

// approval is one of our hooks as Codex must have it approved.
type approval struct{ key, hash, event string }

// approvals are those of our hooks in a text of hooks.json. source is the path by
// which Codex names the file.
func approvals(text []byte, source string) ([]approval, error) {
	t, err := treeOf(text, codexKeys)
	if err != nil || t.events == nil {
		return nil, err
	}
	var found []approval
	for _, m := range t.events.Value.(*hujson.Object).Members {
		if _, ok := m.Value.Value.(*hujson.Array); !ok {
			continue
		}
		name := m.Name.Value.(hujson.Literal).String()
		for _, e := range entries(&m.Value, codexCodecs) {
			if e.inner == nil {
				continue
			}
			h := &e.inner.Value.(*hujson.Array).Elements[e.index]
			var v struct {
				Command string `json:"command"`
				Timeout *int   `json:"timeout"`
			}
			piece, err := hujson.Standardize(bytes.Clone(t.text[h.StartOffset:h.EndOffset]))
			if err != nil || json.Unmarshal(piece, &v) != nil || v.Timeout == nil {
				continue // not as we write it; it is replaced before it is approved
			}
			found = append(found, approval{codexKey(source, name, e.group, e.index), codexHash(name, v.Command, *v.Timeout), name})
		}
	}
	return found, nil
}

// codexHome is where Codex keeps config.toml. It follows links in CODEX_HOME, and
// not in the user's home.
func codexHome(w *world) string {
	if home := w.getenv("CODEX_HOME"); home != "" {
		return disk.Real(w.path(home))
	}
	return w.path(w.home, ".codex")
}

// codexFile is the hooks' file of Codex.
func codexFile(w *world) string {
	if w.scope == Project {
		return filepath.Join(w.root, ".codex", "hooks.json")
	}
	return under("CODEX_HOME", ".codex", "hooks.json")(w)
}

// codexSource is the path by which Codex names the hooks' file.
func codexSource(w *world) string {
	if w.scope == Project {
		return filepath.Join(w.root, ".codex", "hooks.json")
	}
	return filepath.Join(codexHome(w), "hooks.json")
}

// reviewCodex writes the approvals, if the user said yes, or asks for the yes.
func reviewCodex(w *world, c *Change) error {
	hooks := c.Files[0]
	wanted, err := approvals(bytes.TrimPrefix(hooks.After, bom), codexSource(w))
	if err != nil {
		return err
	}
	f, err := readFile(filepath.Join(codexHome(w), "config.toml"))
	if err != nil {
		return err
	}
	doc, err := parseTOML(f.text())
	if err != nil {
		return fmt.Errorf("%s:%w; mend it first", f.Path, spaced(err))
	}
	after, err := approve(f.text(), doc, wanted)
	if err == nil && bytes.Equal(after, f.text()) {
		return nil
	}
	c.Question = fmt.Sprintf("Codex runs only hooks that you approved. Approve hookway's %d in %s?", len(wanted), f.Path)
	c.Undone = "start codex, and approve the hooks when it says that they need review; until then it runs none of them and says nothing" +
		" (or: hookway install codex --yes)"
	if err != nil {
		c.note("%v, so approve the hooks in Codex itself", err)
		return nil
	}
	if w.Trust {
		before, err := stripped(w, f, ourApprovals(w, hooks))
		if err != nil {
			return err
		}
		f.set(after)
		f.note = before.record(w.scope, f)
		c.Files, c.Question, c.Undone = append(c.Files, f), "", ""
	}
	return nil
}

// unreviewCodex takes the approvals of our hooks out, where they are as we wrote
// them.
func unreviewCodex(w *world, c *Change) error {
	f, err := readFile(filepath.Join(codexHome(w), "config.toml"))
	if err != nil || !f.Existed {
		return err
	}
	ours := ourApprovals(w, c.Files[0])
	before, err := stripped(w, f, ours)
	if err != nil { // an approval of a hook that is gone does no harm
		c.note("%v", err)
		return nil
	}
	f.After, f.Remove, f.dirs = before.text, before.created, before.dirs
	f.says = func(backup []byte) bool {
		text, err := disapprove(bytes.TrimPrefix(backup, bom), ours)
		return before.noted.ours(backup) || err == nil && (bytes.Equal(f.marked(text), f.After) || f.Remove && len(bytes.TrimSpace(text)) == 0)
	}
	c.Files = append(c.Files, f)
	return nil
}

// stripped is config.toml without our approvals.
func stripped(w *world, f *File, ours []approval) (*original, error) {
	o, r := noted(w, f)
	if o != nil {
		return o, nil
	}
	text, err := disapprove(f.text(), ours)
	if err != nil {
		return nil, fmt.Errorf("%s:%w; mend it first", f.Path, spaced(err))
	}
	o = &original{text: f.marked(text), noted: r}
	if r != nil {
		o.dirs, o.created = r.Dirs, r.Created && len(bytes.TrimSpace(text)) == 0
	}
	return o, nil
}

// ourApprovals are those of the hooks of ours that stand in the hooks' file, at
// the place where they stand.
func ourApprovals(w *world, hooks *File) []approval {
	found, err := approvals(hooks.text(), codexSource(w))
	if err != nil {
		return nil // it has none; planning a change of it says why
	}
	return found
}

// unapproved are the events of our hooks that Codex does not run yet.
func unapproved(w *world) ([]string, error) {
	hooks, err := readFile(codexFile(w))
	if err != nil {
		return nil, err
	}
	doc, err := parseTOML(bytes.TrimPrefix(read(filepath.Join(codexHome(w), "config.toml")), bom))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, a := range ourApprovals(w, hooks) {
		if table(doc, "hooks", "state", a.key)["trusted_hash"] != a.hash {
			names = append(names, a.event)
		}
	}
	return names, nil
}
