package wire

import (
	"reflect"
	"strings"
	"testing"

	"github.com/hookway/hookway/hook"
)

func TestExitCodes(t *testing.T) {
	start := hook.SessionStart.New(hook.Envelope{}, hook.SessionInfo{})
	prompt := hook.AgentStart.New(hook.Envelope{}, hook.AgentRun{Prompt: "p"})
	for _, c := range []struct {
		name string
		ev   hook.AnyEvent
		a    Answer
		want hook.Decision
		err  string // a part of it
	}{
		{"0 and nothing is no opinion", pre(), Answer{}, hook.Decision{}, ""},
		{"0 and white space is no opinion", pre(), Answer{Stdout: []byte(" \n\n")}, hook.Decision{}, ""},
		{"0 reads stdout and not stderr", pre(), Answer{Stdout: []byte("{\"decision\":\"block\",\"reason\":\"no\"}\n"), Stderr: []byte("noise")}, hook.Block("no"), ""},
		{"0 with a banner is a failure", pre(), Answer{Stdout: []byte("Welcome back\n{\"decision\":\"block\"}")}, hook.Decision{}, "it begins with: Welcome back"},
		{"0 with null is a failure", pre(), Answer{Stdout: []byte("null")}, hook.Decision{}, "not null"},

		{"text at the start of a session is for the agent", start, Answer{Stdout: []byte("Remember:\n- tabs\n")}, hook.Inject("Remember:\n- tabs"), ""},
		{"text that begins like a list is for the agent", start, Answer{Stdout: []byte("[CONTEXT FROM MEMORY]\n- tabs")}, hook.Inject("[CONTEXT FROM MEMORY]\n- tabs"), ""},
		{"text for a prompt is for the agent, without colours", prompt, Answer{Stdout: []byte("\x1b[32mgreen\x1b[0m\x07 \x1b]0;title\x07light\r\n")}, hook.Inject("green light"), ""},
		{"JSON there is an answer", prompt, Answer{Stdout: []byte(`{"decision":"block","reason":"no"}`)}, hook.Block("no"), ""},
		{"broken JSON there is a failure", prompt, Answer{Stdout: []byte(`{"decision":"block"`)}, hook.Decision{}, "it is not JSON"},
		{"a JSON text there is a failure", prompt, Answer{Stdout: []byte(`"hello"`)}, hook.Decision{}, "not a string"},
		{"null there is a failure", start, Answer{Stdout: []byte(`null`)}, hook.Decision{}, "not null"},
		{"an answer below a banner there is a failure", prompt, Answer{Stdout: []byte("Welcome back\n{\"decision\":\"approve\"}\n")}, hook.Decision{}, "other text stands around it; print the answer alone. It begins with: Welcome back"},
		{"an indented answer there is a failure", start, Answer{Stdout: []byte("loading\n  {\"inject\":\"x\"}")}, hook.Decision{}, "other text stands around it"},
		{"an answer at the end of a line there is a failure", start, Answer{Stdout: []byte("loading {\"inject\":\"x\"} done")}, hook.Decision{}, "other text stands around it"},
		{"an object that is not an answer is text", prompt, Answer{Stdout: []byte("Settings:\n{\"tabs\":true}\n")}, hook.Inject("Settings:\n{\"tabs\":true}"), ""},

		{"2 blocks with stderr", pre(), Answer{ExitCode: 2, Stderr: []byte("not here\nnor there\n")}, hook.Block("not here\nnor there"), ""},
		{"2 without stderr blocks", pre(), Answer{ExitCode: 2}, hook.Block(""), ""},
		{"2 without stderr takes the reason of stdout", pre(), Answer{ExitCode: 2, Stdout: []byte(`{"reason":"r","modified":{"tool_input":{}}}`)}, hook.Block("r"), ""},
		{"2 blocks whatever stdout says", pre(), Answer{ExitCode: 2, Stdout: []byte(`{"decision":"approve","systemMessage":"m","suppressOutput":true}`), Stderr: []byte("no")},
			hook.Decision{Action: hook.ActionBlock, Reason: "no", UserMessage: "m", Metadata: meta("suppressOutput", true)}, ""},
		{"2 blocks with garbage", pre(), Answer{ExitCode: 2, Stdout: []byte("oops"), Stderr: []byte("no")}, hook.Block("no"), ""},

		{"1 is a failure", pre(), Answer{ExitCode: 1, Stderr: []byte("Traceback\n  File x\nKeyError: 'a'\n\n")}, hook.Decision{}, "it exited with code 1: KeyError: 'a'"},
		{"1 without a word is a failure", pre(), Answer{ExitCode: 1}, hook.Decision{}, "it exited with code 1 and wrote nothing on stderr"},
		{"1 does not allow", pre(), Answer{ExitCode: 1, Stdout: []byte(`{"decision":"approve"}`)}, hook.Decision{}, "it exited with code 1"},
		{"1 with a block blocks", pre(), Answer{ExitCode: 1, Stdout: []byte(`{"decision":"block","reason":"no"}`)}, hook.Block("no"), ""},
		{"126 says what to check", pre(), Answer{ExitCode: 126}, hook.Decision{}, "cannot be executed"},
		{"127 says that there is no such command", pre(), Answer{ExitCode: 127, Stderr: []byte("sh: guard: not found")}, hook.Decision{}, "command not found): sh: guard: not found"},
		{"a signal is a failure", pre(), Answer{ExitCode: -1}, hook.Decision{}, "it was ended by a signal"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ExitDecision(c.ev, c.a)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("got %+v, %v; want %s", got, err, c.err)
				}
				return
			}
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, %v\nwant %+v", got, err, c.want)
			}
		})
	}
}

