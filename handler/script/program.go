package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hookway/hookway/hook"
	"github.com/hookway/hookway/internal/fetch"
)

// ErrClosed is the cause of a failure when the handler was closed.
var ErrClosed = errors.New("the handler is closed")

// Bounds of a program.
const (
	memoryLimit = 64 << 20 // bytes of a machine
	loadTime    = 5 * time.Second
	afterwards  = 30 * time.Second // that work goes on for which a handler did not wait
	maxMachines = 4
	maxOps      = 1024 // timers, and what else the script waits for, in one machine
	maxWaiting  = 4096 // calls of one machine that have not been answered
	busyTime    = 50 * time.Millisecond
	retryFirst  = 2 * time.Second // as a hook that costs time is asked again
	retryRead   = 30 * time.Second
)

// Config says what a program may do, and where it is.
type Config struct {
	// Root is the folder from which places in errors are written, and in which
	// exec runs when the event has no folder; empty is the file's.
	Root string

	// Allow is what the script may do.
	Allow []Grant

	// Environ gives the environment of the event that is handled, KEY=VALUE each;
	// nil is that of this process.
	Environ func(context.Context) []string

	// Env is added to the environment, KEY=VALUE each. The script sees it, and of the
	// environment the variables in Needs.
	Env   []string
	Needs []string

	// Settings are what the user says to a plugin: its pluginConfig, as JSON.
	Settings json.RawMessage

	// Transport makes the requests of fetch; nil is the network.
	Transport http.RoundTripper

	// Memory gives what agents remember, for an event of no wrapped session: by the
	// folder in which the agent works, its name and its session. Nil: nothing can be.
	Memory func(dir, agent, session string) hook.Memory

	// Relay gives who sends messages, in the context of an event of no wrapped
	// session. Nil, or a function that returns nil: nothing is sent.
	Relay func(context.Context) hook.Relay

	// Cache is a folder of the user's own, where the bytecode of large scripts is
	// kept; empty keeps none. It is made if it is not there.
	Cache string

	// Past has the script find the time of the event that it is asked about, and what has
	// gone since, in place of the clock's: it is asked about what happened then.
	Past bool

	// Together has all events go to one machine, also while it is at work for long. What
	// the script keeps from call to call then never hangs on how busy the computer is.
	Together bool

	// Registered is called for each hook that the script registers after it was
	// described, before the call goes on in which it did; Unregistered of each that
	// it takes out, by the id that Describe or Registered gave it. They must be
	// quick. An error is thrown to the script.
	Registered   func(*Late) error
	Unregistered func(id string)

	// Log gets what the script prints, and warnings: a record for each line, clean
	// and bounded. Nil drops them.
	Log *slog.Logger
}

// Program is a script that can run. It may be used from many goroutines. Close
// it, and every Handler of it, when they are not needed any more.
type Program struct {
	b *Bundle
	c Config

	loadTime   time.Duration // to read the file when it is first needed
	afterwards time.Duration // that work goes on for which a handler did not wait
	stopTime   time.Duration // for services to end
	maxOps     int
	retryFirst time.Duration // after the first such failure
	retryRead  time.Duration // at most, after which a script is read again that took so long to fail

	mu         sync.Mutex
	refs       int
	asSettings map[string]bool // the words of Config.Settings that may be variables
	closed     bool
	bytecode   []byte
	machines   []*machine            // that take calls
	all        map[*machine]struct{} // that have not ended
	late       late
	client     *fetch.Client
	single     atomic.Bool // all events go to one machine
}

// Open makes a program of a bundle. Nothing of the script runs yet.
func Open(b *Bundle, c Config) *Program {
	if c.Root == "" {
		c.Root = filepath.Dir(b.File)
	}
	return &Program{b: b, c: c, loadTime: loadTime, afterwards: afterwards, stopTime: stopTime, maxOps: maxOps, retryFirst: retryFirst, retryRead: retryRead, refs: 1, late: late{known: -1}, all: map[*machine]struct{}{}, client: fetch.New(c.Transport, maxFetched)}
}

// Grants is what the program may do.
func (p *Program) Grants() []Grant { return p.c.Allow }

// Configure sets Config.Settings, before anything of the script runs.
func (p *Program) Configure(settings json.RawMessage) { p.c.Settings = settings }

// Close ends the program when its last handler is closed too. A handler that is
// made later begins it anew.
func (p *Program) Close() error {
	p.mu.Lock()
	if p.refs--; p.refs != 0 {
		p.mu.Unlock()
		return nil
	}
	p.closed = true
	machines := slices.Collect(maps.Keys(p.all))
	p.machines = nil
	p.mu.Unlock()
	var ends sync.WaitGroup
	for _, m := range machines {
		ends.Go(func() {
			if p.single.Load() {
				m.dispose()
			}
			m.close()
		})
	}
	ends.Wait()
	for _, m := range machines {
		m.gone.Wait()
	}
	p.client.Close()
	return nil
}

