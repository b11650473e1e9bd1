package hook_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/hookway/hookway/hook"
)

// What one goroutine of the test below knows about the hook that it adds and
// removes over and over. Odd generations are registered, even ones are not.
// begun is set before the call of the engine, ended when it has returned.
type churned struct {
	id           string
	begun, ended atomic.Int64
}

// must reports what a firing owes to the hook, given the generations before and
// after it: it must have run, must not have run, or may have done either.
func must(endedBefore, begunAfter int64) (known, run bool) {
	return endedBefore == begunAfter, endedBefore%2 == 1
}

// Eight goroutines add and remove hooks while eight others fire. Every firing
// runs each permanent hook exactly once, a hook whose Add has returned before
// the firing always, and one whose Remove has returned before it never.
func TestHooksMayComeAndGoWhileEventsFire(t *testing.T) {
	const changers, firers, rounds = 8, 8, 200
	var e hook.Engine
	permanent := []string{"t1", "t2", "g1", "g2"}
	add(t, &e, "t1", says(hook.Decision{}), hook.Priority(1))
	add(t, &e, "t2", says(hook.Decision{}), hook.Priority(200), hook.MatchTool("Bash"))
	add(t, &e, "g1", says(hook.Decision{}), hook.As(hook.Guard), hook.For("*"))
	add(t, &e, "g2", hook.Static{}, hook.As(hook.Guard), hook.MatchTool("B*"))
	observed := make(map[string]*atomic.Int64)
	for _, id := range []string{"o1", "o2"} {
		n := new(atomic.Int64)
		observed[id] = n
		add(t, &e, id, sees(func(_ hook.AnyEvent) {
			n.Add(1)
		}), hook.As(hook.Observe), hook.Queue(firers*rounds))
	}

	var all sync.WaitGroup
	hooks := make([]*churned, changers)
	stop := make(chan struct{})
	var changing sync.WaitGroup
	for i := range hooks {
		c := &churned{id: fmt.Sprintf("c%d", i)}
		hooks[i] = c
		options := []hook.Option{hook.For("PreToolUse"), hook.Priority(i * 30)}
		switch i % 4 {
		case 1:
			options = append(options, hook.MatchTool("Bash"))
		case 2:
			options = append(options, hook.As(hook.Guard))
		case 3:
			options[0] = hook.For("*")
		}
		changing.Go(func() {
			for gen := int64(1); ; gen++ {
				select {
				case <-stop:
					return
				default:
				}
				c.begun.Store(gen)
				if gen%2 == 1 {
					add(t, &e, c.id, says(hook.Decision{}), options...)
				} else if !e.Remove(c.id) {
					t.Errorf("%s was lost", c.id)
				}
				c.ended.Store(gen)
			}
		})
	}
	for range firers {
		all.Go(func() {
			before := make([]int64, changers)
			for range rounds {
				for i, c := range hooks {
					before[i] = c.ended.Load()
				}
				steps := ids(fire(t, &e, bash("ls")).Steps)
				for _, id := range permanent {
					if n := count(steps, id); n != 1 {
						t.Errorf("%s ran %d times in %v", id, n, steps)
					}
				}
				for i, c := range hooks {
					n := count(steps, c.id)
					if known, run := must(before[i], c.begun.Load()); known && (n == 1) != run || n > 1 {
						t.Errorf("%s, generation %d, ran %d times", c.id, before[i], n)
					}
				}
			}
		})
	}
	all.Wait()
	close(stop)
	changing.Wait()
	closeEngine(t, &e)
	for id, n := range observed {
		if n.Load() != firers*rounds || e.Dropped(id) != 0 {
			t.Errorf("%s saw %d of %d events", id, n.Load(), firers*rounds)
		}
	}
}

// Replacing is one step: no firing sees both, or neither, or parts of each.
func TestReplaceIsAtomic(t *testing.T) {
	var e hook.Engine
	version := func(n int) hook.Hook {
		text := fmt.Sprint(n % 2)
		return hook.New("h", says(hook.Inject(text)), hook.For("PreToolUse"), hook.MatchTool([]string{"Bash", "B*"}[n%2]), hook.Priority(n%2))
	}
	if err := e.Add(version(0)); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var replacing, firing sync.WaitGroup
	replacing.Go(func() {
		for n := 1; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
			if replaced, err := e.Replace(version(n)); err != nil || !replaced {
				t.Errorf("replaced %v, %v", replaced, err)
			}
		}
	})
	for range 4 {
		firing.Go(func() {
			for range 500 {
				if out := fire(t, &e, bash("ls")); len(out.Steps) != 1 || out.Inject != "0" && out.Inject != "1" {
					t.Errorf("steps %v, inject %q", ids(out.Steps), out.Inject)
				}
			}
		})
	}
	firing.Wait()
	close(stop)
	replacing.Wait()
}

// Events may be defined while others are looked up and fired.
func TestEventsMayBeDefinedWhileEventsFire(t *testing.T) {
	var e hook.Engine
	add(t, &e, "every", says(hook.Decision{}), hook.For("*"))
	var all sync.WaitGroup
	for i := range 8 {
		name := fmt.Sprintf("custom-%d", i)
		all.Go(func() {
			if err := e.Define(hook.Custom(name, hook.May{Block: true})); err != nil {
				t.Error(err)
				return
			}
			add(t, &e, name, says(hook.Block(name)), hook.For(name))
		})
		all.Go(func() {
			for range 50 {
				ev, err := hook.Native(name).New(hook.Envelope{}, map[string]any{})
				if err != nil {
					t.Error(err)
					return
				}
				out, err := e.Fire(context.Background(), ev)
				if err != nil || count(ids(out.Steps), "every") != 1 {
					t.Errorf(`%s: got %v, %v, want err == nil and count(ids(out.Steps), "every") == 1`, name, ids(out.Steps), err)
				}
			}
		})
	}
	all.Wait()
}

func count(list []string, want string) (n int) {
	for _, s := range list {
		if s == want {
			n++
		}
	}
	return n
}

func TestChainIsTheSameForAllWhoFireFirst(t *testing.T) {
	for range 50 {
		var e hook.Engine
		var want []string
		for i := range 10 {
			id := fmt.Sprintf("h%d", i)
			add(t, &e, id, says(hook.Decision{}), hook.Priority(i))
			want = append(want, id)
		}
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if got := ids(fire(t, &e, bash("ls")).Steps); !slices.Equal(got, want) {
					t.Errorf("ran %v", got)
				}
			})
		}
		all.Wait()
	}
}
