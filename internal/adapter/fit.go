package adapter

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/visible"
)

// Degradation is a part of an outcome that the agent cannot enforce, and what
// became of it.
type Degradation struct {
	Wanted string // "ask", "changed input", …
	Became string // "block", "nothing", …
	Why    string // one sentence
}

// String is the sentence for people.
func (d Degradation) String() string {
	return fmt.Sprintf("%s became %s: %s", d.Wanted, d.Became, d.Why)
}

// Fitted is an outcome that an agent can enforce.
type Fitted struct {
	Outcome hook.Outcome[any]

	// Later is injected text that the agent takes at another event only.
	Later string

	Degraded []Degradation
}

// Fit turns an outcome into the nearest one that the agent enforces at the
// event. Nothing is dropped in silence: what cannot be done is replaced by what
// is stricter where the event gates an operation, and always listed.
//
// askFallback is what an ask becomes where the agent cannot ask: block, or allow
// which there means to let it pass.
func Fit(a *About, ev hook.AnyEvent, out hook.Outcome[any], askFallback hook.Action) Fitted {
	return fit(a, ev, out, askFallback, true)
}

// FitUnattended is Fit for an agent that was started without anybody who could be
// asked; see [Headless] and [Unattended].
func FitUnattended(a *About, ev hook.AnyEvent, out hook.Outcome[any], askFallback hook.Action) Fitted {
	return fit(a, ev, out, askFallback, false)
}

func fit(a *About, ev hook.AnyEvent, out hook.Outcome[any], askFallback hook.Action, attended bool) Fitted {
	row := a.Event(NativeName(ev))
	if !attended {
		row.Can &^= Ask
	}
	if row.More != nil {
		call, _ := hook.CallOf(ev)
		row.Can |= row.More(call.Name)
	}
	f := fitter{a: a, ev: ev, row: row, can: row.Can, Fitted: Fitted{Outcome: out}, askFallback: askFallback}
	if f.can&GoOn != 0 {
		f.can |= Block // a block of a stop is to go on
	}
	f.change()
	f.action()
	f.inject()
	return f.Fitted
}

type fitter struct {
	Fitted
	a           *About
	ev          hook.AnyEvent
	row         Event
	can         Can
	askFallback hook.Action
}

func (f *fitter) lost(wanted, became, why string, args ...any) {
	f.Degraded = append(f.Degraded, Degradation{wanted, became, fmt.Sprintf(why, args...)})
}

// block refuses in place of something that cannot be done.
func (f *fitter) block(wanted, reason, why string) {
	if f.can&Block == 0 {
		f.lost(wanted, "nothing", "%s", why)
		f.pass()
		return
	}
	f.lost(wanted, "a block", "%s", why)
	f.Outcome.Action, f.Outcome.Reason = hook.ActionBlock, reason
}

func (f *fitter) pass() {
	f.Outcome.Action, f.Outcome.Reason, f.Outcome.Result, f.Outcome.RetryDelay = hook.ActionContinue, "", nil, 0
}

// action fits what was decided.
func (f *fitter) action() {
	out := &f.Outcome
	where := f.a.Title + " at " + f.row.Name
	switch out.Action {
	case hook.ActionBlock:
		if f.can&Block == 0 {
			f.lost("block", "nothing", "%s listens to no block", where)
			f.pass()
		}
	case hook.ActionAsk:
		switch {
		case f.can&Ask != 0:
		case f.askFallback == hook.ActionAllow:
			f.lost("ask", "no opinion", "%s cannot ask the user, and ask_fallback is allow", where)
			f.pass()
		default:
			f.block("ask", cmp.Or(out.Reason, "The user would have to confirm this")+" (the user cannot be asked here)", where+" cannot ask the user")
		}
	case hook.ActionAllow:
		if f.can&Allow == 0 {
			f.lost("allow", "no opinion", "%s takes no approval", where)
			f.pass()
		}
	case hook.ActionRetry:
		f.block("retry", fmt.Sprintf("%s (try again in %v)", cmp.Or(out.Reason, "Not now"), out.RetryDelay.Round(time.Millisecond)), where+" cannot wait and try again")
	case hook.ActionAnswer:
		f.answer(where)
	}
}

