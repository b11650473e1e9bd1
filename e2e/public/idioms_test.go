//go:build unix

package public

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/internal/config"
	"github.com/hookway/hookway/internal/judge"
	"github.com/hookway/hookway/wire/call"
)

// idiom is a way in which people write hooks, in our own words, with what Claude Code
// makes of it by its reference.
type idiom struct {
	name     string
	need     string            // a program that it needs beside sh
	hook     string            // settings.json, if it has one hook
	settings string            // or as a whole
	local    string            // settings.local.json
	files    map[string]string // below .claude/hooks
	on       happening
	want     verdict
	begins   bool              // the text begins with what is wanted
	leaves   map[string]string // files of the project or (~) of the user, and a text in each
	alone    bool              // it is more than lines that can be run as they are
}

// at is the settings with one hook.
func at(event, matcher, command string) string { return hooks(event, matcher, command) }

func pre(matcher, command string) string { return hooks("PreToolUse", matcher, command) }

// hooks are settings with commands at one event.
func hooks(event, matcher string, commands ...string) string {
	var all []any
	for _, c := range commands {
		all = append(all, object{"type": "command", "command": c, "timeout": 600})
	}
	text, _ := json.Marshal(object{"hooks": object{event: []any{object{"matcher": matcher, "hooks": all}}}})
	return string(text)
}

// says is a command that prints a text.
func says(text string) string { return "cat <<'END'\n" + text + "\nEND" }

func decide(word, reason string) string {
	return says(`{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "` + word + `", "permissionDecisionReason": "` + reason + `"}}`)
}

// write and edit are calls on a file of the project, prompt and stop what their names say.
func write(file, content string) happening {
	return tool("Write "+file, "Write", object{"file_path": "PROJECT/" + file, "content": content})
}

func edit(file, before, after string) happening {
	return tool("Edit "+file, "Edit", object{"file_path": "PROJECT/" + file, "old_string": before, "new_string": after})
}

func prompt(text string) happening { return other("UserPromptSubmit", "prompt", text) }

func stop(again bool) happening {
	return other("Stop", "stop_hook_active", again, "last_assistant_message", "Done.")
}

// TestIdioms: what people write decides under Codex and Gemini CLI as Claude Code's
// reference says, or as docs/moving.md says of what these agents cannot do.
func TestIdioms(t *testing.T) {
	idioms := slices.Concat(guards, answers, settings)
	if len(idioms) < 100 {
		t.Errorf("%d idioms", len(idioms))
	}
	names := map[string]bool{}
	for _, i := range idioms {
		if names[i.name] {
			t.Errorf("two are called %s", i.name)
		}
		names[i.name] = true
		t.Run(i.name, func(t *testing.T) {
			t.Parallel()
			if i.need != "" {
				if _, err := exec.LookPath(i.need); err != nil {
					t.Skipf("skipped: there is no %s", i.need)
				}
			}
			s := newStage(t, i)
			for _, agent := range []string{"codex", "gemini"} {
				s.ask(t, agent)
			}
		})
	}
}

// TestIdiomsNatively: what the table expects is what the hooks do as they are. It is a
// test of the table.
func TestIdiomsNatively(t *testing.T) {
	if os.Getenv("HOOKWAY_PUBLIC_IDIOMS") == "" {
		t.Skip("skipped: a row of make proof runs it")
	}
	asked := 0
	for _, i := range slices.Concat(guards, answers, settings) {
		if i.alone || i.need != "" && missing(i.need) {
			continue
		}
		t.Run(i.name, func(t *testing.T) {
			s := newStage(t, i)
			if how := s.natively(t); how != "" {
				t.Errorf(`got %v, want ""`, how)
			}
		})
		asked++
	}
	t.Logf("proof: %d idioms as they are", asked)
}

func missing(program string) bool {
	_, err := exec.LookPath(program)
	return err != nil
}

// stage is a user with a project that has an idiom's hooks.
type stage struct {
	idiom
	judge   judge.Judge
	root    string
	project string
	env     []string
}

func newStage(t *testing.T, i idiom) *stage {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	check(t, err)
	s := &stage{idiom: i, root: root, project: filepath.Join(root, "project")}
	s.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + root, "HOOKWAY_HOME=" + filepath.Join(root, "hookway"), "LANG=C.UTF-8", "PYTHONDONTWRITEBYTECODE=1"}
	files := map[string]string{"hookway.yaml": "version: 1\nimport: claude\n", "README.md": "# A project\n\nIt is for tests.\n", "CLAUDE.md": "Be kind.\n"}
	for name, text := range i.files {
		files[filepath.Join(".claude/hooks", name)] = text
	}
	for name, text := range map[string]string{"settings.json": i.hook + i.settings, "settings.local.json": i.local} {
		if text != "" {
			files[filepath.Join(".claude", name)] = text
		}
	}
	for name, text := range files {
		path := filepath.Join(s.project, name)
		check(t, os.MkdirAll(filepath.Dir(path), 0o700))
		check(t, os.WriteFile(path, []byte(text), 0o755))
	}
	_, err = config.Trust(config.Options{Dir: s.project, Getenv: func(name string) string {
		for _, pair := range s.env {
			if value, ok := strings.CutPrefix(pair, name+"="); ok {
				return value
			}
		}
		return ""
	}})
	check(t, err)
	t.Cleanup(func() { check(t, s.judge.Close()) })
	return s
}

