package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/keep"
	"github.com/hookway/hookway/wire"
)

// events reads all of a log with its events, and the damages.
func events(t testing.TB, dir string, f Filter) (all []Whole, damages []error) {
	t.Helper()
	for w, err := range Events(context.Background(), dir, f) {
		var line *Damage
		var place *keep.Damage
		switch {
		case errors.As(err, &line) || errors.As(err, &place):
			damages = append(damages, err)
		case err != nil:
			t.Fatal(err)
		default:
			all = append(all, w)
		}
	}
	return all, damages
}

// generated is an event of each kind in turn, with a payload of its type.
func generated(t testing.TB, i int) hook.AnyEvent {
	t.Helper()
	kinds := hook.Events()
	info := kinds[i%len(kinds)]
	fields := map[string]any{
		"session_id": fmt.Sprintf("s-%d", i%7), "cwd": "/home/u/p", "agent": "claude", "source": "claude", "transcript_path": "/home/u/t.jsonl",
		"tool_name": "Bash", "tool_use_id": fmt.Sprintf("t-%d", i), "tool_input": map[string]any{"command": fmt.Sprintf("echo \"%d\nüñí\" > /tmp/x%d && rm -r ./build", i, i), "timeout": 1e6 + float64(i)},
		"prompt": fmt.Sprintf("do %d <things> & more", i), "message": "m", "metadata": map[string]any{"n": float64(i), "own": []any{"a", nil, true}},
		"tool_response": map[string]any{"success": true, "output": strings.Repeat("line\n", i%50)}, "unknown_of_agent": map[string]any{"x": float64(i)},
		"reason": "other", "error": "none",
	}
	text, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	ev, err := wire.NewEvent(info, text)
	if err != nil {
		t.Fatalf("%s: %v", info.Name, err)
	}
	return ev
}

// outcomeOf is the record of an event that a hook decided.
func outcomeOf(ev hook.AnyEvent, action hook.Action) Record {
	out := hook.Outcome[any]{Verdict: hook.Verdict{Event: ev.Info().Name, Action: action, Reason: "because"}, Payload: ev.Body()}
	return FromOutcome(ev, &out, time.Millisecond)
}