func TestAReasonFromStderrIsBounded(t *testing.T) {
	d, err := ExitDecision(pre(), Answer{ExitCode: 2, Stderr: []byte(strings.Repeat("ä", maxReason))})
	if err != nil || len(d.Reason) > maxReason+10 || !strings.HasSuffix(d.Reason, "…") {
		t.Errorf("%d bytes, %v", len(d.Reason), err)
	}
}

func TestGarbageBesideExitCode2IsAWarning(t *testing.T) {
	var lines []string
	if _, err := ExitDecision(pre(), Answer{ExitCode: 2, Stdout: []byte("oops\n"), Warn: func(l string) { lines = append(lines, l) }}); err != nil {
		t.Fatal(err)
	}
	if len(lines) != 1 || !strings.Contains(lines[0], "printed something else") || !strings.Contains(lines[0], "oops") {
		t.Errorf("got %q", lines)
	}
}

// text is what a hook of one's own prints that may print text; plain is one of
// Claude Code's; acai is one of acai's.
func text(out string) Answer  { return Answer{Stdout: []byte(out), TextPasses: true} }
func plain(out string) Answer { return Answer{Stdout: []byte(out), Profile: hook.ProfileClaude} }
func acai(code int, out string) Answer {
	return Answer{Stdout: []byte(out), Stderr: []byte("grep: x: No such file"), ExitCode: code, Profile: hook.ProfileAcai}
}