// happens is the idiom's happening in this project.
func (s *stage) happens() happening {
	h := s.on
	if input, ok := h.fields["tool_input"].(object); ok {
		fields, own := object{}, object{}
		for key, value := range h.fields {
			fields[key] = value
		}
		for key, value := range input {
			if text, ok := value.(string); ok {
				value = strings.ReplaceAll(text, "PROJECT", s.project)
			}
			own[key] = value
		}
		fields["tool_input"] = own
		h.fields = fields
	}
	return h
}

// ask has an agent ask hookway, and looks at what it hears and what is left.
func (s *stage) ask(t *testing.T, agent string) {
	t.Helper()
	h := s.happens()
	if text(h.fields, "tool_name") == "Read" && agent == "codex" {
		return
	}
	id := session()
	got, raw, ok := s.tell(t, agent, h, id)
	if !ok {
		return
	}
	how, later := s.compare(agent, h, got)
	if how != same && how != stricter {
		t.Errorf("%s: %s\nit was told %s", agent, how, raw)
	}
	if later != "" {
		if next, _, _ := s.tell(t, agent, prompt("and now?"), id); !strings.Contains(plain(next.Context), plain(later)) {
			t.Errorf("%s: the text %q was to come with the next prompt, which got %q", agent, later, next.Context)
		}
	}
	for name, want := range s.leaves {
		path := filepath.Join(s.project, name)
		if rest, ok := strings.CutPrefix(name, "~/"); ok {
			path = filepath.Join(s.root, rest)
		}
		left, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(left), want) {
			t.Errorf("%s: %s holds %q (%v), want %q in it", agent, name, left, err, want)
		}
		check(t, os.RemoveAll(path))
	}
}

func (s *stage) compare(agent string, h happening, got verdict) (how, later string) {
	if s.begins && strings.HasPrefix(got.Context, s.want.Context) {
		return same, ""
	}
	return compare(agent, h, s.want, got)
}

// tell has an agent tell what happens.
func (s *stage) tell(t *testing.T, agent string, h happening, id string) (verdict, string, bool) {
	t.Helper()
	event, stdin, ok := h.native(t, agent, s.project, id)
	if !ok {
		return verdict{}, "", false
	}
	reply := s.judge.Answer(t.Context(), judge.Caller{}, &call.Request{
		Kind: call.KindHook, Agent: agent, Event: event, Dir: s.project, Env: s.env, Timeout: 5 * time.Minute, Stdin: stdin,
	})
	reply.Pass(nil)
	return hears[agent](h.event, reply.Stdout, reply.Stderr, reply.ExitCode), string(reply.Stdout) + string(reply.Stderr), true
}

// natively runs the hooks as Claude Code does; it says how they differ from what the
// table has.
func (s *stage) natively(t *testing.T) string {
	p := &pack{name: "idiom"}
	p.read([]byte(s.hook + s.settings))
	w := &world{t: t, project: s.project, env: s.env}
	var all verdict
	h := s.happens()
	for _, e := range p.all {
		if e.matches(h) && e.fields["if"] == nil {
			w.entry = e
			all = strongest(all, w.natively(h))
		}
	}
	if how, _ := s.compare("claude", h, all); how != same && s.on.event != "SessionEnd" && s.on.event != "PreCompact" && !strings.Contains(s.settings, `"if"`) {
		return how
	}
	return ""
}

// strongest joins answers by Claude Code's rules.
func strongest(a, b verdict) verdict {
	order := []string{"", "allow", "ask", "deny"}
	strong, weak := a, b
	if slices.Index(order, b.Decision) > slices.Index(order, a.Decision) {
		strong, weak = b, a
	}
	if a.Context != "" && b.Context != "" {
		strong.Context = a.Context + "\n\n" + b.Context
	} else {
		strong.Context = a.Context + b.Context
	}
	strong.Halt = a.Halt || b.Halt
	if strong.System == "" {
		strong.System = weak.System
	}
	if strong.Input == nil {
		strong.Input = weak.Input
	}
	return strong
}
