package adapter_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/adapter"
	"github.com/hookway/hookway/internal/golden"
)

// exam is what every codec has to pass. Its recordings are in
// testdata/CODEC/events: EVENT.json, or EVENT~VARIANT.json where there are several.
type exam struct {
	codec adapter.Codec

	// session, cwd and transcript are where the agent's events say these.
	session, cwd, transcript func(native map[string]any) any

	// nothing is the answer of no opinion; nil means that it is an empty object.
	nothing func(event string) string

	// plainText reports events at which injected text is plain text; nil: none.
	plainText func(event string) bool

	// changeApproves: a changed tool input can be answered only with a word that
	// is an approval for other agents, and none for this one.
	changeApproves bool

	unseen []string // events of the table without a recording
}

// at finds a field of an event by its first name that is there.
func at(names ...string) func(map[string]any) any {
	return func(native map[string]any) any {
		for _, name := range names {
			if v, ok := native[name]; ok {
				return v
			}
		}
		return nil
	}
}

// take is the exam.
func (x exam) take(t *testing.T) {
	t.Run("the table is recorded", x.tableIsRecorded)
	t.Run("nothing is lost", x.nothingIsLost)
	t.Run("what hooks see", x.whatHooksSee)
	t.Run("no opinion", x.noOpinion)
	t.Run("answers", x.answers)
	t.Run("what is not an event", x.noEvent)
}

func (x exam) about() *adapter.About { return x.codec.About() }

func (x exam) folder() string { return filepath.Join("testdata", x.about().Name) }

// recorded gives what the agent wrote to a hook's stdin, by the files' names.
func (x exam) recorded(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(x.folder(), "events", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	all := map[string][]byte{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimSuffix(filepath.Base(file), ".json")] = text
	}
	return all
}

// nativeEvent is the native name of a recording's event.
func nativeEvent(file string) string {
	name, _, _ := strings.Cut(file, "~")
	return name
}

func (x exam) tableIsRecorded(t *testing.T) {
	seen := map[string]bool{}
	for file := range x.recorded(t) {
		seen[nativeEvent(file)] = true
	}
	for _, e := range x.about().Events {
		if !seen[e.Name] && !slices.Contains(x.unseen, e.Name) {
			t.Errorf("%s has no recording", e.Name)
		}
		if e.Wait <= 0 {
			t.Errorf("%s: how long does the agent wait?", e.Name)
		}
		delete(seen, e.Name)
	}
	for name := range seen {
		t.Errorf("%s is recorded, but not in the table", name)
	}
}

// decode reads a recording, under the event's name as the command line has it.
func (x exam) decode(t testing.TB, file string, stdin []byte) hook.AnyEvent {
	t.Helper()
	ev, err := x.codec.Decode(adapter.Call{Event: nativeEvent(file), Stdin: stdin}, nil)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return ev
}

func (x exam) nothingIsLost(t *testing.T) {
	for file, stdin := range x.recorded(t) {
		want := objectOf(t, stdin)
		ev := x.decode(t, file, stdin)
		head := ev.Head()
		for name, pair := range map[string][2]any{
			"session":    {head.Session, x.session(want)},
			"cwd":        {head.CWD, x.cwd(want)},
			"transcript": {head.Transcript, x.transcript(want)},
		} {
			if pair[1] == nil {
				pair[1] = ""
			}
			if pair[0] != pair[1] {
				t.Errorf("%s: the %s is %q, want %q", file, name, pair[0], pair[1])
			}
		}
		if head.Source != x.about().Agent || head.Agent == "" {
			t.Errorf("%s: source %q, agent %q", file, head.Source, head.Agent)
		}
		if got, want := asJSON(t, head.Metadata["native"]), asJSON(t, want); got != want {
			t.Errorf("%s: native is\n%s\nwant\n%s", file, got, want)
		}
		if kind := x.about().Event(adapter.NativeName(ev)).Kind; kind != nil && ev.Info() != kind {
			t.Errorf("%s is %s, want %s", file, ev.Info().Name, kind.Name)
		}
	}
}

// whatHooksSee compares the payloads with a golden file. An event under its
// native name is in full what the agent wrote.
func (x exam) whatHooksSee(t *testing.T) {
	var out strings.Builder
	events := x.recorded(t)
	for _, file := range sorted(events) {
		ev := x.decode(t, file, events[file])
		meta := maps.Clone(ev.Head().Metadata)
		delete(meta, "native")
		body := asJSON(t, ev.Body())
		if _, raw := ev.Body().(map[string]any); raw {
			body = "(as it is)"
		}
		out.WriteString(file + " " + ev.Info().Name + " " + body + " " + asJSON(t, meta) + "\n")
	}
	golden.Compare(t, filepath.Join(x.folder(), "decoded.golden"), out.String())
}

