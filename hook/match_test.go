package hook_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

// matches reports whether a hook with this matcher sees the event.
func matches[P any](t *testing.T, m hook.Match, point hook.Point[P], env hook.Envelope, payload P) bool {
	t.Helper()
	var e hook.Engine
	add(t, &e, "h", says(hook.Decision{}), hook.For(point.Name()), hook.Matching(m))
	out, err := hook.Fire(t.Context(), &e, point, &env, payload)
	if err != nil {
		t.Fatal(err)
	}
	return len(out.Steps) == 1
}

func TestMatcherOfTools(t *testing.T) {
	for _, c := range []struct {
		tool string
		list []string
		want bool
	}{
		{"Bash", []string{"Bash"}, true},
		{"Read", []string{"Bash"}, false},
		{"bash", []string{"Bash"}, false},
		{"BashOutput", []string{"Bash"}, false},
		{"Read", []string{"Bash", "Read"}, true},
		{"Write", []string{"Edit|Write"}, true},
		{"Edit|Write", []string{"Edit|Write"}, false},
		{"mcp__github__search", []string{"mcp__*"}, true},
		{"mcp_github", []string{"mcp__*"}, false},
		{"mcp__fs/read", []string{"mcp__*"}, true},
		{"Bash", []string{"mcp__*|Bash"}, true},
		{"Read", []string{"{Read,Write}"}, true},
		{"Edit", []string{"{Read,Write}"}, false},
		{"Bash", []string{"[AB]ash"}, true},
		{"Cash", []string{"[!AB]ash"}, true},
		{"Bash", nil, true},
		{"", nil, true},
		{"", []string{"*"}, false},
		{"Anything", []string{"*"}, true},
	} {
		if got := matches(t, hook.Match{Tool: c.list}, hook.PreToolUse, hook.Envelope{}, hook.ToolUse{ToolName: c.tool}); got != c.want {
			t.Errorf("tool %q against %q: %v, want %v", c.tool, c.list, got, c.want)
		}
	}
}

