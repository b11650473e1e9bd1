//go:build unix

package judge_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hookway/hookway/internal/approve"
	"github.com/hookway/hookway/wire/call"
)

// raw is Codex's PreToolUse with this text as the tool's input.
func (w *world) raw(input string) *call.Request {
	w.calls++
	r := w.event(map[string]any{"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": "Bash", "tool_use_id": fmt.Sprint(w.calls), "tool_input": "INPUT"})
	r.Stdin = []byte(strings.Replace(string(r.Stdin), `"INPUT"`, input, 1))
	r.Agent = "codex"
	return r
}

// One yes is never for two inputs that mean different things to any reader of JSON.
func TestAYesIsForOneInputAsItWasWritten(t *testing.T) {
	deep := func(n int, in string) string {
		return `{"command":"ls","x":` + strings.Repeat("[", n) + in + strings.Repeat("]", n) + "}"
	}
	for name, pair := range map[string][2]string{
		"half pairs":              {`{"command":"ls \ud800"}`, `{"command":"ls \ud801"}`},
		"half a pair and U+FFFD":  {`{"command":"ls \ud800"}`, `{"command":"ls \ufffd"}`},
		"U+FFFD and half a pair":  {`{"command":"ls \ufffd"}`, `{"command":"ls \ud800"}`},
		"high and low half":       {`{"command":"ls \ud800"}`, `{"command":"ls \udc00"}`},
		"halves the wrong way":    {`{"command":"ls \udc00\ud800"}`, `{"command":"ls \udc01\ud800"}`},
		"bytes that are no text":  {"{\"command\":\"ls \xff\"}", "{\"command\":\"ls \xfe\"}"},
		"a byte and U+FFFD":       {"{\"command\":\"ls \xff\"}", "{\"command\":\"ls \ufffd\"}"},
		"overlong":                {"{\"command\":\"ls \xc0\xaf\"}", "{\"command\":\"ls \xc1\xaf\"}"},
		"surrogate as bytes":      {"{\"command\":\"ls \xed\xa0\x80\"}", "{\"command\":\"ls \xed\xa0\x81\"}"},
		"cut short":               {"{\"command\":\"ls \xe2\x82\"}", "{\"command\":\"ls \xe2\x83\"}"},
		"half pairs in a key":     {`{"command":"ls","\ud800":1}`, `{"command":"ls","\ud801":1}`},
		"deep half pairs":         {`{"command":"ls","a":[{"b":["\ud800"]}]}`, `{"command":"ls","a":[{"b":["\ud801"]}]}`},
		"keys that fall together": {`{"command":"ls","\ud800":1,"\ud801":2}`, `{"command":"ls","\ud801":2}`},
		"numbers beyond doubles":  {`{"command":"ls","n":1e400}`, `{"command":"ls","n":1e401}`},
		"long numbers":            {`{"command":"ls","n":12345678901234567890}`, `{"command":"ls","n":12345678901234567891}`},
		"long fractions":          {`{"command":"ls","n":0.12345678901234567890}`, `{"command":"ls","n":0.12345678901234567891}`},
		"1.0 and 1":               {`{"command":"ls","n":1.0}`, `{"command":"ls","n":1}`}, // two to some languages
		"1e3 and 1000":            {`{"command":"ls","n":1e3}`, `{"command":"ls","n":1000}`},
		"minus zero":              {`{"command":"ls","n":-0}`, `{"command":"ls","n":0}`},
		"number and text":         {`{"command":"ls","n":1}`, `{"command":"ls","n":"1"}`},
		"null and nothing":        {`{"command":"ls","n":null}`, `{"command":"ls"}`},
		"NUL":                     {`{"command":"ls \u0000a"}`, `{"command":"ls \u0000b"}`},
		"NUL and its letters":     {`{"command":"ls \u0000"}`, `{"command":"ls \\u0000"}`},
		"NFC and NFD":             {`{"command":"ls \u00e9"}`, `{"command":"ls e\u0301"}`},
		"case of a key":           {`{"command":"ls","A":1}`, `{"command":"ls","a":1}`},
		"list and object":         {`{"command":"ls","a":["b",1]}`, `{"command":"ls","a":{"b":1}}`},
		"nesting":                 {`{"command":"ls","a":[[],[]]}`, `{"command":"ls","a":[[[]]]}`},
		"deep":                    {deep(5000, "1"), deep(5000, "2")},
		"long":                    {`{"command":"ls ` + strings.Repeat("a", 3<<20) + `1"}`, `{"command":"ls ` + strings.Repeat("a", 3<<20) + `2"}`},
		"in the middle":           {`{"command":"ls ` + strings.Repeat("a", 1<<20) + "1" + strings.Repeat("a", 1<<20) + `"}`, `{"command":"ls ` + strings.Repeat("a", 1<<20) + "2" + strings.Repeat("a", 1<<20) + `"}`},
		"what is not shown":       {`{"command":"ls\u202e"}`, `{"command":"ls"}`},
		"blanks at the end":       {`{"command":"ls "}`, `{"command":"ls"}`},
		"line ends":               {`{"command":"ls\r\n"}`, `{"command":"ls\n"}`},
		"empty key":               {`{"command":"ls","":1}`, `{"command":"ls"}`},
		"empty list":              {`{"command":"ls","a":[]}`, `{"command":"ls","a":null}`},
		"true and text":           {`{"command":"ls","a":true}`, `{"command":"ls","a":"true"}`},
		"a proto":                 {`{"command":"ls","__proto__":{"a":1}}`, `{"command":"ls","__proto__":{"a":2}}`},
	} {
		t.Run(name, func(t *testing.T) {
			for i := range 2 {
				w, s := asking(t, asksAll, "")
				w.ask(w.raw(pair[i]))
				if all, err := s.List(t.Context()); err != nil || len(all) == 0 {
					continue // it cannot be let through at all
				}
				says(t, s, only(t, s), true, approve.ScopeOnce)
				w.want(w.ask(w.raw(pair[1-i])), `"deny"`)
			}
		})
	}
}

