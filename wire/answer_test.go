package wire

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/hookway/hookway/hook"
)

// Events that answers are read for.
func pre() hook.AnyEvent {
	return hook.PreToolUse.New(hook.Envelope{}, hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": "ls", "timeout": json.Number("5")}})
}

func post() hook.AnyEvent {
	return hook.PostToolUse.New(hook.Envelope{}, hook.ToolResult{
		ToolUse:      hook.ToolUse{ToolName: "Bash", ToolInput: map[string]any{"command": "ls"}},
		ToolResponse: hook.ToolResponse{Success: true, Output: "secret", ExitCode: ptr(0)},
	})
}

func received() hook.AnyEvent {
	return hook.MessageReceived.New(hook.Envelope{}, hook.Message{From: "Bob", Content: "hi"})
}

func generate() hook.AnyEvent {
	return hook.GenerateStart.New(hook.Envelope{}, hook.Generation{Prompt: "p", SystemPrompt: "s"})
}

// input is a PreToolUse payload with these arguments.
func input(args map[string]any) any { return hook.ToolUse{ToolName: "Bash", ToolInput: args} }

// output is the PostToolUse payload with this response.
func output(r hook.ToolResponse) any {
	p := post().Body().(hook.ToolResult)
	p.ToolResponse = r
	return p
}

type answerCase struct {
	ev   hook.AnyEvent
	in   string
	want hook.Decision
}

func testAnswers(t *testing.T, profile hook.Profile, cases []answerCase) {
	t.Helper()
	for _, c := range cases {
		got, err := DecodeDecision(c.ev, []byte(c.in), profile)
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s %s\n got %+v\nwant %+v", c.ev.Info().Name, c.in, got, c.want)
		}
	}
}

func TestOurAnswers(t *testing.T) {
	number := json.Number("12345678901234567890")
	testAnswers(t, hook.Profile{}, []answerCase{
		{pre(), `{}`, hook.Decision{}},
		{pre(), "\xef\xbb\xbf{\n  \"action\": \"continue\"\n}\n", hook.Decision{}},
		{pre(), `{"action":"allow","reason":"fine"}`, hook.Allow("fine")},
		{pre(), `{"action":"ask","reason":"sure?"}`, hook.Ask("sure?")},
		{pre(), `{"action":"block","reason":"no","user_message":"u"}`, hook.Decision{Action: hook.ActionBlock, Reason: "no", UserMessage: "u"}},
		{pre(), `{"action":"deny"}`, hook.Block("")},
		{pre(), `{"action":"retry","retry_delay_ms":1500.5}`, hook.Retry(1500500 * time.Microsecond)},
		{pre(), `{"action":"retry"}`, hook.Retry(0)},
		{pre(), `{"action":"skip"}`, hook.Skip()},
		{pre(), `{"action":"answer","result":{"n":12345678901234567890}}`, hook.Answer(map[string]any{"n": number})},
		{pre(), `{"action":"answer"}`, hook.Answer(nil)},
		{pre(), `{"inject":"text"}`, hook.Inject("text")},
		{pre(), `{"metadata":{"k":12345678901234567890}}`, hook.Decision{Metadata: map[string]any{"k": number}}},
		{pre(), `{"modified":{"tool_input":{"timeout":null,"n":12345678901234567890}}}`, hook.Change(input(map[string]any{"command": "ls", "n": number}))},
		{pre(), `{"modified":{}}`, hook.Decision{}},
		{pre(), `{"reason":null,"modified":null,"inject":null,"unknown":[1],"x":null}`, hook.Decision{}},
		{generate(), `{"modified":{"system_prompt":"t","prompt":null}}`, hook.Change(hook.Generation{SystemPrompt: "t"})},
	})
}

