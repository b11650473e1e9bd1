package memory

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestExportAndImportAreEachOthersReverse(t *testing.T) {
	from, to := fresh(t), fresh(t)
	for i := range 30 {
		save(t, from, Memory{Text: fmt.Sprintf("line %d\nwith <b>, \"quotes\" and ü", i), Workspace: "/w", Agent: "Bob", Session: "s", Tags: []string{"t"}, File: "f", Context: "c"})
	}
	save(t, from, Memory{Text: "mine", Workspace: "/w", Scope: ScopeAgent, Agent: "Bob"})
	save(t, from, Memory{Text: "everywhere", Scope: ScopeUser})
	save(t, from, Memory{Text: "elsewhere", Workspace: "/other"})
	var out, again bytes.Buffer
	if n, err := from.Export(t.Context(), &out, View{All: true}); err != nil || n != 33 {
		t.Fatalf("%d exported, %v", n, err)
	}
	for _, want := range []Imported{{Added: 33}, {Unchanged: 33}} {
		done, err := to.Import(t.Context(), bytes.NewReader(out.Bytes()), Memory{Workspace: "/not/this"})
		if err != nil || done != want {
			t.Errorf("%+v, %v; want %+v", done, err, want)
		}
	}
	if _, err := to.Export(t.Context(), &again, View{All: true}); err != nil || again.String() != out.String() {
		t.Errorf("%v, exported again:\n%s\nwant\n%s", err, again.String(), out.String())
	}
	if n, err := from.Export(t.Context(), &again, View{Workspace: "/w"}); err != nil || n != 31 {
		t.Errorf("%d are exported of one workspace, %v", n, err)
	}
}

func TestImportTakesWhatOthersWrite(t *testing.T) {
	s := fresh(t)
	lines := "\uFEFF" + `{"id":7,"text":"a","session":3,"time":1700000000,"tags":"one"}

{"text":"b","time":"2023-05-08 13:56","agent":"Bob","other":{"x":[1]}}
{"text":"c","time":1700000000123,"workspace":"/x"}
{"text":"d","time":"1:56 pm on 8 May, 2023","scope":"user"}
{"text":"e","time":null,"tags":["#x","x",""]}` + "\n{\"text\":\"no \xff UTF-8\"}"
	done, err := s.Import(t.Context(), strings.NewReader(lines), Memory{Workspace: "/w", Agent: "Alice", Session: "today"})
	if err != nil || done.Added != 6 {
		t.Fatalf("got %+v, %v, want err == nil and done.Added == 6", done, err)
	}
	list, err := s.List(t.Context(), 0, View{All: true})
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]Memory{}
	for _, m := range list {
		by[m.Text] = m
	}
	at := func(text, want string) {
		if got := by[text].Time.Format(time.RFC3339Nano); got != want {
			t.Errorf("%s has the time %s; want %s", text, got, want)
		}
	}
	at("a", "2023-11-14T22:13:20Z")
	at("b", "2023-05-08T13:56:00Z")
	at("c", "2023-11-14T22:13:20.123Z")
	at("d", "2023-05-08T13:56:00Z")
	a, b, c, d, e := by["a"], by["b"], by["c"], by["d"], by["e"]
	switch {
	case a.ID != "7":
		t.Errorf("a.ID: got %v, want %v", a.ID, "7")
	case a.Session != "3":
		t.Errorf("a.Session: got %v, want %v", a.Session, "3")
	case !slices.Equal(a.Tags, []string{"one"}):
		t.Errorf("%+v", list)
	case a.Agent != "Alice":
		t.Errorf("a.Agent: got %v, want %v", a.Agent, "Alice")
	case a.Workspace != "/w":
		t.Errorf("a.Workspace: got %v, want %v", a.Workspace, "/w")
	case b.Agent != "Bob":
		t.Errorf("b.Agent: got %v, want %v", b.Agent, "Bob")
	case b.Session != "today":
		t.Errorf("b.Session: got %v, want %v", b.Session, "today")
	case c.Workspace != "/x":
		t.Errorf("c.Workspace: got %v, want %v", c.Workspace, "/x")
	case d.Workspace != "":
		t.Errorf("d.Workspace: got %v, want %v", d.Workspace, "")
	case len(e.Tags) != 1:
		t.Errorf("len(e.Tags): got %v, want %v", len(e.Tags), 1)
	case time.Since(e.Time) > time.Hour || by["no \ufffd UTF-8"].ID == "":
		t.Errorf("%+v", list)
	}
}

