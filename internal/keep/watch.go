package keep

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/hookway/hookway/facts"
	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/chance"
)

// maxAnalyses bounds the payloads of one event whose facts are kept.
const maxAnalyses = 8

// Watch notes what a decision about an event is made of. Its methods may be called from
// many goroutines; a nil Watch notes nothing.
type Watch struct {
	mu   sync.Mutex
	ev   hook.AnyEvent
	kept Event

	chance chance.Source // from which its hooks draw lots
}

type watchKey struct{}

// Watching is a context in which what is found about an event is noted.
func Watching(ctx context.Context, ev hook.AnyEvent) (context.Context, *Watch) {
	w := &Watch{ev: ev}
	return chance.With(context.WithValue(ctx, watchKey{}, w), &w.chance), w
}

// WatchOf gives the watch of a context, or nil.
func WatchOf(ctx context.Context) *Watch {
	w, _ := ctx.Value(watchKey{}).(*Watch)
	return w
}

// Found notes what the session's earlier events said of the call, under which budget.
func (w *Watch) Found(before []hook.Fact, budget string) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.kept.Judged, w.kept.Before, w.kept.Budget = true, before, budget
}

// Granted notes who let the call through.
func (w *Watch) Granted(by string) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.kept.Granted = by
}

// Decided notes what the hooks decided and made of the event, and the other folders whose
// guards they were.
func (w *Watch) Decided(out *hook.Outcome[any], others ...string) {
	if w == nil {
		return
	}
	made, _ := MadeOf(out)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.kept.Verdict, w.kept.Others, w.kept.MadeText = VerdictOf(&out.Verdict), others, made
}

// Event is what was noted so far. It is shared: do not edit what it refers to.
func (w *Watch) Event() Event {
	if w == nil {
		return Event{}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	e := w.kept
	e.Analyses, e.Seed = slices.Clone(e.Analyses), w.chance.Seed()
	return e
}

// Analyse finds what the call of an event would do in a world, and notes it with what
// was seen of the world.
func (w *Watch) Analyse(ev hook.AnyEvent, world facts.World) []hook.Fact {
	if w == nil {
		return facts.Of(ev, world)
	}
	env := world.Env
	world, o := observed(world)
	found := facts.Of(ev, world)
	o.mu.Lock()
	seen := o.seen
	o.mu.Unlock()
	w.analysed(ev, found, seen, env)
	return found
}

func (w *Watch) analysed(ev hook.AnyEvent, found []hook.Fact, seen Observations, env map[string]string) {
	call, _ := hook.CallOf(ev)
	own, _ := hook.CallOf(w.ev)
	a := Analysis{Facts: found, Seen: seen}
	if !same(call.Input, own.Input) {
		input, err := json.Marshal(call.Input)
		if err != nil {
			return
		}
		a.Input = input
	}
	a.Seen.Env, a.Seen.Unkept = named(env, words(call.Input))
	withheld := secrets(env, a.Seen.Unkept, sync.OnceValue(func() string {
		input, _ := json.Marshal(call.Input) // what cannot be written is not kept
		return strings.Join([]string{seen.Dir, seen.Home, seen.Project, string(input)}, "\n")
	}))
	w.mu.Lock()
	defer w.mu.Unlock()
	w.kept.Withheld = append(w.kept.Withheld, withheld...)
	again := func(b Analysis) bool { return b.Input == nil && slices.Equal(b.Seen.Scratch, seen.Scratch) }
	if len(w.kept.Analyses) >= maxAnalyses || a.Input == nil && slices.ContainsFunc(w.kept.Analyses, again) {
		return
	}
	w.kept.Analyses, w.kept.Analyser = append(w.kept.Analyses, a), facts.Version()
}

// same reports whether two inputs are one: a hook that changes one makes another.
func same(a, b map[string]any) bool {
	return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer() || reflect.DeepEqual(a, b)
}

// words are the texts of an input, one after the other.
func words(input map[string]any) string {
	if len(input) == 1 {
		for _, v := range input {
			if text, ok := v.(string); ok {
				return text
			}
		}
	}
	var b strings.Builder
	for _, v := range input {
		if text, ok := v.(string); ok && b.Len()+len(text) < MaxEvent {
			b.WriteString(text)
			b.WriteByte('\n')
		}
	}
	return b.String()
}