// answer fits a result that stands in for an operation.
func (f *fitter) answer(where string) {
	out := &f.Outcome
	switch {
	case f.can&Answer != 0:
	case f.ev.Info() == hook.PreToolUse.Info():
		f.block("answer", "The call was answered without running it. Its result: "+resultText(out.Result), where+" takes no result from a hook")
	case f.can&Inject != 0: // a recovery after the fact: the model can be told
		f.lost("answer", "injected text", "%s takes no result from a hook", where)
		out.Inject = visible.Join("\n\n", resultText(out.Result), out.Inject)
		f.pass()
	default:
		f.block("answer", "Answered by a hook: "+resultText(out.Result), where+" takes no result from a hook")
	}
}

// change fits a changed payload.
func (f *fitter) change() {
	out := &f.Outcome
	if !out.Changed || out.Action == hook.ActionBlock || out.Action == hook.ActionRetry || out.Action == hook.ActionAnswer {
		return
	}
	wanted, needs := "changed payload", ChangeInput
	if f.ev.Info() == hook.PostToolUse.Info() {
		wanted, needs = "changed result", ChangeOutput
	}
	if f.can&needs != 0 {
		return
	}
	why := fmt.Sprintf("%s cannot change the payload of %s, as hook %s wants", f.a.Title, f.row.Name, lastChange(*out))
	after := out.Payload
	out.Changed, out.Payload = false, f.ev.Body()
	if f.ev.Info().Gates && f.can&Block != 0 { // unchanged, it might do what the hook wanted to prevent
		f.block(wanted, changedText(f.a, f.ev, after), why)
		out.By = lastChange(*out)
		return
	}
	f.lost(wanted, "nothing", "%s", why)
}

// changedText tells the model what a hook made of its call, so that it may call
// again in that form, in the agent's own names of the arguments.
func changedText(a *About, ev hook.AnyEvent, payload any) string {
	use, ok := payload.(hook.ToolUse)
	if !ok {
		return fmt.Sprintf("A hook changed this, which %s cannot apply", a.Title)
	}
	var text strings.Builder
	write := json.NewEncoder(&text)
	write.SetEscapeHTML(false) // the model is to read it
	err := write.Encode(a.toolOut(nativeTool(ev), use.ToolInput, nativeInput(ev)))
	if err != nil || text.Len() > 4<<10 {
		return fmt.Sprintf("A hook changed the input of this call, which %s cannot apply", a.Title)
	}
	return fmt.Sprintf("A hook changed the input of this call, which %s cannot apply. Call it with: %s", a.Title, strings.TrimSpace(text.String()))
}

// inject fits text for the model.
func (f *fitter) inject() {
	out := &f.Outcome
	switch {
	case out.Inject == "" || f.can&Inject != 0:
		return
	case out.Action == hook.ActionBlock:
		f.lost("injected text", "a part of the reason", "%s takes no text at %s", f.a.Title, f.row.Name)
		out.Reason = visible.Join("\n\n", out.Reason, out.Inject)
	default:
		f.lost("injected text", "text at the next event that takes it", "%s takes no text at %s", f.a.Title, f.row.Name)
		f.Later = out.Inject
	}
	out.Inject = ""
}

// resultText writes a hook's result for a reader of text.
func resultText(result any) string {
	switch v := result.(type) {
	case nil:
		return "(none)"
	case string:
		return v
	case hook.ToolResponse:
		return v.Output
	case object:
		if text, ok := v["output"].(string); ok {
			return text
		}
	}
	text, err := json.Marshal(result)
	if err != nil {
		return fmt.Sprint(result)
	}
	return string(text)
}

// lastChange names the hook that changed the payload last.
func lastChange(out hook.Outcome[any]) string {
	for i := len(out.Steps) - 1; i >= 0; i-- {
		if out.Steps[i].Changed {
			return out.Steps[i].Hook
		}
	}
	return "unknown"
}