func TestOneBadLineAndNothingIsImported(t *testing.T) {
	for bad, want := range map[string]string{
		`{"text":"x"`:                "line 3: it is not a JSON object of a memory",
		`["x"]`:                      "line 3: it is not a JSON object of a memory",
		`{"text":" "}`:               "line 3 has no text",
		`{}`:                         "line 3 has no text",
		`{"text":5}`:                 "text is a number where another kind of value belongs",
		`{"text":"x","time":"soon"}`: `the time "soon" cannot be read; write it like 2006-01-02T15:04:05Z`,
		`{"text":"x","time":1e300}`:  "invalid time",
		`{"text":"x","scope":"y"}`:   `unknown scope "y"`,
		`{"text":"` + strings.Repeat("x", maxLine) + `"}`: "line 3: it is longer than",
	} {
		s := fresh(t)
		_, err := s.Import(t.Context(), strings.NewReader("{\"text\":\"a\"}\n{\"text\":\"b\"}\n"+bad+"\n"), Memory{Workspace: "/w"})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "nothing was imported") {
			t.Errorf("%.40s: %v; want %q", bad, err, want)
		}
		if list, err := s.List(t.Context(), 0, View{All: true}); err != nil || len(list) != 0 {
			t.Errorf("%.40s: %d are there, %v", bad, len(list), err)
		}
	}
}

func TestAReaderThatIsGoneEndsTheExport(t *testing.T) {
	s := fresh(t)
	for i := range 100 {
		save(t, s, Memory{Text: strings.Repeat("x", 1000) + fmt.Sprint(i), Workspace: "/w"})
	}
	gone := errors.New("gone")
	if _, err := s.Export(t.Context(), refuses{gone}, View{All: true}); !errors.Is(err, gone) {
		t.Errorf("got %v, want errors.Is(err, gone)", err)
	}
}

type refuses struct{ err error }

func (r refuses) Write([]byte) (int, error) { return 0, r.err }

// TestTenThousandLines imports and searches as many as a person will ever have.
// The bounds are far above what it takes: they hold on a loaded machine too.
func TestTenThousandLines(t *testing.T) {
	n := 10_000
	if raced {
		n = 500
	}
	var lines bytes.Buffer
	for i, m := range manyMemories(t, n) {
		fmt.Fprintf(&lines, "{\"id\":\"n%d\",\"text\":%q,\"session\":\"s%d\"}\n", i, m.Text, i/20)
	}
	s := fresh(t)
	began := time.Now()
	done, err := s.Import(t.Context(), &lines, Memory{Workspace: "/w"})
	if err != nil || done.Added != n {
		t.Fatalf("got %+v, %v, want err == nil and done.Added == n", done, err)
	}
	took := time.Since(began)
	t.Logf("imported in %v", took)
	if took > 10*time.Second {
		t.Errorf("the import took %v; at most 10 s are promised", took)
	}
	began = time.Now()
	if found, err := s.Search(t.Context(), "which database does the project use", 10, View{Workspace: "/w"}); err != nil || len(found) != 10 {
		t.Errorf("%d found, %v", len(found), err)
	}
	t.Logf("first search %v", time.Since(began))
}

func FuzzImport(f *testing.F) {
	f.Add(`{"id":"a","text":"x","time":"2024-01-01","tags":["t"]}`)
	f.Add(`{"id":1.5,"text":"x","session":null,"time":-1,"tags":"t"}`)
	f.Add(`{"id":{},"text":"\u0000"}`)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := parseLine([]byte(text), Memory{Workspace: "/w"})
		if err != nil {
			return
		}
		if err := m.check(); err != nil {
			return
		}
		switch {
		case m.Text == "" || !utf8.ValidString(m.Text) || len(m.Tags) > maxTags:
			t.Errorf("%q was taken as %+v", text, m)
		case m.Time.IsZero():
			t.Errorf("%q was taken as %+v", text, m)
		}
	})
}

func FuzzRank(f *testing.F) {
	f.Add("The user's cat is called Zoë", "what is the cat's name")
	f.Add("authMiddleware in src/auth_x.ts, C++ and c#", "auth middleware")
	f.Add("東京タワー", "東京")
	f.Add("'", "''s _")
	f.Fuzz(func(t *testing.T, text, query string) {
		x := newIndex("/w", false)
		for i, s := range []string{text, query, "something else in May 2024?", text} {
			x.add(int64(i+1), &Memory{Text: s, Session: "s", Agent: "Alice", Time: time.Unix(0, 0)})
		}
		see := View{}.sees()
		for _, h := range x.score(query, 10, see, tuned) {
			if h.score != h.score || h.score > 100 {
				t.Errorf("%q in %q has the score %v", query, text, h.score)
			}
		}
		for i := range 4 {
			x.remove(int64(i + 1))
		}
		if hits := x.score(query, 10, see, tuned); len(hits) != 0 || x.live != 0 {
			t.Errorf("%q finds %v in an empty index of %d", query, hits, x.live)
		}
	})
}
