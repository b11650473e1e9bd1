package audit

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/keep"
)

// kept makes a log of calls with their events, one block for each so many.
func kept(t testing.TB, c Config, n, together int) {
	t.Helper()
	for i := 0; i < n; {
		l := open(t, c)
		for range together {
			ev := hook.PreToolUse.New(hook.Envelope{Session: "s"}, hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": fmt.Sprintf("echo %d", i)}})
			add(t, l, outcomeOf(ev, hook.ActionContinue))
			i++
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func keptFiles(t testing.TB, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(EventsDir(dir), "*.kept"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestVerifyFindsAChangedEventAndSaysWhere(t *testing.T) {
	dir := t.TempDir()
	kept(t, Config{Dir: dir}, 6, 2)
	if r := sound(t, dir); r.Events != 6 || r.Gone != 0 {
		t.Fatalf("got %+v, want r.Events == 6 and r.Gone == 0", r)
	}
	path := keptFiles(t, dir)[0]
	whole := contents(t, path)
	for at := 0; at < len(whole); at += 11 {
		text := slices.Clone(whole)
		text[at] ^= 0x10
		put(t, path, text)
		r := verify(t, dir)
		if r.OK() || r.Problems[0].File != path || !strings.Contains(r.Problems[0].What, "byte ") {
			t.Fatalf("byte %d of %d: %+v", at, len(whole), r)
		}
		all, _ := events(t, dir, Filter{})
		if len(all) != 6 {
			t.Fatalf("byte %d: %d records are read", at, len(all))
		}
	}
}

// Somebody who writes whole blocks anew is found by the hashes in the chain.
func TestVerifyFindsAnEventThatWasReplaced(t *testing.T) {
	dir := t.TempDir()
	kept(t, Config{Dir: dir}, 3, 1)
	var entries []keep.Entry
	for e, err := range keep.Entries(EventsDir(dir), 0) {
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
	}
	if err := os.Remove(keptFiles(t, dir)[0]); err != nil {
		t.Fatal(err)
	}
	s := keep.Open(keep.Config{Dir: EventsDir(dir)})
	for _, e := range entries {
		text := e.Text
		if e.Seq == 2 {
			text = []byte(strings.Replace(string(text), "echo 1", "echo 9", 1))
		}
		if !s.Reserve(len(text)) {
			t.Fatal("no room")
		}
		s.Put(e.Seq, text)
	}
	if !s.Reserve(len(entries[0].Text)) {
		t.Fatal("no room")
	}
	s.Put(1, entries[0].Text)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	r := verify(t, dir)
	if len(r.Problems) != 2 || r.Events != 2 || r.Gone != 1 {
		t.Fatalf("got %+v, want len(r.Problems) == 2 and r.Events == 2 and r.Gone == 1", r)
	}
	if p := r.Problems; p[0].Seq != 2 || !strings.Contains(p[0].What, "record 2 was changed") || !strings.Contains(p[1].What, "twice") {
		t.Errorf(`got %+v, want p[0].Seq == 2 and strings.Contains(p[0].What, "record 2 was changed") and strings.Contains(p[1].What, "twice")`, p)
	}
	all, _ := events(t, dir, Filter{})
	if len(all) != 3 || all[0].Event == nil || all[2].Event == nil {
		t.Fatalf("got %+v, want len(all) == 3 and all[0].Event != nil and all[2].Event != nil", all)
	}
	if all[1].Event != nil || all[1].NotReplayable != "its kept event was changed" {
		t.Errorf(`got %+v, want all[1].Event == nil and all[1].NotReplayable == "its kept event was changed"`, all[1])
	}
}

func TestTheChainVerifiesAfterEventsExpiredOrWereSwitchedOff(t *testing.T) {
	dir := t.TempDir()
	kept(t, Config{Dir: dir, Events: keep.Config{Size: 16 << 10}}, 400, 4)
	r := sound(t, dir)
	if r.Gone == 0 || r.Events == 0 || r.Gone+r.Events != 400 {
		t.Errorf("got %+v, want r.Gone != 0 and r.Events != 0 and r.Gone + r.Events == 400", r)
	}
	all, damages := events(t, dir, Filter{})
	gone := int64(0)
	for _, w := range all {
		if w.Event == nil {
			gone++
			if w.NotReplayable != notThere {
				t.Fatalf("got %+v, want w.NotReplayable == notThere", w)
			}
		}
	}
	if len(all) != 400 || gone != r.Gone || len(damages) > 0 {
		t.Errorf("%d records, %d without events; %v", len(all), gone, damages)
	}
	for _, path := range keptFiles(t, dir) {
		old := time.Now().Add(-31 * 24 * time.Hour)
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	kept(t, Config{Dir: dir, Events: keep.Config{Off: true}}, 2, 2)
	r = sound(t, dir)
	all, _ = events(t, dir, Filter{})
	if r.Records != 402 {
		t.Errorf("got %+v, want r.Records == 402", r)
	}
	if last := all[len(all)-1]; last.Event != nil || last.NotReplayable != "no event was kept" || last.Record.Unkept != "" {
		t.Errorf(`got %+v, want last.Event == nil and last.NotReplayable == "no event was kept" and last.Record.Unkept == ""`, last)
	}
}

func TestWhatIsCutOrHiddenIsNotReplayable(t *testing.T) {
	dir := t.TempDir()
	l := open(t, Config{Dir: dir, Fields: []string{"ssn", "tool_input.body"}})
	for _, input := range []map[string]any{
		{"command": "ls"},
		{"command": strings.Repeat("x ", keep.MaxEvent/2)},
		{"body": "mine"},
		{"list": []any{map[string]any{"SSN": 5}}},
		{"command": "send ssn=12-34"},
		{"body": nil},
		{"command": func() {}},
	} {
		add(t, l, outcomeOf(hook.PreToolUse.New(hook.Envelope{Session: "s"}, hook.ToolUse{ToolName: "Bash", ToolInput: input}), hook.ActionContinue))
	}
	hidden := outcomeOf(hook.PreToolUse.New(hook.Envelope{Session: "s"}, hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"own": "x"}}), hook.ActionContinue)
	hidden.Hide = []string{"own"}
	add(t, l, hidden)
	failed := outcomeOf(hook.PreToolUse.New(hook.Envelope{Session: "s"}, hook.ToolUse{ToolName: "Bash"}), hook.ActionContinue)
	failed.Failure = "it took too long"
	add(t, l, failed)
	add(t, l, NewUntaken(hidden, "it was killed"))
	add(t, l, NewRepeat(hidden, "x"))
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"", "the event is larger than 256 KiB", "redact hides tool_input.body", "redact hides tool_input.list.SSN", "redact hides a part of tool_input.command", "",
		"the event has no JSON form", "redact hides tool_input.own", "hookway could not decide about it",
	}
	all, _ := events(t, dir, Filter{})
	if len(all) != len(want) {
		t.Fatalf("%d decisions", len(all))
	}
	for i, w := range all {
		if w.NotReplayable != want[i] || (w.Event == nil) != (want[i] != "") {
			t.Errorf("event %d: %q, want %q", i, w.NotReplayable, want[i])
		}
	}
	for e, err := range keep.Entries(EventsDir(dir), 0) {
		if err != nil || strings.Contains(string(e.Text), "mine") || strings.Contains(string(e.Text), "12-34") {
			t.Errorf(`got %s, %v, want err == nil and !strings.Contains(string(e.Text), "mine") and !strings.Contains(string(e.Text), "12-34")`, e.Text, err)
		}
	}
	sound(t, dir)
}

// A large event that was made ready beside its decision is kept as any other.
func TestADraftIsKeptAsTheEventItself(t *testing.T) {
	token := "ghp_" + "R2mK9xQ7vT4nB8wZ3cY6pL1sD5fH0g1vgmAj"
	text := strings.Repeat("ok  a test\n", 3000) + "PASSWORD=open-sesame-12 " + token
	ev := hook.PostToolUse.New(hook.Envelope{Session: "s"}, hook.ToolResult{ToolUse: hook.ToolUse{ToolName: "Bash"}, ToolResponse: hook.ToolResponse{Success: true, Output: text}})
	other := hook.PostToolUse.New(hook.Envelope{Session: "s"}, hook.ToolResult{ToolUse: hook.ToolUse{ToolName: "Bash"}})
	dir := t.TempDir()
	l := open(t, Config{Dir: dir, Fields: []string{"ssn"}})
	for _, d := range []*Draft{nil, l.Draft(ev, nil), l.Draft(other, nil), l.Draft(ev, []string{"tool_response"})} {
		r := outcomeOf(ev, hook.ActionContinue)
		_, watch := keep.Watching(t.Context(), ev)
		watch.Decided(&hook.Outcome[any]{Verdict: hook.Verdict{Reason: "it has open-sesame-12"}})
		r.Watched(watch)
		r.Drafted(d)
		add(t, l, r)
	}
	hidden := outcomeOf(ev, hook.ActionContinue)
	hidden.Hide = []string{"output"}
	hidden.Drafted(l.Draft(ev, hidden.Hide))
	add(t, l, hidden)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	all, _ := events(t, dir, Filter{})
	if len(all) != 5 || all[4].NotReplayable != "redact hides tool_response.output" {
		t.Fatalf(`got %d, %q, want len(all) == 5 and all[4].NotReplayable == "redact hides tool_response.output"`, len(all), all[len(all)-1].NotReplayable)
	}
	for i, w := range all[:4] {
		if w.Record.Kept != all[0].Record.Kept || w.Event == nil || w.Event.Secrets == 0 {
			t.Fatalf("record %d: %+v, %v", i, w.Event, w.NotReplayable)
		}
		if strings.Contains(string(w.Event.Payload), token) || strings.Contains(w.Event.Verdict.Reason, "open-sesame-12") {
			t.Errorf("record %d has a secret: %+v", i, w.Event)
		}
	}
	sound(t, dir)
}

// FuzzRewrite holds that a JSON text stays one, whatever its texts say.
func FuzzRewrite(f *testing.F) {
	f.Add("a \"b\" \\ \u2028 \n", "password", "hunter2 é 日本 \U0001F600")
	f.Add("ghp_R2mK9xQ7vT4nB8wZ3cY6pL1sD5fH0g1vgmAj", "tokens", "x")
	holds, err := keep.NewPlaceholders(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, one, name, two string) {
		in := []byte("{")
		in = append(keep.AppendText(in, name), ':')
		in = append(keep.AppendText(append(in, `[{"n":12345,"deep":[`...), two), `,true,null,-1.5e3]},`...)
		in = append(keep.AppendText(in, one), `],"secret":`...)
		in = append(keep.AppendText(in, two), `,"pin_token":98765432}`...)
		var before any
		if json.Unmarshal(in, &before) != nil {
			t.Skip("one name came twice, or so")
		}
		s := scrubber{redact: newRedactor(nil), holds: holds}
		out := rewrite(rewrite(in, s.loose), s.again)
		var after any
		if err := json.Unmarshal(out, &after); err != nil {
			t.Fatalf("%v: %s became %s", err, in, out)
		}
		if same := rewrite(in, func(text string, _ bool) string { return text }); string(same) != string(in) {
			t.Fatalf("nothing was to change: %s became %s", in, same)
		}
	})
}