// Description is what a script says about itself.
type Description struct {
	Hooks    []Registered
	Default  bool           // it exports a function that is not a hook by itself
	Settings map[string]any // such as idle_threshold_ms
	Notes    []string       // what of it does nothing here, and why
	Kept     []string       // what else it registered
}

// Registered is a hook that a script registers.
type Registered struct {
	Index   int            // for Program.Handler
	ID      string         // unique in the script
	Options map[string]any // by their names in hookway.yaml; without id
	Place   string         // file:line:column of its handler, if it is known
}

// Describe reads the script and says what hooks it registers. This runs the
// file's code.
func (p *Program) Describe(ctx context.Context) (*Description, error) {
	if p.b.Program {
		return nil, fmt.Errorf("%s: %w", p.label(), errNoEvents)
	}
	text, err := p.describe(ctx)
	if err != nil {
		return nil, err
	}
	var raw struct {
		Hooks    []map[string]any `json:"hooks"`
		Main     bool             `json:"main"`
		Settings map[string]any   `json:"settings"`
		Notes    []string         `json:"notes"`
		Kept     []string         `json:"kept"`
		Exported []string         `json:"exported"`
		Named    []string         `json:"named"`
	}
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		return nil, fmt.Errorf("%s: what the script says about its hooks cannot be read: %w", p.label(), err)
	}
	if err := p.mistyped(raw.Exported, raw.Named); err != nil {
		return nil, err
	}
	d := &Description{Default: raw.Main, Settings: raw.Settings, Notes: append(slices.Clone(p.b.Notes), raw.Notes...), Kept: raw.Kept}
	taken, ids := map[string]bool{}, make([]string, len(raw.Hooks))
	for i, options := range raw.Hooks {
		if options == nil { // it was taken out again
			continue
		}
		one := p.registered(i, options, taken)
		ids[i] = one.ID
		d.Hooks = append(d.Hooks, one)
	}
	p.describedAs(ids)
	return d, nil
}

// registered reads what a script says of a hook. Its id is none of those taken.
func (p *Program) registered(index int, options map[string]any, taken map[string]bool) Registered {
	id, _ := options["id"].(string)
	if generated, _ := options["generated"].(bool); generated || id == "" {
		id = p.b.Name() + "/" + id
	}
	for n, plain := 2, id; taken[id]; n++ {
		id = fmt.Sprintf("%s-%d", plain, n)
	}
	taken[id] = true
	place := p.handlerPlace(options["place"])
	for _, name := range []string{"id", "generated", "place"} {
		delete(options, name)
	}
	return Registered{Index: index, ID: id, Options: options, Place: place}
}

// describe asks a machine, or another one when that ends meanwhile.
func (p *Program) describe(ctx context.Context) (string, error) {
	for {
		m, err := p.machine()
		if err != nil {
			return "", err
		}
		text, err := m.describe(ctx)
		if !errors.Is(err, errGone) {
			return text, err
		}
	}
}

// handlerPlace maps where QuickJS says a function is.
func (p *Program) handlerPlace(place any) string {
	at, _ := place.(map[string]any)
	line, _ := at["line"].(float64)
	column, _ := at["column"].(float64)
	return p.b.Place(int(line), int(column))
}

// together reports whether all events go to one machine.
func (p *Program) together() bool { return p.c.Together || p.single.Load() }

// machine returns a machine for the next call: the first that is not at work for
// long already.
func (p *Program) machine() (*machine, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	var least *machine
	for _, m := range p.machines {
		if !m.busy() || p.together() {
			return m, nil
		}
		if least == nil || m.waiting() < least.waiting() {
			least = m
		}
	}
	if len(p.machines) == maxMachines {
		return least, nil
	}
	m := newMachine(p)
	p.machines = append(p.machines, m)
	p.all[m] = struct{}{}
	return m, nil
}

// ended forgets a machine.
func (p *Program) ended(m *machine) {
	p.mu.Lock()
	delete(p.all, m)
	p.mu.Unlock()
	p.drop(func(h *Late) bool { return h.m == m })
}

// retire takes a machine out, which ends when its last call is answered.
func (p *Program) retire(m *machine) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, other := range p.machines {
		if other == m {
			p.machines = append(p.machines[:i], p.machines[i+1:]...)
			return
		}
	}
}

func (p *Program) log(line string) {
	if p.c.Log != nil {
		p.c.Log.Info(line)
	}
}