func TestAnswersOfA3S(t *testing.T) {
	blocked := hook.Decision{Action: hook.ActionBlock, Reason: "r"}
	cases := []answerCase{
		{pre(), `{"action":"Block","reason":"r"}`, blocked},
		{pre(), `{"action":"Continue"}`, hook.Decision{}},
		{pre(), `{"action":"Skip"}`, hook.Skip()},
		{pre(), `{"action":"Retry","retry_delay_ms":5000}`, hook.Retry(5 * time.Second)},
		{pre(), `{"action":"Continue","modified":{"command":"ls -l"}}`, hook.Change(input(map[string]any{"command": "ls -l"}))},
		{post(), `{"action":"Continue","modified":{"success":true,"output":"***"}}`, hook.Change(output(hook.ToolResponse{Success: true, Output: "***"}))},
		{generate(), `{"action":"Continue","modified":{"prompt":"q"}}`, hook.Change(hook.Generation{Prompt: "q", SystemPrompt: "s"})},
	}
	testAnswers(t, hook.Profile{}, append(cases, // known by their spelling only, and not if a payload field is named
		answerCase{pre(), `{"action":"Continue","modified":{"tool_input":{"a":1}}}`, hook.Change(input(map[string]any{"command": "ls", "timeout": json.Number("5"), "a": json.Number("1")}))},
	))
	testAnswers(t, hook.ProfileA3S, append(cases,
		answerCase{pre(), `{"modified":{"command":"x"}}`, hook.Change(input(map[string]any{"command": "x"}))},
		answerCase{pre(), `{"modified":{"tool_input":{"a":1}}}`, hook.Change(input(map[string]any{"tool_input": map[string]any{"a": json.Number("1")}}))},
	))
}

func TestAnswersOfAcai(t *testing.T) {
	changed := hook.Change(input(map[string]any{"command": "ls", "timeout": json.Number("9")}))
	cases := []answerCase{
		{pre(), `{"action":"continue"}`, hook.Decision{}},
		{pre(), `{"action":"block","reason":"r"}`, hook.Block("r")},
		{pre(), `{"action":"modify","modifications":{"tool_input":{"timeout":9}}}`, changed},
		{pre(), `{"action":"modify","modified":{"tool_input":{"timeout":9}}}`, changed},
	}
	testAnswers(t, hook.Profile{}, cases)
	testAnswers(t, hook.ProfileAcai, append(cases,
		answerCase{pre(), `{"action":"transform","reason":"x","modifications":{"tool_input":{"timeout":9}}}`, hook.Decision{Reason: "x"}}))

	var warned []string
	_, err := ExitDecision(pre(), Answer{Stdout: []byte(`{"action":"transform"}`), Profile: hook.ProfileAcai, Warn: func(line string) { warned = append(warned, line) }})
	if err != nil || len(warned) != 1 || !strings.Contains(warned[0], `unknown action "transform" is taken for continue, as acai does`) {
		t.Errorf("warned %q, %v", warned, err)
	}
}

func TestAnswersOfOpenClaw(t *testing.T) {
	testAnswers(t, hook.ProfileOpenClaw, []answerCase{
		{pre(), `{"block":true,"blockReason":"r"}`, hook.Block("r")},
		{pre(), `{"block":true}`, hook.Block("")},
		{pre(), `{"block":false}`, hook.Decision{}},
		{pre(), `{"params":{"timeout":9,"x":null}}`, hook.Change(input(map[string]any{"command": "ls", "timeout": json.Number("9"), "x": nil}))},
		{received(), `{"cancel":true}`, hook.Block("")},
		{received(), `{"cancel":false,"content":"hello"}`, hook.Change(hook.Message{From: "Bob", Content: "hello"})},
		{received(), `{"params":5}`, hook.Decision{}},
		{pre(), `{"content":5}`, hook.Decision{}},
		{generate(), `{"systemPrompt":"t","prependContext":"c"}`, hook.Decision{Inject: "c", Modified: hook.Generation{Prompt: "p", SystemPrompt: "t"}}},
	})
}

func TestAnswersOfCompilr(t *testing.T) {
	iteration := hook.IterationStart.New(hook.Envelope{}, hook.IterationInfo{Iteration: 1})
	fault := hook.Error.New(hook.Envelope{}, hook.Fault{Phase: "tool", Error: "e"})
	testAnswers(t, hook.ProfileCompilr, []answerCase{
		{pre(), `{"skip":true,"result":{"success":true}}`, hook.Answer(map[string]any{"success": true})},
		{pre(), `{"skip":true}`, hook.Answer(nil)},
		{pre(), `{"skip":false,"result":1}`, hook.Decision{}},
		{iteration, `{"skip":true}`, hook.Answer(nil)},
		{received(), `{"skip":true}`, hook.Skip()},
		{pre(), `{"input":{"command":"x"}}`, hook.Change(input(map[string]any{"command": "x"}))},
		{generate(), `{"messages":[{"role":"user"}],"tools":[{"name":"T"}],"systemPrompt":"t"}`, hook.Change(hook.Generation{
			Prompt: "p", SystemPrompt: "t", Messages: []hook.ChatMessage{{"role": "user"}}, Tools: []hook.ToolDefinition{{"name": "T"}}})},
		{post(), `{"result":{"success":false,"output":"o"}}`, hook.Change(output(hook.ToolResponse{Output: "o"}))},
		{post(), `{"result":null}`, hook.Decision{}},
		{fault, `{"handled":true}`, hook.Answer(nil)},
		{fault, `{"handled":true,"recovery":{"x":1}}`, hook.Answer(map[string]any{"x": json.Number("1")})},
		{fault, `{"recovery":"r"}`, hook.Answer("r")},
		{fault, `{"handled":false,"recovery":null}`, hook.Decision{}},
		{fault, `{"error":"better"}`, hook.Change(hook.Fault{Phase: "tool", Error: "better"})},
	})
}