// noOpinion: an approval in its place would skip the user's prompt.
func (x exam) noOpinion(t *testing.T) {
	for file, stdin := range x.recorded(t) {
		for name, engine := range map[string]*hook.Engine{"no hook": new(hook.Engine), "continue": saying(t, hook.Continue()), "skip": saying(t, hook.Skip())} {
			if got, want := x.answer(t, engine, file, stdin), x.pass(file)+"\n"; got != want {
				t.Errorf("got %s, %s: %s, want %s", file, name, got, want)
			}
		}
	}
}

func (x exam) pass(file string) string {
	if x.nothing == nil {
		return "{}"
	}
	return x.nothing(nativeEvent(file))
}

// saying is an engine with one hook for all events.
func saying(t testing.TB, d hook.Decision) *hook.Engine {
	t.Helper()
	return doing(t, hook.Static(d))
}

func doing(t testing.TB, h hook.Handler) *hook.Engine {
	t.Helper()
	engine := new(hook.Engine)
	if err := engine.Add(hook.New("h", h, hook.For("*"))); err != nil {
		t.Fatal(err)
	}
	return engine
}

// decisions are what a hook says; each is put to each recorded event.
var decisions = map[string]hook.Decision{
	"allow":   hook.Allow("it is fine"),
	"ask":     hook.Ask("are you sure?"),
	"block":   {Action: hook.ActionBlock, Reason: "it is not fine", UserMessage: "hookway blocked something"},
	"inject":  hook.Inject("mind the gap"),
	"retry":   hook.Retry(0),
	"answer":  hook.Answer(map[string]any{"output": "42"}),
	"message": {UserMessage: "for your eyes only"},
}

// together are decisions of several parts, which few agents take at once.
var together = map[string]hook.Decision{
	"block-mutely": {Action: hook.ActionBlock},
	"block-inject": {Action: hook.ActionBlock, Reason: "it is not fine", Inject: "mind the gap"},
	"allow-inject": {Action: hook.ActionAllow, Reason: "it is fine", Inject: "mind the gap", UserMessage: "for your eyes only"},
}

// answers compares the bytes that the agent is given, for each decision on
// each event, with the golden files: one for each decision.
func (x exam) answers(t *testing.T) {
	for name, decision := range all(decisions, together) {
		x.golden(t, name, decision.Action, func() *hook.Engine { return saying(t, decision) })
	}
	for name, action := range map[string]hook.Action{"change": hook.ActionContinue, "change-allow": hook.ActionAllow, "change-inject": hook.ActionContinue} {
		x.golden(t, name, action, func() *hook.Engine {
			return doing(t, hook.HandlerFunc(func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
				d := hook.Decision{Action: action, Modified: changed(ev.Body())}
				if name == "change-inject" {
					d.Inject = "mind the gap"
				}
				return d, nil
			}))
		})
	}
}

func (x exam) golden(t *testing.T, name string, action hook.Action, engine func() *hook.Engine) {
	var out strings.Builder
	events := x.recorded(t)
	for _, file := range sorted(events) {
		got := x.answer(t, engine(), file, events[file])
		out.WriteString(file + " " + got)
		approved := strings.Contains(got, `"allow"`) || strings.Contains(got, `"approve"`)
		may := action == hook.ActionAllow || x.changeApproves && strings.HasPrefix(name, "change")
		if approved && !may && x.pass(file) == "{}" {
			t.Errorf("%s: %s is an approval: %s", name, file, got)
		}
	}
	golden.Compare(t, filepath.Join(x.folder(), name+".golden"), out.String())
}

// changed is what a hook makes of a payload, or nil.
func changed(payload any) any {
	switch p := payload.(type) {
	case hook.ToolUse:
		for _, name := range []string{"command", "file_path", "path", "prompt", "query", "url"} {
			if p.Text(name) != "" {
				return p.WithInput(name, "something else")
			}
		}
		return p.WithInput("added", json.Number("18446744073709551615"))
	case hook.ToolResult:
		p.ToolResponse.Output = "[redacted]"
		return p
	case hook.AgentRun:
		p.Prompt = "[redacted]"
		return p
	case hook.Generation:
		p.ModelName = "another-model"
		for _, m := range p.Messages {
			m = maps.Clone(m)
			m["content"] = "[redacted]"
			p.Messages = []hook.ChatMessage{m}
		}
		return p
	case hook.GenerationResult:
		p.ResponseText = "[redacted]"
		return p
	}
	return nil
}

