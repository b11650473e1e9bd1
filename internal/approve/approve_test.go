package approve_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/approve"
)

// clock is a clock that tests set.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

func open(t testing.TB, dir string, o approve.Options) *approve.Store {
	t.Helper()
	s, err := approve.Open(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// input reads a tool's input as adapters do.
func input(t testing.TB, text string) map[string]any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var m map[string]any
	if err := d.Decode(&m); err != nil {
		t.Fatal(err)
	}
	return m
}

func bash(t testing.TB, command string) approve.Call {
	return approve.Call{
		Agent: "claude", Session: "s-1", Workspace: "/work", Tool: "Bash", Rule: "files/wipe@1", Reason: "it deletes /work",
		Input: map[string]any{"command": command}, Facts: []hook.Fact{{Does: "delete", Path: "/work"}},
	}
}

func offer(t testing.TB, s *approve.Store, c approve.Call) string {
	t.Helper()
	r, err := s.Ask(t.Context(), c, "here")
	code := r.Code
	if err != nil {
		t.Fatal(err)
	}
	if parsed, err := approve.ParseCode(code); parsed != code || err != nil {
		t.Fatalf("the code %q: %v", code, err)
	}
	return code
}

func allow(t testing.TB, s *approve.Store, code string) approve.Request {
	t.Helper()
	r, err := s.Find(t.Context(), code)
	if err == nil {
		r, err = s.Allow(t.Context(), r, approve.Answer{By: "anna", From: "/dev/pts/3"})
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func uses(t testing.TB, s *approve.Store, c approve.Call) bool {
	t.Helper()
	g, err := s.Use(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return g != nil
}

func TestAGrantPassesOneCallOnce(t *testing.T) {
	now := newClock()
	s := open(t, t.TempDir(), approve.Options{Now: now.now})
	c := bash(t, "rm -rf build")
	if uses(t, s, c) {
		t.Fatal("a call that nobody knows passes")
	}
	code := offer(t, s, c)
	if uses(t, s, c) {
		t.Fatal("a call passes that nobody allowed")
	}
	r, err := s.Find(t.Context(), code)
	if err != nil {
		t.Fatalf("%+v, %v", r, err)
	} else if got, want := fmt.Sprint([]any{r.State, r.Place, r.Input, r.Rule, r.Reason}), fmt.Sprint([]any{approve.Waiting, "here", "command: rm -rf build\n", c.Rule, c.Reason}); got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
	now.pass(70 * time.Second)
	r = allow(t, s, code)
	if got, want := fmt.Sprint([]any{r.State, r.By, r.From, r.After}), fmt.Sprint([]any{approve.Allowed, "anna", "/dev/pts/3", 70}); got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
	if again := offer(t, s, c); again != code {
		t.Errorf("a call that is allowed has another code, %s", again)
	}
	g, err := s.Use(t.Context(), c)
	if err != nil || g == nil {
		t.Fatalf("%+v, %v", g, err)
	} else if got, want := fmt.Sprint([]any{g.Code, g.By, g.From, g.After}), fmt.Sprint([]any{code, "anna", "/dev/pts/3", 70 * time.Second}); got != want {
		t.Fatalf("got %s, want %s", got, want)
	} else if !g.Answered.Equal(now.now()) {
		t.Fatalf("%+v, %v", g, err)
	}
	if uses(t, s, c) {
		t.Error("it passes twice")
	}
	if again := offer(t, s, c); again == code {
		t.Error("a used code is given again")
	}
}

// A use that is undone leaves the grant as it was, and no other one.
func TestAGrantThatIsReturnedCanBeUsedAsLongAsItLives(t *testing.T) {
	now := newClock()
	s := open(t, t.TempDir(), approve.Options{Now: now.now})
	c := bash(t, "rm -rf build")
	use := func() *approve.Said {
		t.Helper()
		said, err := s.Use(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		return said
	}
	undo := func(said *approve.Said) {
		t.Helper()
		if err := s.Return(t.Context(), c, said); err != nil {
			t.Fatal(err)
		}
	}
	undo(nil) // there is none
	first := offer(t, s, c)
	if use() != nil {
		t.Fatal("a call passes that nobody allowed")
	}
	allow(t, s, first)
	for range 3 {
		now.pass(time.Minute)
		said := use()
		if said == nil || use() != nil {
			t.Fatal("want that it passes once")
		}
		undo(said)
	}
	if use() == nil || use() != nil {
		t.Fatal("want that it passes once")
	}
	now.pass(time.Minute)
	second := offer(t, s, c)
	allow(t, s, second)
	said := use()
	if said == nil || said.Code != second {
		t.Fatal("it does not pass by a second code")
	}
	undo(said)
	var is *approve.RefusedError
	if _, err := s.Find(t.Context(), first); !errors.As(err, &is) || is.State != approve.Used {
		t.Errorf("the first code: %v", err)
	}
	if _, err := s.Find(t.Context(), second); !errors.As(err, &is) || is.State != approve.Allowed {
		t.Errorf("the second code: %v", err)
	}
	if said = use(); said == nil {
		t.Error("it does not pass")
	}
	now.pass(approve.GrantTime)
	if undo(said); use() != nil {
		t.Error("a grant that has expired is used")
	}
	if _, err := s.Find(t.Context(), second); !errors.As(err, &is) || is.State != approve.Expired {
		t.Errorf("the second code: %v", err)
	}
}

// Each of these is another call, and does not pass by the grant for the first.
func TestAGrantIsForTheVerySameCall(t *testing.T) {
	s := open(t, t.TempDir(), approve.Options{})
	mine := bash(t, "")
	mine.Input = input(t, `{"command":"rm -rf build","timeout":1000,"more":{"b":[1,2],"a":null}}`)
	code := offer(t, s, mine)
	allow(t, s, code)
	others := map[string]func(*approve.Call){
		"agent":     func(c *approve.Call) { c.Agent = "codex" },
		"session":   func(c *approve.Call) { c.Session = "s-2" },
		"workspace": func(c *approve.Call) { c.Workspace = "/other" },
		"tool":      func(c *approve.Call) { c.Tool = "Shell" },
		"own tool":  func(c *approve.Call) { c.Native = "container.exec" },
		"facts":     func(c *approve.Call) { c.Facts = []hook.Fact{{Does: "delete", Path: "/"}} },
		"no facts":  func(c *approve.Call) { c.Facts = nil },
		"shifted":   func(c *approve.Call) { c.Agent, c.Session = c.Agent+"s", "-1" },
	}
	for name, text := range map[string]string{
		"blank": `{"command":"rm -rf  build","timeout":1000,"more":{"b":[1,2],"a":null}}`, "end": `{"command":"rm -rf build ","timeout":1000,"more":{"b":[1,2],"a":null}}`,
		"number": `{"command":"rm -rf build","timeout":1001,"more":{"b":[1,2],"a":null}}`, "number's form": `{"command":"rm -rf build","timeout":1e3,"more":{"b":[1,2],"a":null}}`,
		"text": `{"command":"rm -rf build","timeout":"1000","more":{"b":[1,2],"a":null}}`, "order of a list": `{"command":"rm -rf build","timeout":1000,"more":{"b":[2,1],"a":null}}`,
		"missing": `{"command":"rm -rf build","timeout":1000,"more":{"b":[1,2]}}`, "more": `{"command":"rm -rf build","timeout":1000,"more":{"b":[1,2],"a":null},"x":null}`,
		"case": `{"Command":"rm -rf build","timeout":1000,"more":{"b":[1,2],"a":null}}`, "look-alike": `{"command":"rm -rf b\u0075\u0456ld","timeout":1000,"more":{"b":[1,2],"a":null}}`,
	} {
		others[name] = func(c *approve.Call) { c.Input = input(t, text) }
	}
	for name, change := range others {
		c := mine
		change(&c)
		if uses(t, s, c) {
			t.Fatalf("%s: another call passes", name)
		}
		if offer(t, s, c) == code {
			t.Errorf("%s: another call has the same code", name)
		}
	}
	mine.Rule, mine.Reason = "other", "other"
	mine.Input = input(t, `{ "more": {"a": null, "b": [1, 2]}, "timeout": 1000, "command": "\u0072m -rf build" }`)
	if !uses(t, s, mine) {
		t.Error("the same call in another order does not pass")
	}
}

// A folder is what a link leads to: the same name may be another folder the next time.
func TestALinkThatLeadsElsewhereMakesAnotherCall(t *testing.T) {
	s, dir := open(t, t.TempDir(), approve.Options{}), t.TempDir()
	link := filepath.Join(dir, "link")
	leads := func(to string) {
		_ = os.Remove(link) // there is none at first
		if err := errors.Join(os.MkdirAll(filepath.Join(dir, to), 0o700), os.Symlink(to, link)); err != nil {
			t.Skip(err)
		}
	}
	c := bash(t, "terraform apply")
	c.Workspace = link
	leads("a")
	allow(t, s, offer(t, s, c))
	leads("b")
	if uses(t, s, c) {
		t.Error("it passes in another folder")
	}
	leads("a")
	if !uses(t, s, c) {
		t.Error("it does not pass in its own")
	}
}

func TestBytesThatAreNoTextMakeAnotherCall(t *testing.T) {
	s := open(t, t.TempDir(), approve.Options{})
	allow(t, s, offer(t, s, bash(t, "rm \xff")))
	for _, command := range []string{"rm \xfe", "rm \uFFFD", `rm \xff`} {
		if uses(t, s, bash(t, command)) {
			t.Errorf("%q passes", command)
		}
	}
	if !uses(t, s, bash(t, "rm \xff")) {
		t.Error("the same call does not pass")
	}
}

func TestTheSameCallKeepsItsCode(t *testing.T) {
	now := newClock()
	s := open(t, t.TempDir(), approve.Options{Now: now.now})
	c := bash(t, "rm -rf build")
	code := offer(t, s, c)
	for range 4 {
		now.pass(approve.AnswerTime - time.Second)
		if again := offer(t, s, c); again != code {
			t.Fatalf("the code is %s, and was %s", again, code)
		}
	}
	if all, err := s.List(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("%v, %v", all, err)
	}
	now.pass(approve.AnswerTime)
	if again := offer(t, s, c); again == code {
		t.Error("an expired code is given again")
	}
}

func TestRefusalsSayWhatToDo(t *testing.T) {
	now := newClock()
	s := open(t, t.TempDir(), approve.Options{Now: now.now})
	refused := func(code string, state approve.State, words string) {
		t.Helper()
		_, err := s.Find(t.Context(), code)
		var is *approve.RefusedError
		if !errors.As(err, &is) || is.State != state {
			t.Errorf("%v; want %q", err, words)
		} else if !strings.Contains(err.Error(), words) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v; want %q", err, words)
		}
	}
	refused("CCCCC", "", "nobody asked about a call under the code CCCCC in the last hour")
	late := offer(t, s, bash(t, "late"))
	now.pass(approve.AnswerTime)
	refused(late, approve.Expired, "its call was stopped 10m0s ago, and it could be allowed for 10 minutes; let the agent try again")
	code := offer(t, s, bash(t, "x"))
	allow(t, s, code)
	refused(code, approve.Allowed, "is allowed already, by anna (/dev/pts/3), for 10m0s more; let the agent try again")
	now.pass(time.Minute)
	uses(t, s, bash(t, "x"))
	now.pass(time.Minute)
	refused(code, approve.Used, "was used: anna (/dev/pts/3) let its call through, which passed 1m0s ago")
	forgotten := offer(t, s, bash(t, "y"))
	allow(t, s, forgotten)
	now.pass(approve.GrantTime)
	refused(forgotten, approve.Expired, "it was allowed 10m0s ago, and the call did not come again in 10 minutes")
	if uses(t, s, bash(t, "y")) {
		t.Error("a grant that has expired is used")
	}
	now.pass(approve.KeepTime)
	offer(t, s, bash(t, "z")) // which forgets the others
	refused(code, "", "nobody asked about a call")
	if all, err := s.List(t.Context()); err != nil || len(all) != 1 || all[0].Input != "command: z\n" {
		t.Errorf("%+v, %v", all, err)
	}
}

// A person may take longer to answer than a code lives.
func TestAllowLooksAgain(t *testing.T) {
	now := newClock()
	s := open(t, t.TempDir(), approve.Options{Now: now.now})
	seen, err := s.Find(t.Context(), offer(t, s, bash(t, "x")))
	if err != nil {
		t.Fatal(err)
	}
	now.pass(approve.AnswerTime)
	var is *approve.RefusedError
	if _, err := s.Allow(t.Context(), seen, approve.Answer{}); !errors.As(err, &is) || is.State != approve.Expired {
		t.Errorf("%v", err)
	}
	other, err := s.Find(t.Context(), offer(t, s, bash(t, "y")))
	if err != nil {
		t.Fatal(err)
	}
	other.Code, seen.Code = seen.Code, other.Code
	if _, err := s.Allow(t.Context(), seen, approve.Answer{}); !errors.As(err, &is) || is.State != "" {
		t.Errorf("what the person did not see is allowed: %v", err)
	}
}

func TestAClockThatJumpsAllowsNothing(t *testing.T) {
	for _, jump := range []time.Duration{-24 * time.Hour, -2 * time.Minute, 24 * time.Hour} {
		now := newClock()
		s := open(t, t.TempDir(), approve.Options{Now: now.now})
		allow(t, s, offer(t, s, bash(t, "x")))
		waiting := offer(t, s, bash(t, "y"))
		now.pass(jump)
		if uses(t, s, bash(t, "x")) {
			t.Errorf("%v: a grant is used", jump)
		}
		if r, err := s.Find(t.Context(), waiting); err == nil {
			t.Errorf("%v: %+v can be allowed", jump, r)
		}
		code := offer(t, s, bash(t, "x"))
		allow(t, s, code)
		if !uses(t, s, bash(t, "x")) {
			t.Errorf("%v: a grant of the new time does not work", jump)
		}
	}
}

func TestThereAreNeverMany(t *testing.T) {
	now := newClock()
	s := open(t, t.TempDir(), approve.Options{Now: now.now, Limits: approve.Limits{Session: 3, All: 7}})
	codes := map[string][]string{}
	stop := func(session string, n int) {
		t.Helper()
		for i := range n {
			c := bash(t, fmt.Sprint(session, i))
			c.Session = session
			now.pass(time.Millisecond)
			codes[session] = append(codes[session], offer(t, s, c))
		}
	}
	waits := func(session string, n int) {
		t.Helper()
		found := 0
		for _, code := range codes[session][len(codes[session])-n:] {
			if _, err := s.Find(t.Context(), code); err == nil {
				found++
			}
		}
		all, err := s.List(t.Context())
		if err != nil || found != n || len(all) > 8 {
			t.Errorf("%s: %d of the last %d wait; %d are there, %v", session, found, n, len(all), err)
		}
	}
	stop("a", 1)
	allow(t, s, codes["a"][0]) // what a person allowed stays
	stop("loop", 50)
	waits("loop", 3)
	stop("b", 3)
	stop("c", 1)
	stop("d", 1) // at the cost of one that has three
	waits("c", 1)
	waits("d", 1)
	c := bash(t, "a0")
	c.Session = "a"
	if !uses(t, s, c) {
		t.Error("a grant was forgotten")
	}
}

func TestWhatIsShownIsSafe(t *testing.T) {
	s := open(t, t.TempDir(), approve.Options{})
	c := bash(t, "")
	c.Input = map[string]any{
		"description": "harmless\x1b[2K\r", "command": "echo hi\nrm -rf ~ # \u202edlrow\n", "timeout": json.Number("5"),
		"long": strings.Repeat("a", 10_000) + "; rm -rf /", "na\nme": true, "list": []any{"x", nil, 1.5},
	}
	c.Agent, c.Reason = "cl\x1baude", "because\x07"
	r, err := s.Find(t.Context(), offer(t, s, c))
	if err != nil {
		t.Fatal(err)
	}
	want := "command: echo hi\n  rm -rf ~ # \\u202edlrow\ndescription: harmless\\x1b[2K\\r\nlist: [\"x\",null,1.5]\nlong: " +
		strings.Repeat("a", 3000) + "\n  (6010 bytes in between are not shown)\n  " + strings.Repeat("a", 990) + "; rm -rf /\nna\\nme: true\ntimeout: 5\n"
	if r.Input != want {
		t.Errorf("%q\nwant\n%q", r.Input, want)
	}
	if r.Agent != `cl\x1baude` || r.Reason != `because\a` {
		t.Errorf("%q, %q", r.Agent, r.Reason)
	}
}

// Credentials of a call are neither shown nor in the file, and tell calls apart all the same.
func TestCredentialsAreNotKept(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, approve.Options{})
	c := bash(t, "")
	const pass, key = "correct-horse-battery", "xK29dmQ7pLw04vZt"
	c.Input = map[string]any{"command": "PGPASSWORD=" + pass + " psql -c 'drop table t'", "password": pass, "long": "token=" + key + strings.Repeat(" a", 9000) + " token=" + key}
	c.Reason, c.Does = "it says PGPASSWORD="+pass, []string{"connect  sends=[\"token=" + key + "\"]"}
	code := offer(t, s, c)
	r, err := s.Find(t.Context(), code)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{r.Input, r.Reason, r.Does} {
		if strings.Contains(text, pass) || strings.Contains(text, key) || !strings.Contains(text, "[") {
			t.Errorf("a credential is shown: %q", text)
		}
	}
	if !strings.Contains(r.Input, "psql -c 'drop table t'") || !strings.Contains(r.Input, "bytes in between are not shown") {
		t.Errorf("what matters is not shown: %q", r.Input)
	}
	for _, word := range []string{pass, key} {
		if file := files(t, dir); strings.Contains(file, word) {
			t.Errorf("%s is in the file", word)
		}
	}
	other := c
	other.Input = map[string]any{"command": c.Input["command"], "password": "another", "long": c.Input["long"]}
	allow(t, s, code)
	if uses(t, s, other) || !uses(t, s, c) {
		t.Error("want that only the very same call passes")
	}
}

// files is all that lies in a folder.
func files(t *testing.T, dir string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	var all strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// Whoever has to do with the file forgets what is old, also where no call is stopped.
func TestWhatIsOldIsForgotten(t *testing.T) {
	for name, look := range map[string]func(*testing.T, *approve.Store, string, *clock){
		"opened": func(t *testing.T, _ *approve.Store, dir string, now *clock) {
			open(t, dir, approve.Options{Now: now.now})
		},
		"listed": func(t *testing.T, s *approve.Store, _ string, _ *clock) {
			if all, err := s.List(t.Context()); err != nil || len(all) > 0 {
				t.Errorf("%v, %v", all, err)
			}
		},
		"used": func(t *testing.T, s *approve.Store, _ string, _ *clock) { uses(t, s, bash(t, "another")) },
	} {
		t.Run(name, func(t *testing.T) {
			now, dir := newClock(), t.TempDir()
			s, err := approve.Open(t.Context(), dir, approve.Options{Now: now.now})
			if err != nil {
				t.Fatal(err)
			}
			offer(t, s, bash(t, "echo remarkable"))
			now.pass(approve.KeepTime + time.Second)
			look(t, s, dir, now)
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = open(t, dir, approve.Options{Now: func() time.Time { return now.now().Add(-approve.KeepTime) }})
			if all, err := s.List(t.Context()); err != nil || len(all) > 0 {
				t.Errorf("it is still there: %v, %v", all, err)
			}
		})
	}
}

func TestTheFileIsTheUsersOwn(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "approvals")
	if approve.Exists(dir) {
		t.Error("there is none yet")
	}
	offer(t, open(t, dir, approve.Options{}), bash(t, "x"))
	if !approve.Exists(dir) {
		t.Error("there is one")
	}
	if runtime.GOOS == "windows" {
		return // rights are others there
	}
	for name, mode := range map[string]os.FileMode{".": 0o700, "approvals.db": 0o600, "approvals.db-wal": 0o600} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

func TestAnEndedContextAllowsNothing(t *testing.T) {
	s := open(t, t.TempDir(), approve.Options{})
	code := offer(t, s, bash(t, "x"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := s.Ask(ctx, bash(t, "y"), ""); r.Code != "" || !errors.Is(err, context.Canceled) {
		t.Errorf("%q, %v", r.Code, err)
	}
	allow(t, s, code)
	if g, err := s.Use(ctx, bash(t, "x")); g != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", g, err)
	}
	if !uses(t, s, bash(t, "x")) {
		t.Error("the grant is gone, and nobody has used it")
	}
}

func TestParseCode(t *testing.T) {
	for text, want := range map[string]string{
		"K7QX4": "K7QX4", "k7qx4": "K7QX4", " k7q-x4": "K7QX4", "K 7 Q X 4": "K7QX4",
		"": "", "K7Q": "", "K7QX44": "", "K7QX0": "", "K7QXÄ": "", "--all": "", "K7QX\x1b": "",
	} {
		got, err := approve.ParseCode(text)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

// BenchmarkStopped is what the grants cost a call that is stopped: the file is opened,
// asked, written and closed.
func BenchmarkStopped(b *testing.B) {
	dir := b.TempDir()
	for i := 0; b.Loop(); i++ {
		s, err := approve.Open(b.Context(), dir, approve.Options{})
		if err != nil {
			b.Fatal(err)
		}
		c := bash(b, fmt.Sprint(i%20))
		if uses(b, s, c) {
			b.Fatal("it passes")
		}
		offer(b, s, c)
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