func TestAnswersOfAgentRelay(t *testing.T) {
	testAnswers(t, hook.Profile{}, []answerCase{
		{received(), `{"suppress":true}`, hook.Block("")},
		{received(), `{"suppress":false}`, hook.Decision{}},
		{received(), `{"inject":"text","stop":true}`, hook.Decision{Action: hook.ActionSkip, Inject: "text"}},
	})
}

func TestTheStrongestOfSeveralDialectsWins(t *testing.T) {
	testAnswers(t, hook.Profile{}, []answerCase{
		{pre(), `{"action":"allow","block":true,"blockReason":"b"}`, hook.Block("b")},
		{pre(), `{"action":"block","reason":"ours","decision":"approve"}`, hook.Block("ours")},
		{pre(), `{"action":"continue","hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"p"}}`, hook.Block("p")},
		{pre(), `{"action":"allow","reason":"x","hookSpecificOutput":{"permissionDecision":"ask","permissionDecisionReason":"p"}}`, hook.Ask("p")},
		{pre(), `{"decision":"approve","hookSpecificOutput":{"permissionDecision":"deny"},"reason":"r"}`, hook.Block("r")},
		{pre(), `{"action":"retry","retry_delay_ms":5,"skip":true,"result":1}`, hook.Retry(5 * time.Millisecond)},
		{pre(), `{"action":"ask","reason":"a","skip":true,"result":"r"}`, hook.Decision{Action: hook.ActionAnswer, Reason: "a", Result: "r"}},
		{pre(), `{"stop":true,"decision":"approve"}`, hook.Allow("")},
		{pre(), `{"user_message":"a","systemMessage":"b","inject":"c","hookSpecificOutput":{"additionalContext":"d"}}`, hook.Decision{UserMessage: "a\nb", Inject: "c\n\nd"}},
		{pre(), `{"modified":{"tool_input":{"timeout":6}},"params":{"x":1},"hookSpecificOutput":{"updatedInput":{"command":"y"}}}`, hook.Change(input(map[string]any{"command": "y"}))},
	})
}