// answer puts an event to an engine and gives what the agent reads, and
// after it what could not be enforced.
func (x exam) answer(t testing.TB, engine *hook.Engine, file string, stdin []byte) string {
	t.Helper()
	ev := x.decode(t, file, stdin)
	out, err := engine.Fire(t.Context(), ev)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	f := adapter.Fit(x.about(), ev, out, hook.ActionBlock)
	r, err := x.codec.Encode(ev, f.Outcome)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if err := x.readable(ev, f.Outcome, r); err != nil {
		t.Errorf("%s: %v", file, err)
	}
	text := string(r.Stdout)
	for _, d := range f.Degraded {
		text += "    degraded: " + d.String() + "\n"
	}
	for _, warning := range r.Warnings {
		text += "    warning: " + warning + "\n"
	}
	return text
}

// readable says what is wrong with an answer that no agent should be given.
func (x exam) readable(ev hook.AnyEvent, out hook.Outcome[any], r adapter.Reply) error {
	if r.ExitCode != 0 || len(r.Stderr) > 0 {
		return fmt.Errorf("exit code %d, stderr %q: the agent reads JSON from stdout", r.ExitCode, r.Stderr)
	}
	if x.plainText != nil && x.plainText(adapter.NativeName(ev)) && out.Inject != "" {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(r.Stdout))
	var one map[string]any
	if err := d.Decode(&one); err != nil || one == nil {
		return fmt.Errorf("this is not a JSON object: %q", r.Stdout)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("this is more than one JSON object: %q", r.Stdout)
	}
	if !bytes.HasSuffix(r.Stdout, []byte("}\n")) || bytes.Count(r.Stdout, []byte("\n")) != 1 {
		return fmt.Errorf("this is not one line: %q", r.Stdout)
	}
	return nil
}

func (x exam) noEvent(t *testing.T) {
	for _, stdin := range []string{``, ` `, `null`, `[]`, `"PreToolUse"`, `{`, `{}{}`, "{}\x00"} {
		if ev, err := x.codec.Decode(adapter.Call{Event: x.about().Events[0].Name, Stdin: []byte(stdin)}, nil); err == nil {
			t.Errorf("%q was decoded as %v", stdin, ev)
		}
	}
	if ev, err := x.codec.Decode(adapter.Call{Stdin: []byte(`{}`)}, nil); err == nil {
		t.Errorf("an event without a name was decoded as %v", ev)
	}
	ev, err := x.codec.Decode(adapter.Call{Event: "UnheardOf", Stdin: []byte(`{"some":{"thing":1}}`)}, nil)
	if err != nil || ev.Info().Name != "UnheardOf" {
		t.Errorf("an event of a newer agent is %v, %v", ev, err)
	}
}

// fuzz puts whatever can be decoded to hooks that say all that hooks can say.
func (x exam) fuzz(f *testing.F) {
	for file, stdin := range x.recorded(f) {
		f.Add(nativeEvent(file), stdin)
	}
	ways := map[string]*hook.Engine{"": new(hook.Engine)}
	for name, d := range all(decisions, together) {
		ways[name] = saying(f, d)
	}
	ways["change"] = doing(f, hook.HandlerFunc(func(_ context.Context, ev hook.AnyEvent) (hook.Decision, error) {
		return hook.Decision{Modified: changed(ev.Body())}, nil
	}))
	f.Fuzz(func(t *testing.T, event string, stdin []byte) {
		ev, err := x.codec.Decode(adapter.Call{Event: event, Stdin: stdin}, nil)
		if err != nil {
			return
		}
		for name, engine := range ways {
			out, err := engine.Fire(t.Context(), ev)
			if err != nil {
				t.Fatal(err)
			}
			fitted := adapter.Fit(x.about(), ev, out, hook.ActionBlock)
			r, err := x.codec.Encode(ev, fitted.Outcome)
			if err != nil {
				t.Fatal(err)
			}
			if err := x.readable(ev, fitted.Outcome, r); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if want := x.pass(adapter.NativeName(ev)) + "\n"; name == "" && string(r.Stdout) != want {
				t.Errorf("no opinion is %q, want %q", r.Stdout, want)
			}
		}
	})
}