func TestTextIsNoOpinionWhereItMayBe(t *testing.T) {
	start := hook.SessionStart.New(hook.Envelope{}, hook.SessionInfo{})
	prompt := hook.AgentStart.New(hook.Envelope{}, hook.AgentRun{Prompt: "p"})
	noted := func(line string) hook.Decision {
		return hook.Decision{Note: "it printed text, which is no opinion: " + line}
	}
	for name, c := range map[string]struct {
		ev   hook.AnyEvent
		a    Answer
		want hook.Decision
		err  string // a part of it
	}{
		"text":                            {pre(), text("✅ checked\nall is well\n"), noted("✅ checked"), ""},
		"text like a list":                {pre(), text("[guard] ok"), noted("[guard] ok"), ""},
		"an object that is not an answer": {pre(), text(`seen {"file": "a"}`), noted(`seen {"file": "a"}`), ""},
		"text for the agent":              {start, text("Use tabs."), hook.Inject("Use tabs."), ""},
		"an answer alone":                 {pre(), text(`{"decision":"block","reason":"no"}`), hook.Block("no"), ""},
		"an answer below a banner":        {pre(), text("loading\n{\"decision\":\"approve\"}"), hook.Decision{}, "it begins with: loading"},
		"an indented one":                 {pre(), text("loading\n  {\"decision\":\"approve\"}"), hook.Decision{}, "it begins with: loading"},
		"a broken one":                    {pre(), text("loading\r\n{\"decision\":\"block\""), hook.Decision{}, "it begins with: loading"},
		"a no behind text":                {pre(), text(`loading {"decision":"block","reason":"no"}`), hook.Block(`no (the rest of its answer could not be read: other text stands around it; print the answer alone. It begins with: loading {"decision":"block","reason":"no"})`), ""},
		"an answer behind text":           {pre(), text(`loading {"inject":"x"}`), hook.Decision{}, "other text stands around it"},
		"JSON that is not an answer":      {pre(), text("true"), hook.Decision{}, "not a boolean"},
		"JSON that is broken":             {pre(), text(`{"decision":`), hook.Decision{}, "it is not JSON"},
		"imported: text":                  {pre(), plain("✅ checked"), noted("✅ checked"), ""},
		"imported: an answer below it":    {pre(), plain("loading\n{\"decision\":\"block\"}"), noted("loading"), ""},
		"imported: JSON that is none":     {pre(), plain("true"), noted("true"), ""},
		"imported: text at a prompt":      {prompt, plain("Use tabs.\n{\"decision\":\"block\"}"), hook.Inject("Use tabs.\n{\"decision\":\"block\"}"), ""},
		"imported: no JSON at a prompt":   {prompt, plain("{tabs} and no spaces"), hook.Inject("{tabs} and no spaces"), ""},
		"imported: no JSON, a session":    {start, plain(`{"tabs": true} it says`), hook.Inject(`{"tabs": true} it says`), ""},
		"imported: no JSON at a call":     {pre(), plain("{tabs}"), hook.Decision{}, "it is not JSON"},
		"imported: an answer":             {prompt, plain(`{"decision":"block","reason":"no"}`), hook.Block("no"), ""},
		"imported: an answer in error":    {pre(), plain(`{"decision":"maybe"}`), hook.Decision{}, "the answer is not a decision"},
		"imported: exit 1":                {pre(), Answer{Stdout: []byte("text"), ExitCode: 1, Profile: hook.ProfileClaude}, hook.Decision{}, "it exited with code 1"},
		"imported: exit 2":                {pre(), Answer{Stderr: []byte("no"), ExitCode: 2, Profile: hook.ProfileClaude}, hook.Block("no"), ""},
		"acai: exit 2":                    {pre(), acai(2, ""), hook.Decision{}, "it exited with code 2: grep: x: No such file"},
		"acai: exit 2 with a block":       {pre(), acai(2, `{"action":"block","reason":"no"}`), hook.Block("no"), ""},
		"acai: text":                      {pre(), acai(0, "checked"), hook.Decision{}, "it begins with: checked"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ExitDecision(c.ev, c.a)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("got %+v, %v; want %s", got, err, c.err)
				}
			} else if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, %v\nwant %+v", got, err, c.want)
			}
		})
	}
}

// A no that stands in a text must not be handed to the agent as reading matter.
func TestANoInsideATextIsABlock(t *testing.T) {
	for _, text := range []string{
		"Welcome\n{\"decision\":\"block\",\"reason\":\"r\"}",
		"loading\n  {\"decision\":\"block\",\"reason\":\"r\"}\n",
		"loading {\"decision\":\"block\",\"reason\":\"r\"} done",
		"a {b} {\"c\":\"}\"} {\"inject\":\"x\"} [{\"Decision\":\"deny\",\"reason\":\"r\"}]",
		strings.Repeat("{ \n", 5000) + "{\"continue\":false,\"reason\":\"r\"}",
		"{{\"x\": {\"action\":\"block\",\"reason\":\"r\"}"[1:] + "\n",
	} {
		for _, ev := range []hook.AnyEvent{
			hook.SessionStart.New(hook.Envelope{}, hook.SessionInfo{}), hook.AgentStart.New(hook.Envelope{}, hook.AgentRun{}),
		} {
			d, err := ExitDecision(ev, Answer{Stdout: []byte("> " + text)})
			switch {
			case err != nil:
				t.Errorf("%.60q: %+v, %v", text, d, err)
			case d.Action != hook.ActionBlock:
				t.Errorf("%v: d.Action: got %v, want %v", text, d.Action, hook.ActionBlock)
			case !strings.HasPrefix(d.Reason, "r (") || !strings.Contains(d.Reason, "print the answer alone"):
				t.Errorf("%.60q: %+v, %v", text, d, err)
			}
		}
	}
}

// A text that would have to be looked at for ever is a failure: an answer in it
// may go unheard.
func TestLookingForAnAnswerInATextIsBounded(t *testing.T) {
	text := []byte("x " + strings.Repeat(`{"a":`, 1<<20))
	start := hook.SessionStart.New(hook.Envelope{}, hook.SessionInfo{})
	if d, err := ExitDecision(start, Answer{Stdout: text}); err == nil || !strings.Contains(err.Error(), "so many braces") {
		t.Errorf(`got %v, %v, want err != nil and strings.Contains(err.Error(), "so many braces")`, d.Action, err)
	}
}