func TestMatcherOfAgentSessionAndDirective(t *testing.T) {
	env := hook.Envelope{Session: "s-1", Agent: "alice"}
	call := hook.DirectiveCall{Namespace: "deploy", Target: "prod-eu", Body: "now"}
	for _, c := range []struct {
		name string
		m    hook.Match
		env  hook.Envelope
		want bool
	}{
		{"empty matches all", hook.Match{}, hook.Envelope{}, true},
		{"session", hook.Match{Session: []string{"s-1"}}, env, true},
		{"one session of a list", hook.Match{Session: []string{"s-0", "s-1"}}, env, true},
		{"another session", hook.Match{Session: []string{"s-2"}}, env, false},
		{"a session is not a glob", hook.Match{Session: []string{"s-*"}}, env, false},
		{"no session", hook.Match{Session: []string{"s-1"}}, hook.Envelope{}, false},
		{"agent", hook.Match{Agent: []string{"alice"}}, env, true},
		{"agent by glob", hook.Match{Agent: []string{"a*"}}, env, true},
		{"another agent", hook.Match{Agent: []string{"bob"}}, env, false},
		{"source", hook.Match{Source: []string{"run", "claude"}}, hook.Envelope{Source: "claude"}, true},
		{"another source", hook.Match{Source: []string{"run"}}, hook.Envelope{Source: "claude"}, false},
		{"no source", hook.Match{Source: []string{"*"}}, hook.Envelope{}, false},
		{"not a source", hook.Match{Not: &hook.Match{Source: []string{"claude"}}}, hook.Envelope{}, true},
		{"no agent", hook.Match{Agent: []string{"*"}}, hook.Envelope{}, false},
		{"namespace", hook.Match{Namespace: []string{"deploy"}}, env, true},
		{"another namespace", hook.Match{Namespace: []string{"ask"}}, env, false},
		{"target by glob", hook.Match{Target: []string{"prod-*"}}, env, true},
		{"another target", hook.Match{Target: []string{"staging"}}, env, false},
		{"all given fields", hook.Match{Namespace: []string{"deploy"}, Agent: []string{"alice"}, Session: []string{"s-1"}}, env, true},
		{"one of them fails", hook.Match{Namespace: []string{"deploy"}, Agent: []string{"bob"}, Session: []string{"s-1"}}, env, false},
		{"a field that the event lacks", hook.Match{Tool: []string{"*"}}, env, false},
		{"a path that the event lacks", hook.Match{Path: []string{"**"}}, env, false},
		{"a command that the event lacks", hook.Match{Command: []string{""}}, env, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := matches(t, c.m, hook.Directive, c.env, call); got != c.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestAnyToolIsOneThatHasAName(t *testing.T) {
	for _, any := range []string{"*", "**"} {
		for name, want := range map[string]bool{"Bash": true, "mcp__a/b": true, "": false} {
			if got := matches(t, hook.Match{Tool: []string{any}}, hook.PreToolUse, hook.Envelope{}, hook.ToolUse{ToolName: name}); got != want {
				t.Errorf("%s matches %q: %v", any, name, got)
			}
		}
	}
}

func TestPatternsWithControlCharactersAreRefused(t *testing.T) {
	for _, m := range []hook.Match{
		{Command: []string{"\bsudo\b"}}, // what YAML makes of "\bsudo\b" in double quotes
		{Tool: []string{"Bash\n"}},
		{Path: []string{"src/\x00*"}},
		{Not: &hook.Match{Fields: map[string][]string{"from": {"\a"}}}},
	} {
		if err := m.Check(); err == nil || !strings.Contains(err.Error(), "control character; put the pattern into single quotes") {
			t.Errorf(`got %+v: %v, want err != nil and strings.Contains(err.Error(), "control character; put the pattern into single quotes")`, m, err)
		}
	}
}

func TestAFieldThatIsAListMatchesByAnyElement(t *testing.T) {
	use := hook.ToolUse{ToolName: "Bash", RecentTools: []string{"Read", "Edit"}, ToolInput: map[string]any{"paths": []any{"a.go", json.Number("7")}}}
	for pattern, want := range map[string]bool{"Read": true, "Ed*": true, "Write": false, "[Read Edit]": false} {
		if got := matches(t, hook.Match{Fields: map[string][]string{"recent_tools": {pattern}}}, hook.PreToolUse, hook.Envelope{}, use); got != want {
			t.Errorf("recent_tools: %s: %v", pattern, got)
		}
	}
	for pattern, want := range map[string]bool{"*.go": true, "7": true, "8": false} {
		if got := matches(t, hook.Match{Fields: map[string][]string{"tool_input.paths": {pattern}}}, hook.PreToolUse, hook.Envelope{}, use); got != want {
			t.Errorf("tool_input.paths: %s: %v", pattern, got)
		}
	}
}

func TestMatcherOfFields(t *testing.T) {
	use := hook.ToolUse{ToolName: "Fetch", ToolUseID: "t-1", ToolInput: map[string]any{
		"url": "https://example.com/a/b", "depth": json.Number("12345678901234567890"), "ratio": 0.5, "force": true, "none": nil,
		"headers": map[string]any{"accept": "text/html"},
	}}
	message := hook.Message{From: "Bob", Metadata: map[string]any{"urgent": true}}
	code := 7
	result := hook.ToolResult{ToolUse: use, ToolResponse: hook.ToolResponse{Output: "ok", ExitCode: &code}}
	field := func(name string, values ...string) hook.Match {
		return hook.Match{Fields: map[string][]string{name: values}}
	}
	both := hook.Match{Fields: map[string][]string{"from": {"Bob"}, "metadata.urgent": {"true"}}}
	for name, got := range map[string]bool{
		"exact":             matches(t, field("tool_use_id", "t-1"), hook.PreToolUse, hook.Envelope{}, use),
		"glob":              matches(t, field("tool_input.url", "https://example.com/*"), hook.PreToolUse, hook.Envelope{}, use),
		"big number":        matches(t, field("tool_input.depth", "12345678901234567890"), hook.PreToolUse, hook.Envelope{}, use),
		"fraction":          matches(t, field("tool_input.ratio", "0.5"), hook.PreToolUse, hook.Envelope{}, use),
		"truth":             matches(t, field("tool_input.force", "true"), hook.PreToolUse, hook.Envelope{}, use),
		"deep":              matches(t, field("tool_input.headers.accept", "text/*"), hook.PreToolUse, hook.Envelope{}, use),
		"one of a list":     matches(t, field("from", "Alice", "Bob"), hook.MessageReceived, hook.Envelope{}, message),
		"two fields":        matches(t, both, hook.MessageReceived, hook.Envelope{}, message),
		"embedded struct":   matches(t, field("tool_name", "Fetch"), hook.PostToolUse, hook.Envelope{}, result),
		"struct in struct":  matches(t, field("tool_response.output", "ok"), hook.PostToolUse, hook.Envelope{}, result),
		"through a pointer": matches(t, field("tool_response.exit_code", "7"), hook.PostToolUse, hook.Envelope{}, result),
	} {
		if !got {
			t.Errorf("%s: does not match", name)
		}
	}
	for name, got := range map[string]bool{
		"other value":       matches(t, field("from", "Alice"), hook.MessageReceived, hook.Envelope{}, message),
		"part of a value":   matches(t, field("from", "Bo"), hook.MessageReceived, hook.Envelope{}, message),
		"one of two fields": matches(t, both, hook.MessageReceived, hook.Envelope{}, hook.Message{From: "Bob"}),
		"unknown field":     matches(t, field("nothing", "*"), hook.PreToolUse, hook.Envelope{}, use),
		"Go's name":         matches(t, field("ToolName", "*"), hook.PreToolUse, hook.Envelope{}, use),
		"unknown key":       matches(t, field("tool_input.nothing", "*"), hook.PreToolUse, hook.Envelope{}, use),
		"through a text":    matches(t, field("tool_input.url.host", "*"), hook.PreToolUse, hook.Envelope{}, use),
		"null":              matches(t, field("tool_input.none", "*"), hook.PreToolUse, hook.Envelope{}, use),
		"nil map":           matches(t, field("tool_input.url", "*"), hook.PreToolUse, hook.Envelope{}, hook.ToolUse{}),
		"nil pointer":       matches(t, field("tool_response.exit_code", "*"), hook.PostToolUse, hook.Envelope{}, hook.ToolResult{}),
	} {
		if got {
			t.Errorf("%s: matches", name)
		}
	}
}

func TestMatchersNest(t *testing.T) {
	tool := func(names ...string) hook.Match { return hook.Match{Tool: names} }
	not := func(m hook.Match) hook.Match { return hook.Match{Not: &m} }
	call := bash("git push --force")
	for _, c := range []struct {
		name string
		m    hook.Match
		want bool
	}{
		{"any, one holds", hook.Match{Any: []hook.Match{tool("Read"), tool("Bash")}}, true},
		{"any, none holds", hook.Match{Any: []hook.Match{tool("Read"), tool("Edit")}}, false},
		{"all hold", hook.Match{All: []hook.Match{tool("Bash"), {Command: []string{"^git"}}}}, true},
		{"all, one fails", hook.Match{All: []hook.Match{tool("Bash"), {Command: []string{"^rm"}}}}, false},
		{"not", not(tool("Read")), true},
		{"not, it holds", not(tool("Bash")), false},
		{"not of nothing", not(hook.Match{}), false},
		{"not not", not(not(tool("Bash"))), true},
		{"not of a field that is lacking", not(hook.Match{Path: []string{"**"}}), true},
		{"any and a field", hook.Match{Tool: []string{"Bash"}, Any: []hook.Match{{Command: []string{"--force"}}, {Command: []string{"-f "}}}}, true},
		{"any holds, the field fails", hook.Match{Tool: []string{"Read"}, Any: []hook.Match{{}}}, false},
		{"deep", hook.Match{Any: []hook.Match{{All: []hook.Match{tool("Bash"), not(hook.Match{Any: []hook.Match{{Command: []string{"^rm"}}, {Command: []string{"^sudo"}}}})}}}}, true},
		{"exact tool inside any", hook.Match{Any: []hook.Match{tool("Edit", "Bash")}}, true},
		{"exact tools inside and outside", hook.Match{Tool: []string{"Bash"}, Not: &hook.Match{Tool: []string{"Read"}}}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := matches(t, c.m, hook.PreToolUse, hook.Envelope{}, call); got != c.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

// A permission request is about a call: it matches as that call does.
func TestPermissionRequestsMatchAsToolCallsDo(t *testing.T) {
	m := hook.Match{Tool: []string{"Bash"}, Command: []string{`rm\s+-rf`}}
	for command, want := range map[string]bool{"rm -rf /": true, "ls": false} {
		use := bash(command)
		if got := matches(t, m, hook.PreToolUse, hook.Envelope{}, use); got != want {
			t.Errorf("PreToolUse %q: %v", command, got)
		}
		p := hook.Permission{ToolName: use.ToolName, ToolInput: use.ToolInput}
		if got := matches(t, m, hook.PermissionRequest, hook.Envelope{}, p); got != want {
			t.Errorf("PermissionRequest %q: %v", command, got)
		}
	}
}

// The place of each bad pattern is in the error, and all are in it.
func TestBadPatternsAreNamedByTheirPlace(t *testing.T) {
	m := hook.Match{
		Tool:      []string{"Bash|Edit", "[x"},
		Path:      []string{"ok", "src/{a,b", "!secret"},
		Command:   []string{"(", "ok"},
		Agent:     []string{"a[", "b*"},
		Namespace: []string{"{"},
		Fields:    map[string][]string{"from": {"B*", "}"}},
		Any:       []hook.Match{{}, {Command: []string{"a(b"}, All: []hook.Match{{Path: []string{"[!"}}}}},
		Not:       &hook.Match{Target: []string{"!prod"}},
	}
	err := m.Check()
	if err == nil {
		t.Fatal("no error")
	}
	for _, place := range []string{"tool[1]: ", "path[1]: ", "path[2]: ", "command[0]: ", "agent[0]: ", "namespace[0]: ",
		"fields.from[1]: ", "any[1].command[0]: ", "any[1].all[0].path[0]: ", "not.target[0]: "} {
		if !strings.Contains("\n"+err.Error(), "\n"+place) {
			t.Errorf("no error at %q in:\n%v", place, err)
		}
	}
	if n := strings.Count(err.Error(), "\n") + 1; n != 10 {
		t.Errorf("%d errors, want 10:\n%v", n, err)
	}
	var pattern *hook.PatternError
	if !errors.As(err, &pattern) || pattern.Unwrap() == nil {
		t.Errorf("the errors are no *PatternError: %T", err)
	}
	var e hook.Engine
	err = e.Add(hook.New("strict", says(hook.Decision{}), hook.For("PreToolUse"), hook.Matching(m), hook.Origin("hookway.yaml:3")))
	if err == nil || !strings.HasPrefix(err.Error(), `hookway.yaml:3: hook "strict": `) || !strings.Contains(err.Error(), "any[1].command[0]") {
		t.Errorf("registration: %v", err)
	}
}

func TestLeadingExclamationMarkSuggestsNot(t *testing.T) {
	for _, m := range []hook.Match{{Path: []string{"!*.go"}}, {Tool: []string{"!Bash"}}} {
		if err := m.Check(); err == nil || !strings.Contains(err.Error(), "not:") {
			t.Errorf(`got %+v: %v, want err != nil and strings.Contains(err.Error(), "not:")`, m, err)
		}
	}
}

func TestOptionsBuildMatchers(t *testing.T) {
	h := hook.New("h", nil, hook.MatchTool("A"), hook.MatchTool("B"), hook.MatchPath("p"), hook.MatchCommand("c"),
		hook.MatchSession("s"), hook.MatchField("f", "x"), hook.MatchField("f", "y"), hook.MatchField("g", "z"))
	m := h.Match
	if strings.Join(m.Tool, ",") != "A,B" {
		t.Errorf(`got %+v, want strings.Join(m.Tool, ",") == "A,B"`, m)
	}
	is(t, "m.Path[0]", m.Path[0], "p")
	is(t, "m.Command[0]", m.Command[0], "c")
	is(t, "m.Session[0]", m.Session[0], "s")
	if len(m.Fields["f"]) != 2 {
		t.Errorf("len(m.Fields[\"f\"]): got %v, want %v", len(m.Fields["f"]), 2)
	}
	if len(m.Fields["g"]) != 1 {
		t.Errorf("len(m.Fields[\"g\"]): got %v, want %v", len(m.Fields["g"]), 1)
	}
	whole := hook.New("h", nil, hook.MatchTool("A"), hook.Matching(hook.Match{Session: []string{"s"}}))
	if len(whole.Match.Tool) != 0 || len(whole.Match.Session) != 1 {
		t.Errorf("got %+v, want len(whole.Match.Tool) == 0 and len(whole.Match.Session) == 1", whole.Match)
	}
}

// Some tools read an argument in whatever case its name is.
func TestACommandUnderAKeyInAnotherCaseIsSeen(t *testing.T) {
	m := hook.Match{Command: []string{`rm\s+-rf`}}
	for _, c := range []struct {
		input map[string]any
		want  bool
	}{
		{map[string]any{"Command": "rm -rf x"}, true},
		{map[string]any{"command": "ls", "cmd": "ls", "script": "ls", "COMMAND": "rm -rf x"}, true},
		{map[string]any{"command": "ls", "description": "rm -rf x"}, false},
	} {
		if got := matches(t, m, hook.PreToolUse, hook.Envelope{}, hook.ToolUse{ToolName: "Bash", ToolInput: c.input}); got != c.want {
			t.Errorf("%v: got %v, want %v", c.input, got, c.want)
		}
	}
}
