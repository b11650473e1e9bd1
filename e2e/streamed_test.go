//go:build unix

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/hookway/hookway/internal/bench/model"
)

// allShapes is the variable that asks for all shapes, with and without an install.
const allShapes = "HOOKWAY_E2E_SHAPES"

// toHear is how long an agent, and the machine it runs on, may take for one answer:
// Gemini CLI waits for a hook with every piece of it.
const toHear = 10 * time.Minute

// keepsAll is a hook that keeps what it is told of directives.
const keepsAll = `version: 1
hooks:
  - id: deploy
    on: Directive
    match: {namespace: deploy}
    command: "cat >> ../events"
`

// TestStreamedAnswers: answers come in pieces, in every form that directives can
// have; each is fired once, in order, with the body that the model wrote. What the
// agent's screen makes of it, and when its size changes, makes no difference; nor
// does it, whether the agent has hookway's hooks.
func TestStreamedAnswers(t *testing.T) {
	eachScreen(t, func(t *testing.T, a *agent) {
		if os.Getenv(allShapes) == "" {
			streamed(t, a, slices.DeleteFunc(model.Shapes(), func(s model.Shape) bool { return !s.Few }), true)
			return
		}
		t.Run("wrapped", func(t *testing.T) { streamed(t, a, model.Shapes(), false) })
		t.Run("installed", func(t *testing.T) { streamed(t, a, model.Shapes(), true) })
	})
}

// streamed has an agent answer with all shapes in one session.
func streamed(t *testing.T, a *agent, all []model.Shape, hooks bool) {
	var x *window
	w := newWorld(t, a, keepsAll, model.Turn{Make: func(q model.Request) model.Turn {
		for i := len(all) - 1; i >= 0; i-- { // the last one asked for
			if q.Says(asks(i)) {
				return x.streams(all[i], i)
			}
		}
		return model.Turn{Text: "Fine."}
	}})
	if hooks && !a.attaches {
		w.install(t)
	}
	if !hooks {
		w.env = append(w.env, "HOOKWAY_ATTACH=off")
	}
	x = w.wrapped(t)
	var want []fired
	for i, s := range all {
		x.rests(t)
		x.prompts(t, asks(i))
		for _, d := range s.Want {
			want = append(want, fired(d))
		}
		want = append(want, fired{"end", s.Name})
		x.hearsAll(t, s.Name, want)
	}
	x.rests(t)
	x.leaves(t)
	compare(t, a, w.heard(t), want)
	how := "hooks installed"
	if !hooks {
		how = "no hooks"
	}
	proves(t, "%s, %s: %d directives in %d streamed answers, each once, to the byte", a.name, how, len(want), len(all))
}

func asks(i int) string { return fmt.Sprintf("Shape %02d, please.", i+1) }

// streams is the answer with a shape.
func (x *window) streams(s model.Shape, i int) model.Turn {
	return model.Turn{Text: s.Text + "\n\n@deploy:end " + s.Name, Between: func(n int) {
		time.Sleep(2 * time.Millisecond)
		if s.Resize > 0 && n == s.Resize {
			size := pty.Winsize{Cols: uint16(80 + 7*(i%4)), Rows: uint16(24 + 3*(i%3))}
			x.mu.Lock()
			x.vt.Resize(int(size.Cols), int(size.Rows))
			x.mu.Unlock()
			_ = pty.Setsize(x.pty, &size) // the program may have ended
		}
	}}
}

// hearsAll waits until as much was fired as is wanted.
func (x *window) hearsAll(t *testing.T, name string, want []fired) {
	t.Helper()
	for deadline := time.Now().Add(toHear); ; time.Sleep(20 * time.Millisecond) {
		got := x.w.heard(t)
		if len(got) >= len(want) {
			return
		}
		if time.Now().After(deadline) {
			compare(t, x.w.agent, got, want)
			t.Fatalf("%s: %d of %d directives were fired after %v; it shows:\n%s", name, len(got), len(want), toHear, x.shows())
		}
	}
}

// heard is what the hook has kept, as far as it is whole.
func (w *world) heard(t *testing.T) (all []fired) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(w.root, "events"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var event struct {
			fired
			Metadata struct{ Via string }
		}
		if d.Decode(&event) != nil {
			return all
		}
		if event.Metadata.Via != "" {
			t.Errorf("%+v was only seen on the screen", event)
		}
		all = append(all, event.fired)
	}
}

// compare tells the first difference.
func compare(t *testing.T, a *agent, got, want []fired) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) {
			t.Errorf("%d directives were fired, want %d", len(got), len(want))
			return
		}
		body := want[i].Body
		if a.name == "gemini" { // it leaves joiners out of its own record
			body = strings.ReplaceAll(body, "\u200d", "")
		}
		if got[i].Target != want[i].Target || got[i].Body != body {
			t.Errorf("directive %d is %q, want %q", i+1, got[i], want[i])
			return
		}
	}
}