// The same input has one yes, however it is written.
func TestAYesIsForOneInputHoweverItIsWritten(t *testing.T) {
	for name, pair := range map[string][2]string{
		"order of keys":      {`{"command":"ls","a":{"b":1,"c":2}}`, `{"a":{"c":2,"b":1},"command":"ls"}`},
		"blanks":             {`{"command":"ls","a":[1,2]}`, "{ \"command\" :\t\"ls\",\n\"a\": [ 1 , 2 ] }"},
		"escapes":            {`{"command":"ls é/"}`, `{"c\u006fmmand":"l\u0073 \u00e9\/"}`},
		"pairs":              {`{"command":"ls 😀"}`, `{"command":"ls \ud83d\ude00"}`},
		"U+FFFF":             {`{"command":"ls \uffff"}`, "{\"command\":\"ls \uffff\"}"},
		"the last of two":    {`{"command":"rm x","command":"ls"}`, `{"command":"ls"}`}, // as agents read it
		"the last of two, 2": {`{"c\u006fmmand":"rm x","a":{"b":1,"b":2},"command":"ls"}`, `{"command":"ls","a":{"b":2}}`},
	} {
		t.Run(name, func(t *testing.T) {
			w, s := asking(t, asksAll, "")
			w.ask(w.raw(pair[0]))
			says(t, s, only(t, s), true, approve.ScopeOnce)
			w.want(w.ask(w.raw(pair[1])), "!deny")
		})
	}
}

// What may look like another input gets no code: it is asked about where it is made, or
// refused, and a rule's refusal says why nobody can let it through.
func TestNobodyIsAskedFromElsewhereAboutWhatIsNoText(t *testing.T) {
	for _, input := range []string{`{"command":"ls \ud800"}`, "{\"command\":\"ls \xff\"}", `{"command":"ls","a":[{"\ufffd":1}]}`} {
		w, s := asking(t, asksAll, "")
		w.want(w.ask(w.raw(input)), `"deny"`, "No approval can be asked for: no answer can be bound to this very call: its input is no valid UTF-8", "!Waiting for")
		asks := w.raw(input)
		asks.Agent = "claude"
		w.want(w.ask(asks), `"ask"`)
		if all, err := s.List(t.Context()); len(all) != 0 || err != nil {
			t.Errorf("got %d requests, %v; want none", len(all), err)
		}
	}
}

// What decides what a held call runs is changed while a person thinks: their yes is to what
// they were asked about, and they are asked anew.
func TestAHeldCallThatIsChangedMeanwhileIsAskedAboutAnew(t *testing.T) {
	w, s := asking(t, asksAll, "approvals: {hold: always, timeout: 5m}\n")
	w.write("justfile", "deploy:\n  echo 1\n")
	done := w.later(w.codex("just deploy"))
	first := opened(t, s, anyone)
	w.write("justfile", "deploy:\n  rm -rf ~\n")
	says(t, s, first, true, approve.ScopeOnce)
	second := opened(t, s, func(r approve.Request) bool { return r.Code != first.Code })
	w.want(second.Reason, "looks like the call that "+first.Code+" allows, but is another one")
	says(t, s, second, false, approve.ScopeOnce)
	w.want(<-done, `"deny"`, "anna refused this call ("+second.Code+")")
}

// Two tools of an agent that hookway gives one name are two.
func TestAYesIsForOneToolOfTheAgent(t *testing.T) {
	w, s := asking(t, asksAll, "")
	shell := func(tool string) *call.Request {
		r := w.raw(`{"command":"ls"}`)
		r.Stdin = []byte(strings.Replace(string(r.Stdin), `"Bash"`, `"`+tool+`"`, 1))
		return r
	}
	w.want(w.ask(shell("container.exec")), `"deny"`)
	says(t, s, only(t, s), true, approve.ScopeOnce)
	w.want(w.ask(shell("shell")), `"deny"`)
	w.want(w.ask(shell("container.exec")), "!deny")
}