func TestEventsComeBackAsTheyWere(t *testing.T) {
	dir := t.TempDir()
	l := open(t, Config{Dir: dir})
	const n = 1200
	var want []hook.AnyEvent
	for i := range n {
		ev := generated(t, i)
		want = append(want, ev)
		add(t, l, outcomeOf(ev, hook.ActionContinue))
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	all, damages := events(t, dir, Filter{})
	if len(all) != n || len(damages) != 0 {
		t.Fatalf("%d of %d events, damages %v", len(all), n, damages)
	}
	for i, w := range all {
		if w.Event == nil || w.NotReplayable != "" {
			t.Fatalf("event %d cannot be replayed: %s", i, w.NotReplayable)
		}
		got, err := wire.DecodeEvent(w.Event.Payload, nil)
		if err != nil {
			t.Fatalf("event %d: %v", i, err)
		}
		a, errA := wire.Encode(got)
		b, errB := wire.Encode(want[i])
		if err := errors.Join(errA, errB); err != nil {
			t.Fatal(err)
		}
		if string(a.Bytes()) != string(b.Bytes()) {
			t.Fatalf("event %d came back as another:\n%s\n%s", i, a.Bytes(), b.Bytes())
		}
		if got.ID() != want[i].ID() || !got.Time().Equal(want[i].Time()) {
			t.Fatalf("event %d came back as %s of %s, want %s of %s", i, got.ID(), got.Time(), want[i].ID(), want[i].Time())
		}
		if w.Event.Verdict.Reason != "because" || w.Record.EventID != got.ID().String() {
			t.Fatalf("event %d has %+v, its record is of %s", i, w.Event.Verdict, w.Record.EventID)
		}
	}
	some, _ := events(t, dir, Filter{Session: "s-3"})
	if len(some) != n/7 && len(some) != n/7+1 {
		t.Errorf("%d events of one session", len(some))
	}
	for _, w := range some {
		if w.Event == nil {
			t.Fatalf("an event of one session is not found: %s", w.NotReplayable)
		}
	}
	sound(t, dir)
	checkModes(t, dir)
}

// checkModes fails the test if others may read what is kept.
func checkModes(t *testing.T, dir string) {
	t.Helper()
	if filepath.Separator != '/' {
		return
	}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && path != dir && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has the mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What an analysis found, and of what, is kept with what the session said.
func TestWhatADecisionWasMadeOfIsKept(t *testing.T) {
	dir, project := t.TempDir(), t.TempDir()
	ev := hook.PreToolUse.New(hook.Envelope{Session: "s", CWD: project}, hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": "rm -r $MINE/x"}})
	_, watch := keep.Watching(t.Context(), ev)
	world := facts.World{Dir: project, Home: "/home/u", Env: map[string]string{"MINE": project + "/own", "OTHER": "no"}, Lstat: os.Lstat, Readlink: os.Readlink}
	found := watch.Analyse(ev, world)
	watch.Found([]hook.Fact{{Does: "loop", What: "equal"}}, "")
	watch.Granted("the owner")
	watch.Decided(&hook.Outcome[any]{Verdict: hook.Verdict{Action: hook.ActionBlock, By: "guard", Reason: "no"}}, "/other")
	r := outcomeOf(ev, hook.ActionAsk)
	r.Watched(watch)
	l := open(t, Config{Dir: dir})
	add(t, l, r)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	all, _ := events(t, dir, Filter{})
	if len(all) != 1 || all[0].Event == nil {
		t.Fatalf("got %+v", all)
	}
	e := all[0].Event
	if len(e.Analyses) != 1 || !reflect.DeepEqual(e.Analyses[0].Facts, found) || len(found) == 0 {
		t.Fatalf("the facts are %+v, not %+v", e.Analyses, found)
	}
	if env := e.Analyses[0].Seen.Env; len(env) != 1 || env["MINE"] != project+"/own" {
		t.Errorf("the environment is %v", env)
	}
	if !e.Judged || len(e.Before) != 1 || e.Before[0].What != "equal" {
		t.Errorf("the session was judged: %t, and found %+v", e.Judged, e.Before)
	}
	if e.Granted != "the owner" || len(e.Others) != 1 {
		t.Errorf("it was let through by %q, and asked %v, too", e.Granted, e.Others)
	}
	if e.Verdict.Action != "block" || e.Verdict.By != "guard" {
		t.Errorf("the verdict is %+v", e.Verdict)
	}
	again, err := wire.DecodeEvent(e.Payload, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, anew := range []bool{false, true} { // the facts of then, and the analysis of today in the world of then
		then := &keep.Replaying{Event: e, Anew: anew}
		if then.Fired = again; !reflect.DeepEqual(then.Facts(again, nil), found) || len(then.Lacks()) > 0 {
			t.Errorf("anew %v: %+v, lacks %v; want %+v", anew, then.Facts(again, nil), then.Lacks(), found)
		}
	}
}

func TestSecretsOfKeptEventsArePlaceholders(t *testing.T) {
	for _, draft := range []bool{false, true} {
		t.Run(fmt.Sprintf("draft %v", draft), func(t *testing.T) { secretsArePlaceholders(t, draft) })
	}
}

func secretsArePlaceholders(t *testing.T, draft bool) {
	dir := t.TempDir()
	l := open(t, Config{Dir: dir})
	token, key := "ghp_"+"R2mK9xQ7vT4nB8wZ3cY6pL1sD5fH0g1vgmAj", "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\nAAAAMwAAAAtzc2gtZWQyNTUxOQ\n-----END OPENSSH PRIVATE KEY-----\n"
	env := map[string]string{"DB_PASS": "xyzzy9", "DEPLOY": "a8Kd03lfPq2mXz7R", "WHERE": "/srv/here", "BRANCH": "main"}
	secrets := []string{env["DB_PASS"], env["DEPLOY"], token, "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ", "hunter2-is-mine", "open sesame 42", "s3cr3t-in-url", "839201"}
	command := fmt.Sprintf("PASSWORD=%s curl -u x https://u:%s@example.org -H 'Authorization: Bearer %s'; echo %s again; export TOKEN=$OTHER_TOKEN", secrets[4], secrets[6], token, secrets[4])
	command += "; mysql -p$DB_PASS --x=$DEPLOY; cat $WHERE/$BRANCH"
	for range 2 {
		ev := hook.PreToolUse.New(hook.Envelope{Session: "s"}, hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{
			"command": command, "key": key, "db_password": secrets[5], "pin_secret": json.Number(secrets[7]), "note": "line\n" + token, "said": "it is xyzzy9.",
		}})
		d := drafted(l, ev, draft)
		_, watch := keep.Watching(t.Context(), ev)
		watch.Analyse(ev, facts.World{Dir: "/p", Home: "/h", Env: env})
		watch.Decided(&hook.Outcome[any]{Verdict: hook.Verdict{Action: hook.ActionBlock, Reason: "it has " + token}})
		r := outcomeOf(ev, hook.ActionBlock)
		r.Watched(watch)
		r.Drafted(d)
		add(t, l, r)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	all, _ := events(t, dir, Filter{})
	if len(all) != 2 || all[0].Event == nil || all[1].Event == nil {
		t.Fatalf("got %+v", all)
	}
	var texts []string
	for e, err := range keep.Entries(EventsDir(dir), 0) {
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(e.Text))
		for _, s := range secrets {
			if strings.Contains(string(e.Text), s) {
				t.Errorf("%q is kept in %s", s, e.Text)
			}
		}
	}
	for _, name := range files(t, dir) {
		if strings.Contains(string(contents(t, name)), token) {
			t.Errorf("the log has the token")
		}
	}
	ev, err := wire.DecodeEvent(all[0].Event.Payload, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, texts[0])
	}
	if seen := all[0].Event.Analyses[0].Seen; len(seen.Env) != 2 || seen.Env["WHERE"] != "/srv/here" || len(seen.Unkept) != 2 {
		t.Errorf("of the environment there is %v, %v", seen.Env, seen.Unkept)
	}
	if !strings.Contains(texts[0], `"/srv/here/main"`) {
		t.Errorf("the place that a variable names is lost: %s", texts[0])
	}
	call, _ := hook.CallOf(ev)
	now := call.Input["command"].(string)
	if got := facts.Credentials(now); len(got) == 0 || got[0].Kind != "github token" && got[len(got)-1].Kind != "github token" {
		t.Errorf("no github token is seen in %q: %+v", now, got)
	}
	if len(now) != len(command) || !strings.Contains(now, "$OTHER_TOKEN") {
		t.Errorf("the shape is lost: %q for %q", now, command)
	}
	note := call.Input["note"].(string)
	if note == "line\n"+token || len(note) != len("line\n"+token) {
		t.Errorf("the shape is lost: %q", note)
	}
	masked := strings.TrimPrefix(note, "line\n")
	for _, text := range []string{now, all[0].Event.Verdict.Reason, string(all[1].Event.Payload)} {
		if !strings.Contains(text, masked) {
			t.Errorf("one secret has several placeholders: %q is not in %q", masked, text)
		}
	}
	if all[0].Event.Secrets == 0 || !strings.Contains(call.Input["key"].(string), "-----BEGIN OPENSSH PRIVATE KEY-----\n") {
		t.Errorf("got %d secrets, %q", all[0].Event.Secrets, call.Input["key"])
	}
}