// TestAMalformedAnswerIsAFailure holds that nothing of the kind passes for a
// continue, and that the error says where it is wrong and how the answer begins.
func TestAMalformedAnswerIsAFailure(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{``, "the answer is empty"},
		{"  \n", "the answer is empty"},
		{`null`, "must be an object such as {\"action\":\"continue\"}, not null"},
		{`"allow"`, `not a string; it begins with: "allow"`},
		{`true`, "not a boolean"},
		{`7`, "not a number"},
		{`[{"action":"allow"}]`, "not an array"},
		{"Welcome to bash\n{\"action\":\"allow\"}", "it is not JSON at byte 1: invalid character 'W' looking for beginning of value; it begins with: Welcome to bash"},
		{"{}\ndone", "it is not JSON at byte 4"},
		{`{"action":"allow"}{"action":"block"}`, "it is not JSON at byte 19"},
		{`{"action":"allow"`, "unexpected end"},
		{`{"action":"blok"}`, `action: unknown action "blok"; use continue, allow, ask, block, retry, skip or answer; it begins with: {"action":"blok"}`},
		{`{"action":"approve"}`, "action: unknown action"},
		{`{"action":""}`, "action: unknown action"},
		{`{"action":null}`, "action: it must be a string, not null"},
		{`{"action":1}`, "action: it must be a string, not a number"},
		{`{"action":["block"]}`, "action: it must be a string, not an array"},
		{`{"blocked":true}`, "nothing of it is known at PreToolUse: blocked; for no opinion answer {}"},
		{`{"denied":true,"reason":"no"}`, "nothing of it is known at PreToolUse: denied;"},
		{`{"level":"info","msg":"checked"}`, "nothing of it is known at PreToolUse: level, msg;"},
		{`{"tool_input":{"command":"ls"}}`, "nothing of it is known at PreToolUse: tool_input;"},
		{`{"Action":"allow"}`, "Action: there is no such field; did you mean action?"},
		{`{"hook_specific_output":{}}`, "did you mean hookSpecificOutput?"},
		{`{"acton":"block"}`, "acton: there is no such field; did you mean action?"},
		{`{"actoin":"block"}`, "actoin: there is no such field; did you mean action?"},
		{`{"cation":"block"}`, "did you mean action?"},
		{`{"actions":"block"}`, "did you mean action?"},
		{`{"injct":"x"}`, "injct: there is no such field; did you mean inject?"},
		{`{"skp":true}`, "did you mean skip?"},
		{`{"parms":{}}`, "did you mean params?"},
		{`{"updatdInput":{"a":1}}`, "did you mean updatedInput?"},
		{`{"reslt":{"output":"x"}}`, "did you mean result?"},
		{`{"reson":"x","more":1}`, "did you mean reason?"},
		{`{"desicion":"block","reason":"x"}`, "did you mean decision?"},
		{`{"hookSpecificOutputs":{"permissionDecision":"deny"}}`, "did you mean hookSpecificOutput?"},
		{`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permisionDecision":"deny"}}`, "did you mean permissionDecision?"},
		{`{"action":"allow","action":"continue"}`, "action: it is there twice"},
		{`{"block":false,"bl\u006fck":false}`, "block: it is there twice"},
		{`{"action":"allow","reason":5}`, "reason: it must be a string, not a number"},
		{`{"reason":"x","block":"yes"}`, "block: it must be a boolean, not a string"},
		{`{"action":"allow","continue":"false"}`, "continue: it must be a boolean, not a string"},
		{`{"action":"modify"}`, "modifications: an answer with the action modify must say what to modify"},
		{`{"modified":"x"}`, "modified: it must be an object, not a string"},
		{`{"modified":{"toolInput":{}}}`, `modified: PreToolUse has no field "toolInput"; did you mean tool_input?`},
		{`{"modified":{"zzz":{}}}`, "its fields are tool_name, tool_input, tool_use_id, recent_tools"},
		{`{"modified":{"tool_input":"x"}}`, "modified.tool_input: it must be an object, not a string"},
		{`{"modified":{"tool_input":{},"tool_input":{"a":1}}}`, "modified.tool_input: it is there twice"},
		{`{"action":"retry","retry_delay_ms":-1}`, "retry_delay_ms: it must be between 0 and 86400000 milliseconds, not -1"},
		{`{"action":"retry","retry_delay_ms":1e400}`, "retry_delay_ms: it must be between"},
		{`{"action":"retry","retry_delay_ms":"5"}`, "retry_delay_ms: it must be a number, not a string"},
		{`{"params":[]}`, "params: it must be an object, not an array"},
		{`{"metadata":[]}`, "metadata: it must be an object, not an array"},
		{`{"decision":"maybe"}`, `decision: unknown word "maybe"; use block or approve`},
		{`{"decision":{"behavior":"allow"}}`, "decision: it must be a string, not an object"},
		{`{"decision":null}`, "decision: it must be a string, not null"},
		{`{"permission":"no"}`, `permission: unknown word "no"; use allow, deny or ask`},
		{`{"behavior":null}`, "behavior: it must be a string, not null"},
		{`{"hookSpecificOutput":"deny"}`, "hookSpecificOutput: it must be an object, not a string"},
		{`{"hookSpecificOutput":{"hookEventName":"PostToolUse"}}`, "hookSpecificOutput.hookEventName: it is PostToolUse, but the event is PreToolUse"},
		{`{"hookSpecificOutput":{"permissionDecision":"perhaps"}}`, `hookSpecificOutput.permissionDecision: unknown word "perhaps"; use allow, deny or ask`},
		{`{"hookSpecificOutput":{"permission_decision":"allow"}}`, "hookSpecificOutput.permission_decision: there is no such field; did you mean permissionDecision?"},
		{`{"hookSpecificOutput":{"permissionDecision":"allow","permissionDecision":"ask"}}`, "hookSpecificOutput.permissionDecision: it is there twice"},
		{`{"hookSpecificOutput":{"updatedInput":"x"}}`, "hookSpecificOutput.updatedInput: it must be an object, not a string"},
		{`{"hookSpecificOutput":{"updatedToolOutput":"x"}}`, "hookSpecificOutput.updatedToolOutput: a PreToolUse has no tool_response"},
		{`{"hookSpecificOutput":{"decision":{}}}`, "hookSpecificOutput.decision.behavior: it is missing"},
		{`{"hookSpecificOutput":{"decision":{"behavior":"ok"}}}`, "use allow or deny"},
		{`{"a":` + strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth) + `}`, "it is nested deeper than 1000"},
	} {
		d, err := DecodeDecision(pre(), []byte(c.in), hook.Profile{})
		if err == nil {
			t.Errorf("%.80s was taken for %+v", c.in, d)
			continue
		}
		if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.80s\n got %v\nwant %s", c.in, err, c.want)
		}
		if len(err.Error()) > 600 || strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("%.80s: the error is not a short clean line: %q", c.in, err)
		}
	}
}

