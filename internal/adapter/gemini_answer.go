package adapter

import (
	"reflect"
	"strings"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/visible"
)

// Encode writes an outcome as Gemini CLI reads it: JSON and exit code 0. Stdout
// is never empty: stderr would then be read as the answer.
func (Gemini) Encode(ev hook.AnyEvent, out hook.Outcome[any]) (Reply, error) {
	a := geminiAnswer{newAnswer(ev, out)}
	a.tellUser()
	switch a.event {
	case "BeforeTool":
		a.beforeTool()
	case "AfterTool":
		a.afterTool()
	case "BeforeModel":
		a.beforeModel()
	case "AfterModel":
		a.afterModel()
	case "BeforeAgent", "AfterAgent":
		a.blocked()
	}
	if out.Inject != "" && geminiAbout.Event(a.event).Can&Inject != 0 && !(a.event == "AfterTool" && a.top["decision"] != nil) {
		a.nested["additionalContext"] = out.Inject
	}
	a.handOn()
	return a.reply()
}

// geminiAnswer is an answer in Gemini CLI's words.
type geminiAnswer struct{ *answer }

func (a geminiAnswer) deny(reason string) { a.top["decision"], a.top["reason"] = "deny", reason }

func (a geminiAnswer) blocked() {
	if a.out.Action == hook.ActionBlock {
		a.deny(a.reason())
	}
}

func (a geminiAnswer) beforeTool() {
	a.blocked()
	if a.out.Action == hook.ActionAsk {
		a.top["decision"], a.top["reason"] = "ask", a.reason()
	}
	if input := a.changedInput(&geminiAbout, a.ev); input != nil {
		a.nested["tool_input"] = input // replaces the whole input
	}
}

// afterTool: a deny puts its reason in place of the result, and nothing else
// reaches the model then.
func (a geminiAnswer) afterTool() {
	switch text, changed := a.changedOutput(); {
	case a.out.Action == hook.ActionBlock:
		a.deny(visible.Join("\n\n", a.reason(), a.out.Inject))
	case changed && strings.TrimSpace(text) == "":
		a.deny(visible.Join("\n\n", "(a hook removed the output)", a.out.Inject))
	case changed:
		a.deny(visible.Join("\n\n", text, a.out.Inject))
	}
}

// beforeModel changes the parts of a request that were changed: what is not
// said stays, also what hooks were not shown.
func (a geminiAnswer) beforeModel() {
	switch a.out.Action {
	case hook.ActionBlock:
		a.deny(a.reason())
		return
	case hook.ActionAnswer: // the answer counts only beside a deny
		a.deny("A hook answered in the model's place")
		a.nested["llm_response"] = geminiSays(resultText(a.out.Result))
		return
	}
	after, ok := a.out.Payload.(hook.Generation)
	if !ok || !a.out.Changed {
		return
	}
	before, _ := a.ev.Body().(hook.Generation)
	request := object{}
	if after.ModelName != before.ModelName {
		request["model"] = after.ModelName
	}
	if !reflect.DeepEqual(after.Messages, before.Messages) {
		request["messages"] = after.Messages
	}
	if len(request) > 0 {
		a.nested["llm_request"] = request
	}
	after.ModelName, after.Messages = before.ModelName, before.Messages
	if after.SystemPrompt != before.SystemPrompt && request["messages"] != nil && len(before.Messages) > 0 && before.Messages[0].Role() == "system" {
		after.SystemPrompt = before.SystemPrompt // it is the first message
	}
	if !reflect.DeepEqual(after, before) {
		a.warn("Gemini CLI takes a changed model and messages only at BeforeModel: what else hook %s changed is lost", lastChange(a.out))
	}
}

// afterModel: the event comes for each piece of a response. A denied one is
// replaced as well, so that what it says is not shown.
func (a geminiAnswer) afterModel() {
	if a.out.Action == hook.ActionBlock {
		a.deny(a.reason())
		a.nested["llm_response"] = geminiSays(a.reason())
		return
	}
	after, ok := a.out.Payload.(hook.GenerationResult)
	if !ok || !a.out.Changed {
		return
	}
	response := geminiSays(after.ResponseText)
	native, _ := a.ev.Head().Metadata[metaNative].(object)
	before := inner(native, "llm_response")
	if usage := before["usageMetadata"]; usage != nil {
		response["usageMetadata"] = usage
	}
	candidates, _ := before["candidates"].([]any)
	if len(candidates) > 0 {
		old, _ := candidates[0].(object)
		says, _ := response["candidates"].([]any)
		candidate, _ := says[0].(object)
		delete(candidate, "finishReason") // a piece in the middle has none
		for name, value := range old {
			if name != "content" && value != nil {
				candidate[name] = value
			}
		}
	}
	a.nested["llm_response"] = response
}

// geminiSays is a response of a model.
func geminiSays(text string) object {
	return object{
		"text": text,
		"candidates": []any{object{
			"content":      object{"role": "model", "parts": []any{text}},
			"finishReason": "STOP",
		}},
	}
}

// geminiOwn are fields that only Gemini CLI knows; hooks give them in the
// metadata of a decision, as "gemini." and the name.
var geminiOwn = []struct {
	name, event string
	fits        func(any) bool
}{
	{"toolConfig", "BeforeToolSelection", is[object]},
	{"tailToolCallRequest", "AfterTool", is[object]},
	{"clearContext", "AfterAgent", is[bool]},
}

// handOn passes through what has no meaning here.
func (a geminiAnswer) handOn() {
	for _, own := range geminiOwn {
		switch value, ok := a.out.Metadata["gemini."+own.name]; {
		case !ok:
		case own.event == a.event && own.fits(value):
			a.nested[own.name] = value
		default:
			a.warn("Gemini CLI takes no such %s at %s: it was left out", own.name, a.event)
		}
	}
	if a.out.Metadata["claude.continue"] != false {
		return
	}
	switch a.event {
	case "BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel", "BeforeTool", "AfterTool":
		a.top["continue"] = false
		if why, ok := a.out.Metadata["claude.stopReason"].(string); ok {
			a.top["stopReason"] = why
		}
	default:
		a.warn("Gemini CLI cannot end the turn at %s: continue was left out", a.event)
	}
}
