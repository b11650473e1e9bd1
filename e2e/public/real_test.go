//go:build unix

package public

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/bench/client"
	"github.com/hookway/hookway/internal/bench/model"
)

// sample is how many decisions are looked at in the real Claude Code.
const sample = 30

// TestTheReferenceIsWhatClaudeCodeDoes: for a sample of public hooks, Claude Code
// itself, without hookway, does what the reference of these tests reads out of them.
func TestTheReferenceIsWhatClaudeCodeDoes(t *testing.T) {
	cache, bin, program := os.Getenv("HOOKWAY_PUBLIC_CACHE"), os.Getenv("HOOKWAY_PUBLIC_BIN"), os.Getenv(client.Claude.Variable)
	if cache == "" || bin == "" || program == "" {
		t.Skipf("skipped: tools/public-hooks.sh runs this, if %s names Claude Code", client.Claude.Variable)
	}
	packs, _ := readPacks(t, cache)
	asked, decided, agreed := 0, 0, 0
	for round := 0; asked < sample && round < 8; round++ {
		for _, p := range packs {
			e, ok := nth(p, round)
			if !ok || asked >= sample {
				continue
			}
			t.Run(e.String(), func(t *testing.T) {
				w := newWorld(t, bin, cache, e)
				h, want, ok := w.telling(happenings(w.project))
				if !ok {
					return
				}
				asked++
				if want.Decision+want.Context != "" {
					decided++
				}
				w.reset()
				how := w.really(program, h, want)
				if how != "" { // a hook's own timeout may be short where the machine is busy
					w.reset()
					how = w.really(program, h, want)
				}
				if how != "" {
					t.Logf("DIFFERS Claude Code | %s | %s: %s", h.name, e, how)
					return
				}
				agreed++
			})
		}
	}
	fmt.Printf("proof: Claude Code without hookway does what the reference says of %d of %d hooks, %d of which decide or tell\n", agreed, asked, decided)
	if asked < sample || agreed < asked {
		t.Errorf("%d of %d, want all of %d", agreed, asked, sample)
	}
}

// nth is a hook of a pack that a run without a terminal comes by.
func nth(p *pack, n int) (entry, bool) {
	for _, e := range p.all {
		if e.aside() || e.event != "PreToolUse" && e.event != "UserPromptSubmit" && e.event != "Stop" {
			continue
		}
		if n == 0 {
			return e, true
		}
		n--
	}
	return entry{}, false
}

// telling is a harmless happening of which the hook has an opinion, or else any.
func (w *world) telling(all []happening) (of happening, want verdict, found bool) {
	for _, h := range all {
		call := text(h.fields, "tool_name")
		if !w.entry.matches(h) || h.event == "PreToolUse" && (!h.may || call == "Edit") || h.fields["stop_hook_active"] == true {
			continue
		}
		w.reset()
		v := w.natively(h)
		if !found || v.Decision+v.Context != "" {
			of, want, found = h, v, true
		}
		if v.Decision+v.Context != "" {
			break
		}
	}
	return of, want, found
}

// really has Claude Code do what happens; it says how that differs from the verdict.
func (w *world) really(program string, h happening, want verdict) string {
	w.t.Helper()
	server, err := model.Start()
	check(w.t, err)
	defer server.Close()
	said := "Please run the command."
	switch call := text(h.fields, "tool_name"); {
	case h.event == "UserPromptSubmit":
		said = text(h.fields, "prompt")
	case h.event == "Stop":
		server.Play(model.Turn{Text: text(h.fields, "last_assistant_message")})
	default:
		input := maps.Clone(h.fields["tool_input"].(object))
		server.Play(model.Turn{Call: model.Call{Tool: call, Input: input}})
	}
	s := client.Claude.Settle(client.World{Home: w.home, Project: w.project, URL: server.URL()})
	for file, text := range s.Files {
		if !strings.HasPrefix(file, w.project) {
			w.write(file, text)
		}
	}
	w.asPlugin()
	env := append(append([]string{}, w.env...), s.Env...)
	env = append(env, "HTTPS_PROXY="+server.URL(), "HTTP_PROXY="+server.URL(), "NO_PROXY=127.0.0.1,localhost")
	env[0] = "PATH=" + filepath.Dir(program) + ":" + strings.TrimPrefix(env[0], "PATH=")
	p := w.start(env, nil, append(append([]string{program}, client.Claude.Argv...), said)...)
	asked := server.Requests()
	var all, results string
	for _, q := range asked {
		all += plain(strings.Join(q.Said, "\n")) + "\n"
		results += plain(strings.Join(q.Results, "\n")) + "\n"
	}
	told := fmt.Sprintf("it said %s%s, and the results were %s", p.stdout, p.stderr, short(results))
	switch {
	case h.event == "UserPromptSubmit" && want.Decision == "deny":
		if len(asked) > 0 {
			return "the prompt was not refused: " + told
		}
	case h.event == "PreToolUse" && (want.Decision == "deny" || want.Decision == "ask"):
		if !strings.Contains(results, plain(want.Reason)) {
			return fmt.Sprintf("the call was not refused with %q: %s", want.Reason, told)
		}
	case h.event == "PreToolUse" && strings.Contains(results, "hook error"):
		return "the call was refused: " + told
	case h.event == "Stop" && want.Decision == "deny" && !strings.Contains(all, plain(want.Reason)):
		return fmt.Sprintf("it did not go on with %q: %s", want.Reason, told)
	case len(asked) == 0:
		return "the model was not asked: " + told
	}
	if want.Decision == "" && !strings.Contains(all, plain(want.Context)) {
		return fmt.Sprintf("the model was not told %q", want.Context)
	}
	return ""
}

// asPlugin puts the variables of a plugin into the project's settings, as Claude Code
// does for a plugin: a hook of settings that names them is an error there, and never run.
func (w *world) asPlugin() {
	if w.entry.pack.root == "" {
		return
	}
	file := filepath.Join(w.project, ".claude", "settings.json")
	settings, err := os.ReadFile(file)
	check(w.t, err)
	w.write(file, strings.NewReplacer("${CLAUDE_PLUGIN_ROOT}", w.entry.pack.root, "${CLAUDE_PLUGIN_DATA}", filepath.Join(w.home, "data")).Replace(string(settings)))
}