// What other systems do not know they pass over, and so does a hook of one's own beside
// something that is known.
func TestWhatIsUnknownBesideWhatIsKnownIsPassedOver(t *testing.T) {
	for _, c := range []struct {
		in      string
		profile hook.Profile
	}{
		{`{}`, hook.Profile{}},
		{`{"reason":"all is well"}`, hook.Profile{}},
		{`{"action":"continue","ok":true}`, hook.Profile{}},
		{`{"suppressOutput":true,"ok":true}`, hook.Profile{}},
		{`{"ok":null}`, hook.Profile{}},
		{`{"ok":true}`, hook.ProfileA3S},
		{`{"ok":true}`, hook.ProfileCompilr},
		{`{"ok":true}`, hook.Profile{PlainText: true}},
	} {
		if got, err := DecodeDecision(pre(), []byte(c.in), c.profile); err != nil || got.Action != hook.ActionContinue {
			t.Errorf("%s, profile %q: got %v, %v; want no opinion", c.in, c.profile.Name, got.Action, err)
		}
	}
	idle := hook.Idle.New(hook.Envelope{}, hook.Silence{}) // nothing can be stopped there
	if got, err := DecodeDecision(idle, []byte(`{"stdout":"","code":0}`), hook.Profile{}); err != nil || got.Action != hook.ActionContinue {
		t.Errorf("at Idle: got %v, %v; want no opinion", got.Action, err)
	}
}

func TestErrorsAboutAnswersShowNoSecretsAndNoControlCharacters(t *testing.T) {
	_, err := DecodeDecision(pre(), []byte("\x1b[31mpassword=hunter22 \x07 \n"+strings.Repeat("x", 5000)), hook.Profile{})
	if err == nil || strings.ContainsAny(err.Error(), "\x1b\x07\n") || strings.Contains(err.Error(), "hunter22") {
		t.Errorf("got %q", err)
	}
}

func TestReadingAnAnswerLeavesTheEventAsItWas(t *testing.T) {
	ev := pre()
	before := string(mustEncode(t, ev))
	for _, in := range []string{
		`{"modified":{"tool_input":{"command":null,"x":{"y":1}}}}`, `{"params":{"command":"z"}}`, `{"input":{}}`,
		`{"hookSpecificOutput":{"updatedInput":{"a":1}}}`, `{"modified":{"tool_name":"Other","tool_input":null}}`,
	} {
		if _, err := DecodeDecision(ev, []byte(in), hook.Profile{}); err != nil {
			t.Fatal(err)
		}
		if after, err := encode(ev); err != nil || string(after.Bytes()) != before {
			t.Fatalf("%s: %v\n got %s\nwant %s", in, err, after.Bytes(), before)
		}
	}
}

// A name that is nearly known is told, and takes nothing from what else is said. Where
// its value could not be that one's, it is another name.
func TestASlipBesideAnAnswerIsANote(t *testing.T) {
	for in, want := range map[string]string{
		`{"action":"block","reson":"x"}`:                             "reson: there is no such field; did you mean reason?",
		`{"inject":"x","retry_delay_m":5}`:                           "did you mean retry_delay_ms?",
		`{"inject":"x","colour":"blue"}`:                             "",
		`{"inject":"x","injects":["a"]}`:                             "",
		`{"action":"continue","results":[{"line":1}],"version":"1"}`: "",
		`{"input":{"command":"pwd"},"comand":"other"}`:               "",
	} {
		d, err := DecodeDecision(pre(), []byte(in), hook.Profile{})
		if got := d.Note; err != nil || !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: got the note %q and %v, want %q", in, got, err, want)
		}
	}
	if d, err := DecodeDecision(pre(), []byte(`{"injct":"x"}`), hook.ProfileClaude); err != nil || d.Note != "" {
		t.Errorf("under Claude Code: got %+v, %v, want no opinion", d, err)
	}
}
