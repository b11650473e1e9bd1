package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/hookway/hookway/hook"
)

// ours reads our own form, and those of A3S and acai, which share its names.
func ours(r *reply) error {
	r.say(&r.user, r.text("user_message"))
	r.say(&r.inject, r.text("inject"))
	if raw := r.have["metadata"]; raw != nil {
		value := exact(raw)
		for name, v := range value.(map[string]any) {
			r.keep(name, v)
		}
	}
	delay, err := r.delay()
	if err != nil {
		return err
	}
	spelling := r.text("action")
	if r.have["action"] == nil {
		return r.change(spelling)
	}
	if spelling == "modify" && r.have["modified"] == nil && r.have["modifications"] == nil {
		return errors.New("modifications: an answer with the action modify must say what to modify")
	}
	action, err := parseAction(spelling)
	if err != nil {
		if !r.profile.UnknownContinues {
			return fmt.Errorf("action: %w", err)
		}
		r.warning(fmt.Sprintf("unknown action %q is taken for continue, as %s does", excerpt([]byte(spelling)), r.profile.Name))
		r.think(hook.ActionContinue, "")
		return nil
	}
	d := hook.Decision{Action: action, Reason: r.text("reason")}
	if action == hook.ActionRetry {
		d.RetryDelay = delay
	}
	if raw := r.have["result"]; raw != nil && action == hook.ActionAnswer {
		d.Result = exact(raw)
	}
	r.opinions = append(r.opinions, d)
	return r.change(spelling)
}

// delay reads how long to wait before a retry; a senseless one is an error even
// where nothing is retried.
func (r *reply) delay() (time.Duration, error) {
	raw := r.have["retry_delay_ms"]
	if raw == nil {
		return 0, nil
	}
	ms, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || ms < 0 || ms > float64(maxRetryDelay.Milliseconds()) {
		return 0, fmt.Errorf("retry_delay_ms: it must be between 0 and %d milliseconds, not %s", maxRetryDelay.Milliseconds(), excerpt(raw))
	}
	return time.Duration(math.Round(ms * float64(time.Millisecond))), nil
}

// parseAction reads our actions in any case, and acai's modify.
func parseAction(name string) (hook.Action, error) {
	if name == "modify" {
		return hook.ActionContinue, nil
	}
	action, err := hook.ParseAction(name)
	if err != nil {
		return 0, fmt.Errorf("unknown action %q; use continue, allow, ask, block, retry, skip or answer", excerpt([]byte(name)))
	}
	return action, nil
}

// change applies modified, or acai's modifications.
func (r *reply) change(spelling string) error {
	for _, name := range []string{"modified", "modifications"} {
		raw := r.have[name]
		if raw == nil || len(members(raw)) == 0 {
			continue
		}
		if field := r.wholeField(name, spelling, raw); field != "" {
			if err := r.editor.replace(name, field, raw); err != nil {
				return err
			}
			continue
		}
		if err := r.editor.patch(name, raw); err != nil {
			return err
		}
	}
	return nil
}

// wholeField gives the field that modified stands for as a whole. So it is for
// A3S hooks, known by their profile, or by the spelling of their actions if no
// name in modified is a payload field's. What they modify is the tool's
// arguments, after the tool its result; of other events, the payload itself.
func (r *reply) wholeField(name, spelling string, raw json.RawMessage) string {
	if name != "modified" {
		return ""
	}
	if r.profile.Name != hook.ProfileA3S.Name {
		if spelling == "" || strings.ToUpper(spelling[:1]) != spelling[:1] || strings.ToUpper(spelling) == spelling {
			return ""
		}
		for _, m := range members(raw) {
			if r.editor.declares(m.name) {
				return ""
			}
		}
	}
	for _, field := range []string{"tool_response", "tool_input"} {
		if r.editor.declares(field) {
			return field
		}
	}
	return ""
}
